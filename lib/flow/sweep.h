/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The full comparison: every PV that udev has finished against the claims. What an event missed
 * for whatever reason (gate, killed worker, lost record) is pending afterwards. Safe at any time.
 */
#ifndef LEA_FLOW_SWEEP_H
#define LEA_FLOW_SWEEP_H

#include "base/err.h"
#include "state/queue.h"
#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed. */
struct lea_sweep_how {
	struct lea_world *world;
	const struct lea_conf *conf;
	int event_fd;
	/* Devices that the kernel has and udev has not finished: named, and their event repeated.
	 */
	bool retrigger;
	/* What a boot pass that runs has recorded is left to it: another comparison follows when it
	 * ends. */
	bool trusts_boot_pass;
	/* Is this one not to be looked at again? NULL: none. */
	bool (*skips)(void *arg, const struct lea_entry *entry);
	void *arg;
	/* Told when the gate is open and all were compared once; NULL: nobody is. */
	void (*opened)(void);
};

struct lea_sweep_result {
	size_t devices, enqueued, unfinished;
};

/* One walk over sysfs; one entry for each PV that no done claim covers. */
LEA_MUST_CHECK int lea_sweep(const struct lea_sweep_how *how, struct lea_sweep_result *ret_result);

enum lea_sweep_outcome {
	LEA_SWEEP_LATE = 1, /* the deadline passed */
};
/* Until nothing is pending or taken and no runner works. Never by a process that holds the lock. */
LEA_MUST_CHECK int lea_sweep_wait_idle(const struct lea_sweep_how *how, uint32_t deadline_ms);
/* Until udev's queue was empty once; or, @quiet_ms > 0, until it has done nothing at all for so
 * long: a disk that hangs keeps it from ever being empty. */
LEA_MUST_CHECK int lea_sweep_wait_udev(const struct lea_sweep_how *how, uint32_t deadline_ms,
				       uint32_t quiet_ms);

/* Is there a udev, and has it nothing to do? */
bool lea_udev_is_idle(const struct lea_world *world);

/* Is an event pending or in work in udev? One stat of /run/udev/queue. */
bool lea_udev_is_busy(const struct lea_world *world);

/*
 * lea_gate_wait - as long as a boot pass runs and udev gets on
 * An open gate costs a process for each event and a second look at each device; the boot pass takes
 * the same events for nothing. At most gate_wait_ms, and no longer than boot_quiet_ms without a
 * sign of udev. 0, LEA_SWEEP_LATE, or -errno.
 */
LEA_MUST_CHECK int lea_gate_wait(const struct lea_sweep_how *how);

/*
 * lea_gate_open_and_sweep - what "lvmevent gate open" does
 * Opens, compares, tells, waits (bounded by gate_deadline_ms) for the events that saw the gate
 * closed, compares again. Logs what udev did not finish.
 */
LEA_MUST_CHECK int lea_gate_open_and_sweep(const struct lea_sweep_how *how);

#endif
