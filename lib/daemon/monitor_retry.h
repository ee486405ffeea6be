/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers LVs with dmeventd later. The service manager starts dmeventd, which can take tens of
 * seconds in a burst of uevents, and no activation waits for it. When nothing is pending and
 * dmeventd runs, the VGs that wait for it are queued, and their active LVs are registered.
 */
#pragma once

#include "base/err.h"
#include "batch/batch.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed at first. */
struct lea_monitor_retry {
	uint64_t began_ms; /* when it began to wait for dmeventd; 0: not waiting */
	bool is_begun;	   /* a step was made: requests marked as asked are this process's */
};

enum lea_monitor_retry_outcome {
	LEA_MONITOR_RETRY_QUEUED = 1, /* devices of such VGs are pending again */
};

/*
 * lea_monitor_retry_step - to be called when nothing is pending
 * Starts dmeventd if it does not run and waits a minute for it over several calls; then it queues
 * the VGs even without dmeventd. Does not block. *ret_wait_ms: call again after that time; -1: not
 * needed. Returns 0, LEA_MONITOR_RETRY_QUEUED, or -errno.
 */
LEA_MUST_CHECK int lea_monitor_retry_step(struct lea_monitor_retry *later,
					  const struct lea_batch_options *options,
					  int *ret_wait_ms);
