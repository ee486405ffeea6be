/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dmeventd is started by the service manager, which has other things to do while devices come: for
 * tens of seconds in a burst. No VG's activation waits for that. VGs that were to be watched are
 * looked at again when nothing pends and dmeventd is there; then it is told.
 */
#ifndef LEA_FLOW_WATCH_LATER_H
#define LEA_FLOW_WATCH_LATER_H

#include "base/err.h"
#include "flow/batch.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed at first. */
struct lea_watch_later {
	uint64_t began_ms; /* waits for a dmeventd since then; 0: it does not */
	bool is_begun;	   /* one step was made: what was asked before is of this process */
};

enum lea_watch_later_outcome {
	LEA_WATCH_LATER_QUEUED = 1, /* devices of VGs are pending again */
};

/*
 * lea_watch_later_step - to be called when nothing pends
 * Starts dmeventd if need be, and waits a minute for it; without it the VGs are looked at all the
 * same. *ret_wait_ms: call it again after that; -1: no need.
 */
LEA_MUST_CHECK int lea_watch_later_step(struct lea_watch_later *later,
					const struct lea_batch_how *how, int *ret_wait_ms);

#endif
