/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner's loop.
 *
 * No wake-up is lost: an enqueuer publishes an entry and then relies on a runner; a runner releases
 * the lock and then checks the queue. Whichever comes second sees the other's write.
 */
#include "daemon/runner.h"

#include "base/cleanup.h"
#include "base/log_ids.h"
#include "base/step.h"
#include "world/device.h"

#define RISKY_REASON "processing this device repeatedly crashed the runner"

/*
 * Removes entries from the queue, now that their effect is recorded. After a shortage the others
 * are pending again; an entry that cannot be moved stays in taken/, where the next pass finds it
 * first.
 */
static int finish(const struct lea_runner_options *options, const struct lea_entry *entries,
		  size_t count, int result)
{
	const bool is_short = lea_is_shortage(result);
	int r = result, s;

	for (size_t i = 0; i < count && (!r || is_short); i++) {
		s = !result || entries[i].is_settled
			    ? lea_queue_done(options->event_fd, &entries[i])
			    : lea_queue_requeue(options->event_fd, &entries[i]);
		r = r ? r : s;
	}
	return r;
}

static int process_entries(const struct lea_runner_options *options, struct lea_entry *entries,
			   size_t count)
{
	int r;

	LEA_CRASHPOINT("work.begin", NULL);
	r = options->process(options->arg, entries, count);
	if (r == 0)
		LEA_CRASHPOINT("work.end", NULL);
	return r;
}

/* An entry that a dead runner was handling: its attempt is counted first, and it is handled
 * alone. */
static int process_leftover(const struct lea_runner_options *options, struct lea_entry *entry)
{
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_QUARANTINED,
					      .pvid = entry->pvid,
					      .device = entry->device.name,
					      .reason = RISKY_REASON};
	struct lea_entry before = *entry;
	int r;

	if (entry->attempts >= LEA_RUNNER_ATTEMPTS) {
		lea_log_with(options->log, LEA_LOG_ERROR, &fields,
			     "%s (%s): quarantined: " RISKY_REASON "; to try again: lvmevent retry",
			     entry->device.name, entry->key);
		return lea_queue_fail(options->event_fd, entry, RISKY_REASON);
	}
	r = lea_device_copy(&entry->device, &before.device);
	r = r ? r : lea_queue_attempt(options->event_fd, entry);
	r = r ? r : process_entries(options, entry, 1);
	/* A shortage says nothing against the entry: the attempt does not count. */
	if (lea_is_shortage(r) && entry->attempts > before.attempts &&
	    lea_queue_restore(options->event_fd, &before))
		lea_log(options->log, LEA_LOG_DEBUG, "%s: its count of attempts could not be reset",
			entry->key);
	lea_device_done(&before.device);
	return finish(options, entry, 1, r);
}

static int process(const struct lea_runner_options *options, struct lea_entry *entries,
		   size_t count)
{
	int r = 0;

	if (!entries[0].is_leftover)
		return finish(options, entries, count, process_entries(options, entries, count));
	for (size_t i = 0; r == 0 && i < count; i++)
		r = process_leftover(options, &entries[i]);
	return r;
}

int lea_runner_drain(const struct lea_runner_options *options)
{
	struct lea_entry *entries;
	size_t count;
	int r;

	for (unsigned int pass = 0; pass < LEA_RUNNER_PASSES; pass++) {
		r = lea_queue_take(options->event_fd, &entries, &count);
		if (r)
			return r == LEA_QUEUE_EMPTY ? 0 : r;
		r = process(options, entries, count);
		lea_entries_free(entries, count);
		if (r)
			return r;
	}
	return 0;
}

static int hold_and_drain(const struct lea_runner_options *options)
{
	LEA_AUTO(lea_closep) int lock_fd = -1;
	int r = lea_queue_lock(options->event_fd, &lock_fd);

	if (r)
		return r == LEA_QUEUE_RUNNING ? LEA_RUNNER_BUSY : r;
	r = lea_runner_drain(options);
	LEA_CRASHPOINT("lock.drop", NULL);
	return r;
}

/* Nothing is pending. Returns 0 to check again; otherwise sets *ret_leave. */
static int linger(const struct lea_runner_options *options, bool *ret_leave)
{
	int r = 0;

	if (options->stay) {
		LEA_CRASHPOINT("stay.begin", NULL);
		r = options->stay(options->arg);
		*ret_leave = r != 0;
		if (!r)
			LEA_CRASHPOINT("stay.end", NULL);
		return r;
	}
	/* Events come in bursts, so waiting a moment saves a start. */
	if (options->wait_ms)
		options->clock->sleep_ms(options->clock, options->wait_ms);
	*ret_leave = !lea_queue_has_pending(options->event_fd);
	return r;
}

static bool look(const struct lea_runner_options *options)
{
	bool any = lea_queue_has_pending(options->event_fd);

	LEA_CRASHPOINT(any ? "look.some" : "look.none", NULL);
	return any;
}

static int process_all(const struct lea_runner_options *options)
{
	bool leave = false, is_pending;
	int r, s;

	for (;;) {
		r = hold_and_drain(options);
		if (r < 0 && options->retry && lea_is_shortage(r)) {
			r = options->retry(options->arg, r);
			if (!r)
				continue;
		}
		if (r < 0 || (r && !options->wait_ms))
			return r;
		is_pending = look(options);
		if (r == LEA_RUNNER_BUSY && (is_pending || options->stay)) {
			/* Leaving now would make the path unit start this program again and again.
			 * Sleeping on the queue would miss what the other runner leaves in taken/
			 * if it dies. */
			options->clock->sleep_ms(options->clock, options->wait_ms);
		} else if (!is_pending) {
			s = linger(options, &leave);
			if (leave)
				return s ? s : r;
		}
	}
}

int lea_runner_run(const struct lea_runner_options *options)
{
	int r;

	LEA_CRASHPOINT("run.begin", NULL);
	r = process_all(options);
	LEA_CRASHPOINT("run.leave", NULL);
	return r;
}
