/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reconcile: compares every PV that udev has finished with records, markers and claims, and queues
 * those whose event was missed for any reason (gate, killed worker, lost record). It activates
 * nothing that was deactivated, failed for good, or became a PV by a change. Claims of VGs of which
 * no PV is left end with it, and records whose device has gone. Safe at any time.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "state/queue.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

struct lea_reader;

/* Borrowed. */
struct lea_reconcile_options {
	struct lea_world *world;
	const struct lea_conf *conf;
	int event_fd;
	struct lea_reader *reader; /* for lea_duplicates_reconcile; NULL: its own */
	/* Repeat the uevent of devices that the kernel has and udev has not finished, and log
	 * them. Else only of those whose event udev has lost, except during boot. */
	bool retrigger;
	bool names;    /* only log such devices */
	bool has_lock; /* this process is the runner, and passes of it are in flight */
	/* Called, in place of queueing, with PVs that have no record and are left to a running boot
	 * scan; a failure ends the reconcile. NULL: nothing is left to the boot scan. */
	int (*left)(void *arg, const struct lea_entry *entry);
	void *arg;
	/* During boot: also queues what a boot scan may have recorded but not activated when it
	 * died, and what udev finished before our rule was installed. */
	bool is_boot;
	/* Event activation takes charge of a running machine: every PV is queued, as a change. */
	bool takes_note;
	/* lea_gate_open_and_reconcile calls it when the gate is open and all devices were compared
	 * once; may be NULL. */
	void (*opened)(void);
};

struct lea_reconcile_result {
	size_t devices, enqueued, unfinished; /* enqueued: includes PVs left to the boot scan, and
						 removals */
	size_t repeated; /* of the enqueued: they gave no answer, or their VG failed for now */
	size_t unnamed;	 /* queued for reading because udev does not name their content */
};

/* Walks sysfs once and queues an entry for each PV that nothing has dealt with. Logs what it
 * retriggers. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_reconcile(const struct lea_reconcile_options *options,
				 struct lea_reconcile_result *ret_result);
