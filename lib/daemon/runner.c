/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner's loop.
 *
 * No wake-up is lost: an enqueuer publishes an entry and then relies on a runner; a runner releases
 * the lock and then checks the queue. Whichever comes second sees the other's write.
 */
#include "daemon/runner.h"

#include "base/cleanup.h"
#include "base/step.h"

/* Passes until nothing is pending or in flight. > 0: look or wait told to leave. */
static int work(const struct lea_runner_options *options)
{
	struct lea_flight *flight = options->flight;
	int r, taken;

	do {
		r = lea_flight_reap(flight);
		r = r || !options->look ? r : options->look(options->arg);
		if (r)
			break;
		taken = lea_flight_take(flight);
		r = taken < 0 ? taken : 0;
		if (r || taken == LEA_FLIGHT_MORE || !flight->first || lea_flight_has_ended(flight))
			continue;
		r = options->wait ? options->wait(options->arg) : lea_flight_drain(flight);
	} while (!r && (taken != LEA_FLIGHT_NONE || flight->first));
	return r;
}

/* What is in flight when the queue is left: a shortage passes when its passes give back what they
 * hold. */
static int land(struct lea_flight *flight, int r)
{
	int s = 0;

	if (r < 0 && !lea_is_shortage(r))
		lea_flight_drop(flight, r);
	else
		s = lea_flight_drain(flight);
	return r ? r : s;
}

/* *ret_leave: the value is one to leave with. */
static int hold_and_work(const struct lea_runner_options *options, bool *ret_leave)
{
	LEA_AUTO(lea_closep) int lock_fd = -1;
	int r = lea_queue_lock(options->flight->event_fd, &lock_fd);

	if (r)
		return r == LEA_QUEUE_RUNNING ? LEA_RUNNER_BUSY : r;
	r = land(options->flight, work(options));
	*ret_leave = r > 0;
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
	*ret_leave = !lea_queue_has_pending(options->flight->event_fd);
	return r;
}

static bool look(const struct lea_runner_options *options)
{
	bool any = lea_queue_has_pending(options->flight->event_fd);

	LEA_CRASHPOINT(any ? "look.some" : "look.none", NULL);
	return any;
}

static int process_all(const struct lea_runner_options *options)
{
	bool leave = false, is_pending;
	int r, s;

	for (;;) {
		r = hold_and_work(options, &leave);
		if (leave)
			return r;
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
