/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lvmevent doctor reads of the kernel and of tools: true and hostile texts. */
#include "activate/snapshot_status.h"
#include "base/cleanup.h"
#include "doctor/parse.h"
#include "doctor/parse_smart.h"
#include "unit/suite.h"

#include <stdlib.h>
#include <string.h>

#define DM_UUID "LVM-aaaaaabbbbccccddddeeeeffffgggggghhhhhhiiiijjjjkkkkllllmmmmnnnnnn"

/* ---- texts */

static const struct {
	const char *text;
	enum lea_snapshot_state state;
	uint32_t percent;
} statuses[] = {
	{"16/8192 16", LEA_SNAPSHOT_USED, 0},
	{"7783/8192 16", LEA_SNAPSHOT_USED, 95},
	{"8192/8192 16", LEA_SNAPSHOT_USED, 100},
	{"Invalid", LEA_SNAPSHOT_INVALID, 0},
	{"Overflow", LEA_SNAPSHOT_OVERFLOW, 0},
	{"Merge failed", LEA_SNAPSHOT_MERGE_FAILED, 0},
	{"", LEA_SNAPSHOT_UNKNOWN, 0},
	{"Unknown", LEA_SNAPSHOT_UNKNOWN, 0},
	{"1/0 0", LEA_SNAPSHOT_UNKNOWN, 0},
	{"2/1 0", LEA_SNAPSHOT_UNKNOWN, 0},
	{"1/2", LEA_SNAPSHOT_UNKNOWN, 0},
	{"1/2 3 ", LEA_SNAPSHOT_UNKNOWN, 0},
	{"99999999999999999999999/99999999999999999999999 1", LEA_SNAPSHOT_UNKNOWN, 0},
};

TEST_EACH(each_status_of_a_snapshot, statuses)
{
	const struct lea_snapshot_status status = lea_snapshot_status_parse(statuses[_i].text);

	ck_assert_int_eq(status.state, statuses[_i].state);
	if (status.state == LEA_SNAPSHOT_USED)
		ck_assert_uint_eq(lea_snapshot_percent(&status), statuses[_i].percent);
}

static const struct {
	const char *line, *disk;
} errors_of[] = {
	{"<3>[   12.3] I/O error, dev sdb, sector 2048 op 0x0:(READ) flags 0x0 phys_seg 1", "sdb"},
	{"<3>[   12.3] blk_update_request: I/O error, dev nvme0n1, sector 0", "nvme0n1"},
	{"<3>[   12.3] critical medium error, dev sdc, sector 8", "sdc"},
	{"<3>[   12.3] critical target error, dev sdc, sector 8 op 0x3:(DISCARD)", NULL},
	{"<3>[   12.3] critical nexus error, dev sdc, sector 8", NULL},
	{"<3>[   12.3] I/O error, dev sdb", NULL},
	{"<3>[   12.3] I/O error, dev a-name-that-is-longer-than-any-of-the-kernel, sector", NULL},
	{"<6>[   12.3] sd 2:0:0:0: [sda] Attached SCSI disk", NULL},
};

TEST_EACH(each_error_line_names_its_disk, errors_of)
{
	char disk[32];
	const bool is_error = lea_doctor_parse_error(errors_of[_i].line, disk);

	ck_assert_int_eq(is_error, errors_of[_i].disk != NULL);
	if (is_error)
		ck_assert_str_eq(disk, errors_of[_i].disk);
}

static const struct {
	const char *line;
	uint64_t seconds;
} lockups[] = {
	{"<2>[  90.1] BUG: workqueue lockup - pool cpus=1 node=0 flags=0x0 nice=0 stuck for 35s!", 35},
	{"<2>[  90.1] BUG: workqueue lockup - pool cpus=0-7 flags=0x5 nice=0 stuck for 1234s!", 1234},
	{"<2>[  90.1] BUG: workqueue lockup - pool cpus=1 node=0 flags=0x0 nice=0", 0},
	{"<2>[  90.1] BUG: workqueue lockup - pool cpus=1 stuck for a while", 0},
	{"<2>[  90.1] BUG: workqueue lockup - pool cpus=1 stuck for 99999999999999999999999s!", 0},
	{"<6>[  90.1] Showing busy workqueues and worker pools:", 0},
	{"<4>[  90.1] something is stuck for 35s!", 0},
};

TEST_EACH(each_lockup_of_a_workqueue_has_its_time, lockups)
{
	ck_assert_uint_eq(lea_doctor_parse_lockup(lockups[_i].line), lockups[_i].seconds);
}

static const struct {
	const char *line, *command;
} kills[] = {
	{"<3>[  90.1] Out of memory: Killed process 4242 (lvm) total-vm:1048576kB, anon-rss:1kB", "lvm"},
	{"<3>[  90.1] Memory cgroup out of memory: Killed process 7 (lvcreate -n x) total-vm:1kB",
	 "lvcreate -n x"},
	{"<3>[  90.1] Memory cgroup out of memory: Killed process 7 (dmeventd) total-vm:1kB",
	 "dmeventd"},
	{"<3>[  90.1] Memory cgroup out of memory: Killed process 7 (java) total-vm:1kB", NULL},
	{"<3>[  90.1] Out of memory: Killed process 7 (java) total-vm:1kB", "java"},
	{"<3>[  90.1] Out of memory: Killed process 4242 (lvm", NULL},
	{"<3>[  90.1] Out of memory: Killed process 4242 () total-vm", NULL},
	{"<3>[  90.1] Out of memory: Killed process (lvm)", NULL},
	{"<3>[  90.1] Out of memory: Killed process 1 (a-name-that-is-longer-than-any-of-the-kernel)",
	 NULL},
	{"<6>[  90.1] lvm invoked oom-killer: gfp_mask=0x140dca, order=0", NULL},
};

TEST(a_line_that_is_no_kill_leaves_the_last_victim)
{
	char command[32] = "lvm";

	ck_assert(!lea_doctor_parse_kill("<3>[ 90.1] Memory cgroup out of memory: Killed process 7 "
					 "(java) total-vm:1kB",
					 command));
	ck_assert_str_eq(command, "lvm");
}

TEST_EACH(each_process_that_was_killed_for_lack_of_memory_is_named, kills)
{
	char command[32];
	const bool is_kill = lea_doctor_parse_kill(kills[_i].line, command);

	ck_assert_int_eq(is_kill, kills[_i].command != NULL);
	if (is_kill)
		ck_assert_str_eq(command, kills[_i].command);
}

static const struct {
	const char *text;
	bool is_data, is_failing;
	uint64_t wear;
} smart[] = {
	{"{\"smart_status\": {\n \"passed\": true }}", true, false, LEA_DOCTOR_UNKNOWN},
	{"{\"smart_status\":{\"passed\":false}}", true, true, LEA_DOCTOR_UNKNOWN},
	{"{\"nvme_smart_health_information_log\": { \"percentage_used\": 93 } }", true, false, 93},
	{"{\"nvme_smart_health_information_log\": {\"percentage_used\": 256}}", false, false,
	 LEA_DOCTOR_UNKNOWN},
	{"{\"nvme_smart_health_information_log\": {\"percentage_used\": \"x\"}}", false, false,
	 LEA_DOCTOR_UNKNOWN},
	/* a SAS disk, and any disk with smartmontools 7.4 */
	{"{\"scsi_percentage_used_endurance_indicator\": 97}", true, false, 97},
	{"{\"endurance_used\": {\"current_percent\": 99}, \"smart_status\": {\"passed\": true}}",
	 true, false, 99},
	/* members of these names that say something else */
	{"{\"ata_smart_self_test_log\": {\"standard\": {\"table\": [{\"status\": {\"passed\": false}}]}}}",
	 false, false, LEA_DOCTOR_UNKNOWN},
	{"{\"percentage_used\": 99}", false, false, LEA_DOCTOR_UNKNOWN},
	{"[{\"smart_status\": {\"passed\": false}}]", false, false, LEA_DOCTOR_UNKNOWN},
	{"{\"smart_status\": {\"passed\": false}", false, false, LEA_DOCTOR_UNKNOWN},
	{"", false, false, LEA_DOCTOR_UNKNOWN},
	{"\"passed\"", false, false, LEA_DOCTOR_UNKNOWN},
};

TEST_EACH(each_answer_of_smartctl, smart)
{
	bool is_failing;
	uint64_t wear;

	ck_assert_int_eq(lea_doctor_parse_smart(smart[_i].text, &is_failing, &wear),
			 smart[_i].is_data);
	ck_assert_int_eq(is_failing, smart[_i].is_failing);
	ck_assert_uint_eq(wear, smart[_i].wear);
}

static const struct {
	const char *line;
	uint64_t us;
} times[] = {
	{"<3>[   12.000345] I/O error, dev sda", 12000345},
	{"[12345.678901] x", 12345678901},
	{"<3>I/O error, dev sda", LEA_DOCTOR_UNKNOWN},
	{"<3>[    1.0] x", LEA_DOCTOR_UNKNOWN},
	{"<3", LEA_DOCTOR_UNKNOWN},
	{"", LEA_DOCTOR_UNKNOWN},
	{"[99999999999999999999.000000] x", LEA_DOCTOR_UNKNOWN},
	{"[18446744073709.000000] x", LEA_DOCTOR_UNKNOWN},
};

TEST_EACH(a_line_of_the_ring_has_a_time, times)
{
	ck_assert_uint_eq(lea_doctor_parse_since(times[_i].line), times[_i].us);
}

/* Is LV home of VG my-vg, whose content has UUID 1-2 and LABEL "my disk", in this fstab? */
static const struct {
	bool is_in;
	const char *fstab;
} fstabs[] = {
	{true, "/dev/my-vg/home /home ext4 defaults 0 2"},
	{true, "/dev/my-vg/home none swap noauto"},
	{true, "tmpfs /tmp tmpfs\n\n\t/dev/my-vg/home\t/home ext4"},
	{true, "\"/dev/my-vg/home\" /home ext4"},
	{true, "/dev/my\\055vg/home /home ext4"},
	{false, "/dev/my-vg/home2 /home ext4"},
	{false, "/dev/my-vg/hom /home ext4"},
	{false, "/dev/my-vg/home/x /home ext4"},
	{false, "/dev/my-vg2/home /home ext4"},
	{false, "/dev/your/home /dev/my-vg/home none bind"},
	{false, "#/dev/my-vg/home /home ext4"},
	{false, " # /dev/my-vg/home /home ext4"},
	{false, "/dev/sda1 / ext4 defaults 0 1 # was /dev/my-vg/home"},
	{true, "/dev/mapper/my--vg-home /home ext4"},
	{true, "/dev/disk/by-id/dm-name-my--vg-home /home ext4"},
	{false, "/dev/disk/by-id/dm-name-my-vg-home /home ext4"},
	{false, "/dev/mapper/my-vg-home /home ext4"},
	{false, "/dev/mapper/my-vg--home /home ext4"},
	{false, "/dev/mapper/my--vg-home2 /home ext4"},
	{false, "/dev/mapper/my--vg-home-real /home ext4"},
	{false, "/dev/mapper/luks /home ext4"},
	{true, "UUID=1-2 /home ext4"},
	{true, "UUID=\"1-2\" /home ext4"},
	{true, "/dev/disk/by-uuid/1-2 /home ext4"},
	{false, "UUID=1-23 /home ext4"},
	{false, "UUID=1- /home ext4"},
	{false, "UUID= /home ext4"},
	{false, "#UUID=1-2 /home ext4"},
	{false, "PARTUUID=1-2 /home ext4"},
	{false, "LABEL=1-2 /home ext4"},
	{true, "LABEL=my\\040disk /home ext4"},
	{true, "LABEL='my\\040disk' /home ext4"},
	{true, "/dev/disk/by-label/my\\x20disk /home ext4"},
	{true, "/dev/disk/by-label/my\\134x20disk /home ext4"},
	{false, "LABEL=my\\x20disk /home ext4"},
	{false, "LABEL=my /home ext4"},
	{false, "/dev/disk/by-label/my\\disk /home ext4"},
	{false, "UUID=my\\040disk /home ext4"},
	{false, "PARTLABEL=my\\040disk /home ext4"},
	{true, "/dev/disk/by-id/dm-name-my--vg-home /home ext4"},
	{false, "/dev/disk/by-id/dm-name-my--vg-home2 /home ext4"},
	{true, "/dev/disk/by-id/dm-uuid-" DM_UUID " /home ext4"},
	{false, "/dev/disk/by-id/dm-uuid-" DM_UUID "-real /home ext4"},
	{true, "/dev/dm-3 /home ext4"},
	{false, "/dev/dm-33 /home ext4"},
	{false, "/dev/ /home ext4"},
	{false, "host:/x /home nfs"},
	{false, ""},
};

TEST_EACH(each_line_of_fstab_names_the_lv_or_not, fstabs)
{
	static const struct lea_doctor_names names = {"my-vg", "home", "dm-3",
						      DM_UUID, "1-2",  "my disk"};
	LEA_AUTO(lea_mounts_done) struct lea_mounts fstab;

	ck_assert_int_eq(lea_mounts_parse(strdup(fstabs[_i].fstab), LEA_FSTAB, &fstab), 0);
	ck_assert_int_eq(lea_doctor_is_in_fstab(&fstab, &names), fstabs[_i].is_in);
}

TEST(content_without_uuid_and_label_is_not_in_fstab)
{
	static const struct lea_doctor_names names = {"vg", "lv", "", "", "", ""};
	LEA_AUTO(lea_mounts_done) struct lea_mounts fstab;

	ck_assert_int_eq(
		lea_mounts_parse(strdup("UUID= /a\nLABEL= /b\nUUID=1 /c"), LEA_FSTAB, &fstab), 0);
	ck_assert_uint_eq(fstab.count, 3);
	ck_assert(!lea_doctor_is_in_fstab(&fstab, &names));
}

TEST(texts_of_the_kernel)
{
	struct lea_doctor_io io;
	uint64_t sets, cookies, old;

	ck_assert(lea_doctor_parse_io("  1 2 3 4 5 6 7 8 0 1 2\n", &io));
	ck_assert_uint_eq(io.reads, 1);
	ck_assert_uint_eq(io.read_ms, 4);
	ck_assert_uint_eq(io.writes, 5);
	ck_assert_uint_eq(io.write_ms, 8);
	ck_assert_uint_eq(io.read_sectors, 3);
	ck_assert_uint_eq(io.write_sectors, 7);
	ck_assert(!lea_doctor_parse_io("1 2 3 4 5 6 7", &io));
	ck_assert(!lea_doctor_parse_io("1 2 3 4 5 6 7 -8", &io));
	ck_assert_uint_eq(lea_doctor_parse_pressure("some avg10=1.00 avg60=9.00\nfull avg10=0.00 "
						    "avg60=20.05 avg300=0.00 total=1\n"),
			  2005);
	ck_assert_uint_eq(lea_doctor_parse_pressure("full avg10=0.00"), LEA_DOCTOR_UNKNOWN);
	ck_assert_uint_eq(lea_doctor_parse_pressure("full avg60=101.00"), LEA_DOCTOR_UNKNOWN);
	ck_assert(lea_doctor_parse_semaphores(
		"       key      semid perms      nsems   uid   gid  cuid  cgid      otime      "
		"ctime\n"
		" 223158272          0   600          1     0     0     0     0          0       "
		"1000\n"
		" 223158273          1   600          1     0     0     0     0       5000       "
		"1000\n"
		"         0          2   600          1     0     0     0     0          0       "
		"1000\n",
		4000, &sets, &cookies, &old));
	ck_assert_uint_eq(sets, 3);
	ck_assert_uint_eq(cookies, 2);
	ck_assert_uint_eq(old, 1);
	ck_assert(!lea_doctor_parse_semaphores("key semid\nx\n", 0, &sets, &cookies, &old));
	ck_assert_uint_eq(lea_doctor_parse_slabs("slabinfo - version: 2.1\n# name\nkcopyd_job 10 "
						 "1024 1024 1 2 : tunables\n"
						 "dm_snap_pending_exception 1 1024 2048 31\n"),
			  3072);
	ck_assert_int_eq(lea_doctor_parse_cache("temporary write back"), LEA_DOCTOR_CACHE_ON);
	ck_assert_int_eq(lea_doctor_parse_cache("write thr"), LEA_DOCTOR_CACHE_NOT_KNOWN);
	ck_assert(lea_doctor_parse_drbd_off("disk {\n\tdisk-flushes no;\n}", "disk-flushes"));
	ck_assert(!lea_doctor_parse_drbd_off("disk {\n\tdisk-flushes yes;\n}", "disk-flushes"));
	ck_assert(!lea_doctor_parse_drbd_off("xdisk-flushes no;", "disk-flushes"));
}
