/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detached workers: they hang, cannot be killed, and are no longer waited for. A detached worker
 * that continues after all finishes its VGs itself (worker/worker.c). If one ends without that, its
 * VGs are reported as lost here and are queued again.
 */
#pragma once

#include "worker/worker.h"

#include <stdint.h>

/* Zeroed but for the borrowed members: empty. */
struct lea_detached {
	struct lea_worker *first; /* owned, as is each element */
	uint32_t count;
	uint32_t untold_count; /* those whose end wakes no process or is still to be reported */
	struct sd_event *loop; /* borrowed; wakes when a detached worker ends */
};

/*
 * lea_detached_add - take over a worker that is no longer waited for
 * The worker was told so, and our end of its socket is closed. Of its VGs those count whose request
 * it still holds.
 */
void lea_detached_add(struct lea_detached *left, struct lea_worker *worker);

/*
 * lea_detached_reap - free the workers that have ended
 * Calls the option lost (lea_workers_options) for each VG of a worker that failed or was killed. A
 * VG whose call fails is tried again by the next call. Never blocks.
 */
void lea_detached_reap(struct lea_detached *left, const struct lea_worker_setting *setting);

/* This process is about to end: reports all their VGs as lost, so that another process waits for
 * them. */
void lea_detached_hand_over(struct lea_detached *left, const struct lea_worker_setting *setting);

/* Frees the list. Processes that have not ended become init's children when this one ends. */
void lea_detached_forget(struct lea_detached *left);
