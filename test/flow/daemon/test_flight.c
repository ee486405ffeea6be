/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes in flight, as the runner drives them, on a machine made of files. */
#include "base/cleanup.h"
#include "daemon/runner.h"
#include "flow/batch_scratch.h"
#include "unit/suite.h"

#include <signal.h>
#include <sys/wait.h>

static struct lea_flight flight;
static int (*script)(unsigned int turn); /* what the runner finds when it waits */
static unsigned int turns, shortages;
static int start_fault; /* of the next pass, once */

static int start(void *arg, struct lea_entry *entries, size_t count,
		 struct lea_batch_pass **ret_pass)
{
	const int fault = start_fault;

	start_fault = 0;
	*ret_pass = NULL;
	return fault ? fault : lea_batch_start(&batch_options, entries, count, &summary, ret_pass);
}

static int wait_in_flight(void *arg)
{
	ck_assert_uint_gt(flight.pass_count, 0);
	ck_assert_uint_lt(turns, 10);
	return script(turns++);
}

static int retry(void *arg, int fault)
{
	ck_assert_msg(!flight.first, "what was in flight is at its end");
	shortages++;
	return 0;
}

static void setup_flight(void)
{
	setup();
	machine_plug("one-pv", "sda", 16, 7);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	turns = shortages = 0;
	start_fault = 0;
	flight = (struct lea_flight){.event_fd = batch_options.event_fd,
				     .start = start,
				     .pool = &fake_pool,
				     .workers = &fake_workers,
				     .log = machine.world->log};
}

const struct fixture fixture = {setup_flight, teardown};

static void put(const char *name, uint32_t minor, uint64_t diskseq, const char *pvid, bool is_gone)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, is_gone);

	ck_assert_int_ge(lea_queue_put(batch_options.event_fd, &entry), 0);
	lea_device_done(&entry.device);
}

static int run(int (*what)(unsigned int turn))
{
	const struct lea_runner_options options = {
		.flight = &flight, .wait = wait_in_flight, .retry = retry};
	int r;

	script = what;
	r = lea_runner_run(&options);
	ck_assert(!flight.first);
	ck_assert_uint_eq(flight.pass_count + flight.entry_count, 0);
	return r;
}

static bool is_in(const char *folder, const char *key)
{
	char path[96];

	snprintf(path, sizeof(path), "/run/lvm/event/%s/%s", folder, key);
	return machine_has(path);
}

static size_t count_of(const char *folder)
{
	size_t count = 99;

	ck_assert_int_eq(lea_queue_count(batch_options.event_fd, folder, &count), 0);
	return count;
}

/* The check has ended. */
static int let_go(void)
{
	held_vg = NULL;
	return fake_pool.step(&fake_workers);
}

static int two_come_during_a_check(unsigned int turn)
{
	if (turn == 0) {
		put("sdb", 32, 2, PVID_A, false);
		put("sdc", 48, 3, PVID_B, false);
		return 0;
	}
	ck_assert_str_eq(activated, "vg-two.pvs ");
	ck_assert_msg(is_in("taken", "8:16-7"), "the pass of the check is not done");
	ck_assert_uint_eq(count_of("taken"), 1);
	return let_go();
}

TEST(a_long_check_holds_up_no_other_disk)
{
	put("sda", 16, 7, PVID_ONE, false);
	held_vg = "vg_one";
	ck_assert_int_eq(run(two_come_during_a_check), 0);
	ck_assert_str_eq(activated, "vg-two.pvs vg_one ");
	ck_assert_uint_eq(turns, 2);
	ck_assert_uint_eq(count_of("taken") + count_of("queue"), 0);
}

static int another_check_begins(unsigned int turn)
{
	if (turn == 0) {
		held_vg = "vg-two.pvs";
		put("sdb", 32, 2, PVID_A, false);
		put("sdc", 48, 3, PVID_B, false);
		return 0;
	}
	ck_assert_msg(!is_in("taken", "8:16-7"), "what has ended does not wait for the next event");
	return let_go();
}

static int a_report_comes(unsigned int turn)
{
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	workers_fd = fds[0];
	ck_assert_msg(!lea_flight_is_awaited(&flight), "the worker has told nothing yet");
	ck_assert_int_eq(write(fds[1], "", 1), 1);
	ck_assert_msg(lea_flight_is_awaited(&flight), "it waits with its report");
	return let_go();
}

/* A detached worker may end when nothing is in flight: nobody waits for that. */
TEST(a_worker_with_a_report_waits)
{
	put("sda", 16, 7, PVID_ONE, false);
	held_vg = "vg_one";
	ck_assert_int_eq(run(a_report_comes), 0);
	ck_assert_uint_eq(turns, 1);
	ck_assert(!lea_flight_is_awaited(&flight));
	workers_fd = -1;
}

TEST(a_pass_that_ends_while_another_begins_is_done)
{
	put("sda", 16, 7, PVID_ONE, false);
	held_vg = "vg_one";
	ck_assert_int_eq(run(another_check_begins), 0);
	ck_assert_uint_eq(turns, 2);
	ck_assert_uint_eq(count_of("taken") + count_of("queue"), 0);
}

static int it_goes_during_its_check(unsigned int turn)
{
	if (turn == 0) {
		put("sda", 16, 7, PVID_ONE, true);
		machine_unplug("sda", 16);
		return 0;
	}
	ck_assert_msg(is_in("queue", "8:16-7") && is_in("taken", "8:16-7"),
		      "the later entry waits, since the pass will remove the earlier one");
	return let_go();
}

TEST(a_later_entry_of_a_device_in_flight_waits_and_is_not_lost)
{
	put("sda", 16, 7, PVID_ONE, false);
	held_vg = "vg_one";
	ck_assert_int_eq(run(it_goes_during_its_check), 0);
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_ONE));
	ck_assert_uint_eq(count_of("taken") + count_of("queue"), 0);
	ck_assert_uint_eq(summary.gone, 1);
}

static int die(unsigned int turn)
{
	raise(SIGKILL);
	return 0;
}

TEST(what_was_in_flight_when_the_runner_died_is_processed_alone)
{
	int status;
	pid_t pid;

	put("sda", 16, 7, PVID_ONE, false);
	held_vg = "vg_one";
	pid = fork();
	if (pid == 0) {
		tree_put_process(&machine.tree, getpid(), "runner", 'S', 4343);
		_exit(run(die) ? 1 : 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status), "status %x", status);
	ck_assert(is_in("taken", "8:16-7"));
	put("sdb", 32, 2, PVID_A, false);
	put("sdc", 48, 3, PVID_B, false);
	ck_assert_int_eq(run(NULL), 0);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
	ck_assert_uint_eq(count_of("taken") + count_of("queue"), 0);
}

static int settings_change(unsigned int turn)
{
	put("sdb", 32, 2, PVID_A, false);
	return 7;
}

TEST(the_runner_leaves_when_nothing_is_in_flight)
{
	put("sda", 16, 7, PVID_ONE, false);
	held_vg = "vg_one";
	ck_assert_int_eq(run(settings_change), 7);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert_uint_eq(count_of("taken"), 0);
	ck_assert_msg(count_of("queue") == 1, "what came since is for the next runner");
}

static int one_comes_short(unsigned int turn)
{
	put("sdb", 32, 2, PVID_A, false);
	start_fault = -EMFILE;
	return 0;
}

TEST(a_shortage_of_one_pass_ends_the_others_well)
{
	put("sda", 16, 7, PVID_ONE, false);
	held_vg = "vg_one";
	ck_assert_int_eq(run(one_comes_short), 0);
	ck_assert_uint_eq(shortages, 1);
	ck_assert_str_eq(activated, "vg_one ");
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_A));
	ck_assert_uint_eq(count_of("taken") + count_of("queue"), 0);
}

/* The pool cannot start a worker, so no VG of any pass is reported. */
TEST(a_shortage_of_the_workers_gives_all_entries_back)
{
	put("sda", 16, 7, PVID_ONE, false);
	held_vg = "vg_one";
	ck_assert_int_eq(lea_flight_take(&flight), 0);
	ck_assert_uint_eq(flight.pass_count, 1);
	lea_flight_drop(&flight, -EAGAIN);
	ck_assert(!flight.first);
	ck_assert(is_in("queue", "8:16-7") && !is_in("taken", "8:16-7"));
}

TEST(a_fault_leaves_entries_for_the_next_runner)
{
	put("sda", 16, 7, PVID_ONE, false);
	held_vg = "vg_one";
	ck_assert_int_eq(lea_flight_take(&flight), 0);
	lea_flight_drop(&flight, -EBADF);
	ck_assert(!flight.first);
	ck_assert(is_in("taken", "8:16-7") && !is_in("queue", "8:16-7"));
}

/* Rows: how much is in flight. */
static const struct {
	const char *claim;
	size_t passes, entries;
	int expected;
} loads[] = {
	{"there is room", LEA_FLIGHT_PASSES - 1, LEA_FLIGHT_ENTRIES - 1, 0},
	{"as many passes as may be", LEA_FLIGHT_PASSES, 1, LEA_FLIGHT_NONE},
	{"as many entries as may be", 1, LEA_FLIGHT_ENTRIES, LEA_FLIGHT_NONE},
};

TEST_EACH(what_finds_no_room_stays_pending, loads)
{
	put("sda", 16, 7, PVID_ONE, false);
	flight.pass_count = loads[_i].passes;
	flight.entry_count = loads[_i].entries;
	ck_assert_msg(lea_flight_take(&flight) == loads[_i].expected, "%s", loads[_i].claim);
	ck_assert_uint_eq(count_of("queue"), loads[_i].expected ? 1 : 0);
}
