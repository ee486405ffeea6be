/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for udev, for whoever works on the queue, for the boot pass: by looks at their files. */
#ifndef LEA_FLOW_WAIT_H
#define LEA_FLOW_WAIT_H

#include "base/err.h"
#include "flow/sweep.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

enum lea_wait_outcome {
	LEA_WAIT_LATE = 1, /* the deadline passed */
};

/* Until the next look, when @waited_ms have passed: 100 to 500 ms. */
uint64_t lea_wait_pause_ms(uint64_t waited_ms);

/* Until nothing is pending or taken and no runner works. Never by a process that holds the lock.
 * Late, too, when for boot_quiet_ms (0: never) nobody has worked: who should may be ordered behind
 * the caller. */
LEA_MUST_CHECK int lea_wait_idle(const struct lea_sweep_how *how, uint32_t deadline_ms);
/* Until udev's queue was empty once; or, @quiet_ms > 0, until it has done nothing at all for so
 * long: a disk that hangs keeps it from ever being empty. */
LEA_MUST_CHECK int lea_wait_udev(const struct lea_sweep_how *how, uint32_t deadline_ms,
				 uint32_t quiet_ms);

/* Is there a udev? */
bool lea_udev_runs(const struct lea_world *world);
/* ... and has it nothing to do? */
bool lea_udev_is_idle(const struct lea_world *world);
/* Is an event pending or in work in udev? One stat of /run/udev/queue. */
bool lea_udev_is_busy(const struct lea_world *world);
/* Does a boot pass live? It takes what udev tells of. */
bool lea_boot_pass_runs(const struct lea_sweep_how *how);

/*
 * lea_gate_wait - as long as a boot pass runs and udev gets on
 * An open gate costs a process for each event and a second look at each device; the boot pass takes
 * the same events for nothing. At most gate_wait_ms, and no longer than boot_quiet_ms without a
 * sign of udev. 0, LEA_WAIT_LATE, or -errno.
 */
LEA_MUST_CHECK int lea_gate_wait(const struct lea_sweep_how *how);

#endif
