/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A VG on its way to a worker: what activation must know of it before the lock, copied out of the
 * scan that found it.
 */
#ifndef LEA_FLOW_JOB_H
#define LEA_FLOW_JOB_H

#include "base/err.h"
#include "flow/scan.h"

#include <stdint.h>

struct lea_job {
	struct lea_job *next; /* for the lists of whoever owns the job; NULL after lea_job_new */
	struct lea_scan_vg known; /* ids and devices of the PVs; no LVs */
	struct lea_found *found;  /* [vg->pv_count], what known.pv points into */
	struct lea_arena *arena;  /* of known.vg */
	uint32_t lv_count;	  /* upper bound of the LVs that may become active */
};

/* Copies what it needs of @known. -ENOMEM. Freed by lea_job_free, which takes NULL. */
LEA_MUST_CHECK int lea_job_new(const struct lea_scan_vg *known, struct lea_job **ret_job);
void lea_job_free(struct lea_job *job);
void lea_job_freep(struct lea_job **job);

#endif
