/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A VG that another command changed between our look at its devices and our lock, or of which
 * something is left to be done. No event will tell: changes of PVs that have a record are nobody's
 * news.
 */
#ifndef LEA_FLOW_LOOK_AGAIN_H
#define LEA_FLOW_LOOK_AGAIN_H

#include "base/err.h"
#include "flow/batch.h"
#include "flow/scan.h"

/* Drops its claim and lvm2's, and puts all its devices back into the queue. 0 or -errno (logged).
 */
LEA_MUST_CHECK int lea_look_again(const struct lea_batch_how *how, const struct lea_scan_vg *known);

enum lea_look_again_outcome {
	LEA_LOOK_AGAIN_NONE = 1, /* no claim, or none of its devices is there any more */
};
/* Queues one device of a VG that is done, so that its active LVs are registered with dmeventd. Its
 * claim stays. Says nothing. */
LEA_MUST_CHECK int lea_look_again_watch(const struct lea_batch_how *how, const char *vg_id);

/*
 * lea_look_again_lost - the worker that had this VG has ended without a word
 * If this process has still claimed the VG, one of its devices is queued, and the claim goes; else
 * nothing is done. 0 or -errno; logs. For lea_workers_options.
 */
LEA_MUST_CHECK int lea_look_again_lost(struct lea_world *world, const char *vg_id);

#endif
