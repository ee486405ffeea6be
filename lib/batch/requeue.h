/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues a VG again that another command changed between the scan and the lock, whose records were
 * false, or of which something remains to be done. No event announces that: changes of PVs that have
 * a record queue nothing.
 */
#pragma once

#include "base/err.h"
#include "batch/batch.h"
#include "scan/scan.h"
#include "state/claim.h"

/* Queues all devices of the VG, to which no claim says that it is done with. @why: for the log.
 * Returns 0 or -errno (logged). */
LEA_MUST_CHECK int lea_requeue_vg(const struct lea_batch_options *options,
				  const struct lea_scan_vg *scanned, const char *why);

/* The reason of a claim whose worker died, or hung in a disk and has not ended it. */
#define LEA_REQUEUE_UNFINISHED "its worker process did not finish it"

enum lea_requeue_outcome {
	LEA_REQUEUE_NONE = 1, /* no claim, or all its devices are gone */
};
/* Queues a PV. Returns 0, LEA_REQUEUE_NONE if the device is gone or another one has its number, or
 * -errno; does not log. */
LEA_MUST_CHECK int lea_requeue_pv(const struct lea_batch_options *options,
				  const struct lea_claim_pv *pv, enum lea_entry_kind kind);
/* Queues one device of a VG that is done, so that dmeventd gets its active LVs. The claim stays.
 * Returns 0, an outcome, or -errno; does not log. */
LEA_MUST_CHECK int lea_requeue_monitor(const struct lea_batch_options *options, const char *vg_id);

/*
 * lea_requeue_lost - a worker ended without reporting this VG
 * If this process's claim of the VG is still unfinished, it has failed for now, and one of the VG's
 * devices is queued; if that was so before, it is left to a reconcile, unless @is_last. Without any
 * device the claim goes. Otherwise does nothing. Returns 0, LEA_WORKERS_LATER or -errno; logs. For
 * lea_workers_options.
 */
LEA_MUST_CHECK int lea_requeue_lost(struct lea_world *world, const char *vg_id, bool is_last);
