/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Members, lookup file and claim of the VGs that one recorder meets, or several, one after the
 * other. Only for record.c and known.c.
 */
#ifndef LEA_FLOW_RECORD_VG_H
#define LEA_FLOW_RECORD_VG_H

#include "base/err.h"
#include "flow/record.h"
#include "state/lookup_index.h"

struct lea_record_vgs;

struct lea_record_vg_options {
	int run_fd;			  /* borrowed */
	struct lea_lookup_index *lookups; /* borrowed */
	bool claim;
	bool test; /* as if it had written */
};

LEA_MUST_CHECK int lea_record_vgs_new(struct lea_record_vgs **ret_vgs);
void lea_record_vgs_free(struct lea_record_vgs *vgs);

/* Between two recorders: counts of VGs that wait are kept, with pointers to their metadata. */
void lea_record_vgs_rest(struct lea_record_vgs *vgs);
/* Nothing is kept. */
void lea_record_vgs_clear(struct lea_record_vgs *vgs);

/* The PV on @found is recorded; its VG is counted later. -ENOMEM. */
LEA_MUST_CHECK int lea_record_vgs_note(struct lea_record_vgs *vgs, const struct lea_found *found);

/*
 * lea_record_vgs_count - the PV on @found is recorded: is its VG complete now?
 * Fills complete, missing, rechecked, claimed, and vg_name where a lookup file knew it. A missing
 * member seen as missing now is enough for "waiting": each call costs O(1) file look-ups, all calls
 * for a VG of n PVs together O(n). Who records last sees everybody, so nobody's completion is lost.
 */
LEA_MUST_CHECK int lea_record_vgs_count(struct lea_record_vgs *vgs,
					const struct lea_record_vg_options *options,
					const struct lea_found *found, struct lea_record *record);

#endif
