/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of process 1's wait for devices, with a process 1 of our own. */
#include "daemon/wait_end.h"

#include "base/cleanup.h"
#include "fake/tree.h"
#include "state/claim.h"
#include "unit/suite.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VG_ID  "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
#define PVID   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define HOME   "dev-mapper-data\\x2dhome.device"
#define BY_VG  "dev-data-home.device"
#define OTHERS "dev-sda9.device"

static struct tree tree;
static struct lea_needs *needs;
static struct lea_wait_end end;
static uint64_t now;

/* Process 1: the units that it waits for, and whether their limit is ours. */
static struct {
	const char *unit[4];
	bool is_ours[4];
	uint32_t count;
	uint64_t limit_ms;
	bool has_started;
	int fault;
	unsigned int looks, ended;
} manager;

static int look(struct lea_manager_waits *ret_waits)
{
	manager.looks++;
	if (manager.fault)
		return manager.fault;
	*ret_waits = (struct lea_manager_waits){.wait = calloc(4, sizeof(*ret_waits->wait)),
						.count = manager.count,
						.limit_ms = manager.limit_ms,
						.boot_ms = 2000,
						.is_starting_up = !manager.has_started};
	for (uint32_t i = 0; i < manager.count; i++)
		snprintf(ret_waits->wait[i].unit, LEA_MANAGER_UNIT_BYTES, "%s", manager.unit[i]);
	return 0;
}

static int end_waits(struct lea_manager_waits *waits)
{
	for (uint32_t i = 0; i < waits->count; i++) {
		waits->wait[i].is_over = manager.is_ours[i] && waits->wait[i].is_due;
		manager.ended += waits->wait[i].is_over;
	}
	return 0;
}

static const struct lea_manager fake_manager = {.look = look, .end = end_waits};

static uint64_t now_ms(struct lea_clock *clock)
{
	(void)clock;
	return now;
}

static struct lea_clock fake_clock = {.now_ms = now_ms};

static void set_needs(const char *fstab)
{
	const struct lea_need_sources sources = {.fstab = fstab};

	lea_needs_free(LEA_TAKE(needs));
	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
}

static void setup(void)
{
	tree_init(&tree);
	tree.world.clock = &fake_clock;
	tree.world.manager = &fake_manager;
	tree_mkdir(&tree, "/dev/mapper");
	tree_mkdir(&tree, "/run/lvm/pvs_online");
	tree_put(&tree, "/run/udev/control", "");
	tree_put(&tree, "/run/udev/data/b8:0", "");
	tree_put_process(&tree, getpid(), "test", 'S', 4242);
	end = (struct lea_wait_end){0};
	memset(&manager, 0, sizeof(manager));
	manager.unit[0] = HOME;
	manager.is_ours[0] = true;
	manager.count = 1;
	manager.limit_ms = 90000;
	now = 5000;
	set_needs("/dev/data/home /data ext4\n");
}

static void teardown(void)
{
	lea_needs_free(LEA_TAKE(needs));
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* Calls the step whenever it asks for it. Returns when something was given up, 0: not until
 * @until_ms. */
static uint64_t run_until(uint64_t until_ms)
{
	const unsigned int ended = manager.ended;
	int wait_ms;

	tree.logged[0] = '\0';
	while (now < until_ms) {
		wait_ms = lea_wait_end_step(&end, &tree.world, needs);
		if (manager.ended != ended)
			return now;
		ck_assert_int_gt(wait_ms, 0);
		now += (uint64_t)wait_ms;
	}
	return 0;
}

TEST(missing_disk_ends_when_systemd_would_have_ended)
{
	ck_assert_uint_eq(run_until(600000), 92000);
	ck_assert_str_eq(tree.logged, "gave up waiting for /data (LV data/home): VG data: none of "
				      "its PVs has appeared; udev is idle\n");
	ck_assert_uint_eq(manager.looks, 2);
}

TEST(name_by_the_folder_of_the_vg_is_the_same_lv)
{
	manager.unit[0] = BY_VG;
	ck_assert_uint_eq(run_until(600000), 92000);
	ck_assert_ptr_nonnull(strstr(tree.logged, "/data (LV data/home)"));
}

TEST(disks_that_come_one_after_the_other_keep_it_waiting)
{
	char path[64];

	for (unsigned int i = 1; i <= 30; i++) {
		ck_assert_uint_eq(run_until(20000 * i), 0);
		snprintf(path, sizeof(path), "/run/udev/data/b8:%u", i);
		tree_put(&tree, path, "");
	}
	/* the last one came at 600 s, and was seen within 15 s */
	ck_assert_uint_ge(run_until(900000), 630000);
	ck_assert_uint_le(now, 645000);
}

/* The machine, or this process, stood still. */
TEST(time_in_which_nobody_looked_is_no_pause)
{
	const uint64_t frozen_ms = 3600000;

	ck_assert_uint_eq(run_until(50000), 0);
	tree_put(&tree, "/run/udev/data/b8:16", "");
	ck_assert_uint_eq(run_until(65000), 0);
	now += frozen_ms;
	ck_assert_int_gt(lea_wait_end_step(&end, &tree.world, needs), 0);
	ck_assert_msg(!manager.ended, "what was to come could not");
	ck_assert_uint_ne(run_until(frozen_ms + 120000), 0);
}

TEST(device_that_comes_and_goes_does_not)
{
	for (unsigned int i = 1; now < 300000; i++) {
		if (run_until(5000 * i + 5000))
			break;
		tree_put(&tree, "/run/udev/data/b8:16", "");
		if (i % 2)
			tree_remove(&tree, "/run/udev/data/b8:16");
	}
	ck_assert_uint_eq(manager.ended, 1);
	ck_assert_uint_le(now, 125000);
}

TEST(devices_without_blocks_are_no_progress)
{
	for (unsigned int i = 1; i < 9; i++) {
		char path[64];

		ck_assert_uint_eq(run_until(10000 * i), 0);
		snprintf(path, sizeof(path), "/run/udev/data/+usb:%u", i);
		tree_put(&tree, path, "");
	}
	ck_assert_uint_eq(run_until(600000), 92000);
}

TEST(pvs_that_are_recorded_keep_it_waiting)
{
	ck_assert_uint_eq(run_until(85000), 0);
	tree_put(&tree, "/run/lvm/pvs_online/" PVID, "8:0\n");
	ck_assert_uint_ge(run_until(600000), 115000);
}

TEST(hung_disk_in_udev_does_not_hold_the_boot)
{
	tree_put(&tree, "/run/udev/queue", "");
	ck_assert_uint_ge(run_until(600000), 92000);
	ck_assert_uint_le(now, 125000);
	ck_assert_ptr_nonnull(strstr(tree.logged, "udev is busy"));
}

#define STAT(pid, state) #pid " (ask) " state " 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0\n"

TEST(passphrase_may_take_its_time)
{
	tree_put(&tree, "/run/systemd/ask-password/ask.1a2b", "");
	tree_put(&tree, "/run/systemd/ask-password/sck.1a2b", "");
	ck_assert_uint_eq(run_until(300000), 0);
	tree_remove(&tree, "/run/systemd/ask-password/ask.1a2b");
	ck_assert_uint_ge(run_until(600000), 315000);
}

/* Rows: what the file of a question says; does somebody wait for the answer? */
static const struct {
	const char *text;
	bool is_asked;
} questions[] = {
	{"[Ask]\nPID=4711\nMessage=Disk\nPID=1\n", true}, {"[Ask]\nPID=4712\n", false},
	{"[Ask]\nPID=4713\n", false}, /* a zombie */
	{"[Ask]\nPID=0\n", true},	  {"[Ask]\nPID=x\n", true},
	{"[Ask]\nMessage=PID=4712\n", true},
};

TEST_EACH(a_question_ends_with_its_process, questions)
{
	tree_put(&tree, "/run/systemd/ask-password/ask.1a2b", questions[_i].text);
	tree_put(&tree, "/proc/4711/stat", STAT(4711, "S"));
	tree_put(&tree, "/proc/4713/stat", STAT(4713, "Z"));
	ck_assert_msg(!run_until(600000) == questions[_i].is_asked, "%s", questions[_i].text);
}

/* Rows: a runner that cannot work starts at this time; what it then ends, of an LV with a limit in
 * fstab or without, is how many waits. */
static const struct {
	uint64_t now;
	const char *fstab;
	bool has_started, is_theirs;
	unsigned int ended;
} unfit[] = {
	{91999, "/dev/data/home /data ext4\n", false, false, 0},
	{92000, "/dev/data/home /data ext4\n", false, false, 1},
	{92000, "", false, false, 1}, /* fstab has changed */
	{92000, "/dev/data/home /data ext4\n", true, false, 0},
	{92000, "/dev/data/home /data ext4\n", false, true, 0},
	{92000, "/dev/data/home /data ext4 x-systemd.device-timeout=100\n", false, false, 0},
	{102000, "/dev/data/home /data ext4 x-systemd.device-timeout=100\n", false, false, 1},
};

TEST_EACH(who_cannot_work_ends_the_waits_of_the_boot_at_their_limits, unfit)
{
	const struct lea_conf_options options = {0};
	const struct lea_conf *conf;

	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	tree_put(&tree, "/etc/fstab", unfit[_i].fstab);
	now = unfit[_i].now;
	manager.has_started = unfit[_i].has_started;
	manager.is_ours[0] = !unfit[_i].is_theirs;
	tree.logged[0] = '\0';
	lea_wait_end_at_limit(&tree.world, conf);
	ck_assert_uint_eq(manager.ended, unfit[_i].ended);
	ck_assert_int_eq(strstr(tree.logged, "gave up waiting for") != NULL, unfit[_i].ended);
	lea_conf_free(conf);
}

TEST(who_cannot_work_lets_a_passphrase_be_typed)
{
	now = 92000;
	tree_put(&tree, "/run/systemd/ask-password/ask.1a2b", "");
	lea_wait_end_at_limit(&tree.world, NULL);
	ck_assert_uint_eq(manager.looks, 0);
}

static void claim(const char *vg)
{
	struct lea_claim_pv pv = {.pvid = PVID, .id = {8, 16, 7}};
	struct lea_claim mine = {.pv = &pv, .pv_count = 1};
	struct lea_claims claims;

	snprintf(mine.vg_name, sizeof(mine.vg_name), "%s", vg);
	tree_mkdir(&tree, "/run/lvm/event/claims");
	tree_put(&tree, "/proc/sys/kernel/random/boot_id",
		 "01234567-89ab-cdef-0123-456789abcdef\n");
	ck_assert_int_eq(lea_claims_init(&claims, &tree.world, NULL), 0);
	ck_assert_int_eq(lea_claim_take(&claims, VG_ID, &mine), 0);
}

/* Rows: does the LV that fstab names by its ids belong to the VG whose pool is checked? */
TEST_TIMES(check_of_its_pool_may_take_its_time_by_id, 2)
{
	char fstab[160];

	snprintf(fstab, sizeof(fstab), "/dev/disk/by-id/dm-uuid-LVM-%s" PVID " /data ext4\n",
		 _i ? VG_ID : PVID);
	set_needs(fstab);
	manager.unit[0] = "dev-disk-by\\x2did-x.device";
	claim("data");
	ck_assert_msg((run_until(1800000) == 0) == (_i == 1), "%d", _i);
}

TEST(check_of_its_pool_may_take_its_time)
{
	claim("data");
	ck_assert_uint_eq(run_until(1800000), 0);
	/* its worker was killed */
	tree_put_process(&tree, getpid(), "test", 'S', 4343);
	ck_assert_uint_ne(run_until(1900000), 0);
}

TEST(check_of_another_pool_may_not)
{
	claim("other");
	ck_assert_uint_eq(run_until(600000), 92000);
}

TEST(claims_that_cannot_be_read_may_be_of_the_vg)
{
	tree_put(&tree, "/run/lvm/event/claims", "no folder");
	ck_assert_uint_eq(run_until(600000), 0);
	tree_remove(&tree, "/run/lvm/event/claims");
	ck_assert_uint_ne(run_until(700000), 0);
}

TEST(file_system_may_be_on_any_vg_that_is_activated)
{
	set_needs("UUID=1-2 /u ext4\n");
	claim("other");
	ck_assert_uint_eq(run_until(600000), 0);
}

TEST(limit_of_an_administrator_is_kept)
{
	manager.is_ours[0] = false;
	ck_assert_uint_eq(run_until(3600000), 0);
	ck_assert_str_eq(tree.logged, "");
	manager.limit_ms = UINT64_MAX;
	manager.is_ours[0] = true;
	end = (struct lea_wait_end){0};
	ck_assert_uint_eq(run_until(7200000), 0);
}

TEST(systemds_limit_is_the_one_that_counts)
{
	manager.limit_ms = 900000;
	ck_assert_uint_eq(run_until(1200000), 902000);
}

/* Until when process 1 waits for the device of fstab's line with these options, while a disk comes
 * every 5 s until 100 s have passed. */
static uint64_t ends_at(const char *options)
{
	char line[128], path[64];

	snprintf(line, sizeof(line), "/dev/data/home /data ext4 %s\n", options);
	set_needs(line);
	for (unsigned int i = 1; i <= 20; i++) {
		if (run_until(5000 * i))
			return now;
		snprintf(path, sizeof(path), "/run/udev/data/b8:%u", i);
		tree_put(&tree, path, "");
	}
	return run_until(7200000);
}

static const struct {
	const char *options;
	uint64_t from, to;
} own_limits[] = {
	{"x-systemd.device-timeout=20s", 106666, 140000},
	{"x-systemd.device-timeout=90s", 130000, 145000},
	{"x-systemd.device-timeout=15min", 902000, 920000},
	/* that of the fake process 1 counts, as the real one has fstab's limit there */
	{"x-systemd.device-timeout=5s", 130000, 145000},
	{"x-systemd.device-timeout=2h", 130000, 145000},
};

TEST_EACH(limit_of_fstab_counts_from_the_last_progress, own_limits)
{
	const uint64_t at = ends_at(own_limits[_i].options);

	ck_assert_msg(at >= own_limits[_i].from && at <= own_limits[_i].to, "%s: %llu",
		      own_limits[_i].options, (unsigned long long)at);
}

TEST(each_device_has_its_own_limit)
{
	set_needs("/dev/data/home /a ext4 x-systemd.device-timeout=20\n/dev/data/b /b ext4\n"
		  "/dev/data/c /c ext4 x-systemd.device-timeout=300\n");
	manager.unit[1] = "dev-data-b.device";
	manager.unit[2] = "dev-data-c.device";
	manager.is_ours[1] = manager.is_ours[2] = true;
	manager.count = 3;
	ck_assert_uint_eq(run_until(600000), 26666);
	ck_assert_ptr_nonnull(strstr(tree.logged, "waiting for /a (LV data/home): "));
	manager.unit[0] = manager.unit[2];
	manager.count = 2;
	ck_assert_uint_ge(run_until(600000), 92000);
	ck_assert_uint_le(now, 92000 + LEA_WAIT_END_LOOK_MS);
	ck_assert_ptr_nonnull(strstr(tree.logged, "waiting for /b (LV data/b): "));
	manager.count = 1;
	ck_assert_uint_ge(run_until(600000), 302000);
	ck_assert_uint_le(now, 302000 + LEA_WAIT_END_LOOK_MS);
	ck_assert_ptr_nonnull(strstr(tree.logged, "waiting for /c (LV data/c): "));
}

TEST(device_that_is_there_costs_no_question)
{
	tree_put(&tree, "/dev/mapper/data-home", "");
	ck_assert_uint_eq(run_until(600000), 0);
	ck_assert_uint_eq(manager.looks, 0);
}

TEST(nothing_is_ended_that_has_come_meanwhile)
{
	ck_assert_uint_eq(run_until(91000), 0);
	manager.count = 0;
	ck_assert_uint_eq(run_until(600000), 0);
}

TEST(wait_of_a_later_mount_counts_from_its_beginning)
{
	manager.count = 0;
	manager.has_started = true;
	ck_assert_uint_eq(run_until(1000000), 0);
	manager.count = 1;
	ck_assert_uint_ge(run_until(2000000), 1090000);
	ck_assert_uint_le(now, 1150000 + 15000);
}

TEST(start_that_never_ends_makes_no_wait_of_the_boot_of_a_later_one)
{
	manager.count = 0;
	ck_assert_uint_eq(run_until(1000000), 0);
	manager.count = 1;
	ck_assert_uint_ge(run_until(2000000), 1090000);
}

TEST(retry_of_the_administrator_gets_a_wait_of_its_own)
{
	uint64_t given_up;

	ck_assert_uint_ne(run_until(600000), 0);
	manager.count = 0;
	manager.has_started = true;
	given_up = now;
	ck_assert_uint_eq(run_until(given_up + 30000), 0);
	manager.count = 1;
	ck_assert_uint_ge(run_until(given_up + 600000), given_up + 30000 + 90000);
}

TEST(successor_goes_on_with_the_wait_of_the_boot)
{
	ck_assert_uint_eq(run_until(80000), 0);
	end = (struct lea_wait_end){0};
	ck_assert_uint_ge(run_until(600000), 92000);
	ck_assert_uint_le(now, 80000 + 15000 + 15000 + 30000);
}

TEST(all_are_ended_by_one_line)
{
	set_needs("UUID=1-2 /u ext4\n/dev/data/home /data ext4\n");
	manager.unit[0] = OTHERS;
	manager.is_ours[0] = false;
	manager.unit[1] = "dev-disk-by\\x2duuid-1\\x2d2.device";
	manager.is_ours[1] = true;
	manager.unit[2] = HOME;
	manager.is_ours[2] = true;
	manager.count = 3;
	ck_assert_uint_eq(run_until(600000), 92000);
	ck_assert_str_eq(tree.logged, "gave up waiting for /data (LV data/home) and 1 more: VG "
				      "data: none of its PVs has appeared; udev is idle\n");
}

TEST(file_system_of_an_unknown_vg_is_named_as_fstab_does)
{
	set_needs("UUID=1-2 /u ext4\n");
	manager.unit[0] = "dev-disk-by\\x2duuid-1\\x2d2.device";
	ck_assert_uint_eq(run_until(600000), 92000);
	ck_assert_str_eq(tree.logged,
			 "gave up waiting for /u (1-2): there is no such device; udev is idle\n");
}

TEST(line_that_came_to_fstab_later_is_named_by_its_unit)
{
	manager.unit[0] = "dev-new-lv.device";
	ck_assert_uint_eq(run_until(600000), 92000);
	ck_assert_ptr_nonnull(strstr(tree.logged, "a device (dev-new-lv.device)"));
}

TEST(process_1_that_gives_no_answer_is_asked_again)
{
	manager.fault = -ETIMEDOUT;
	ck_assert_uint_eq(run_until(200000), 0);
	ck_assert_ptr_nonnull(strstr(tree.logged, "asking process 1"));
	manager.fault = 0;
	ck_assert_uint_ne(run_until(400000), 0);
}

TEST(without_process_1_or_needs_there_is_nothing_to_do)
{
	tree.world.manager = NULL;
	ck_assert_int_eq(lea_wait_end_step(&end, &tree.world, needs), -1);
	tree.world.manager = &fake_manager;
	ck_assert_int_eq(lea_wait_end_step(&end, &tree.world, NULL), -1);
	set_needs("");
	ck_assert_int_eq(lea_wait_end_step(&end, &tree.world, needs), -1);
}
