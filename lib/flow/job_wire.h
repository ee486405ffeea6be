/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a worker is told of a VG: name, ids, devices of its PVs. LVs are not sent: they are read
 * again under the VG's lock, and nobody may decide on them before.
 */
#ifndef LEA_FLOW_JOB_WIRE_H
#define LEA_FLOW_JOB_WIRE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/wire.h"
#include "flow/scan.h"

/* At the other end. */
struct lea_job_vg {
	struct lea_scan_vg known; /* no LVs */
	struct lea_found *found;  /* [vg->pv_count], what known.pv points into: devices and ids */
	struct lea_arena *arena;  /* of known.vg */
};

void lea_job_pack(struct lea_wire_out *out, const struct lea_scan_vg *known);
/* -EPROTO: that is no VG. Freed by lea_job_vg_free, which takes NULL. */
LEA_MUST_CHECK int lea_job_unpack(struct lea_wire_in *in, struct lea_job_vg **ret_vg);
void lea_job_vg_free(struct lea_job_vg *vg);
void lea_job_vg_freep(struct lea_job_vg **vg);

#endif
