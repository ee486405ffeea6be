/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All VGs of this boot in one line, by our claims and lvm2's run files, for status and the journal.
 */
#pragma once

#include "base/err.h"
#include "state/claim.h"
#include "state/missing.h"
#include "world/active_vgs.h"
#include "world/world.h"

#include <stdint.h>

#define LEA_VG_SUMMARY_BYTES 768U

/* Zeroed at first. A VG is counted once, but for one that failed and lacks a PV now. */
struct lea_vg_summary {
	uint32_t active;   /* an LV of it is active */
	uint32_t inactive; /* none is, and nothing is wrong or at work */
	uint32_t activating;
	uint32_t failed, incomplete;
	char failed_text[256], incomplete_text[256]; /* the first ones */
};

void lea_vg_summary_add_claim(struct lea_vg_summary *summary, const struct lea_active_vgs *active,
			      const char *vg_id, const struct lea_claim *claim);
void lea_vg_summary_add_missing(struct lea_vg_summary *summary, const struct lea_missing *missing);

/* A VG that neither a claim nor a file of missing PVs tells of. @pvs: how many it has. */
void lea_vg_summary_add_other(struct lea_vg_summary *summary, const char *name, uint32_t pvs,
			      uint32_t missing, bool is_active);

/* Writes "3 VGs: 1 active, 0 activating, 1 incomplete (data 11/12), 1 failed (csi: REASON)". */
void lea_vg_summary_describe(const struct lea_vg_summary *summary,
			     char text[static LEA_VG_SUMMARY_BYTES]);

/* Reads all of it: a few files for each VG, and sysfs. 0 or -errno. */
LEA_MUST_CHECK int lea_vg_summary_read(struct lea_world *world, struct lea_vg_summary *ret_summary);
