/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A dmeventd that is not running blocks nothing, and gets all registrations in the end. */
#include "activate/monitor.h"
#include "daemon/monitor_retry.h"
#include "fake/golden.h"
#include "flow/machine.h"
#include "state/claim.h"
#include "state/monitor_deferred.h"
#include "state/queue.h"
#include "unit/suite.h"
#include "world/dmeventd.h"
#include "world/manager.h"

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"

/* ---- replaces world/dmeventd.c */

static unsigned int told, started;
static bool lives, has_manager;

int lea_dmeventd_watch(struct lea_world *world, const struct lea_dmeventd_watch *watch)
{
	told++;
	return 0;
}

int lea_dmeventd_leave(struct lea_world *world, const struct lea_dmeventd_watch *watch)
{
	return 0;
}

bool lea_dmeventd_lives(const struct lea_world *world)
{
	return lives;
}

static bool start(const struct lea_world *world, const char *const *units, size_t count)
{
	(void)world;
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(units[0], "dm-event.service");
	started++;
	return has_manager;
}

static const struct lea_manager manager = {.start = start};

/* ---- a fake clock */

static uint64_t now;

static uint64_t get_now(struct lea_clock *clock)
{
	return now;
}

static struct lea_clock set_clock = {.now_ms = get_now};

static int info(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	memset(ret_info, 0, sizeof(*ret_info));
	return 0;
}

static struct lea_dm all_active = {.info = info};
static struct lea_batch_options batch_options;
static struct lea_monitor_retry later;
static struct lea_dm *fake;

static void setup(void)
{
	machine_begin();
	fake = machine.world->dm;
	machine.world->dm = &all_active;
	machine.world->clock = &set_clock;
	machine.world->manager = &manager;
	machine_plug("one-pv", "sda", 0, 7);
	batch_options = (struct lea_batch_options){.world = machine.world, .defers_watch = true};
	batch_options.event_fd = machine_queue();
	later = (struct lea_monitor_retry){0};
	told = started = 0;
	lives = false;
	has_manager = true;
	now = 1000;
}

static void teardown(void)
{
	close(batch_options.event_fd);
	machine.world->dm = fake;
	machine_end();
}

const struct fixture fixture = {setup, teardown};

/* ---- registering */

static void follow(const char *shape, bool defers)
{
	const struct lea_conf conf = {.thin_library = "thin.so", .snapshot_library = "snap.so"};
	const struct lea_activate_options options = {
		.lvm_path = "/bin/false", .monitor = true, .poll = true, .defers_watch = defers};
	struct lea_monitor_list list;
	struct golden golden;

	golden_open(shape, &golden);
	ck_assert_int_eq(lea_monitor_list_new(1, &list), 0);
	lea_monitor_list_add(&list, golden.vg, (struct lea_monitor_poll){true, true});
	lea_monitor(machine.world, &conf, &options, &list);
	lea_monitor_list_done(&list);
	golden_close(&golden);
}

static int count_one(void *arg, const char *vg_id, bool is_asked)
{
	++*(unsigned int *)arg;
	return 0;
}

/* As the runner's attempt does. */
static int ask(void *arg, const char *vg_id, bool is_asked)
{
	return lea_monitor_deferred_set_asked(lea_world_run(machine.world), vg_id);
}

static unsigned int noted(void)
{
	unsigned int count = 0;

	ck_assert_int_eq(lea_monitor_deferred_each(lea_world_run(machine.world), count_one, &count),
			 0);
	return count;
}

static const struct {
	const char *claim, *shape;
	bool lives, defers;
	unsigned int told, noted; /* after the first call */
	unsigned int told_then;	  /* after the attempt; then nothing is noted */
} rows[] = {
	{"who can wait is noted, and registered by the attempt", "thin_basic", false, true, 0, 1,
	 1},
	{"a dmeventd that runs is told at once", "thin_basic", true, true, 1, 0, 2},
	{"a person's command waits for it", "thin_basic", false, false, 1, 0, 2},
	{"a VG with nothing to watch is not noted", "linear_one", false, true, 0, 0, 0},
	{"what lvm decides is put off as well", "snap_merge_pending", false, true, 0, 1, 0},
};

TEST_EACH(dmeventd_is_told_at_once_or_the_vg_is_noted, rows)
{
	lives = rows[_i].lives;
	follow(rows[_i].shape, rows[_i].defers);
	ck_assert_msg(told == rows[_i].told, "%s: %u", rows[_i].claim, told);
	ck_assert_msg(noted() == rows[_i].noted, "%s: %u", rows[_i].claim, noted());
	ck_assert_msg(!rows[_i].noted || !strstr(machine.tree.logged, "does not monitor all"), "%s",
		      rows[_i].claim);
	/* Another process activates the rest of the VG: it waits for the same attempt. */
	if (rows[_i].noted) {
		follow(rows[_i].shape, rows[_i].defers);
		ck_assert_msg(told == rows[_i].told && noted() == rows[_i].noted, "%s: once more",
			      rows[_i].claim);
	}
	ck_assert_int_eq(lea_monitor_deferred_each(lea_world_run(machine.world), ask, NULL), 0);
	follow(rows[_i].shape, rows[_i].defers);
	ck_assert_msg(told == rows[_i].told_then, "%s: %u then", rows[_i].claim, told);
	ck_assert_msg(noted() == 0, "%s: %u then", rows[_i].claim, noted());
}

/* ---- retrying */

static void note(uint64_t diskseq)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 0, diskseq}};
	const struct lea_claim claim = {
		.state = LEA_CLAIM_DONE, .vg_name = "vg_one", .pv = &pv, .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
	ck_assert_int_eq(lea_monitor_deferred_note(claims.run_fd, VG_ID), 0);
}

static bool is_claimed(void)
{
	struct lea_claim claim = {0};
	const struct lea_claims claims = machine_claims();
	int r = lea_claim_read(&claims, VG_ID, &claim);

	lea_claim_done(&claim);
	return r == 0;
}

static void step(int want, int want_wait_ms)
{
	int wait_ms = 12345;

	ck_assert_int_eq(lea_monitor_retry_step(&later, &batch_options, &wait_ms), want);
	ck_assert_int_eq(wait_ms, want_wait_ms);
}

static void must_be_queued(bool is)
{
	ck_assert(lea_queue_has_work(batch_options.event_fd) == is);
	ck_assert(machine_has("/run/lvm/event/queue/8:0-7") == is);
	ck_assert_msg(is_claimed(), "what is down stays down");
}

TEST(without_notes_nothing_is_started)
{
	step(0, -1);
	ck_assert_uint_eq(started, 0);
}

TEST(dmeventd_is_started_once_and_waited_for)
{
	note(7);
	step(0, 500);
	now += 59000;
	step(0, 500);
	ck_assert_uint_eq(started, 1);
	must_be_queued(false);
	lives = true;
	step(LEA_MONITOR_RETRY_QUEUED, -1);
	must_be_queued(true);
	ck_assert_uint_eq(noted(), 1);
}

TEST(the_wait_for_dmeventd_has_an_end)
{
	note(7);
	step(0, 500);
	now += 60000;
	step(LEA_MONITOR_RETRY_QUEUED, -1);
	must_be_queued(true);
}

TEST(without_a_manager_it_does_not_wait)
{
	has_manager = false;
	note(7);
	step(LEA_MONITOR_RETRY_QUEUED, -1);
	must_be_queued(true);
}

TEST(each_note_has_one_turn)
{
	lives = true;
	note(7);
	step(LEA_MONITOR_RETRY_QUEUED, -1);
	step(0, -1);
	ck_assert_uint_eq(noted(), 0);
}

TEST(who_died_with_it_in_hand_does_not_count)
{
	lives = true;
	note(7);
	step(LEA_MONITOR_RETRY_QUEUED, -1);
	later = (struct lea_monitor_retry){0};
	note(7);
	step(LEA_MONITOR_RETRY_QUEUED, -1);
	ck_assert_uint_eq(noted(), 1);
}

TEST(another_disk_by_now)
{
	lives = true;
	note(6);
	step(LEA_MONITOR_RETRY_QUEUED, -1);
	ck_assert(!lea_queue_has_work(batch_options.event_fd));
	ck_assert_msg(is_claimed(), "its claim is none of our business");
	ck_assert_uint_eq(noted(), 0);
}

TEST(foreign_names_are_left_alone)
{
	tree_put(&machine.tree, "/run/lvm/event/unwatched/short", "");
	tree_link(&machine.tree, "/run/lvm/event/unwatched/" VG_ID, "/etc/passwd");
	step(0, -1);
	ck_assert(machine_has("/run/lvm/event/unwatched/short"));
	ck_assert_int_eq(lea_monitor_deferred_note(lea_world_run(machine.world), "../escape"),
			 -EINVAL);
}
