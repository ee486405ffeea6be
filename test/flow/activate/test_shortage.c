/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine runs short of something during an activation and during a pass: nothing is
 * half-active, nothing is lost, and no entry is blamed. Also a signal during a transaction.
 */
#include "activate/transaction.h"
#include "base/cleanup.h"
#include "batch/retry_set.h"
#include "daemon/runner.h"
#include "flow/scanned.h"
#include "state/gate.h"
#include "unit/suite.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

static struct lea_activate_options options;
static int event_fd;

static void setup(void)
{
	machine_begin();
	machine_plug("one-pv", "sda", 16, 1);
	scanned_begin();
	ck_assert_uint_eq(vg_count, 1);
	options = (struct lea_activate_options){.what = LEA_ACTIVATE_AUTO};
	event_fd = machine_queue();
}

static void teardown(void)
{
	close(event_fd);
	scanned_end();
	machine_end();
}

const struct fixture fixture = {setup, teardown};

/* ---- activation */

static int (*real_resume)(struct lea_dm *dm, const struct lea_dm_node *node);
static int fault, signal_number;

static int short_resume(struct lea_dm *dm, const struct lea_dm_node *node)
{
	return fault ? fault : real_resume(dm, node);
}

static int activate(struct lea_activate_result *result)
{
	struct lea_activation_run *run;
	int r;

	ck_assert_int_eq(lea_activation_start(machine.world, conf, &options, &run), 0);
	r = lea_activation_vg(run, vgs[0].vg->name, &vgs[0], result);
	ck_assert_int_ge(lea_activation_finish(run), 0);
	return r;
}

static const struct {
	const char *claim;
	int fault, shortage;
} faults[] = {
	{"no semaphore for a cookie is a shortage", -ENOSPC, -ENOSPC},
	{"no memory is one", -ENOMEM, -ENOMEM},
	{"a table that the kernel refuses is none", -EINVAL, 0},
	{"a broken disk is none", -EIO, 0},
};

TEST_EACH(a_shortage_leaves_nothing_half_active, faults)
{
	struct lea_activate_result result;

	real_resume = machine.dm->dm.resume;
	machine.dm->dm.resume = short_resume;
	fault = faults[_i].fault;
	ck_assert_int_eq(activate(&result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(result.shortage == faults[_i].shortage, "%s: %d", faults[_i].claim,
		      result.shortage);
	ck_assert_msg(fake_dm_count(machine.dm) == 0, "nothing is half-active");
	ck_assert_msg(!machine_has("/run/lock/lvm/V_vg_one"), "no lock is left");
	fault = 0;
	ck_assert_int_eq(activate(&result), 0);
	ck_assert_uint_eq(result.active, 3);
	ck_assert_int_eq(result.shortage, 0);
}

static int resume_and_signal(struct lea_dm *dm, const struct lea_dm_node *node)
{
	raise(signal_number);
	return real_resume(dm, node);
}

/* The signal is delivered at the end: a half-way end would leave 1 or 2 of 3 LVs, and the lock. */
static void activate_under_signals(void)
{
	struct lea_activate_result result;
	struct lea_activation_run *run;

	signal(signal_number, SIG_DFL); /* the test library has handlers of its own */
	real_resume = machine.dm->dm.resume;
	machine.dm->dm.resume = resume_and_signal;
	if (lea_activation_start(machine.world, conf, &options, &run) ||
	    lea_activation_vg(run, vgs[0].vg->name, &vgs[0], &result) || result.active != 3 ||
	    fake_dm_count(machine.dm) != 3)
		_exit(1);
	/* dies in this call, when it releases its locks */
	_exit(lea_activation_finish(run) ? 2 : 3);
}

static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGPIPE};

TEST_EACH(a_signal_waits_for_the_end_of_an_activation, signals)
{
	int status;
	pid_t pid;

	signal_number = signals[_i];
	pid = fork();
	if (pid == 0)
		activate_under_signals();
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == signal_number,
		      "signal %d: the transaction is finished first (status %x)", signal_number,
		      status);
	ck_assert(!machine_has("/run/lock/lvm/V_vg_one"));
}

/* ---- the runner */

static unsigned int tries, waits;
static int pass_fault;
static bool settles_first;

static int process(void *arg, struct lea_entry *entries, size_t count,
		   struct lea_batch_pass **ret_pass)
{
	*ret_pass = NULL; /* nothing to wait for */
	tries++;
	if (!pass_fault)
		return 0;
	/* as a real pass does */
	for (size_t i = 0; i < count; i++) {
		entries[i].is_settled = settles_first && entries[i].device.minor == 0;
		lea_device_done(&(struct lea_device){.name = entries[i].device.name,
						     .devlinks = entries[i].device.devlinks,
						     .properties = entries[i].device.properties});
		entries[i].device.name = entries[i].device.devlinks = NULL;
		entries[i].device.properties = NULL;
	}
	return pass_fault;
}

static int wait_a_while(void *arg, int shortage)
{
	ck_assert_int_eq(shortage, pass_fault);
	if (++waits == 5)
		pass_fault = 0;
	return 0;
}

static size_t count_of(const char *folder)
{
	size_t count = 99;

	ck_assert_int_eq(lea_queue_count(event_fd, folder, &count), 0);
	return count;
}

static int run_runner(int (*retry)(void *arg, int shortage))
{
	struct lea_flight flight = {
		.event_fd = event_fd, .start = process, .log = machine.world->log};
	const struct lea_runner_options runner_options = {.flight = &flight, .retry = retry};

	return lea_runner_run(&runner_options);
}

static void put_three(void)
{
	static char name[] = "/dev/sdx";

	tries = waits = 0;
	for (uint32_t i = 0; i < 3; i++) {
		struct lea_entry entry = {.device = {.major = 8, .minor = i, .name = name}};

		lea_entry_set_key(&entry);
		ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	}
}

TEST(a_pass_that_is_short_keeps_its_entries)
{
	put_three();
	pass_fault = -ENOSPC;
	settles_first = false;
	ck_assert_int_eq(run_runner(NULL), -ENOSPC);
	ck_assert_msg(count_of("queue") == 3 && count_of("taken") == 0, "all are pending again");
	settles_first = true;
	ck_assert_int_eq(run_runner(NULL), -ENOSPC);
	ck_assert_msg(count_of("queue") == 2, "but those that are done with");
	ck_assert_int_eq(run_runner(wait_a_while), 0);
	ck_assert_uint_eq(waits, 5);
	ck_assert_uint_eq(count_of("queue") + count_of("taken") + count_of("failed"), 0);
}

TEST(a_shortage_counts_as_no_attempt)
{
	struct lea_entry *entries;
	size_t count;

	put_three();
	ck_assert_int_eq(lea_queue_take(event_fd, &entries, &count), 0);
	lea_entries_free(entries, count); /* and this runner dies */
	pass_fault = -EAGAIN;
	settles_first = false;
	for (int i = 0; i < 6; i++)
		ck_assert_int_eq(run_runner(NULL), -EAGAIN);
	ck_assert_msg(count_of("failed") == 0, "a shortage is not an entry's fault");
	/* the name survived the pass that took it out of the entry */
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(lea_queue_take(event_fd, &entries, &count), 0);
		for (size_t k = 0; k < count; k++)
			ck_assert_str_eq(entries[k].device.name, "/dev/sdx");
		ck_assert_uint_eq(entries[0].attempts, 0);
		lea_entries_free(entries, count);
	}
	pass_fault = 0;
	ck_assert_int_eq(run_runner(NULL), 0);
	ck_assert_uint_eq(count_of("queue") + count_of("taken") + count_of("failed"), 0);
}

TEST(a_newer_entry_wins_over_a_requeued_one)
{
	struct lea_entry *entries;
	size_t count;

	put_three();
	ck_assert_int_eq(lea_queue_take(event_fd, &entries, &count), 0);
	put_three(); /* new events of the same devices */
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(lea_queue_requeue(event_fd, &entries[i]), 0);
	lea_entries_free(entries, count);
	ck_assert_uint_eq(count_of("queue"), 3);
	ck_assert_uint_eq(count_of("taken"), 0);
}

/* ---- finished entries */

TEST(devices_of_a_shortage_stay_unsettled)
{
	LEA_AUTO(lea_retry_set_done) struct lea_retry_set unsettled = {0};
	struct lea_entry entry[64] = {0};
	const struct lea_device strange = {.major = 9, .minor = 9};

	for (uint32_t i = 0; i < 64; i++)
		entry[i].device = (struct lea_device){.major = 8, .minor = i};
	lea_retry_set_add(&unsettled, -EIO, &entry[1].device);
	lea_retry_set_add(&unsettled, 0, &entry[1].device);
	ck_assert_msg(lea_retry_set_mark(&unsettled, entry, 64) == 0, "there was no shortage");
	ck_assert(!entry[0].is_settled);
	for (uint32_t i = 40; i > 0; i -= 2)
		lea_retry_set_add(&unsettled, i == 40 ? -ENOSPC : -ENOMEM, &entry[i].device);
	lea_retry_set_add(&unsettled, -ENOSPC, &strange);
	ck_assert_msg(lea_retry_set_mark(&unsettled, entry, 64) == -ENOSPC, "the first counts");
	for (uint32_t i = 0; i < 64; i++)
		ck_assert_msg(entry[i].is_settled == !(i > 0 && i <= 40 && i % 2 == 0), "%u", i);
}

/* ---- the gate */

TEST(a_planted_link_opens_no_gate)
{
	int run_fd = lea_world_run(machine.world), proc_fd = lea_world_proc(machine.world);

	ck_assert_int_eq(lea_gate_begin(run_fd, proc_fd, LEA_GATE_CLOSED), 0);
	ck_assert(lea_gate_is_closed(run_fd));
	ck_assert_int_eq(symlinkat("/nonexistent", run_fd, LEA_GATE_FINISHED), 0);
	ck_assert_msg(lea_gate_is_closed(run_fd), "a planted link opens no gate");
	ck_assert_int_eq(lea_gate_open(run_fd), 0);
	ck_assert(!lea_gate_is_closed(run_fd));
	ck_assert_msg(unlinkat(run_fd, LEA_GATE_FINISHED, 0) == 0, "and is replaced");
	ck_assert(lea_gate_is_closed(run_fd));
}
