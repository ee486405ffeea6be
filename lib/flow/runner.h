/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner: takes what is pending, in passes over finite lists, until nothing is left. There is
 * one at a time; whoever finds another at work has nothing to do, since that one looks again after
 * it has let go.
 */
#ifndef LEA_FLOW_RUNNER_H
#define LEA_FLOW_RUNNER_H

#include "base/err.h"
#include "state/queue.h"
#include "world/world.h"

#include <stddef.h>
#include <stdint.h>

struct lea_runner_how {
	int event_fd; /* borrowed */
	/*
	 * One pass; 0 or -errno. A fault leaves the entries for the next runner. A shortage
	 * (lea_is_shortage) is nobody's fault: entries that are not is_settled are pending again.
	 */
	int (*process)(void *arg, struct lea_entry *entries, size_t count);
	void *arg;
	uint32_t failed_attempts; /* an entry that was in hand so often when a runner died is put
				     aside */
	/* Look once more after this time before leaving, and wait for a lock that another one holds
	 * while something is pending. It keeps starts of the unit below what systemd puts up with.
	 * 0: neither */
	uint32_t wait_ms;
	/*
	 * Nothing is pending: returns 0 when something may be, > 0 to leave with that, or -errno.
	 * It must have been told of entries since before this run began. NULL: leave.
	 */
	int (*stay)(void *arg);
	/* The machine is short of something: waits a while and returns 0 to try again, or -errno.
	 * NULL: leave with the shortage. */
	int (*retry)(void *arg, int shortage);
	struct lea_clock *clock;
	struct lea_log *log;
};

enum lea_runner_outcome {
	LEA_RUNNER_BUSY = 1, /* another one is at work */
};

/* Returns 0 when nothing is pending, LEA_RUNNER_BUSY, what stay left with, or -errno (what is left
 * stays in the queue). */
LEA_MUST_CHECK int lea_runner_run(const struct lea_runner_how *how);

/*
 * lea_runner_drain - passes until nothing is pending; the caller holds the lock
 * At most LEA_RUNNER_PASSES, so that a run ends under any storm; the next one goes on.
 */
#define LEA_RUNNER_PASSES 1000U
LEA_MUST_CHECK int lea_runner_drain(const struct lea_runner_how *how);

#endif
