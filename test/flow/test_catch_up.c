/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons with the waits that belong to them: for udev, for the boot pass, for the runner. */
#include "flow/catch_up.h"
#include "flow/mark.h"
#include "flow/sweep_scratch.h"
#include "flow/wait.h"
#include "state/flag.h"
#include "state/gate.h"
#include "unit/suite.h"

#include <signal.h>
#include <sys/wait.h>

/* ---- a clock of its own */

#define QUIET_MS 3000U
#define WAIT_MS	 60000U

static uint64_t time_ms, udev_works_until_ms, boot_pass_ends_ms, recorded_ms;
static bool udev_empties_its_queue;
static pid_t boot_pass;

static void set_mark(uint64_t diskseq);

static uint64_t test_now_ms(struct lea_clock *clock)
{
	(void)clock;
	return time_ms;
}

/* Time passes: udev gets on as long as it does, and then is idle or hangs. */
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
	if (boot_pass && time_ms >= boot_pass_ends_ms) {
		kill(boot_pass, SIGKILL);
		waitpid(boot_pass, NULL, 0);
		boot_pass = 0;
	}
}

static struct lea_clock test_clock = {.now_ms = test_now_ms, .sleep_ms = test_sleep_ms};

/* A record lock is seen by other processes only. */
static void start_boot_pass(bool works)
{
	int fd, lock_fd, ready[2];
	char byte = 0;

	ck_assert_int_eq(pipe(ready), 0);
	boot_pass = fork();
	if (!boot_pass) {
		if (lea_flag_raise(how.event_fd, LEA_FLAG_BOOT, &fd) != 0 ||
		    (works && lea_queue_lock(how.event_fd, &lock_fd)) ||
		    write(ready[1], &byte, 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	close(ready[0]);
}

static void end_boot_pass(void)
{
	if (boot_pass) {
		kill(boot_pass, SIGKILL);
		waitpid(boot_pass, NULL, 0);
	}
	boot_pass = 0;
}

static size_t pending(void)
{
	size_t count;

	ck_assert_int_eq(lea_queue_count(how.event_fd, "queue", &count), 0);
	return count;
}

static size_t to_be_looked_at(void)
{
	struct lea_sweep_result result;

	ck_assert_int_eq(lea_catch_up(&how, 0, &result), 0);
	return result.enqueued;
}

static void set_mark(uint64_t diskseq)
{
	const struct lea_device sda = {.major = 8, .minor = 16, .diskseq = diskseq};
	int known_fd = lea_mark_open(how.event_fd);

	ck_assert_int_ge(known_fd, 0);
	ck_assert_int_eq(lea_mark_set(known_fd, &sda, PVID_ONE), 0);
	close(known_fd);
}

/* ---- */

START_TEST(gate_is_opened_first)
{
	const int run_fd = lea_world_run(machine.world);

	ck_assert_int_eq(lea_gate_arm(run_fd, lea_world_proc(machine.world)), 0);
	ck_assert(lea_gate_is_closed(run_fd));
	ck_assert_int_eq(lea_gate_open_and_sweep(&how), 0);
	ck_assert(!lea_gate_is_closed(run_fd));
	ck_assert(lea_queue_has_pending(how.event_fd));
}
END_TEST

/* It hears of each; what it has recorded may be of a VG that waits for others, without a claim. */
START_TEST(a_boot_pass_that_lives_has_all)
{
	struct lea_sweep_result result;

	start_boot_pass(false);
	ck_assert_uint_eq(to_be_looked_at(), 1);
	set_mark(6);
	ck_assert_msg(to_be_looked_at() == 1, "the mark is another instance's");
	set_mark(7);
	ck_assert_uint_eq(to_be_looked_at(), 0);
	ck_assert_msg(pending() == 1, "what has no record is queued, without a wait");
	how.is_boot = true;
	ck_assert_int_eq(lea_sweep(&how, &result), 0);
	ck_assert_msg(result.enqueued == 1 && pending() == 1,
		      "the gate's comparisons trust nobody");
	end_boot_pass();
	ck_assert_msg(to_be_looked_at() == 1, "a dead one has nothing");
}
END_TEST

static const struct {
	const char *claim;
	uint64_t recorded_ms, boot_pass_ends_ms; /* 0: never recorded; there is none */
	bool works;				 /* all the time */
	int outcome;
	uint64_t least_ms, most_ms;
	size_t pending;
} left_to_it[] = {
	{"what it has recorded needs no wait", 1, WAIT_MS * 2, false, 0, 0, 200, 0},
	{"a record that it makes ends the wait", 800, WAIT_MS * 2, false, 0, 800, 1000, 0},
	{"what it has not heard of is queued when it rests", 0, WAIT_MS * 2, false, LEA_WAIT_LATE,
	 1500 + QUIET_MS, 2500 + QUIET_MS, 1},
	{"while it works it is waited for", 0, WAIT_MS * 2, true, LEA_WAIT_LATE, WAIT_MS,
	 WAIT_MS + 600, 0},
	{"what it leaves when it dies is queued, and is waited for as long as a quiet runner", 0,
	 30000, true, LEA_WAIT_LATE, 30000 + QUIET_MS, 31000 + QUIET_MS, 1},
	{"with nobody at work nothing is waited for that long", 0, 0, false, LEA_WAIT_LATE,
	 QUIET_MS, QUIET_MS + 600, 1},
};

START_TEST(what_is_left_to_it_is_waited_for)
{
	struct lea_sweep_result result;
	int r;

	time_ms = 0;
	boot_pass_ends_ms = left_to_it[_i].boot_pass_ends_ms;
	recorded_ms = left_to_it[_i].recorded_ms;
	conf.boot_quiet_ms = QUIET_MS;
	machine.world->clock = &test_clock;
	if (boot_pass_ends_ms)
		start_boot_pass(left_to_it[_i].works);
	r = lea_catch_up(&how, WAIT_MS, &result);
	end_boot_pass();
	ck_assert_msg(r == left_to_it[_i].outcome, "%s: %d", left_to_it[_i].claim, r);
	ck_assert_msg(time_ms >= left_to_it[_i].least_ms && time_ms <= left_to_it[_i].most_ms,
		      "%s: %u ms", left_to_it[_i].claim, (unsigned int)time_ms);
	ck_assert_msg(pending() == left_to_it[_i].pending, "%s: pending", left_to_it[_i].claim);
}
END_TEST

START_TEST(without_quiet_only_the_deadline_ends_the_wait)
{
	struct lea_sweep_result result;

	time_ms = recorded_ms = 0;
	conf.boot_quiet_ms = 0;
	machine.world->clock = &test_clock;
	ck_assert_int_eq(lea_catch_up(&how, WAIT_MS, &result), LEA_WAIT_LATE);
	ck_assert_uint_ge(time_ms, WAIT_MS);
}
END_TEST

static const struct {
	const char *claim;
	uint64_t boot_pass_ends_ms; /* 0: there is none */
	uint64_t udev_works_until_ms;
	bool udev_empties_its_queue;
	int outcome;
	uint64_t least_ms, most_ms;
} waits[] = {
	{"an idle udev is not waited for", WAIT_MS * 2, 0, true, 0, 0, 1000},
	{"the gate opens behind the last event", WAIT_MS * 2, 40000, true, 0, 40000, 41000},
	{"a udev that hangs is waited for as long as a quiet one", WAIT_MS * 2, 10000, false,
	 LEA_WAIT_LATE, 10000 + QUIET_MS, 11000 + QUIET_MS},
	{"a udev that never ends is not waited for", WAIT_MS * 2, WAIT_MS * 2, true, LEA_WAIT_LATE,
	 WAIT_MS, WAIT_MS + 1000},
	{"with no boot pass nobody takes the events: nothing is waited for", 0, 40000, true, 0, 0,
	 1000},
	{"a boot pass that dies ends the wait", 20000, 40000, true, 0, 20000, 21000},
};

START_TEST(gate_waits_while_something_gets_on)
{
	int r;

	time_ms = 0;
	recorded_ms = 0;
	udev_works_until_ms = waits[_i].udev_works_until_ms;
	udev_empties_its_queue = waits[_i].udev_empties_its_queue;
	boot_pass_ends_ms = waits[_i].boot_pass_ends_ms;
	conf.gate_wait_ms = WAIT_MS;
	conf.boot_quiet_ms = QUIET_MS;
	machine.world->clock = &test_clock;
	tree_put(&machine.tree, "/run/udev/queue", "");
	if (boot_pass_ends_ms)
		start_boot_pass(false);
	r = lea_gate_wait(&how);
	end_boot_pass();
	ck_assert_msg(r == waits[_i].outcome, "%s: %d", waits[_i].claim, r);
	ck_assert_msg(time_ms >= waits[_i].least_ms && time_ms <= waits[_i].most_ms, "%s: %u ms",
		      waits[_i].claim, (unsigned int)time_ms);
}
END_TEST

static const struct {
	const char *claim;
	uint64_t udev_works_until_ms;
	bool udev_empties_its_queue;
	bool is_asked, is_named; /* named before that */
	uint64_t least_ms, most_ms;
} unfinished[] = {
	{"what an idle udev has not finished it has lost", 0, true, true, false, 0, 1000},
	{"what it has in work is waited for", 40000, true, true, false, 40000, 41000},
	{"the deadline is not the end of a udev that gets on", WAIT_MS + 40000, true, true,
	 false, WAIT_MS + 40000, WAIT_MS + 41000},
	{"one that hangs is named, and asked again later", 10000, false, true, true, WAIT_MS + QUIET_MS,
	 WAIT_MS + QUIET_MS + 2000},
	{"one that has more to do than there is time for is not given more", 10 * WAIT_MS, true,
	 false, false, 3 * WAIT_MS, 3 * WAIT_MS + 2000},
};

START_TEST(behind_the_open_gate)
{
	char text[64] = "", path[128];
	FILE *file;

	time_ms = recorded_ms = 0;
	udev_works_until_ms = unfinished[_i].udev_works_until_ms;
	udev_empties_its_queue = unfinished[_i].udev_empties_its_queue;
	conf.gate_deadline_ms = WAIT_MS;
	conf.gate_wait_ms = 2 * WAIT_MS;
	conf.boot_quiet_ms = QUIET_MS;
	machine.world->clock = &test_clock;
	properties = "";
	tree_put(&machine.tree, "/run/udev/control", "");
	tree_put(&machine.tree, "/run/udev/queue", "");
	ck_assert_int_eq(lea_gate_open_and_sweep(&how), 0);
	snprintf(path, sizeof(path), "%s/sys/dev/block/8:16/uevent", machine.tree.root);
	file = fopen(path, "r");
	ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
	fclose(file);
	ck_assert_msg(!strncmp(text, "add", 3) == unfinished[_i].is_asked, "%s: %s",
		      unfinished[_i].claim, text);
	fflush(machine.err_file);
	ck_assert_msg((strstr(machine.err ? machine.err : "",
			      "/dev/sda: udev has not finished with it: it may hang, see journalctl -k; "
			      "udev does nothing else meanwhile\n") != NULL) ==
			      unfinished[_i].is_named,
		      "%s: %s", unfinished[_i].claim, machine.err);
	ck_assert_msg(time_ms >= unfinished[_i].least_ms && time_ms <= unfinished[_i].most_ms,
		      "%s: %u ms", unfinished[_i].claim, (unsigned int)time_ms);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("catch_up");
	TCase *tcase = tcase_create("catch_up");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_boot_pass_that_lives_has_all);
	tcase_add_loop_test(tcase, what_is_left_to_it_is_waited_for, 0, ARRAY_SIZE(left_to_it));
	tcase_add_test(tcase, without_quiet_only_the_deadline_ends_the_wait);
	tcase_add_test(tcase, gate_is_opened_first);
	tcase_add_loop_test(tcase, gate_waits_while_something_gets_on, 0, ARRAY_SIZE(waits));
	tcase_add_loop_test(tcase, behind_the_open_gate, 0, ARRAY_SIZE(unfinished));
	suite_add_tcase(suite, tcase);
	return suite;
}
