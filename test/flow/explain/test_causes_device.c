/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent explain: causes of devices, as test_causes.c. */
#include "flow/causes_machine.h"

#include <errno.h>

static int open_unreadable(struct lea_world *world, const char *path, uint32_t major,
			   uint32_t minor)
{
	(void)world;
	(void)path;
	(void)major;
	(void)minor;
	return -EIO;
}

static void damaged(void)
{
	sample("damaged/text-crc");
}

static void unreadable(void)
{
	machine.world->open_device = open_unreadable;
}

static void blank(void)
{
	const char zeros[4096] = "";

	machine.properties = "ID_FS_TYPE=\n";
	overwritten(0, zeros, sizeof(zeros));
}

static void partitioned(void)
{
	const uint8_t entry[66] = {0x80, 0, 2, 0, 0x83, 0, 9, 0, 1, [12] = 8, [64] = 0x55, 0xaa};

	overwritten(446, entry, sizeof(entry));
}

static void lvm1(void)
{
	overwritten(0, "HM\1", 4);
}

static void firmware(void)
{
	machine.properties = "ID_FS_TYPE=isw_raid_member\n";
	conf("devices/fw_raid_component_detection = 1");
}

static void suspended_pv(void)
{
	put("/proc/devices", "Block devices:\n  8 device-mapper\n");
	put("/sys/dev/block/8:16/dm/uuid", "CRYPT-x\n");
	put("/sys/dev/block/8:16/dm/suspended", "1\n");
	conf("devices/ignore_suspended_devices = 1");
}

static void no_size(void)
{
	tree_remove(&machine.tree, "/sys/dev/block/8:16/size");
}

/* A PV of a guest, on an LV of this host. */
static void on_lv(void)
{
	put("/proc/devices", "Block devices:\n  8 device-mapper\n");
	put("/sys/dev/block/8:16/dm/uuid", "LVM-" VG_ONE_ID ROOT_ID "\n");
	conf("devices {\n\tscan_lvs = 0\n}\n");
}

static void filtered(void)
{
	conf("devices {\n\tscan_lvs = 0\n\tfilter = [ \"a|nothing|\",\n\t\t\"r|^/dev/sd|\" ]\n}\n");
}

static void alias_filtered(void)
{
	machine.properties = MEMBER "DEVLINKS=/dev/disk/by-id/x\n";
	conf("devices/global_filter = [ \"r|by-id|\" ]");
}

static void not_listed(void)
{
	conf("devices { use_devicesfile = 1 device_ids_refresh = 0 }");
	put("/etc/lvm/devices/system.devices", "IDTYPE=sys_wwid IDNAME=naa.1 DEVNAME=/dev/sdq "
					       "PVID=" PVID_B "\n");
}

static void listed_by_other_id(void)
{
	conf("devices { use_devicesfile = 1 device_ids_refresh = 0 }");
	put("/etc/lvm/devices/system.devices", "IDTYPE=sys_wwid IDNAME=naa.1 DEVNAME=/dev/sdq "
					       "PVID=" PVID_ONE "\n");
}

static void too_small(void)
{
	conf("devices {\n\n\tpv_min_size = 999999\n}");
}

static void multipath(void)
{
	machine.properties = "ID_FS_TYPE=mpath_member\nDM_MULTIPATH_DEVICE_PATH=1\n";
}

static void md_member(void)
{
	machine.properties = "ID_FS_TYPE=linux_raid_member\n";
}

static void mounted(void)
{
	machine.properties = "ID_FS_TYPE=ext4\n";
	put("/proc/self/mountinfo", "22 1 8:16 / /mnt rw - ext4 /dev/sda rw\n");
}

static void unknown_type(void)
{
	put("/proc/devices", "Block devices:\n253 device-mapper\n");
}

static void orphan(void)
{
	sample("orphan");
}

static void multipath_held(void)
{
	multipath();
	put("/sys/dev/block/8:16/holders/dm-9/dev", "253:9\n");
	put("/sys/class/block/dm-9/dm/name", "mpatha\n");
}

/* fstab needs an LV of a VG that nobody has seen: the excluded PV may be its. */
static void filtered_and_needed(void)
{
	filtered();
	put("/etc/fstab", "/dev/home/lv /srv ext4 defaults 0 2\n");
}

static const struct cause_row rows[] = {
	{"a filter", filtered, "/dev/sda", "PV /dev/sda: not used: filter\n",
	 "pattern r|^/dev/sd| of devices/filter matches /dev/sda (/etc/lvm/lvm.conf:3)",
	 "next: lvmconfig --type full devices/filter\n"},
	{"what fstab needs and nothing is known of", filtered_and_needed, "",
	 "mount point /srv: not mounted: not-seen\n",
	 "/etc/fstab needs LV home/lv for it, and its VG was not found on devices that LVM may use",
	 NULL},
	{"... and the PV that may be it", filtered_and_needed, "", "PV /dev/sda", "filter", NULL},
	{"... met by an alias", alias_filtered, "/dev/sda", "PV /dev/sda: not used: filter\n",
	 "pattern r|by-id| of devices/global_filter matches /dev/disk/by-id/x "
	 "(/etc/lvm/lvm.conf:1)",
	 "next: lvmconfig --type full devices/global_filter\n"},
	{"a devices file without it", not_listed, "/dev/sda",
	 "PV /dev/sda: not used: devices-file\n",
	 "device is not in devices file: /etc/lvm/devices/system.devices\n",
	 "next: lvm lvmdevices --check\n"},
	{"... with another id for it", listed_by_other_id, "/dev/sda",
	 "PV /dev/sda: not used: devices-file\n",
	 "the file has this PV with another id: IDTYPE=sys_wwid IDNAME=naa.1 DEVNAME=/dev/sdq",
	 "next: lvm lvmdevices --check\n"},
	{"a PV that is too small", too_small, "/dev/sda", "PV /dev/sda: not used: pv-min-size\n",
	 "devices/pv_min_size (/etc/lvm/lvm.conf:3)",
	 "next: lvmconfig --type full devices/pv_min_size\n"},
	{"a path without its map", multipath, "/dev/sda", "PV /dev/sda: not used: multipath-path\n",
	 "the device that should lie on it is not there yet", "next: multipath -ll\n"},
	{"a path with its map", multipath_held, "/dev/sda",
	 "PV /dev/sda: not used: multipath-path\n", "on it lies mpatha (dm-9)",
	 "next: multipath -ll\n"},
	{"a member of an array", md_member, "/dev/sda", "PV /dev/sda: not used: md-member\n",
	 "md component", "next: mdadm --examine /dev/sda\n"},
	{"a device that is mounted", mounted, "/dev/sda", "PV /dev/sda: not used: mounted\n",
	 "device is mounted; on it lies a file system, mounted on /mnt",
	 "next: findmnt --source /dev/sda\n"},
	{"a disk that cannot be read", unreadable, "/dev/sda",
	 "PV /dev/sda: not used: unreadable\n", "it cannot be read: Input/output error",
	 "journalctl -k -b\n"},
	{"a disk without a PV", blank, "/dev/sda", "PV /dev/sda: not used: no-pv\n",
	 "LVM finds no PV on it", "lsblk --fs /dev/sda\n"},
	{"a disk with partitions", partitioned, "", "PV /dev/sda: not used: partitioned\n",
	 "device is partitioned", "lsblk --fs /dev/sda\n"},
	{"a disk with another signature", lvm1, "", "PV /dev/sda: not used: signature\n",
	 "device has a signature", "next: lsblk --fs /dev/sda\n"},
	{"a member of a RAID of the firmware", firmware, "/dev/sda",
	 "PV /dev/sda: not used: firmware-raid\n", "the device that should lie on it is not there",
	 NULL},
	{"a PV on a suspended device", suspended_pv, "/dev/sda",
	 "PV /dev/sda: not used: suspended\n", "; it is suspended",
	 "next: dmsetup info /dev/sda\n"},
	{"a disk that sysfs does not know", no_size, "", "PV /dev/sda: not used: sysfs\n",
	 "devices/sysfs_scan", "udevadm info /dev/sda\n"},
	{"a PV on an LV", on_lv, "/dev/sda", "PV /dev/sda: not used: on-lv\n",
	 "devices/scan_lvs (/etc/lvm/lvm.conf:2)",
	 "next: lvmconfig --type full devices/scan_lvs\n"},
	{"a device type that LVM does not use", unknown_type, "/dev/sda",
	 "PV /dev/sda: not used: device-type\n", "", "next: lvmconfig --type full devices/types\n"},
	{"damaged metadata", damaged, "", "PV /dev/sda of VG vg_one: not used: damaged\n",
	 "metadata text checksum mismatch at byte 10240", "pvck --dump metadata_search /dev/sda\n"},
	{"a PV of no VG", orphan, "/dev/sda", "PV /dev/sda: found: no-vg\n", "no VG", NULL},
};

TEST_EACH(each_cause_is_named_with_its_evidence, rows)
{
	compare_answer(&rows[_i]);
}

/* What keeps a device out is no news. A map that lies on it is what it is for. */
static void (*const fenced[])(void) = {filtered,  alias_filtered, not_listed,	suspended_pv,
				       too_small, on_lv,	  unknown_type, multipath_held};

TEST_EACH(what_is_configured_is_told_on_demand_only, fenced)
{
	fenced[_i]();
	ck_assert_int_eq(explain("explain"), 0);
	ck_assert_msg(strstr(machine.out, "PV ") == NULL, "%s", machine.out);
	ck_assert_int_eq(explain("wait --timeout 0 healthy"), 0);
}

/* Each VG asked for by its name gets an answer: the label may be read, whatever the settings say.
 */
static const struct {
	void (*make)(void);
	const char *words, *line;
} named[] = {
	{filtered, "explain vg_one", "PV /dev/sda of VG vg_one: not used: filter\n"},
	{alias_filtered, "explain vg_one/root", "PV /dev/sda of VG vg_one: not used: filter\n"},
	{not_listed, "explain vg_one", "PV /dev/sda of VG vg_one: not used: devices-file\n"},
	{too_small, "explain vg_one", "PV /dev/sda of VG vg_one: not used: pv-min-size\n"},
	{on_lv, "explain vg_one", "PV /dev/sda of VG vg_one: not used: on-lv\n"},
};

TEST_EACH(a_vg_behind_a_fence_is_found_by_its_name, named)
{
	named[_i].make();
	ck_assert_int_eq(explain(named[_i].words), 0);
	ck_assert_msg(has(named[_i].line), "%s%s", machine.out, machine.err);
	ck_assert_int_eq(explain("explain another"), 5);
	ck_assert_ptr_nonnull(strstr(machine.err, "another: VG, LV or PV not found"));
}

TEST(a_suspended_device_is_not_read_for_a_name)
{
	suspended_pv();
	ck_assert_int_eq(explain("explain vg_one"), 5);
}

TEST(a_disk_that_was_not_read_may_be_of_an_unknown_vg)
{
	unreadable();
	ck_assert_int_eq(explain("explain vg_one"), 5);
	ck_assert_msg(strstr(machine.err, "; not read: /dev/sda; to explain all") != NULL, "%s",
		      machine.err);
}

/* Not every excluded PV is told for the sake of one file system. */
TEST(only_the_excluded_pv_of_a_needed_vg_is_told)
{
	machine_plug("label-sector2", "sdb", 32, 8);
	machine.properties = "";
	filtered();
	put("/etc/fstab", "/dev/vg_one/lv /srv ext4 defaults 0 2\n");
	ck_assert_int_eq(explain("explain"), 0);
	ck_assert_msg(has("PV /dev/sda of VG vg_one: not used: filter\n"), "%s", machine.out);
	ck_assert_msg(!has("PV /dev/sdb"), "%s", machine.out);
}

/* ---- lvm2's copy of damaged metadata */

/* As lvm2 writes it into a file: what is said of the text stands before the VG. */
#define COPY_OF(name, id, seqno)                                                                   \
	"# Generated by LVM2\ncontents = \"Text Format Volume Group\"\nversion = 1\n"                 \
	"description = \"vgcreate\"\ncreation_host = \"h\"\ncreation_time = 1\n" name " {\n"           \
	"id = \"" id "\"\nseqno = " seqno "\nformat = \"lvm2\"\n"                                    \
	"status = [\"RESIZEABLE\", \"READ\", \"WRITE\"]\nflags = []\nextent_size = 8192\n"          \
	"max_lv = 0\nmax_pv = 0\nmetadata_copies = 0\nphysical_volumes {\npv0 {\nid = "             \
	"\"5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap\"\nstatus = [\"ALLOCATABLE\"]\nflags = []\n"        \
	"pe_start = 2048\npe_count = 15\n}\n}\n}\n"
#define COPY   "lvm2's copy /etc/lvm/backup/vg_one "
#define ONE_ID "GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21"
#define TWO_ID "VqoF2z-8DLr-9uB4-DSmt-7k8I-RGz3-GndTHh"

static void damage_one_of_two(void)
{
	sample("stripe-a");
	overwritten(7300, "?????", 5);
	machine_plug("stripe-b", "sdb", 32, 2);
}

static const struct {
	const char *claim;
	void (*make)(void);
	const char *name, *text; /* below backup; "/": a folder; NULL: none */
	const char *setting, *said;
} copies[] = {
	{"there is none", damaged, NULL, NULL, "", "; " COPY "does not exist\n"},
	{"one, of which nobody knows how old it is", damaged, "vg_one",
	 COPY_OF("vg_one", ONE_ID, "7"), "",
	 "; " COPY "has seqno 7, and no PV shows which one the VG had\n"},
	{"one that is damaged", damaged, "vg_one", "vg_one {", "", "; " COPY "is damaged, too: "},
	{"one that cannot be read", damaged, "vg_one", "/", "",
	 "; " COPY "cannot be read: Is a directory\n"},
	{"one that is elsewhere", damaged, "vg_one", COPY_OF("vg_one", ONE_ID, "7"),
	 "backup { backup_dir = \"/srv\" }",
	 "; lvm2's copy is where backup/backup_dir (/etc/lvm/lvm.conf:1) says, and was not read\n"},
	{"one that is older than the other PV", damage_one_of_two, "vg-two.pvs",
	 COPY_OF("vg-two.pvs", TWO_ID, "1"), "", "has seqno 1, the VG's other PVs have 3\n"},
	{"one of another VG", damage_one_of_two, "vg-two.pvs", COPY_OF("vg-two.pvs", ONE_ID, "1"),
	 "", "has seqno 1 of another VG with this name\n"},
	{"metadata that are sound", unreadable, "vg_one", COPY_OF("vg_one", ONE_ID, "7"), "",
	 "it cannot be read: Input/output error\n"},
};

TEST_EACH(it_is_said_what_lvm2s_copy_of_damaged_metadata_is_worth, copies)
{
	char path[64];

	copies[_i].make();
	snprintf(path, sizeof(path), "/etc/lvm/backup/%s", copies[_i].name ? copies[_i].name : "");
	if (copies[_i].text && copies[_i].text[0] == '/')
		tree_mkdir(&machine.tree, path);
	else if (copies[_i].text)
		put(path, copies[_i].text);
	if (copies[_i].setting[0])
		conf(copies[_i].setting);
	ck_assert_int_eq(explain("explain /dev/sda"), 0);
	ck_assert_msg(has(copies[_i].said), "%s: %s", copies[_i].claim, machine.out);
}

static void remember(const char *vg_id)
{
	char text[256];

	put("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
	snprintf(text, sizeof(text),
		 "lvmevent-boot 2\nmachine 0123456789abcdef0123456789abcdef\nboot b-1\n"
		 "vg %s 1 1 0 vg_one\npv " PVID_ONE " disk 0 32768 0 - - -\nend\n",
		 vg_id);
	put("/etc/lvm/lvmevent/boot", text);
}

/* The disk of a VG of the memory is there, without its PV, and lvm2 has no copy of its metadata. */
static const struct {
	const char *setting, *said;
} keeps[] = {
	{"", "gone: VG, LV or PV not found"}, /* a command removed it */
	{"backup { backup = 0 }", "VG gone: missing: not-seen\n"},
	{"backup { backup_dir = \"/srv/lvm\" }", "VG gone: missing: not-seen\n"},
};

TEST_EACH(no_vg_counts_as_removed_where_lvm2_makes_no_copies, keeps)
{
	sample("one-pv");
	put("/sys/dev/block/8:16/device/wwid", "naa.5000c500\n");
	put("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
	put("/etc/lvm/lvmevent/boot",
	    "lvmevent-boot 2\nmachine 0123456789abcdef0123456789abcdef\nboot b-1\n"
	    "vg abcdefghijklmnopqrstuvwxyz012345 7 1 0 gone\n"
	    "pv " PVID_B " disk 0 32768 0 naa.5000c500 - -\nend\n");
	if (keeps[_i].setting[0])
		conf(keeps[_i].setting);
	explain("explain gone");
	ck_assert_msg(has(keeps[_i].said) || strstr(machine.err, keeps[_i].said), "%s: %s%s",
		      keeps[_i].setting, machine.out, machine.err);
}

/* ... unless the last good boot had this PV. */
TEST(a_pv_that_the_last_good_boot_had_is_missed)
{
	filtered();
	remember(VG_ONE_ID);
	ck_assert_int_eq(explain("explain"), 0);
	ck_assert_msg(has("PV /dev/sda of VG vg_one: not used: filter\n"), "%s", machine.out);
	ck_assert_int_eq(explain("wait --timeout 0 healthy"), 75);
}

TEST(a_pv_is_not_missed_while_another_device_is_used_as_it)
{
	remember(VG_ONE_ID);
	machine_plug("one-pv", "sdb", 32, 8);
	conf("devices/filter = [ \"r|sda$|\" ]");
	ck_assert_int_eq(explain("explain"), 0);
	ck_assert_msg(!has("PV /dev/sda"), "%s", machine.out);
}
