/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The needed wave: what it reads and activates itself, and what it leaves alone. */
#include "flow/needed_scratch.h"

const struct fixture fixture = {setup, teardown};

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

/* The boot's own pass may have the VG already, also if the wave fails with it. Rows: it does; it does
 * not. */
TEST_TIMES(the_wave_leaves_the_record_of_another_process, 2)
{
	machine.dm->fail_at = _i ? -1 : 0;
	tree_put(&machine.tree, "/run/lvm/vgs_online/vg_one", "");
	remember();
	ck_assert_int_eq(run(), 0);
	ck_assert_msg(fake_dm_count(machine.dm) == (unsigned int)_i, "%s", machine.out);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
}

static void need_by_uuid(void)
{
	tree_put(&machine.tree, "/etc/fstab", "UUID=AB-12 /home ext4 defaults 0 2\n");
}
static void need_by_ids(void)
{
	tree_put(&machine.tree, "/etc/fstab",
		 "/dev/disk/by-id/dm-uuid-LVM-" VG_ONE_ID LV_HOME_ID " /home ext4\n");
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
	{"an LV by its ids", need_by_ids, 1, "1 LV(s) active"},
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
