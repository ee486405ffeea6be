/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for udev, for the runner and for the boot scan, by polling their files. */
#pragma once

#include "base/err.h"
#include "daemon/reconcile.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* udev has caught up when it has been silent for this time, even if its queue is not empty: a
 * device that hangs keeps the queue from ever being empty. Longer than the pauses between the disks
 * of a controller that is still searching. */
#define LEA_UDEV_QUIET_MS 3000U
/* Longest time that the gate stays closed, and that an opener waits for events that are behind its
 * deadline, while udev makes progress. A gate that opens in the middle of a boot of 1,000 disks
 * costs a process and a second read for each; 5,000 disks take a quarter of an hour. */
#define LEA_GATE_WAIT_MS  900000U

enum lea_wait_outcome {
	LEA_WAIT_TIMED_OUT = 1, /* the deadline passed */
	LEA_WAIT_QUIET,		/* only of lea_wait_pause: no progress for quiet_ms */
};

/* A wait for something without a descriptor: a lock, a flag, udev's queue file. */
struct lea_wait {
	struct lea_clock *clock; /* borrowed */
	uint32_t deadline_ms;	 /* for the whole wait */
	uint32_t quiet_ms;	 /* limit without progress; 0: none */
	uint32_t poll_ms; /* between two polls; 0: 100 to 500, growing with the time waited */
	/* set by lea_wait_pause; its first call begins the wait */
	bool has_begun;
	uint64_t begin_ms, moved_ms;
};

/* Sleeps between two polls. @has_moved: the last poll saw progress. Returns 0 or an outcome. */
LEA_MUST_CHECK int lea_wait_pause(struct lea_wait *wait, bool has_moved);

/* The pause before the next poll, 100 to 500 ms, when @waited_ms have passed. */
uint64_t lea_wait_pause_ms(uint64_t waited_ms);

/* Waits until nothing is pending or taken and no runner works. The caller must not hold the
 * runner's lock. Also times out after LEA_UDEV_QUIET_MS without a runner at work, since the
 * runner may be ordered after the caller. Returns 0 or LEA_WAIT_TIMED_OUT. */
LEA_MUST_CHECK int lea_wait_idle(const struct lea_reconcile_options *options, uint32_t deadline_ms);
/* Waits until udev's queue is empty; with @quiet_ms > 0 also no longer than udev makes progress: a
 * hung disk keeps its queue from ever being empty. Returns 0 or LEA_WAIT_TIMED_OUT. */
LEA_MUST_CHECK int lea_wait_udev(const struct lea_reconcile_options *options, uint32_t deadline_ms,
				 uint32_t quiet_ms);

/* Does udev run? */
bool lea_udev_runs(const struct lea_world *world);
/* Does udev run, and is its queue empty? */
bool lea_udev_is_idle(const struct lea_world *world);
/* Does udev have pending or unfinished events? Costs one stat of /run/udev/queue. */
bool lea_udev_is_busy(const struct lea_world *world);
/* Is a boot scan running? It handles the devices that udev announces. As lea_flag_ask answers. */
LEA_MUST_CHECK int lea_boot_scan_ask(const struct lea_reconcile_options *options);

/*
 * lea_gate_wait - wait while a boot scan runs and udev makes progress
 * With the gate open each event costs a process and each device a second scan, while the boot scan
 * handles the same events at no extra cost. Waits at most LEA_GATE_WAIT_MS, and no longer than
 * LEA_UDEV_QUIET_MS without progress of udev. Returns 0, LEA_WAIT_TIMED_OUT, or -errno.
 */
LEA_MUST_CHECK int lea_gate_wait(const struct lea_reconcile_options *options);
