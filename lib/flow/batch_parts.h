/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of a pass's VGs share. For lib/flow/batch*.c only.
 */
#ifndef LEA_FLOW_BATCH_PARTS_H
#define LEA_FLOW_BATCH_PARTS_H

#include "flow/batch_vg.h"
#include "flow/workers.h"
#include "state/claim.h"

#define LEA_CANDIDATE_NAME_BYTES 128U

struct lea_candidate {
	const struct lea_vg *vg; /* borrowed from the scan; NULL: this PV gave no metadata */
	char name[LEA_CANDIDATE_NAME_BYTES];
	uint32_t seen;		  /* PVs of it in this pass; two entries may tell of one */
	enum lea_entry_kind kind; /* the one of its entries that may lead to most */
	bool was_down;		  /* kind ADD: lvm2 had no vgs_online of it, so it has none active */
	bool is_news;		  /* an instance that the claim was not made with has come */
	bool stands;		  /* nothing is to be done; valid once all are added */
	bool has_claim, is_extended;
	struct lea_claim claim;
};

struct lea_candidates {
	const struct lea_batch_how *how;
	struct lea_claims claims;
	struct lea_claims_now now;   /* claims.now */
	struct lea_candidate **list; /* in order of appearance; owned, each too */
	size_t count, room;
	void *tree; /* of all: tsearch by metadata and name */
	/* while activating */
	struct lea_workers *workers;
	struct lea_workers *own_workers; /* owned; NULL: those of @how */
	size_t open_count;		 /* given to the workers, and not told of */
	struct lea_scan_vg *vgs;
	struct lea_scan_vg **by_id; /* sorted; owned */
	size_t vg_count;
	void *wanted;  /* of those whose claim does not stand: tsearch by id or name */
	void *numbers; /* of the devices in the scan: the number itself is the pointer */
	void *names;   /* of the VGs that are activated: tsearch of struct lea_scan_vg by name */
	struct lea_batch_summary *summary;
	struct lea_unsettled *unsettled; /* borrowed */
};

/* In the log: trouble with a device, with its record. */
void lea_batch_tell_found(struct lea_log *log, const struct lea_found *found);
void lea_batch_tell_record(struct lea_log *log, const struct lea_found *found,
			   const struct lea_record *record);
/* A VG that nobody waits for any more, and why. */
void lea_batch_tell_left(struct lea_log *log, const struct lea_scan_vg *known,
			 const struct lea_worker_result *result);

/* Is nothing to be done about it? For one that knows no metadata (vg NULL): no. */
bool lea_candidate_stands(const struct lea_candidate *candidate);

/* Reads members of incomplete candidates that had no event in this pass. */
LEA_MUST_CHECK int lea_candidates_complete(struct lea_candidates *candidates,
					   struct lea_scan *scan);

#endif
