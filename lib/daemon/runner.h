/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The runner: handles pending entries in passes over finite lists until none is left. Only one
 * runner works at a time. A process that finds another runner at work may leave: that runner checks
 * the queue again after it has released the lock.
 */
#pragma once

#include "base/err.h"
#include "daemon/flight.h"
#include "world/world.h"

#include <stdint.h>

struct lea_runner_options {
	struct lea_flight *flight; /* borrowed; nothing is in flight before and afterwards */
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
	/*
	 * Called, with the lock, while passes are in flight: returns 0 when one of them has ended
	 * or something may be pending, and otherwise as stay; what is in flight is then brought to
	 * its end. NULL: each pass is waited for before the next one begins.
	 */
	int (*wait)(void *arg);
	/*
	 * Called before each pass: returns 0, or as wait. A runner that always finds something
	 * pending never waits, and what came after a change of settings is not for the old ones.
	 * NULL: nothing to look at.
	 */
	int (*look)(void *arg);
	/* Called on a shortage, with nothing in flight: waits a while and returns 0 to try again,
	 * or -errno. NULL: leave with the shortage. */
	int (*retry)(void *arg, int shortage);
	void *arg;
	struct lea_clock *clock;
};

enum lea_runner_outcome {
	LEA_RUNNER_BUSY = 1, /* another runner is at work */
};

/* Handles all pending entries. Returns 0 when nothing is pending, LEA_RUNNER_BUSY, the value of
 * stay, wait or look, or -errno (unhandled entries stay in the queue). */
LEA_MUST_CHECK int lea_runner_run(const struct lea_runner_options *options);
