/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reconcile with its waits: for udev, for the boot scan, for the runner. */
#include "daemon/reconcile_wait.h"
#include "daemon/udev_wait.h"
#include "fake/holder.h"
#include "flow/reconcile_scratch.h"
#include "record/recorded_marker.h"
#include "state/flag.h"
#include "state/gate.h"
#include "unit/suite.h"

const struct fixture fixture = {setup, teardown};

/* ---- a fake clock */

#define QUIET_MS LEA_UDEV_QUIET_MS
#define WAIT_MS	 60000U

static uint64_t time_ms, udev_works_until_ms, boot_scan_ends_ms, recorded_ms;
static bool udev_empties_its_queue;
static pid_t boot_scan;

static void set_mark(uint64_t diskseq);

static uint64_t test_now_ms(struct lea_clock *clock)
{
	(void)clock;
	return time_ms;
}

static void end_boot_scan(void)
{
	if (boot_scan)
		holder_kill(boot_scan);
	boot_scan = 0;
}

/* Time passes: udev makes progress up to its limit, and then is idle or hangs. */
static void test_sleep_ms(struct lea_clock *clock, uint64_t ms)
{
	char text[32];

	(void)clock;
	time_ms += ms;
	if (time_ms <= udev_works_until_ms) {
		snprintf(text, sizeof(text), "%u\n", (unsigned int)time_ms);
		tree_put(&machine.tree, "/sys/kernel/uevent_seqnum", text);
	} else if (udev_empties_its_queue) {
		tree_remove(&machine.tree, "/run/udev/queue");
	}
	if (recorded_ms && time_ms >= recorded_ms)
		set_mark(7);
	if (time_ms >= boot_scan_ends_ms)
		end_boot_scan();
}

static struct lea_clock test_clock = {.now_ms = test_now_ms, .sleep_ms = test_sleep_ms};

static int boot(const void *works)
{
	int fd, lock_fd;

	return lea_flag_raise(options.event_fd, LEA_FLAG_BOOT, &fd) != 0 ||
			       (*(const bool *)works && lea_queue_lock(options.event_fd, &lock_fd))
		       ? -1
		       : 0;
}

/* In a child, because a record lock is only visible to other processes. */
static void start_boot_scan(bool works)
{
	int taken;

	boot_scan = holder_start(boot, &works, &taken);
}

static size_t pending(void)
{
	size_t count;

	ck_assert_int_eq(lea_queue_count(options.event_fd, "queue", &count), 0);
	return count;
}

static size_t to_be_looked_at(void)
{
	struct lea_reconcile_result result;

	ck_assert_int_eq(lea_reconcile_and_wait(&options, 0, &result), 0);
	return result.enqueued;
}

static void set_mark(uint64_t diskseq)
{
	const struct lea_device sda = {.major = 8, .minor = 16, .diskseq = diskseq};
	int known_fd = lea_marker_open(options.event_fd);

	ck_assert_int_ge(known_fd, 0);
	ck_assert_int_eq(lea_marker_set(known_fd, &sda, PVID_ONE), 0);
	close(known_fd);
}

/* ---- reconcile and wait */

TEST(the_gate_is_opened_before_the_reconcile)
{
	const int run_fd = lea_world_run(machine.world);

	ck_assert_int_eq(lea_gate_begin(run_fd, lea_world_proc(machine.world), LEA_GATE_CLOSED), 0);
	ck_assert(lea_gate_is_closed(run_fd));
	ck_assert_int_eq(lea_gate_open_and_reconcile(&options), 0);
	ck_assert(!lea_gate_is_closed(run_fd));
	ck_assert(lea_queue_has_pending(options.event_fd));
}

/* The boot scan gets each device. What it has recorded may belong to a VG without a claim that
 * waits for other PVs. */
TEST(pvs_of_a_running_boot_scan_are_left_to_it)
{
	struct lea_reconcile_result result;

	start_boot_scan(false);
	ck_assert_uint_eq(to_be_looked_at(), 1);
	set_mark(6);
	ck_assert_msg(to_be_looked_at() == 1, "the mark is another instance's");
	set_mark(7);
	ck_assert_uint_eq(to_be_looked_at(), 0);
	ck_assert_msg(pending() == 1, "what has no record is queued, without a wait");
	options.is_boot = true;
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
	ck_assert_msg(result.enqueued == 1 && pending() == 1, "the gate's reconciles trust nobody");
	end_boot_scan();
	ck_assert_msg(to_be_looked_at() == 1, "a dead one has nothing");
}

static const struct {
	const char *claim;
	uint64_t recorded_ms, boot_scan_ends_ms; /* 0: never recorded; no boot scan */
	bool works;				 /* all the time */
	int outcome;
	uint64_t least_ms, most_ms;
	size_t pending;
} left_to_it[] = {
	{"what it has recorded needs no wait", 1, WAIT_MS * 2, false, 0, 0, 200, 0},
	{"a record that it makes ends the wait", 800, WAIT_MS * 2, false, 0, 800, 1000, 0},
	{"what it has not heard of is queued when it rests", 0, WAIT_MS * 2, false,
	 LEA_WAIT_TIMED_OUT, 1500 + QUIET_MS, 2500 + QUIET_MS, 1},
	{"while it works it is waited for", 0, WAIT_MS * 2, true, LEA_WAIT_TIMED_OUT, WAIT_MS,
	 WAIT_MS + 600, 0},
	{"what it leaves when it dies is queued, and is waited for as long as a quiet runner", 0,
	 30000, true, LEA_WAIT_TIMED_OUT, 30000 + QUIET_MS, 31000 + QUIET_MS, 1},
	{"with nobody at work nothing is waited for that long", 0, 0, false, LEA_WAIT_TIMED_OUT,
	 QUIET_MS, QUIET_MS + 600, 1},
};

TEST_EACH(the_reconcile_waits_for_the_boot_scan, left_to_it)
{
	struct lea_reconcile_result result;
	int r;

	time_ms = 0;
	boot_scan_ends_ms = left_to_it[_i].boot_scan_ends_ms;
	recorded_ms = left_to_it[_i].recorded_ms;
	machine.world->clock = &test_clock;
	if (boot_scan_ends_ms)
		start_boot_scan(left_to_it[_i].works);
	r = lea_reconcile_and_wait(&options, WAIT_MS, &result);
	end_boot_scan();
	ck_assert_msg(r == left_to_it[_i].outcome, "%s: %d", left_to_it[_i].claim, r);
	ck_assert_msg(time_ms >= left_to_it[_i].least_ms && time_ms <= left_to_it[_i].most_ms,
		      "%s: %u ms", left_to_it[_i].claim, (unsigned int)time_ms);
	ck_assert_msg(pending() == left_to_it[_i].pending, "%s: pending", left_to_it[_i].claim);
}

static const struct {
	const char *claim;
	uint64_t boot_scan_ends_ms; /* 0: no boot scan */
	uint64_t udev_works_until_ms;
	bool udev_empties_its_queue;
	int outcome;
	uint64_t least_ms, most_ms;
} waits[] = {
	{"an idle udev is not waited for", LEA_GATE_WAIT_MS * 2, 0, true, 0, 0, 1000},
	{"the gate opens behind the last event", LEA_GATE_WAIT_MS * 2, 40000, true, 0, 40000,
	 41000},
	{"a udev that hangs is waited for as long as a quiet one", LEA_GATE_WAIT_MS * 2, 10000,
	 false, LEA_WAIT_TIMED_OUT, 10000 + QUIET_MS, 11000 + QUIET_MS},
	{"a udev that never ends is not waited for", LEA_GATE_WAIT_MS * 2, LEA_GATE_WAIT_MS * 2,
	 true, LEA_WAIT_TIMED_OUT, LEA_GATE_WAIT_MS, LEA_GATE_WAIT_MS + 1000},
	{"with no boot pass nobody takes the events: nothing is waited for", 0, 40000, true, 0, 0,
	 1000},
	{"a boot pass that dies ends the wait", 20000, 40000, true, 0, 20000, 21000},
};

TEST_EACH(the_gate_stays_closed_while_udev_makes_progress, waits)
{
	int r;

	time_ms = 0;
	recorded_ms = 0;
	udev_works_until_ms = waits[_i].udev_works_until_ms;
	udev_empties_its_queue = waits[_i].udev_empties_its_queue;
	boot_scan_ends_ms = waits[_i].boot_scan_ends_ms;
	machine.world->clock = &test_clock;
	tree_put(&machine.tree, "/run/udev/queue", "");
	if (boot_scan_ends_ms)
		start_boot_scan(false);
	r = lea_gate_wait(&options);
	end_boot_scan();
	ck_assert_msg(r == waits[_i].outcome, "%s: %d", waits[_i].claim, r);
	ck_assert_msg(time_ms >= waits[_i].least_ms && time_ms <= waits[_i].most_ms, "%s: %u ms",
		      waits[_i].claim, (unsigned int)time_ms);
}

static const struct {
	const char *claim;
	uint64_t udev_works_until_ms;
	bool udev_empties_its_queue;
	bool is_asked, is_named; /* is_named: reported before the event is repeated */
	uint64_t least_ms, most_ms;
} unfinished[] = {
	{"what an idle udev has not finished it has lost", 0, true, true, false, 0, 1000},
	{"what it has in work is waited for", 40000, true, true, false, 40000, 41000},
	{"the deadline is not the end of a udev that gets on", LEA_GATE_DEADLINE_MS + 40000, true,
	 true, false, LEA_GATE_DEADLINE_MS + 40000, LEA_GATE_DEADLINE_MS + 41000},
	{"one that hangs is named, and asked again later", 10000, false, true, true,
	 LEA_GATE_DEADLINE_MS + QUIET_MS, LEA_GATE_DEADLINE_MS + QUIET_MS + 2000},
	{"one that has more to do than there is time for is not given more", 10 * LEA_GATE_WAIT_MS,
	 true, false, false, LEA_GATE_DEADLINE_MS + LEA_GATE_WAIT_MS,
	 LEA_GATE_DEADLINE_MS + LEA_GATE_WAIT_MS + 2000},
};

TEST_EACH(behind_the_open_gate_lost_events_are_repeated, unfinished)
{
	char text[64] = "", path[128];
	FILE *file;

	time_ms = recorded_ms = 0;
	udev_works_until_ms = unfinished[_i].udev_works_until_ms;
	udev_empties_its_queue = unfinished[_i].udev_empties_its_queue;
	machine.world->clock = &test_clock;
	machine.properties = "";
	tree_put(&machine.tree, "/run/udev/control", "");
	tree_put(&machine.tree, "/run/udev/queue", "");
	ck_assert_int_eq(lea_gate_open_and_reconcile(&options), 0);
	snprintf(path, sizeof(path), "%s/sys/dev/block/8:16/uevent", machine.tree.root);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	fclose(file);
	ck_assert_msg(!strncmp(text, "add", 3) == unfinished[_i].is_asked, "%s: %s",
		      unfinished[_i].claim, text);
	fflush(machine.err_file);
	ck_assert_msg((strstr(machine.err ? machine.err : "",
			      "/dev/sda: udev has not finished with it: the device may hang, see "
			      "journalctl -k; udev does nothing else\n") != NULL) ==
			      unfinished[_i].is_named,
		      "%s: %s", unfinished[_i].claim, machine.err);
	ck_assert_msg(time_ms >= unfinished[_i].least_ms && time_ms <= unfinished[_i].most_ms,
		      "%s: %u ms", unfinished[_i].claim, (unsigned int)time_ms);
}
