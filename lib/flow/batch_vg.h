/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The VGs of one pass: which became complete, which of them are worth a look, and their claims.
 */
#ifndef LEA_FLOW_BATCH_VG_H
#define LEA_FLOW_BATCH_VG_H

#include "flow/batch.h"
#include "flow/record.h"
#include "flow/scan.h"
#include "flow/unsettled.h"

struct lea_candidates;

/* @unsettled: gets the VGs that were short of something; borrowed until free. */
LEA_MUST_CHECK int lea_candidates_new(const struct lea_batch_how *how,
				      struct lea_unsettled *unsettled,
				      struct lea_candidates **ret_candidates);
void lea_candidates_free(struct lea_candidates *candidates);
void lea_candidates_freep(struct lea_candidates **candidates);

/* A device whose record says that its VG is complete now. @kind: of its entry. */
LEA_MUST_CHECK int lea_candidates_add(struct lea_candidates *candidates,
				      const struct lea_found *found,
				      const struct lea_record *record, enum lea_entry_kind kind);

/* Members that had no event in this pass are read, too, then every VG without a claim that
 * stands is claimed and given to the workers. */
LEA_MUST_CHECK int lea_candidates_start(struct lea_candidates *candidates, struct lea_scan *scan,
					struct lea_batch_summary *summary);

/* VGs that the workers have not told of yet. */
size_t lea_candidates_open(const struct lea_candidates *candidates);
/* All of the workers' are given up, those of other passes, too. */
void lea_candidates_stop(struct lea_candidates *candidates);
/* Until there are none. */
LEA_MUST_CHECK int lea_candidates_finish(struct lea_candidates *candidates);

#endif
