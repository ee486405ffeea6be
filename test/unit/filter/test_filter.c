/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter/filter_private.h"
#include "unit/filter_setup.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LV_UUID "LVM-abcdefghijklmnopqrstuvwxyz012345ABCDEFGHIJKLMNOPQRSTUVWXYZ012345"
#define PVID	"abcdefghijklmnopqrstuvwxyz012345"
/* Whatever the installed lvm2's default is: the file counts as one of this machine. */
#define LISTED	"devices/use_devicesfile=1 devices/device_ids_refresh=0"

static struct lea_filter_options options;
static struct lea_filter_verdict verdict;

static void put_disk(const char *devno, const char *size)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/dev/block/%s/size", devno);
	tree_put(&tree, path, size);
}

static void setup(void)
{
	filter_setup();
	put_disk("8:0", "65536\n");
	tree_mkdir(&tree, "/sys/dev/block/8:0/holders");
	put_disk("8:16", "65536\n");
	put_disk("254:0", "65536\n");
	options = (struct lea_filter_options){.use_names = true};
}

const struct fixture fixture = {setup, filter_teardown};

static int make(const char *config)
{
	struct lea_conf_options conf_options = {.config = config};

	ck_assert_int_eq(lea_conf_read(&tree.world, &conf_options, &conf), 0);
	return lea_filter_new(&tree.world, conf, &options, &filter);
}

static void be(unsigned int major, unsigned int minor, const char *name)
{
	free(device.name);
	device.major = major;
	device.minor = minor;
	device.name = strdup(name);
}

static void judge(const char *claim, const char *why)
{
	const char *said;

	ck_assert_int_eq(lea_filter_device(filter, &device, false, &verdict), 0);
	said = lea_exclusion_text(verdict.excluded);
	if (why)
		ck_assert_msg(said && !strcmp(said, why), "%s: %s", claim, said ? said : "passed");
	else
		ck_assert_msg(!said, "%s: %s", claim, said);
}

/* Answers of lvm2 2.03.16 for /dev/loop0, with other names and links. */
static const struct {
	const char *claim, *filter, *links;
	bool passes;
} patterns[] = {
	{"accept all", "[\"a|.*|\"]", "", true},
	{"reject all", "[\"r|.*|\"]", "", false},
	{"the first match decides", "[\"a|sda|\", \"r|.*|\"]", "", true},
	{"patterns are not anchored", "[\"r|sda|\"]", "", false},
	{"an anchor holds", "[\"r|^sda|\"]", "", true},
	{"both anchors", "[\"a|^/dev/sda$|\", \"r/.*/\"]", "", true},
	{"groups and repetition", "[\"a|/dev/s(d)+a$|\", \"r|.*|\"]", "", true},
	{"brackets separate", "[\"a{sda}\", \"r[.*]\"]", "", true},
	{"other names don't matter", "[\"r|loop|\"]", "", true},
	{"counted repetition is no language of ours", "[\"r|sd{1}a|\"]", "", true},
	{"the separator may occur inside", "[\"a|vd|sda|\", \"r|.*|\"]", "", true},
	{"a set with a caret", "[\"r|/dev/[^l]|\"]", "", false},
	{"optional characters", "[\"r|sx?dx?a|\"]", "", false},
	{"a single string is a list", "\"r|sda|\"", "", false},
	{"only a link is accepted: known", "[\"a|/by-id/x$|\", \"r|.*|\"]",
	 "/dev/disk/by-path/p /dev/disk/by-id/x", true},
	{"only a link is accepted: not known", "[\"a|/by-id/x$|\", \"r|.*|\"]",
	 "/dev/disk/by-path/p", false},
	{"a rejected link, nothing accepted", "[\"r|/by-id/x$|\"]", "/dev/disk/by-id/x", false},
	{"the kernel's name accepted before a rejected link", "[\"a|sda|\", \"r|/by-id/x$|\"]",
	 "/dev/disk/by-id/x", true},
	{"nothing matches anywhere", "[\"a|vd|\", \"r|xvd|\"]", "/dev/disk/by-id/x", true},
};

TEST_EACH(each_pattern_row_as_lvm2_does, patterns)
{
	char config[256];

	snprintf(config, sizeof(config), "devices/%sfilter=%s", _i % 2 ? "global_" : "",
		 patterns[_i].filter);
	device.devlinks = strdup(patterns[_i].links);
	ck_assert_int_eq(make(config), 0);
	judge(patterns[_i].claim,
	      patterns[_i].passes ? NULL : "device is rejected by filter config");
}

static const char *const bad_patterns[] = {
	"[\"x|a|\"]", "[\"a|a\"]",  "[\"a\"]",	  "[\"\"]",
	"[]",	      "[\"a(a(\"]", "[\"a|(|\"]", "[\"a||\"]",
};

TEST_EACH(each_bad_pattern_is_refused, bad_patterns)
{
	char config[256];

	snprintf(config, sizeof(config), "devices/filter=%s", bad_patterns[_i]);
	ck_assert_int_eq(make(config), LEA_FILTER_BAD_PATTERN);
	ck_assert_ptr_nonnull(strstr(tree.logged, "Invalid filter pattern"));
}

TEST(both_lists_must_accept)
{
	ck_assert_int_eq(make("devices { filter=[\"a|.*|\"] global_filter=[\"r|sda|\"] }"), 0);
	judge("global_filter", "device is rejected by filter config");
}

TEST(names_are_not_asked_when_told_so)
{
	options.use_names = false;
	ck_assert_int_eq(make("devices/filter=[\"r|.*|\"]"), 0);
	judge("no names", NULL);
}

static const struct {
	const char *claim, *config;
	unsigned int major, minor;
	const char *name, *path, *text, *properties, *why;
} states[] = {
	{"a disk", "", 8, 0, "/dev/sda", NULL, NULL, NULL, NULL},
	{"unknown driver", "", 11, 0, "/dev/sr0", NULL, NULL, NULL, "device type is unknown"},
	{"a character driver's number doesn't count", "", 99, 0, "/dev/x", NULL, NULL, NULL,
	 "device type is unknown"},
	{"a driver from devices/types", "devices/types=[\"sr\",1]", 11, 0, "/dev/sr0",
	 "/sys/dev/block/11:0/size", "8192\n", NULL, NULL},
	{"not in sysfs", "", 8, 32, "/dev/sdc", NULL, NULL, NULL, "device is missing sysfs info"},
	{"not in sysfs, not asked", "devices/sysfs_scan=0", 8, 32, "/dev/sdc", NULL, NULL, NULL,
	 NULL},
	{"too small", "", 8, 0, "/dev/sda", "/sys/dev/block/8:0/size", "4095\n", NULL,
	 "device is too small (pv_min_size)"},
	{"just large enough", "", 8, 0, "/dev/sda", "/sys/dev/block/8:0/size", "4096\n", NULL,
	 NULL},
	{"no medium", "", 8, 0, "/dev/sda", "/sys/dev/block/8:0/size", "0\n", NULL,
	 "device is too small (pv_min_size)"},
	{"a plain dm device", "", 254, 0, "/dev/dm-0", "/sys/dev/block/254:0/dm/uuid", "mpath-x\n",
	 NULL, NULL},
	{"a dm device without uuid", "", 254, 0, "/dev/dm-0", "/sys/dev/block/254:0/dm/uuid", "\n",
	 NULL, NULL},
	{"an LV", "", 254, 0, "/dev/dm-0", "/sys/dev/block/254:0/dm/uuid", LV_UUID "\n", NULL,
	 "device is an LV"},
	{"an LV, wanted", "devices/scan_lvs=1", 254, 0, "/dev/dm-0", "/sys/dev/block/254:0/dm/uuid",
	 LV_UUID "\n", NULL, NULL},
	{"a hidden layer of an LV", "devices/scan_lvs=1", 254, 0, "/dev/dm-0",
	 "/sys/dev/block/254:0/dm/uuid", LV_UUID "-tpool\n", NULL,
	 "device is not in a usable state"},
	{"a temporary crypt device", "", 254, 0, "/dev/dm-0", "/sys/dev/block/254:0/dm/uuid",
	 "CRYPT-TEMP-x\n", NULL, "device is not in a usable state"},
	{"a crypt device", "", 254, 0, "/dev/dm-0", "/sys/dev/block/254:0/dm/uuid",
	 "CRYPT-LUKS2-x\n", NULL, NULL},
	{"stratis' own", "", 254, 0, "/dev/dm-0", "/sys/dev/block/254:0/dm/uuid",
	 "stratis-1-private-x\n", NULL, "device is not in a usable state"},
	{"held by a multipath map", "", 8, 0, "/dev/sda", "/sys/dev/block/8:0/holders/dm-0/dm/uuid",
	 "mpath-360\n", NULL, "device is a multipath component"},
	{"held by something else", "", 8, 0, "/dev/sda", "/sys/dev/block/8:0/holders/dm-0/dm/uuid",
	 "LVM-x\n", NULL, NULL},
	{"held, but not to be looked at", "devices/multipath_component_detection=0", 8, 0,
	 "/dev/sda", "/sys/dev/block/8:0/holders/dm-0/dm/uuid", "mpath-360\n", NULL, NULL},
	{"udev says it is a path", "", 8, 0, "/dev/sda", NULL, NULL,
	 "A=1\nDM_MULTIPATH_DEVICE_PATH=1\n", "device is a multipath component"},
	{"a disk by udev's word, whatever else there is", "", 8, 0, "/dev/sda",
	 "/sys/dev/block/holders/dm-0/dm/uuid", "mpath-360\n", "DEVTYPE=disk\n", NULL},
	{"a partition by udev's word is asked for its disk's holders", "", 8, 16, "/dev/sdb",
	 "/sys/dev/block/holders/dm-0/dm/uuid", "mpath-360\n", "DEVTYPE=partition\n",
	 "device is a multipath component"},
	{"udev saw multipath's mark", "", 8, 0, "/dev/sda", NULL, NULL, "ID_FS_TYPE=mpath_member\n",
	 "device is a multipath component"},
	{"a mounted file system", "", 8, 16, "/dev/sdb", NULL, NULL, "ID_FS_TYPE=ext4\n",
	 "device is mounted"},
	{"a PV by udev's word is not looked up", "", 8, 16, "/dev/sdb", NULL, NULL,
	 "ID_FS_TYPE=LVM2_member\n", NULL},
};

TEST_EACH(each_state_gives_its_reason, states)
{
	if (states[_i].path)
		tree_put(&tree, states[_i].path, states[_i].text);
	be(states[_i].major, states[_i].minor, states[_i].name);
	if (states[_i].properties)
		device.properties = strdup(states[_i].properties);
	ck_assert_int_eq(make(states[_i].config), 0);
	judge(states[_i].claim, states[_i].why);
}

TEST(a_suspended_device_is_refused_only_if_set)
{
	tree_put(&tree, "/sys/dev/block/254:0/dm/uuid", "x\n");
	tree_put(&tree, "/sys/dev/block/254:0/dm/suspended", "1\n");
	be(254, 0, "/dev/dm-0");
	ck_assert_int_eq(make("devices/ignore_suspended_devices=1"), 0);
	judge("suspended", "device is not in a usable state");
	lea_filter_free(filter);
	lea_conf_free(conf);
	ck_assert_int_eq(make(""), 0);
	judge("not asked", NULL);
}

TEST(an_lv_with_a_reserved_name_is_refused)
{
	tree_put(&tree, "/sys/dev/block/254:0/dm/uuid", LV_UUID "\n");
	be(254, 0, "/dev/dm-0");
	ck_assert_int_eq(make("devices/scan_lvs=1"), 0);
	tree_put(&tree, "/sys/dev/block/254:0/dm/name", "v--g-pool_tdata\n");
	judge("reserved", "device is not in a usable state");
	tree_put(&tree, "/sys/dev/block/254:0/dm/name", "v--g_tdata-l--v\n");
	judge("not reserved", NULL);
}

/* Slaves of an LV, and whether ignore_lvm_mirrors, which is on by default, refuses it. */
static const struct {
	const char *claim, *slaves[2], *settings, *why;
} mirrors[] = {
	{"a mirror", {"v-m_mlog", "v-m_mimage_0"}, "", "device is not in a usable state"},
	{"a mirror that gets another image",
	 {"v-m_mimagetmp_2", "v-m_mimage_3"},
	 "",
	 "device is not in a usable state"},
	{"a mirror, wanted",
	 {"v-m_mimage_0", "v-m_mimage_1"},
	 " devices/ignore_lvm_mirrors=0",
	 NULL},
	{"RAID1", {"v-m_rmeta_0", "v-m_rimage_0"}, "", NULL},
	{"an LV of a VG with such a name", {"v_mimage_0-l", "crypt"}, "", NULL},
};

TEST_EACH(a_mirror_is_refused_unless_it_is_wanted, mirrors)
{
	char path[64], settings[80];

	tree_put(&tree, "/sys/dev/block/254:0/dm/uuid", LV_UUID "\n");
	tree_put(&tree, "/sys/dev/block/254:0/dm/name", "v-m\n");
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "/sys/dev/block/254:0/slaves/dm-%d/dm/name", i + 1);
		tree_put(&tree, path, mirrors[_i].slaves[i]);
	}
	be(254, 0, "/dev/dm-0");
	snprintf(settings, sizeof(settings), "devices/scan_lvs=1%s", mirrors[_i].settings);
	ck_assert_int_eq(make(settings), 0);
	judge(mirrors[_i].claim, mirrors[_i].why);
}

TEST(a_partition_of_a_path_is_a_component)
{
	tree_put(&tree, "/sys/devices/sda/holders/dm-0/dm/uuid", "mpath-x\n");
	tree_put(&tree, "/sys/devices/sda/sda1/size", "65536\n");
	tree_put(&tree, "/sys/devices/sda/sda1/partition", "1\n");
	tree_link(&tree, "/sys/dev/block/8:1", "../../devices/sda/sda1");
	be(8, 1, "/dev/sda1");
	ck_assert_int_eq(make(""), 0);
	judge("partition", "device is a multipath component");
}

static const struct {
	const char *claim, *wwids, *config, *properties;
	bool is_path;
} wwids[] = {
	{"listed", "# x\n/3600a0b80000/\n", NULL, NULL, true},
	{"not listed", "/3600a0b80001/\n", NULL, NULL, false},
	{"blacklisted", "/3600a0b80000/\n", "blacklist {\n wwid \"3600a0b80000\"\n}\n", NULL,
	 false},
	{"excepted again", "/3600a0b80000/\n",
	 "blacklist {\n\twwid 3600a0b80000\n}\nblacklist_exceptions {\n\twwid 3600a0b80000\n}\n",
	 NULL, true},
	{"udev says no", "/3600a0b80000/\n", NULL, "DM_MULTIPATH_DEVICE_PATH=0\n", false},
	{"among others", "/3600a0b80001/\n/3600A0B80000/\n/2600a0b8/\n3600a0b80000\n", NULL, NULL,
	 true},
	{"no kind that multipath has", "/9600a0b80000/\n", NULL, NULL, false},
	{"another one is blacklisted", "/3600a0b80000/\n/3600a0b80001/\n",
	 "blacklist {\n wwid 3600a0b80001\n}\n", NULL, true},
	{"twice, and blacklisted", "/3600a0b80000/\n/3600a0b80000/\n",
	 "blacklist {\n wwid 3600a0b80000\n}\n", NULL, false},
};

TEST_EACH(each_wwids_row, wwids)
{
	tree_put(&tree, "/sys/dev/block/8:0/device/wwid", "naa.600a0b80000\n");
	tree_put(&tree, "/etc/multipath/wwids", wwids[_i].wwids);
	if (wwids[_i].config)
		tree_put(&tree, "/etc/multipath/conf.d/x.conf", wwids[_i].config);
	if (wwids[_i].properties)
		device.properties = strdup(wwids[_i].properties);
	ck_assert_int_eq(make(""), 0);
	judge(wwids[_i].claim, wwids[_i].is_path ? "device is a multipath component" : NULL);
}

/* Rows: more ids than any machine has had; more than a file that multipath has written can have. */
TEST_TIMES(a_long_wwids_file_is_read, 2)
{
	const size_t bytes = (_i ? 17U : 2U) << 20;
	char *text = malloc(bytes + 1);

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < bytes; i++)
		text[i] = i % 64 ? '#' : '\n';
	memcpy(text + bytes - 16, "\n/3600a0b80000/\n", 17);
	tree_put(&tree, "/sys/dev/block/8:0/device/wwid", "naa.600a0b80000\n");
	tree_put(&tree, "/etc/multipath/wwids", text);
	free(text);
	ck_assert_int_eq(make(""), 0);
	judge("its last line", _i ? NULL : "device is a multipath component");
	ck_assert_msg(!_i == !strstr(tree.logged, "wwids is not used: it is larger than 16 MiB"),
		      "%s", tree.logged);
}

/* A machine may have a thousand paths: what multipath has written is read once for all of them. */
TEST(multipaths_files_are_read_once)
{
	tree_put(&tree, "/sys/dev/block/8:0/device/wwid", "naa.600a0b80000\n");
	tree_put(&tree, "/etc/multipath/wwids", "/3600a0b80000/\n");
	tree_put(&tree, "/etc/multipath.conf", "blacklist {\n wwid 3600a0b80000\n}\n");
	ck_assert_int_eq(make(""), 0);
	judge("blacklisted", NULL);
	tree_put(&tree, "/etc/multipath.conf", "");
	judge("not read again", NULL);
	tree_put(&tree, "/etc/multipath/wwids", "");
	lea_filter_free(filter);
	filter = NULL;
	lea_conf_free(conf);
	ck_assert_int_eq(make(""), 0);
	judge("read for another filter", NULL);
	tree_put(&tree, "/etc/multipath/wwids", "/3600a0b80000/\n");
	judge("not read again", NULL);
}

static const struct {
	const char *claim, *line;
	unsigned int major, minor;
	const char *name, *attribute, *value;
	bool passes, check_pvid;
} listed[] = {
	{"sys_wwid", "IDTYPE=sys_wwid IDNAME=naa.600a DEVNAME=/dev/sdz PVID=" PVID, 8, 0,
	 "/dev/sda", "device/wwid", "naa.600a\n", true, false},
	{"another wwid", "IDTYPE=sys_wwid IDNAME=naa.600b DEVNAME=/dev/sda PVID=" PVID, 8, 0,
	 "/dev/sda", "device/wwid", "naa.600a\n", false, false},
	{"blanks of a t10 id", "IDTYPE=sys_wwid IDNAME=t10.ATA_QEMU_HARDDISK_1 DEVNAME=. PVID=.", 8,
	 0, "/dev/sda", "device/wwid", "t10.ATA     QEMU HARDDISK    1  \n", true, false},
	{"underscores of older releases",
	 "IDTYPE=sys_wwid IDNAME=t10.ATA_____QEMU_HARDDISK____1__ DEVNAME=. PVID=.", 8, 0,
	 "/dev/sda", "device/wwid", "t10.ATA     QEMU HARDDISK    1  \n", true, false},
	{"nvme's wwid", "IDTYPE=sys_wwid IDNAME=eui.0025 DEVNAME=. PVID=.", 8, 0, "/dev/sda",
	 "wwid", "eui.0025\n", true, false},
	{"serial", "IDTYPE=sys_serial IDNAME=abc DEVNAME=. PVID=.", 8, 0, "/dev/sda",
	 "device/serial", "abc\n", true, false},
	{"virtio's serial", "IDTYPE=sys_serial IDNAME=abc DEVNAME=. PVID=.", 8, 0, "/dev/sda",
	 "serial", "abc\n", true, false},
	{"another partition", "IDTYPE=sys_serial IDNAME=abc DEVNAME=. PVID=. PART=1", 8, 0,
	 "/dev/sda", "serial", "abc\n", false, false},
	{"loop file", "IDTYPE=loop_file IDNAME=/a/b DEVNAME=. PVID=.", 7, 0, "/dev/loop0",
	 "loop/backing_file", "/a/b\n", true, false},
	{"md uuid", "IDTYPE=md_uuid IDNAME=01-02 DEVNAME=. PVID=.", 9, 0, "/dev/md0", "md/uuid",
	 "01-02\n", true, false},
	{"mpath uuid", "IDTYPE=mpath_uuid IDNAME=mpath-3 DEVNAME=. PVID=.", 254, 0, "/dev/dm-0",
	 "dm/uuid", "mpath-3\n", true, false},
	{"crypt uuid", "IDTYPE=crypt_uuid IDNAME=CRYPT-L DEVNAME=. PVID=.", 254, 0, "/dev/dm-0",
	 "dm/uuid", "CRYPT-L\n", true, false},
	{"a name: the PVID decides", "IDTYPE=devname IDNAME=/dev/sda DEVNAME=/dev/sda PVID=" PVID,
	 8, 0, "/dev/sda", "ro", "0\n", true, true},
	{"another name: the PVID decides", "IDTYPE=devname IDNAME=/dev/sdq DEVNAME=. PVID=" PVID, 8,
	 0, "/dev/sda", "ro", "0\n", true, true},
	{"a name without PVID", "IDTYPE=devname IDNAME=/dev/sda DEVNAME=/dev/sda PVID=.", 8, 0,
	 "/dev/sda", "ro", "0\n", true, false},
	{"a refresh is on", "REFRESH_UNTIL=29991231235959\nIDTYPE=sys_wwid IDNAME=x PVID=" PVID, 8,
	 0, "/dev/sda", "ro", "0\n", true, true},
	{"a refresh is over", "REFRESH_UNTIL=20011231235959\nIDTYPE=sys_wwid IDNAME=x PVID=" PVID,
	 8, 0, "/dev/sda", "ro", "0\n", false, false},
	{"an empty file lists nothing", "# IDTYPE=devname IDNAME=/dev/sda", 8, 0, "/dev/sda", "ro",
	 "0\n", false, false},
};

TEST_EACH(each_devicesfile_row, listed)
{
	char path[128], text[512];

	snprintf(text, sizeof(text), "# LVM uses devices listed in this file.\nVERSION=1.1.2\n%s\n",
		 listed[_i].line);
	tree_put(&tree, "/etc/lvm/devices/system.devices", text);
	snprintf(path, sizeof(path), "%u:%u", listed[_i].major, listed[_i].minor);
	put_disk(path, "65536\n");
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/%s", listed[_i].major, listed[_i].minor,
		 listed[_i].attribute);
	tree_put(&tree, path, listed[_i].value);
	be(listed[_i].major, listed[_i].minor, listed[_i].name);
	ck_assert_int_eq(make(LISTED), 0);
	judge(listed[_i].claim, listed[_i].passes ? NULL : "device is not in devices file");
	ck_assert_msg(verdict.check_pvid == listed[_i].check_pvid, "%s: check_pvid",
		      listed[_i].claim);
}

/* Each machine's name is the test's own; "" stands for no such line, and for no product UUID. */
static const struct {
	const char *claim, *settings, *uuid, *line;
	bool check_pvid;
} hosts[] = {
	{"lvm2 before 2.03.23", "devices/device_ids_refresh=0", "", "HOSTNAME=-other-", false},
	{"neither line", "devices/device_ids_refresh=1", "", "", true},
	{"a number of seconds", "devices/device_ids_refresh=600", "", "", true},
	{"another host", "devices/device_ids_refresh=1", "", "HOSTNAME=-other-", true},
	{"an unknown host", "devices/device_ids_refresh=1", "", "HOSTNAME=.", true},
	{"this host", "devices/device_ids_refresh=1", "", "HOSTNAME=%s", false},
	{"this host, but products have UUIDs", "devices/device_ids_refresh=1", "1-2\n",
	 "HOSTNAME=%s", true},
	{"this product", "devices/device_ids_refresh=1", "1-A\n", "PRODUCT_UUID=1-a", false},
	{"another product", "devices/device_ids_refresh=1", "1-2\n", "PRODUCT_UUID=1-3", true},
	{"a product, and this one has no UUID", "devices/device_ids_refresh=1", "",
	 "PRODUCT_UUID=1-3", true},
	{"only the hostname counts",
	 "devices/device_ids_refresh=1 devices/device_ids_refresh_checks=[\"hostname\"]", "1-2\n",
	 "HOSTNAME=%s", false},
	{"only the product counts",
	 "devices/device_ids_refresh=1 devices/device_ids_refresh_checks=[\"product_uuid\"]", "",
	 "HOSTNAME=-other-", false},
	{"nothing counts", "devices/device_ids_refresh=1 devices/device_ids_refresh_checks=[]",
	 "1-2\n", "PRODUCT_UUID=1-3", false},
};

TEST_EACH(ids_of_another_machine_are_not_trusted, hosts)
{
	char settings[256], line[128], text[512];
	struct utsname host;

	ck_assert_int_eq(uname(&host), 0);
	snprintf(line, sizeof(line), "HOSTNAME=%s", host.nodename);
	if (strcmp(hosts[_i].line, "HOSTNAME=%s") != 0)
		snprintf(line, sizeof(line), "%s", hosts[_i].line);
	snprintf(text, sizeof(text), "VERSION=1.1.1\n%s\nIDTYPE=sys_wwid IDNAME=x PVID=" PVID "\n",
		 line);
	tree_put(&tree, "/etc/lvm/devices/system.devices", text);
	if (hosts[_i].uuid[0])
		tree_put(&tree, "/sys/class/dmi/id/product_uuid", hosts[_i].uuid);
	put_disk("8:0", "65536\n");
	be(8, 0, "/dev/sda");
	snprintf(settings, sizeof(settings), "devices/use_devicesfile=1 %s", hosts[_i].settings);
	ck_assert_int_eq(make(settings), 0);
	judge(hosts[_i].claim, hosts[_i].check_pvid ? NULL : "device is not in devices file");
	ck_assert_msg(verdict.check_pvid == hosts[_i].check_pvid, "%s: check_pvid",
		      hosts[_i].claim);
}

TEST(a_listed_name_may_be_any_of_the_links)
{
	tree_put(&tree, "/etc/lvm/devices/system.devices",
		 "IDTYPE=devname IDNAME=/dev/disk/by-id/a DEVNAME=. PVID=.\n");
	put_disk("8:0", "65536\n");
	be(8, 0, "/dev/sda");
	device.devlinks = strdup("/dev/disk/by-id/ab /dev/disk/by-id/a /dev/disk/by-id/abc");
	ck_assert_int_eq(make(LISTED), 0);
	judge("behind a longer one", NULL);
	ck_assert_msg(!verdict.check_pvid, "the name is enough");
}

TEST(a_designator_of_page_83_is_found)
{
	static const unsigned char page[] = {0,	   0x83, 0,    12,   0x01, 0x03, 0,    8,
					     0x60, 0x0a, 0x0b, 0x80, 0,	   0,	 0x12, 0x34};

	tree_put_bytes(&tree, "/sys/dev/block/8:0/device/vpd_pg83", page, sizeof(page));
	tree_put(&tree, "/etc/lvm/devices/system.devices",
		 "IDTYPE=wwid_naa IDNAME=naa.600a0b8000001234 DEVNAME=. PVID=.\n");
	ck_assert_int_eq(make(LISTED), 0);
	judge("wwid_naa", NULL);
}

/*
 * How the file lists /dev/sda, a PV. Rows: its lines, settings, and whether sda has a serial number
 * of its own ("S1"). @event, @command: whether an event and a command of lvm2 use the device.
 */
#define OF_NAME(name) "IDTYPE=devname IDNAME=" name " DEVNAME=" name " PVID=" PVID
#define OF_WWID	      "IDTYPE=sys_wwid IDNAME=naa.600b DEVNAME=/dev/sda PVID=" PVID
#define OF_OTHER      "IDTYPE=devname IDNAME=/dev/sdz DEVNAME=/dev/sdz PVID=" OTHER_PVID
#define OTHER_PVID    "bbcdefghijklmnopqrstuvwxyz012345"
#define SEARCH(mode)  " devices/search_for_devnames=\"" mode "\""

static const struct {
	const char *claim, *lines, *settings;
	bool has_id;
	enum lea_listing listing;
	bool event, command;
} pvids[] = {
	{"its name and PVID", OF_NAME("/dev/sda"), "", true, LEA_LISTED, true, true},
	{"its name and another PVID", OF_OTHER "\nIDTYPE=devname IDNAME=/dev/sda PVID=" OTHER_PVID,
	 "", false, LEA_LISTED_NOT, false, false},
	{"another name", OF_NAME("/dev/sdz"), "", false, LEA_LISTED_MOVED, true, true},
	{"another name, and an id is preferred", OF_NAME("/dev/sdz"), SEARCH("auto"), true,
	 LEA_LISTED_OTHERWISE, true, false},
	{"another name, and all are searched", OF_NAME("/dev/sdz"), SEARCH("all"), true,
	 LEA_LISTED_MOVED, true, true},
	{"another name, and none is searched", OF_NAME("/dev/sdz"), SEARCH("none"), false,
	 LEA_LISTED_OTHERWISE, true, false},
	{"its name, and none is searched", OF_NAME("/dev/sda"), SEARCH("none"), false, LEA_LISTED,
	 true, true},
	{"another id, beside an entry by name", OF_WWID "\n" OF_OTHER, SEARCH("all"), false,
	 LEA_LISTED_OTHERWISE, true, false},
	{"another id alone", OF_WWID, SEARCH("all"), false, LEA_LISTED_NOT, false, false},
	{"another id, while ids are refreshed", "REFRESH_UNTIL=29991231235959\n" OF_WWID,
	 SEARCH("none"), true, LEA_LISTED_MOVED, true, true},
	{"its id, and the PVID by another name",
	 "IDTYPE=sys_serial IDNAME=S1 PVID=" OTHER_PVID "\n" OF_NAME("/dev/sdz"), SEARCH("none"),
	 true, LEA_LISTED, true, true},
	{"another PVID", OF_OTHER, SEARCH("all"), false, LEA_LISTED_NOT, false, false},
};

static bool passes(bool wants_own_id)
{
	struct lea_filter_verdict now;

	filter->wants_own_id = wants_own_id;
	ck_assert_int_eq(lea_filter_device(filter, &device, false, &now), 0);
	if (!now.excluded && now.check_pvid)
		ck_assert_int_eq(lea_filter_pvid(filter, &device, PVID, &now), 0);
	return !now.excluded;
}

TEST_EACH(each_entry_decides_for_its_own_pvid, pvids)
{
	enum lea_listing listing;
	char text[512], settings[256];

	snprintf(text, sizeof(text), "VERSION=1.1.1\n%s\n", pvids[_i].lines);
	snprintf(settings, sizeof(settings), LISTED "%s", pvids[_i].settings);
	tree_put(&tree, "/etc/lvm/devices/system.devices", text);
	if (pvids[_i].has_id)
		tree_put(&tree, "/sys/dev/block/8:0/device/serial", "S1\n");
	ck_assert_int_eq(make(settings), 0);
	ck_assert_int_eq(lea_filter_listing(filter, &device, PVID, &listing), 0);
	ck_assert_msg(listing == pvids[_i].listing, "%s: listed as %d", pvids[_i].claim, listing);
	ck_assert_msg(passes(false) == pvids[_i].event, "%s: by an event", pvids[_i].claim);
	ck_assert_msg(passes(true) == pvids[_i].command, "%s: by a command", pvids[_i].claim);
}

TEST(a_device_without_a_pvid_is_not_in_the_file)
{
	struct lea_filter_verdict now = {0};

	tree_put(&tree, "/etc/lvm/devices/system.devices", OF_NAME("/dev/sdz") "\n");
	ck_assert_int_eq(make(LISTED), 0);
	ck_assert_int_eq(lea_filter_pvid(filter, &device, "", &now), 0);
	ck_assert_int_eq(now.listing, LEA_LISTED_NOT);
}

TEST(patterns_are_ignored_with_a_devices_file_and_that_is_said)
{
	tree_put(&tree, "/etc/lvm/devices/system.devices",
		 "IDTYPE=devname IDNAME=/dev/sda DEVNAME=. PVID=.\n");
	ck_assert_int_eq(make(LISTED " devices/filter=[\"r|.*|\"]"), 0);
	judge("devices file", NULL);
	ck_assert_ptr_nonnull(strstr(tree.logged,
				     "Please remove the lvm.conf filter, it is ignored "
				     "with the devices file."));
}

static uint64_t slept_ms;

static void count_sleep(struct lea_clock *clock, uint64_t ms)
{
	(void)clock;
	slept_ms += ms;
}

/* A command of lvm2 holds the lock for as long as it reads disks. */
static const struct {
	enum lea_filter_lock lock;
	const char *settings;
	uint64_t limit_ms;
} held[] = {
	{LEA_FILTER_LOCK_BRIEFLY, "", 1000},
	{LEA_FILTER_LOCK_BRIEFLY, " event/probe_deadline_ms=1000", 100},
	{LEA_FILTER_LOCK_BRIEFLY, " global/wait_for_locks=0", 0},
	{LEA_FILTER_LOCK_TRY, "", 0},
	{LEA_FILTER_LOCK_WAIT, " global/wait_for_locks=0", 0},
};

TEST_EACH(a_held_lock_of_the_devices_file_is_not_waited_for_without_limit, held)
{
	struct lea_clock clock = {.sleep_ms = count_sleep};
	char path[512], settings[256];
	int fd;

	tree_put(&tree, "/run/lock/lvm/D_system.devices", "");
	snprintf(path, sizeof(path), "%s/run/lock/lvm/D_system.devices", tree.root);
	fd = open(path, O_RDWR | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	tree_put(&tree, "/etc/lvm/devices/system.devices", OF_OTHER "\n");
	tree.world.clock = &clock;
	slept_ms = 0;
	options.lock = held[_i].lock;
	snprintf(settings, sizeof(settings), LISTED "%s", held[_i].settings);
	alarm(10);
	ck_assert_int_eq(make(settings), 0);
	ck_assert_uint_eq(slept_ms, held[_i].limit_ms);
	judge("read without the lock", NULL);
	ck_assert(verdict.check_pvid);
	close(fd);
}

TEST(a_missing_devices_file_switches_the_feature_off_unless_it_must_exist)
{
	ck_assert_int_eq(make(LISTED), 0);
	judge("missing", NULL);
	lea_filter_free(filter);
	filter = NULL;
	lea_conf_free(conf);
	options.devicesfile_must_exist = true;
	ck_assert_int_eq(make(LISTED), LEA_FILTER_BAD_DEVICESFILE);
}

TEST(a_devices_list_takes_the_place_of_patterns_and_file)
{
	const char *list[] = {"/dev/sda", "/dev/sdc"};

	options.devices = list;
	options.device_count = 2;
	tree_put(&tree, "/etc/lvm/devices/system.devices", "");
	ck_assert_int_eq(make(LISTED " devices/filter=[\"r|.*|\"]"), 0);
	judge("listed", NULL);
	be(8, 16, "/dev/sdb");
	judge("not listed", "device is not in devices list");
}

static const struct {
	const char *claim, *properties;
	bool asks_blkid;
} silences[] = {
	{"udev has no entry of it", "", true},
	{"udev has an entry that names no content", "DEVTYPE=disk\nID_PATH=x\n", true},
	{"udev has named the content", "DEVTYPE=disk\nID_FS_TYPE=LVM2_member\n", false},
	{"nobody has asked udev", NULL, false},
};

TEST_EACH(only_the_silence_of_udev_asks_libblkid, silences)
{
	device.properties = silences[_i].properties ? strdup(silences[_i].properties) : NULL;
	ck_assert_int_eq(make(""), 0);
	judge(silences[_i].claim, NULL);
	ck_assert_msg(verdict.asks_blkid == silences[_i].asks_blkid, "%s", silences[_i].claim);
	ck_assert_uint_eq(verdict.size_sectors, 65536);
}

/* Of a device that the caller opens at once, and so learns its size. */
TEST(the_size_may_be_judged_later)
{
	static const struct {
		uint64_t sectors;
		enum lea_exclusion excluded;
	} sizes[] = {
		{0, LEA_EXCLUDED_EMPTY},
		{4095, LEA_EXCLUDED_SMALL},
		{4096, LEA_NOT_EXCLUDED},
	};

	put_disk("8:0", "0\n");
	ck_assert_int_eq(make(""), 0);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		ck_assert_int_eq(lea_filter_device(filter, &device, true, &verdict), 0);
		ck_assert_int_eq(verdict.excluded, LEA_NOT_EXCLUDED);
		lea_filter_size(filter, sizes[i].sectors, &verdict);
		ck_assert_int_eq(verdict.excluded, sizes[i].excluded);
		ck_assert_uint_eq(verdict.size_sectors, sizes[i].sectors);
	}
}
