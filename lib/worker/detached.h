/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Detached workers: they hang, cannot be killed, and are no longer waited for. A detached worker
 * that continues after all ends its claims itself, as far as it can (worker/worker.c). If one ends
 * without that, the option lost (lea_workers_options) gets its VGs.
 */
#pragma once

#include "worker/worker.h"

struct sd_event;

/*
 * lea_detached_note - why each VG of a worker that hangs is not done, in its request
 * To be called before the worker is told that it is detached, since it may make progress
 * afterwards. Releases the locks of VGs whose LVs are set up. Logs those.
 */
void lea_detached_note(struct lea_worker *worker, const struct lea_worker_setting *setting);

/*
 * lea_detached_begin - from here on @worker is LEFT
 * The worker was told so, and our end of its socket is closed. Of its VGs those count whose request
 * it still holds. @loop: wakes when it ends.
 */
void lea_detached_begin(struct lea_worker *worker, struct sd_event *loop);

/*
 * lea_detached_is_over - has it ended, and is each of its VGs brought to its end?
 * Calls lost for each VG of a worker that failed or was killed; a VG whose call fails is tried
 * again by the next call. Never blocks.
 */
bool lea_detached_is_over(struct lea_worker *worker, const struct lea_worker_setting *setting);
/* Does only the next call tell, because the end of its process wakes nobody or a call failed? */
bool lea_detached_is_polled(const struct lea_worker *worker);

/* This process is about to end: gives its VGs to lost, so that another process waits for them. */
void lea_detached_hand_over(struct lea_worker *worker, const struct lea_worker_setting *setting);

/* Frees it. A process that has not ended becomes init's child when this one ends. */
void lea_detached_forget(struct lea_worker *worker);
