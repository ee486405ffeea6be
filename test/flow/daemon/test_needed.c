/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The needed wave on a machine made of files: what is remembered, what has changed since, and what
 * is active before the coldplug.
 */
#include "daemon/needed.h"

#include "base/id.h"
#include "flow/machine.h"
#include "memory/boot_memory_file.h"
#include "state/claim.h"
#include "state/lock.h"
#include "unit/suite.h"
#include "world/udevmon.h"

#include <blkid/blkid.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MACHINE	  "0123456789abcdef0123456789abcdef"
#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define FSTAB	  "/dev/vg_one/home /home ext4 defaults 0 2\n"

static struct lea_session session;
static struct lea_boot_pv pvs[2];
static struct lea_boot_lv lvs[] = {{.name = "home", .fs_uuid = "ab-12", .fs_label = ""}};
static struct lea_boot_vg vgs[2];
static struct lea_boot_memory memory;
static _Atomic unsigned int *probes; /* shared with children */
static char partitions[1024];

/* Lists a disk or a partition in /proc/partitions. */
static void list_as(const char *name, uint32_t minor)
{
	const size_t used = strlen(partitions);

	snprintf(partitions + used, sizeof(partitions) - used, "   8 %8u      65536 %s\n", minor,
		 name);
	tree_put(&machine.tree, "/proc/partitions", partitions);
}

static void plug(const char *sample, const char *name, uint32_t minor, const char *wwid)
{
	char path[128];

	machine_plug(sample, name, minor, minor);
	list_as(name, minor);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/device/wwid", minor);
	tree_put(&machine.tree, path, wwid);
}

/* ---- udev, as far as it finds PVs before the coldplug */

static struct told {
	const char *name, *pvid;
	uint32_t minor, major; /* major 0: 8 */
} told[3];
static size_t told_count, heard_count;
static void (*udev_work)(void); /* when it is asked first */

static int udev_open(const char *tag, struct lea_udevmon **ret_monitor)
{
	ck_assert_str_eq(tag, "lvmevent");
	*ret_monitor = NULL;
	return 0;
}

static void udev_close(struct lea_udevmon *monitor)
{
}

static int udev_fd(const struct lea_udevmon *monitor)
{
	return -1;
}

static void fill(const struct told *from, struct lea_udevmon_event *event)
{
	const struct lea_devid id = {from->major ? from->major : 8, from->minor, from->minor};
	char path[64];

	*event = (struct lea_udevmon_event){.is_pv = true};
	snprintf(path, sizeof(path), "/dev/%s", from->name);
	ck_assert_int_eq(lea_device_make(&id, path, &event->device), 0);
	event->device.properties = strdup("ID_FS_TYPE=LVM2_member\n");
	event->device.devlinks = strdup("");
	lea_id_format(from->pvid, event->fs_uuid);
}

static int udev_receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	if (udev_work)
		udev_work();
	udev_work = NULL;
	if (heard_count == told_count)
		return LEA_UDEVMON_NONE;
	fill(&told[heard_count++], ret_event);
	return 0;
}

static int udev_enumerate(struct lea_udevmon *monitor,
			  int (*tell)(void *arg, struct lea_udevmon_event *event), void *arg)
{
	struct lea_udevmon_event event;
	int r = 0;

	for (size_t i = 0; !r && i < told_count; i++) {
		fill(&told[i], &event);
		r = tell(arg, &event);
	}
	return r;
}

static void tell(const char *name, uint32_t minor, const char *pvid)
{
	told[told_count++] = (struct told){name, pvid, minor, 0};
}

/* Makes a device of device-mapper on a disk. */
static void map(const char *sample, const char *name, uint32_t minor, const char *uuid,
		const char *disk, uint32_t disk_minor, const char *pvid)
{
	char path[128], text[64];

	machine_plug(sample, name, minor, minor);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/dm/uuid", minor);
	snprintf(text, sizeof(text), "%s\n", uuid);
	tree_put(&machine.tree, path, text);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/slaves/%s/dev", minor, disk);
	snprintf(text, sizeof(text), "8:%u\n", disk_minor);
	tree_put(&machine.tree, path, text);
	tell(name, minor, pvid);
}

static bool was_announced(uint32_t minor)
{
	char path[128], text[4] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/sys/dev/block/8:%u/uevent", machine.tree.root, minor);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	fclose(file);
	return !strcmp(text, "add");
}

static void read_conf(void)
{
	const struct lea_conf_options options = {0};

	lea_conf_free(session.conf);
	session.conf = NULL;
	ck_assert_int_eq(lea_conf_read(machine.world, &options, &session.conf), 0);
}

static void remember(void)
{
	ck_assert_int_eq(lea_boot_memory_write(machine.world, &memory), 0);
}

static void setup(void)
{
	machine_begin();
	probes = mmap(NULL, sizeof(*probes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	ck_assert_ptr_ne(probes, MAP_FAILED);
	machine.udev.listen = udev_open;
	machine.udev.close = udev_close;
	machine.udev.fd = udev_fd;
	machine.udev.receive = udev_receive;
	machine.udev.enumerate = udev_enumerate;
	told_count = heard_count = 0;
	udev_work = NULL;
	tree_put(&machine.tree, "/etc/machine-id", MACHINE "\n");
	tree_put(&machine.tree, "/etc/fstab", FSTAB);
	tree_put(&machine.tree, "/proc/cmdline", "quiet\n");
	tree_put(&machine.tree, "/run/lvm/event/gate-armed", "");
	tree_mkdir(&machine.tree, "/var/lib");
	snprintf(partitions, sizeof(partitions), "major minor  #blocks  name\n\n");
	plug("one-pv", "sda", 16, "naa.1\n");
	plug("stripe-a", "sdb", 32, "naa.2\n");
	plug("stripe-b", "sdc", 48, "naa.3\n");
	pvs[0] = (struct lea_boot_pv){.pvid = PVID_ONE,
				      .size_sectors = 131072,
				      .wwid = "naa.1",
				      .serial = "",
				      .address = ""};
	vgs[0] = (struct lea_boot_vg){.id = VG_ONE_ID,
				      .name = "vg_one",
				      .pv = pvs,
				      .pv_count = 1,
				      .lv = lvs,
				      .lv_count = 1};
	memory = (struct lea_boot_memory){
		.machine = MACHINE, .boot = "before", .vg = vgs, .vg_count = 1};
	session = (struct lea_session){.world = machine.world, .event_fd = -1};
	read_conf();
}

static void teardown(void)
{
	lea_session_end(&session);
	munmap(probes, sizeof(*probes));
	machine_end();
}

const struct fixture fixture = {setup, teardown};

static void ready(void *arg)
{
	(void)arg;
}

static int run(void)
{
	int r = lea_needed_run(&session, ready, NULL);

	fflush(machine.out_file);
	fflush(machine.err_file);
	return r;
}

static bool was_said(const char *words)
{
	return machine.out && strstr(machine.out, words);
}

/* Rows: a disk, its second partition, and that one's folder in sysfs. */
static const struct {
	const char *disk, *partition, *folder;
} partitioned[] = {
	{"sdd", "sdd2", "sdd2"},
	{"nvme0n1", "nvme0n1p2", "nvme0n1p2"},
	{"cciss/c0d0", "cciss/c0d0p2", "cciss!c0d0p2"},
};

TEST_EACH(a_pv_may_be_on_a_partition, partitioned)
{
	char path[128];

	partitions[0] = '\0';
	machine_plug("one-pv", partitioned[_i].partition, 66, 66);
	list_as(partitioned[_i].disk, 64);
	list_as(partitioned[_i].partition, 66);
	list_as("nvme0n10", 80);
	tree_put(&machine.tree, "/sys/dev/block/8:64/device/wwid", "naa.1\n");
	snprintf(path, sizeof(path), "/sys/dev/block/8:64/%s/dev", partitioned[_i].folder);
	tree_put(&machine.tree, path, "8:66\n");
	pvs[0].kind = LEA_BOOT_PARTITION;
	pvs[0].partition = 2;
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_find(machine.dm, "vg_one-home"), "%s: %s %s",
		      partitioned[_i].partition, machine.out, machine.err);
}
TEST(a_partition_that_is_gone_is_not_there)
{
	pvs[0].kind = LEA_BOOT_PARTITION;
	pvs[0].partition = 2;
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
}
/* "sdb" and "sdaa" are no partitions of "sda". */
TEST(a_longer_name_is_another_disk)
{
	partitions[0] = '\0';
	list_as("sda", 16);
	list_as("sdaa", 96);
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_find(machine.dm, "vg_one-home"), "%s %s", machine.out, machine.err);
}

TEST(the_needed_lv_alone_becomes_active)
{
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_find(machine.dm, "vg_one-home"), "%s %s", machine.out, machine.err);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 1);
	ck_assert_uint_eq(machine.dm->unwaited, 0);
	ck_assert(was_said("VG vg_one: 1 LV(s) active before the coldplug"));
}

/* In place of libblkid's function, also in the process that reads disks. */
int blkid_do_safeprobe(blkid_probe probe)
{
	int (*real)(blkid_probe) = (int (*)(blkid_probe))dlsym(RTLD_NEXT, "blkid_do_safeprobe");

	++*probes;
	return real(probe);
}

TEST(a_disk_is_probed_once)
{
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 1);
	ck_assert_uint_eq(*probes, 1);
}

/* The boot scan is to activate the rest of the VG. */
TEST(the_wave_leaves_no_record)
{
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 1);
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_ONE));
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert(!machine_has("/run/lvm/event/claims/" VG_ONE_ID));
	ck_assert(!machine_has("/run/lock/lvm/V_vg_one"));
}

static void need_by_uuid(void)
{
	tree_put(&machine.tree, "/etc/fstab", "UUID=AB-12 /home ext4 defaults 0 2\n");
}
static void need_the_vg(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", "event { needed = [ \"vg_one\" ] }\n");
	read_conf();
}
static void need_another(void)
{
	tree_put(&machine.tree, "/etc/fstab", "/dev/vg_two/home /home ext4 defaults 0 2\n");
}
static void allow_failure(void)
{
	tree_put(&machine.tree, "/etc/fstab", "/dev/vg_one/home /home ext4 nofail 0 2\n");
}
static void be_a_map(void)
{
	pvs[0].kind = LEA_BOOT_MULTIPATH;
}
static void be_absent(void)
{
	pvs[0].wwid = "naa.9";
}
static void be_a_path(void)
{
	plug("one-pv", "sdd", 64, "naa.1\n");
}
static void be_a_listed_path(void)
{
	tree_put(&machine.tree, "/etc/multipath/wwids", "/31/\n");
	pvs[0].wwid = "naa.1";
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.1\n");
}
static void enable_multipathd(void)
{
	tree_put(&machine.tree, "/etc/systemd/system/sysinit.target.wants/multipathd.service", "");
}
static void have_had_multipathd(void)
{
	enable_multipathd();
	vgs[0].has_multipathd = true;
}
static void be_swapped(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.7\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/device/wwid", "naa.1\n");
}
static void have_grown(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/size", "262144\n");
}
static void be_partitioned(void)
{
	partitions[0] = '\0';
	list_as("sda", 16);
	list_as("sda1", 17);
}
static void be_held(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/holders/md0/dev", "9:0\n");
}
static void be_held_by_an_lv(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/holders/dm-3/dm/uuid", "LVM-x\n");
}
static void have_a_filter(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"a|.*|\" ] }\n");
	read_conf();
}
/* The old superblock of MD lies 64 KiB before the end. */
static void put_into_array(const char *name, int64_t size_sectors)
{
	static const unsigned char magic[] = {0xfc, 0x4e, 0x2b, 0xa9};
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, magic, sizeof(magic), size_sectors * 512 - 65536),
			 (int)sizeof(magic));
	close(fd);
}
static void be_an_array(void)
{
	put_into_array("sda", 131072);
}
static void be_another_vg(void)
{
	memcpy(vgs[0].id, "00000000000000000000000000000000", 32);
}
static void be_renamed(void)
{
	vgs[0].name = "vg_uno";
	tree_put(&machine.tree, "/etc/fstab", "/dev/vg_uno/home /home ext4 defaults 0 2\n");
}
static void be_newer(void)
{
	vgs[0].seqno = 4;
}
static void be_as_old(void)
{
	vgs[0].seqno = 5;
}
static void be_older(void)
{
	vgs[0].seqno = 6;
}
static void lack_a_pv(void)
{
	pvs[1] = pvs[0];
	memcpy(pvs[1].pvid, PVID_A, 33);
	pvs[1].wwid = "naa.8";
	vgs[0].pv_count = 2;
}
static void be_unlisted(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf",
		 "activation { auto_activation_volume_list = [ \"other\" ] }\n");
	read_conf();
}
static void open_the_gate(void)
{
	tree_put(&machine.tree, "/run/lvm/boot-finished", "");
}
static void stand_aside(void)
{
	tree_put(&machine.tree, "/run/lvm/event/not-in-charge", "");
}
static void switch_events_off(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "global { event_activation = 0 }\n");
	read_conf();
}
static void switch_off(void)
{
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", "event { needed_deadline_ms = 0 }\n");
	read_conf();
}

/* lvs: how many are active afterwards; said: part of the output; "": nothing is said. */
static const struct {
	const char *claim;
	void (*change)(void);
	uint32_t lvs;
	const char *said;
} rows[] = {
	{"an LV by the UUID of its file system", need_by_uuid, 1, "1 LV(s) active"},
	{"a whole VG", need_the_vg, 3, "3 LV(s) active"},
	{"another VG is needed", need_another, 0, ""},
	{"the boot goes on without it", allow_failure, 0, ""},
	{"an LV of the initramfs lies on the disk", be_held_by_an_lv, 1, "1 LV(s) active"},
	{"it was on a multipath map", be_a_map, 0, "it was on a multipath map"},
	{"its disk is absent", be_absent, 0, "its disk is not there yet"},
	{"two paths lead to its disk", be_a_path, 0, "several disks have its wwid"},
	{"multipath has used its disk", be_a_listed_path, 0, "device is a multipath component"},
	{"multipathd was enabled since", enable_multipathd, 0, "may want its disk"},
	{"it was enabled before", have_had_multipathd, 1, "1 LV(s) active"},
	{"the disks were swapped", be_swapped, 0, "its disk carries another PV"},
	{"its disk has grown", have_grown, 0, "its device has another size"},
	{"its disk was partitioned", be_partitioned, 0, "its disk is partitioned now"},
	{"an array lies on its disk", be_held, 0, "another device lies on its disk"},
	{"a filter is set", have_a_filter, 0, "filters are set"},
	{"its disk belongs to an array", be_an_array, 0, "device is an md component"},
	{"its disk belongs to another VG", be_another_vg, 0, "its disk belongs to another VG"},
	{"the VG was renamed", be_renamed, 0, "no VG of this name"},
	{"it was changed since", be_newer, 1, "1 LV(s) active"},
	{"it is as it was", be_as_old, 1, "1 LV(s) active"},
	{"newer metadata were there", be_older, 0, "older than those of the last boot"},
	{"one of its PVs is absent", lack_a_pv, 0, "its disk is not there yet"},
	{"a list excludes it", be_unlisted, 0, "is not activated automatically"},
	{"the gate is open", open_the_gate, 0, ""},
	{"lvm2 is in charge", stand_aside, 0, ""},
	{"event activation is off", switch_events_off, 0, ""},
	{"the deadline is 0", switch_off, 0, ""},
};

TEST_EACH(a_vg_is_left_alone_unless_it_is_what_it_was, rows)
{
	rows[_i].change();
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_count(machine.dm) == rows[_i].lvs, "%s: %u LVs; %s", rows[_i].claim,
		      fake_dm_count(machine.dm), machine.out);
	ck_assert_msg(rows[_i].said[0] ? was_said(rows[_i].said) : !was_said("VG "), "%s: %s",
		      rows[_i].claim, machine.out);
}

/* A VG with tags of its own and of one LV. */
static void plug_tagged(bool is_tagged)
{
	struct sample sample;
	char path[256];

	plug("flags", "sdd", 64, "naa.4\n");
	sample_load(&sample, "flags");
	sample_change_text(&sample, "\"NOAUTOACTIVATE\"", "                ");
	snprintf(path, sizeof(path), "%s/dev/sdd", machine.tree.root);
	sample_write(&sample, path);
	memcpy(vgs[0].id, sample_value(&sample, "vg.id"), 32);
	memcpy(pvs[0].pvid, sample_value(&sample, "label.pvid"), 32);
	sample_done(&sample);
	pvs[0].wwid = "naa.4";
	vgs[0].name = "vg_flags";
	vgs[0].is_tagged = is_tagged;
}

/* lvs: how many become active. */
static const struct {
	const char *claim, *words;
	bool was_tagged;
	uint32_t lvs;
} tags[] = {
	{"a tag of an LV", "\"@t/1=a\"", true, 1},
	{"a tag of the VG", "\"@vgtag\"", true, 3},
	{"a tag that is no longer there", "\"@old\"", true, 0},
	{"a tag that nothing had at the last boot", "\"@vgtag\"", false, 0},
	{"nothing is needed by tag", "\"vg_one\"", true, 0},
	{"a tag, and an LV by name", "\"@t/1=a\", \"vg_flags/ro\"", true, 2},
};

TEST_EACH(needs_by_tag, tags)
{
	char text[128];

	plug_tagged(tags[_i].was_tagged);
	tree_put(&machine.tree, "/etc/fstab", "");
	snprintf(text, sizeof(text), "event { needed = [ %s ] }\n", tags[_i].words);
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", text);
	read_conf();
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_count(machine.dm) == tags[_i].lvs, "%s: %u LVs; %s", tags[_i].claim,
		      fake_dm_count(machine.dm), machine.out);
}

/* Remembers vg-two.pvs in the place @at: LV fast lies on both PVs, plain-1 on the second. @needed:
 * a word of event/needed. */
static void need_two_pvs(uint32_t at, const char *needed)
{
	static struct lea_boot_pv two[2];
	struct sample sample;
	char text[128];

	snprintf(text, sizeof(text), "event { needed = [ \"%s\" ] }\n", needed);
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", text);
	read_conf();
	sample_load(&sample, "stripe-a");
	two[0] = two[1] = pvs[0];
	memcpy(two[0].pvid, PVID_A, 33);
	memcpy(two[1].pvid, PVID_B, 33);
	two[0].wwid = "naa.2";
	two[1].wwid = "naa.3";
	two[0].size_sectors = two[1].size_sectors = sample.device_bytes / 512;
	vgs[at] = vgs[0];
	memcpy(vgs[at].id, sample_value(&sample, "vg.id"), 32);
	vgs[at].name = "vg-two.pvs";
	vgs[at].pv = two;
	vgs[at].pv_count = 2;
	vgs[at].lv_count = 0;
	memory.vg_count = at + 1;
	sample_done(&sample);
	remember();
}

/* A VG on two disks, and beside it one that must be left alone. */
TEST(one_vg_does_not_keep_another)
{
	pvs[0].wwid = "naa.9";
	need_two_pvs(1, "vg-two.pvs");
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(was_said("VG vg_one: left to the normal activation") &&
			      was_said("VG vg-two.pvs: 2 LV(s) active"),
		      "%s %s", machine.out, machine.err);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 2);
	ck_assert_uint_eq(*probes, 2);
}

/* As when disks moved between machines: only one of the VGs can have the lock. */
TEST(of_two_needed_vgs_with_one_name_one_is_activated)
{
	need_two_pvs(1, "vg_one/home");
	vgs[1].name = "vg_one";
	memset(vgs[1].id, 'z', sizeof(vgs[1].id) - 1);
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_find(machine.dm, "vg_one-home"), "%s %s", machine.out, machine.err);
	ck_assert_msg(was_said("another VG that the boot needs has its name"), "%s", machine.out);
}

/* Rows: the disk that now belongs to an array. */
static const struct {
	const char *disk, *needed;
	uint32_t lvs, probes;
} arrays[] = {
	{"sdb", "vg-two.pvs/plain-1", 1, 1},
	{"sdc", "vg-two.pvs/plain-1", 0, 1},
	{"sdb", "vg-two.pvs/fast", 0, 2},
	{"sdc", "vg-two.pvs/fast", 0, 2},
};

TEST_EACH(only_disks_that_are_used_are_probed, arrays)
{
	need_two_pvs(0, arrays[_i].needed);
	put_into_array(arrays[_i].disk, (int64_t)vgs[0].pv[0].size_sectors);
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_count(machine.dm) == arrays[_i].lvs, "%s, %s: %s", arrays[_i].disk,
		      arrays[_i].needed, machine.out);
	ck_assert(was_said("device is an md component") == !arrays[_i].lvs);
	ck_assert_uint_eq(*probes, arrays[_i].probes);
	ck_assert(!machine_has("/run/lock/lvm/V_vg-two.pvs"));
}

/* Rows: mount units beside the folder of the locks, and whether the wave may lock there. */
static const struct {
	const char *claim, *unit, *text, *mounted, *locking_dir;
	bool may;
} mounts[] = {
	{"a line of fstab", "/run/systemd/generator/run-lock.mount", "[Mount]\n", "", NULL, false},
	{"mounted", "/run/systemd/generator/run-lock.mount", "[Mount]\n",
	 "30 1 0:30 / /run/lock rw - tmpfs tmpfs rw\n", NULL, true},
	{"Debian 13's unit", "/usr/lib/systemd/system/run-lock.mount", "[Mount]\n", "", NULL,
	 false},
	{"the folder itself", "/etc/systemd/system/run-lock-lvm.mount", "[Mount]\n", "", NULL,
	 false},
	{"masked", "/etc/systemd/system/run-lock.mount", "", "", NULL, true},
	{"elsewhere", "/run/systemd/generator/run-lock-other.mount", "[Mount]\n", "", NULL, true},
	{"below /var", "/run/systemd/generator/var.mount", "[Mount]\n", "", "/var/locks/lvm",
	 false},
};

TEST_EACH(locks_are_taken_only_where_they_stay, mounts)
{
	char text[128];

	if (mounts[_i].locking_dir) {
		snprintf(text, sizeof(text), "global { locking_dir = \"%s\" }\n",
			 mounts[_i].locking_dir);
		tree_put(&machine.tree, "/etc/lvm/lvm.conf", text);
		read_conf();
	}
	tree_put(&machine.tree, "/proc/self/mountinfo", mounts[_i].mounted);
	tree_put(&machine.tree, mounts[_i].unit, mounts[_i].text);
	/* what a masked unit hides */
	tree_put(&machine.tree, "/usr/lib/systemd/system/run-lock.mount",
		 strcmp(mounts[_i].claim, "masked") != 0 && !*mounts[_i].mounted &&
				 !strstr(mounts[_i].unit, "/usr/lib/")
			 ? ""
			 : "[Mount]\n");
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_count(machine.dm) == mounts[_i].may, "%s: %s", mounts[_i].claim,
		      machine.out);
	ck_assert_msg(was_said("yet to be mounted over lvm2's locks") == !mounts[_i].may, "%s: %s",
		      mounts[_i].claim, machine.out);
}

/* Another process holds the lock of vg_one for a while. */
static pid_t hold_lock(unsigned int for_ms)
{
	char dir[128], byte;
	const struct lea_lock_options options = {.dir = dir, .mode = LEA_LOCK_EXCLUSIVE};
	struct lea_lock *lock;
	int pipe_fd[2];
	pid_t pid;

	snprintf(dir, sizeof(dir), "%s/run/lock/lvm", machine.tree.root);
	tree_mkdir(&machine.tree, "/run/lock/lvm");
	ck_assert_int_eq(pipe(pipe_fd), 0);
	pid = fork();
	if (pid == 0) {
		if (lea_lock_take(&options, "V_vg_one", &lock) || write(pipe_fd[1], "", 1) != 1)
			_exit(1);
		usleep(for_ms * 1000U);
		lea_lock_release(lock);
		_exit(0);
	}
	ck_assert_int_eq(read(pipe_fd[0], &byte, 1), 1);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
	return pid;
}

TEST(a_lock_that_is_held_for_a_moment_is_waited_for)
{
	pid_t pid = hold_lock(200);

	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_find(machine.dm, "vg_one-home"), "%s %s", machine.out, machine.err);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

TEST(a_vg_that_another_command_works_on_is_not_waited_for_longer)
{
	char dir[128];
	const struct lea_lock_options options = {.dir = dir, .mode = LEA_LOCK_EXCLUSIVE};
	struct lea_lock *lock;

	snprintf(dir, sizeof(dir), "%s/run/lock/lvm", machine.tree.root);
	tree_mkdir(&machine.tree, "/run/lock/lvm");
	ck_assert_int_eq(lea_lock_take(&options, "V_vg_one", &lock), 0);
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	ck_assert_msg(was_said("another process has its lock"), "%s", machine.out);
	lea_lock_release(lock);
}

TEST(without_a_memory_nothing_happens)
{
	ck_assert_int_eq(run(), 0);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
	ck_assert_str_eq(machine.out ? machine.out : "", "");
	ck_assert_str_eq(machine.err ? machine.err : "", "");
}

/* ---- what only udev finds: its disks have their turn before the coldplug */

static void wait_for(unsigned int deadline_ms)
{
	char text[64];

	snprintf(text, sizeof(text), "event { needed_deadline_ms = %u }\n", deadline_ms);
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", text);
	read_conf();
}

static struct lea_boot_below below = {.wwid = "naa.1", .address = ""};

static void lie_below(enum lea_boot_kind kind)
{
	pvs[0].kind = kind;
	pvs[0].wwid = "";
	pvs[0].below = &below;
	pvs[0].below_count = 1;
	remember();
}

static void make_map(void)
{
	map("one-pv", "mapper/a", 96, "mpath-1", "sda", 16, PVID_ONE);
}
static void open_luks(void)
{
	map("one-pv", "mapper/a", 96, "CRYPT-LUKS2-1", "sda", 16, PVID_ONE);
}
static void assemble(void)
{
	make_map();
	tree_remove(&machine.tree, "/sys/dev/block/8:96/dm/uuid");
	tree_put(&machine.tree, "/sys/dev/block/8:96/md/level", "raid1\n");
}
static void make_map_elsewhere(void)
{
	map("one-pv", "mapper/a", 96, "mpath-1", "sdb", 32, PVID_ONE);
}
static void make_map_too_broad(void)
{
	make_map();
	tree_put(&machine.tree, "/sys/dev/block/8:96/slaves/sdb/dev", "8:32\n");
}
static void make_two_maps(void)
{
	make_map();
	map("one-pv", "mapper/b", 112, "mpath-2", "sda", 16, PVID_ONE);
}
static void show_a_path(void)
{
	tell("sda", 16, PVID_ONE);
}
static void show_both(void)
{
	show_a_path();
	make_map();
}

/* said: part of the output. */
static const struct {
	const char *claim;
	enum lea_boot_kind kind;
	void (*work)(void);
	uint32_t lvs;
	const char *said;
} stacks[] = {
	{"a multipath map", LEA_BOOT_MULTIPATH, make_map, 1, "1 LV(s) active"},
	{"an encrypted device", LEA_BOOT_LUKS, open_luks, 1, "1 LV(s) active"},
	{"an array", LEA_BOOT_MD, assemble, 1, "1 LV(s) active"},
	{"nothing comes", LEA_BOOT_MD, NULL, 0, "it was on an MD array"},
	{"a map on another disk", LEA_BOOT_MULTIPATH, make_map_elsewhere, 0, "multipath map"},
	{"a map on another disk as well", LEA_BOOT_MULTIPATH, make_map_too_broad, 0,
	 "multipath map"},
	{"two maps with the PV", LEA_BOOT_MULTIPATH, make_two_maps, 0, "it is on two devices"},
	{"a path that multipathd has not taken yet", LEA_BOOT_MULTIPATH, show_a_path, 0,
	 "multipath map"},
	{"the path, and then the map", LEA_BOOT_MULTIPATH, show_both, 1, "1 LV(s) active"},
	{"another kind of device", LEA_BOOT_MULTIPATH, open_luks, 0, "multipath map"},
};

TEST_EACH(udev_finds_what_lies_on_remembered_disks, stacks)
{
	wait_for(300);
	lie_below(stacks[_i].kind);
	udev_work = stacks[_i].work;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_count(machine.dm) == stacks[_i].lvs, "%s: %u LVs; %s %s",
		      stacks[_i].claim, fake_dm_count(machine.dm), machine.out, machine.err);
	ck_assert_msg(was_said(stacks[_i].said), "%s: %s", stacks[_i].claim, machine.out);
	ck_assert(was_announced(16) && !was_announced(32) && !was_announced(48));
}

TEST(udev_names_the_links_that_a_filter_may_mean)
{
	have_a_filter();
	remember();
	udev_work = show_a_path;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_find(machine.dm, "vg_one-home"), "%s %s", machine.out, machine.err);
	ck_assert(was_announced(16) && !was_announced(32));
}

static void map_second(void)
{
	tell("sdb", 32, PVID_A);
	map("stripe-b", "mapper/b", 96, "mpath-3", "sdc", 48, PVID_B);
}

/* The plain disk of such a VG waits for the other one. */
TEST(one_pv_on_a_map_has_udev_find_the_whole_vg)
{
	static struct lea_boot_below third = {.wwid = "naa.3", .address = ""};

	need_two_pvs(0, "vg-two.pvs");
	vgs[0].pv[1].kind = LEA_BOOT_MULTIPATH;
	vgs[0].pv[1].below = &third;
	vgs[0].pv[1].below_count = 1;
	remember();
	udev_work = map_second;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(was_said("VG vg-two.pvs: 2 LV(s) active"), "%s %s", machine.out, machine.err);
	ck_assert(!was_announced(16) && was_announced(32) && was_announced(48));
}

static void load_a_driver(void)
{
	map_second();
	tree_remove(&machine.tree, "/sys/dev/block/8:96/dm/uuid");
	tree_put(&machine.tree, "/sys/dev/block/8:96/md/level", "raid1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:96/dev", "9:96\n");
	tree_link(&machine.tree, "/sys/dev/block/9:96", "8:96");
	tree_put(&machine.tree, "/proc/devices", "Block devices:\n  8 sd\n  9 md\n");
	told[1].major = 9;
}

/* The filter of the disks that were read before knows no such device. */
TEST(a_driver_that_is_loaded_meanwhile_is_known)
{
	static struct lea_boot_below third = {.wwid = "naa.3", .address = ""};

	need_two_pvs(1, "vg-two.pvs");
	vgs[1].pv[1].kind = LEA_BOOT_MD;
	vgs[1].pv[1].below = &third;
	vgs[1].pv[1].below_count = 1;
	remember();
	udev_work = load_a_driver;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(was_said("VG vg_one: 1 LV(s) active"), "%s", machine.out);
	ck_assert_msg(was_said("VG vg-two.pvs: 2 LV(s) active"), "%s %s", machine.out, machine.err);
}

static void ask_for_a_passphrase(void)
{
	tree_put(&machine.tree, "/run/systemd/ask-password/ask.x1", "[Ask]\n");
}
static void lose_the_disk(void)
{
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.9\n");
}

/* work: of udev; change: before the wave. */
static const struct {
	const char *claim;
	void (*work)(void), (*change)(void);
} waits[] = {
	{"a person is asked for a passphrase", ask_for_a_passphrase, NULL},
	{"the disk is not there", NULL, lose_the_disk},
};

TEST_EACH(the_wave_does_not_wait_for_what_cannot_come, waits)
{
	const uint64_t from = lea_world_now_ms(machine.world);

	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", "event { needed_deadline_ms = 60000 }\n");
	read_conf();
	if (waits[_i].change)
		waits[_i].change();
	lie_below(LEA_BOOT_LUKS);
	udev_work = waits[_i].work;
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(lea_world_now_ms(machine.world) - from < 30000, "%s", waits[_i].claim);
	ck_assert_uint_eq(fake_dm_count(machine.dm), 0);
}
