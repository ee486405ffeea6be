/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner: handles pending entries in passes over finite lists until none is left. Only one
 * runner works at a time. A process that finds another runner at work may leave: that runner checks
 * the queue again after it has released the lock.
 */
#pragma once

#include "base/err.h"
#include "state/queue.h"
#include "world/world.h"

#include <stddef.h>
#include <stdint.h>

/* An entry is quarantined after this many runners died while handling it: once may be another
 * process's fault (the OOM killer), three times in a row are the entry's. */
#define LEA_RUNNER_ATTEMPTS 3U

struct lea_runner_options {
	int event_fd; /* borrowed */
	/*
	 * One pass; returns 0 or -errno. A fault leaves the entries for the next runner. On a
	 * shortage (lea_is_shortage) only entries without is_settled are pending again.
	 */
	int (*process)(void *arg, struct lea_entry *entries, size_t count);
	void *arg;
	/* Check once more after this time before leaving, and wait for another runner's lock
	 * while something is pending. This limits starts of the unit to what systemd permits. 0:
	 * neither. */
	uint32_t wait_ms;
	/*
	 * Called when nothing is pending: returns 0 when something may be, > 0 to leave with that
	 * value, or -errno. It must have watched the queue since before this run began. NULL:
	 * leave.
	 */
	int (*stay)(void *arg);
	/* Called on a shortage: waits a while and returns 0 to try again, or -errno. NULL: leave
	 * with the shortage. */
	int (*retry)(void *arg, int shortage);
	struct lea_clock *clock;
	struct lea_log *log;
};

enum lea_runner_outcome {
	LEA_RUNNER_BUSY = 1, /* another runner is at work */
};

/* Handles all pending entries. Returns 0 when nothing is pending, LEA_RUNNER_BUSY, the value of
 * stay, or -errno (unhandled entries stay in the queue). */
LEA_MUST_CHECK int lea_runner_run(const struct lea_runner_options *options);

/*
 * lea_runner_drain - passes until nothing is pending; the caller holds the runner's lock
 * Makes at most LEA_RUNNER_PASSES passes, so that it ends even in a storm; the next run continues.
 * Returns 0 or -errno.
 */
#define LEA_RUNNER_PASSES 1000U
LEA_MUST_CHECK int lea_runner_drain(const struct lea_runner_options *options);
