/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Members, lookup file and claim of the VGs that one recorder, or several in turn, handle. */
#pragma once

#include "base/err.h"
#include "record/record.h"
#include "state/lookup_index.h"

/* Zeroed: no counts. */
struct lea_record_vgs {
	void *tree;		    /* of struct lea_counted_vg, by name */
	struct lea_counted_vg *met; /* VGs seen in this pass */
};

struct lea_record_vg_options {
	int run_fd;			  /* borrowed */
	struct lea_lookup_index *lookups; /* borrowed */
	bool claim;
	bool test; /* change no file; answer as if it had */
};

/* Call between two recorders: keeps only the counts of incomplete VGs, which point into their
 * metadata. */
void lea_record_vgs_rest(struct lea_record_vgs *vgs);
/* Drops all counts. */
void lea_record_vgs_clear(struct lea_record_vgs *vgs);

/* The PV on @found is recorded; lea_record_vgs_count counts its VG later. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_record_vgs_note(struct lea_record_vgs *vgs, const struct lea_found *found);

/*
 * lea_record_vgs_count - the PV on @found is recorded: is its VG complete now?
 * Fills complete, missing, rechecked, claimed and vg_name of @record. One missing member is enough
 * for WAITING, so all calls for a VG of n PVs together cost O(n) file lookups. The process that
 * records the last PV sees all records, so no completion is lost. 0 or -errno.
 */
LEA_MUST_CHECK int lea_record_vgs_count(struct lea_record_vgs *vgs,
					const struct lea_record_vg_options *options,
					const struct lea_found *found, struct lea_record *record);
