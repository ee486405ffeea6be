/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner's loop.
 *
 * Lost wake-ups: an enqueuer publishes and then relies on a runner; a runner lets go of the lock
 * and then looks at the queue. Whichever is second sees the other's write.
 */
#include "flow/runner.h"

#include "base/cleanup.h"
#include "base/step.h"

#define RISKY_REASON "a runner died with it in hand, again and again"

/* An entry is off the queue only now that its effect is recorded. */
static int finish(const struct lea_runner_how *how, const struct lea_entry *entries, size_t count)
{
	int r;

	for (size_t i = 0; i < count; i++) {
		r = lea_queue_done(how->event_fd, &entries[i]);
		if (r)
			return r;
	}
	return 0;
}

static int work(const struct lea_runner_how *how, struct lea_entry *entries, size_t count)
{
	int r;

	LEA_STEP("work.begin", NULL);
	r = how->process(how->arg, entries, count);
	if (r == 0)
		LEA_STEP("work.end", NULL);
	return r;
}

/* One that a dead runner had in hand: counted before it is touched, alone. */
static int process_leftover(const struct lea_runner_how *how, struct lea_entry *entry)
{
	int r;

	if (entry->attempts >= how->failed_attempts) {
		lea_log(how->log, LEA_LOG_ERROR,
			"%s (%s): put aside, " RISKY_REASON "; try: lvmevent retry",
			entry->device.name ? entry->device.name : "a device", entry->key);
		return lea_queue_fail(how->event_fd, entry, RISKY_REASON);
	}
	r = lea_queue_attempt(how->event_fd, entry);
	r = r ? r : work(how, entry, 1);
	return r ? r : finish(how, entry, 1);
}

static int process(const struct lea_runner_how *how, struct lea_entry *entries, size_t count)
{
	int r = 0;

	if (!entries[0].is_leftover) {
		r = work(how, entries, count);
		return r ? r : finish(how, entries, count);
	}
	for (size_t i = 0; r == 0 && i < count; i++)
		r = process_leftover(how, &entries[i]);
	return r;
}

int lea_runner_drain(const struct lea_runner_how *how)
{
	struct lea_entry *entries;
	size_t count;
	int r;

	for (unsigned int pass = 0; pass < LEA_RUNNER_PASSES; pass++) {
		r = lea_queue_take(how->event_fd, &entries, &count);
		if (r)
			return r == LEA_QUEUE_EMPTY ? 0 : r;
		r = process(how, entries, count);
		lea_entries_free(entries, count);
		if (r)
			return r;
	}
	return 0;
}

static int hold_and_drain(const struct lea_runner_how *how)
{
	LEA_AUTO(lea_closep) int lock_fd = -1;
	int r = lea_queue_lock(how->event_fd, &lock_fd);

	if (r)
		return r == LEA_QUEUE_RUNNING ? LEA_RUNNER_BUSY : r;
	r = lea_runner_drain(how);
	LEA_STEP("lock.drop", NULL);
	return r;
}

/* Nothing is pending. 0: look again; else *ret_leave is set. */
static int linger(const struct lea_runner_how *how, bool *ret_leave)
{
	int r = 0;

	if (how->stay) {
		LEA_STEP("stay.begin", NULL);
		r = how->stay(how->arg);
		*ret_leave = r != 0;
		if (!r)
			LEA_STEP("stay.end", NULL);
		return r;
	}
	/* Events come in bursts: staying a moment saves a start. */
	if (how->wait_ms)
		how->clock->sleep_ms(how->clock, how->wait_ms);
	*ret_leave = !lea_queue_has_pending(how->event_fd);
	return r;
}

static bool look(const struct lea_runner_how *how)
{
	bool any = lea_queue_has_pending(how->event_fd);

	LEA_STEP(any ? "look.some" : "look.none", NULL);
	return any;
}

static int run(const struct lea_runner_how *how)
{
	bool leave = false, is_pending;
	int r, s;

	for (;;) {
		r = hold_and_drain(how);
		if (r < 0 || (r && !how->wait_ms))
			return r;
		is_pending = look(how);
		if (r == LEA_RUNNER_BUSY && (is_pending || how->stay)) {
			/* Leaving now would have the path unit start us again and again; sleeping
			 * on the queue would miss what the other one leaves in taken/ if it dies.
			 */
			how->clock->sleep_ms(how->clock, how->wait_ms);
		} else if (!is_pending) {
			s = linger(how, &leave);
			if (leave)
				return s ? s : r;
		}
	}
}

int lea_runner_run(const struct lea_runner_how *how)
{
	int r;

	LEA_STEP("run.begin", NULL);
	r = run(how);
	LEA_STEP("run.leave", NULL);
	return r;
}
