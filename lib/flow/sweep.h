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
	/* Told of what has no record yet and is left to a boot pass that lives, in place of the
	 * queue; its failure ends the comparison. NULL: nothing is left to it, and marks don't
	 * count. */
	int (*left)(void *arg, const struct lea_entry *entry);
	/* Is this one not to be looked at again? NULL: none. */
	bool (*skips)(void *arg, const struct lea_entry *entry);
	void *arg;
	/* Told when the gate is open and all were compared once; NULL: nobody is. */
	void (*opened)(void);
};

struct lea_sweep_result {
	size_t devices, enqueued, unfinished; /* enqueued: those left to the boot pass, too */
};

/* One walk over sysfs; one entry for each PV that no done claim covers and that no runner which
 * lives has in hand. */
LEA_MUST_CHECK int lea_sweep(const struct lea_sweep_how *how, struct lea_sweep_result *ret_result);

#endif
