/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The comparison: every PV that udev has finished against marks and claims. What an event missed for
 * whatever reason (gate, killed worker, lost record) is pending afterwards. It brings up nothing that
 * was taken down, that failed for good, or that a change has made. Safe at any time.
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
	bool names; /* named only */
	/* Told of what has no record yet and is left to a boot pass that lives, in place of the
	 * queue; its failure ends the comparison. NULL: nothing is left to it, and marks don't
	 * count. */
	int (*left)(void *arg, const struct lea_entry *entry);
	void *arg;
	/* The boot's: what a boot pass may have recorded and not activated when it died is pending,
	 * too, and what udev finished before our rule was there. */
	bool is_boot;
	/* Event activation takes charge of a machine that runs: every PV is pending, as a change. */
	bool takes_note;
	/* Told when the gate is open and all were compared once; NULL: nobody is. */
	void (*opened)(void);
};

struct lea_sweep_result {
	size_t devices, enqueued, unfinished; /* enqueued: those left to the boot pass, too */
};

/* One walk over sysfs; one entry for each PV that nobody has dealt with. */
LEA_MUST_CHECK int lea_sweep(const struct lea_sweep_how *how, struct lea_sweep_result *ret_result);

#endif
