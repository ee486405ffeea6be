/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The VGs of one pass: which became complete, which of them need activation, and their claims. For
 * lib/batch only. */
#pragma once

#include "base/devset.h"
#include "base/log.h"
#include "batch/batch.h"
#include "batch/decide.h"
#include "batch/retry_set.h"
#include "record/record.h"
#include "scan/scan.h"
#include "state/claim.h"
#include "state/claim_index.h"
#include "worker/pool.h"
#include "worker/verdict.h"
#include "world/failed_unit.h"

#define LEA_BATCH_NAME_BYTES   128U
#define LEA_BATCH_REASON_BYTES 192U

/* What is known of one VG in this pass. */
struct lea_batch_vg {
	struct lea_candidates *candidates; /* borrowed */
	/* What it is found by. A PV without metadata knows only the name: then the id is "". */
	char id[33];
	char name[LEA_BATCH_NAME_BYTES];
	const struct lea_vg *vg;  /* the newest that its PVs with entries gave; borrowed */
	uint32_t seen;		  /* its PVs in this pass; two entries may be of one PV */
	enum lea_entry_kind kind; /* of its entries, the kind that allows most */
	bool is_news;		  /* a PV instance arrived that the claim does not list */
	bool is_awaited;	  /* a PV was added before, when it was incomplete */
	bool is_covered;	  /* claim lists all its PVs that are there, when they are known */
	enum lea_vg_claim by_claim;
	struct lea_claim claim;		     /* unless UNCLAIMED */
	struct lea_claim brought;	     /* PVs that changes have added to it */
	enum lea_vg_verdict first;	     /* before its other PVs were read */
	const struct lea_found *nameless;    /* without an id: its first PV with an entry */
	bool is_met;			     /* likewise: some metadata have its name */
	bool is_whole;			     /* by one of its names; others may have only parts */
	const struct lea_scan_vg *activated; /* what its worker got */
	bool is_open;			     /* the worker has not reported yet */
	bool has_made_online;		     /* its vgs_online file is of this pass */
	bool has_taken;			     /* its claim is of this pass */
};

/* VGs that were activated and are not logged yet. */
struct lea_batch_active {
	char name[LEA_LOG_VGS][LEA_BATCH_NAME_BYTES];
	uint32_t lvs[LEA_LOG_VGS];
	uint32_t count;
};

/* May some VG be awaited (state/mark.h)? */
enum lea_awaited {
	LEA_AWAITED_UNASKED,
	LEA_AWAITED_NONE,
	LEA_AWAITED_SOME,
};

struct lea_candidates {
	const struct lea_batch_options *options;
	struct lea_claims claims;
	struct lea_claims_now now; /* claims.now */
	bool is_index_current;	   /* the cache's index was updated in this pass */
	enum lea_awaited awaited;
	struct lea_batch_vg **list; /* in order of appearance; owned, as is each element */
	size_t count, room;
	void *tree;		   /* of all in the list, by id, or by name without one */
	struct lea_devset numbers; /* of the devices in the scan */
	struct lea_found **found;  /* [numbers.count]; owned; NULL: is read next */
	size_t found_room;
	/* during activation */
	size_t open_count; /* handed to the workers and not reported yet */
	void *names;	   /* of the VGs being activated: tsearch of struct lea_scan_vg by name */
	struct lea_batch_summary *summary;
	struct lea_retry_set *retries; /* borrowed */
	struct lea_batch_active active;
	struct lea_failed_units failed;
};

/*
 * @retries: receives VGs that a shortage stopped; borrowed until lea_candidates_free. Returns 0 or
 * -ENOMEM.
 */
LEA_MUST_CHECK int lea_candidates_new(const struct lea_batch_options *options,
				      struct lea_retry_set *retries,
				      struct lea_candidates **ret_candidates);
void lea_candidates_free(struct lea_candidates *candidates);

/* Is the PV of @found, whose VG is incomplete, one that was added, also if a reconcile has found it?
 * Not if it is tried again: then the VG has a claim with this very instance. */
LEA_MUST_CHECK int lea_candidates_was_added(const struct lea_candidates *candidates,
					    const struct lea_found *found,
					    enum lea_entry_kind kind, bool *ret_was);
/* If @found, whose VG is still incomplete, is there by a change only, no earlier add waits for the VG
 * any more. 0 or -errno. */
LEA_MUST_CHECK int lea_candidates_end_wait(struct lea_candidates *candidates,
					   const struct lea_found *found, enum lea_entry_kind kind);
/* Adds the VG of a device whose record says that the VG is complete now. @kind: of the device's
 * entry. */
LEA_MUST_CHECK int lea_candidates_add(struct lea_candidates *candidates, struct lea_found *found,
				      const struct lea_record *record, enum lea_entry_kind kind);

/* Reads members that had no event in this pass, then claims each VG that no claim covers and hands
 * it to the workers. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_candidates_start(struct lea_candidates *candidates, struct lea_scan *scan,
					struct lea_batch_summary *summary);

/* All claims by name and by PV, updated once a pass. Borrowed. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_candidates_index(struct lea_candidates *candidates,
					struct lea_claim_index **ret_index);

/* Number of VGs that the workers have not reported yet. */
size_t lea_candidates_open(const struct lea_candidates *candidates);
/* Gives up all VGs of the workers, those of other passes, too. */
void lea_candidates_stop(struct lea_candidates *candidates);
/* Waits until the workers have reported all VGs of this pass. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_candidates_finish(struct lea_candidates *candidates);

/* Log trouble with a device, and with its record. */
void lea_batch_log_found(struct lea_log *log, const struct lea_found *found);
void lea_batch_log_record(struct lea_world *world, const struct lea_found *found,
			  const struct lea_record *record);
/* Logs a VG whose activation is no longer waited for, and why. */
void lea_batch_log_detached(struct lea_log *log, const struct lea_scan_vg *scanned,
			    const struct lea_worker_result *result);

/* Adds a VG to those of the next line; a line is written when it has LEA_LOG_VGS. */
void lea_batch_note_active(struct lea_log *log, struct lea_batch_active *active, const char *vg,
			   uint32_t lvs);
/* Writes the line, if there is anything to say. */
void lea_batch_log_active(struct lea_log *log, struct lea_batch_active *active);

/* ---- for the files of candidates only */

/* The VG of this id, or without an id of this name; NULL: no entry has led to it. */
struct lea_batch_vg *lea_candidates_find(const struct lea_candidates *candidates, const char *id,
					 const char *name);
/* Adds one that is not there, with its claim. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_candidates_add_vg(struct lea_candidates *candidates, const char *id,
					 const char *name, struct lea_batch_vg **ret_vg);
/* Did a vgs_online file of the VG's name, @name, come with its claim? If that is gone, only an
 * added PV makes it anew. */
bool lea_batch_expects_online(const struct lea_batch_vg *vg, const char *name);
/* The facts that do not depend on the VG's other PVs. @name: of the VG; @is_covered: as in
 * struct lea_decide_facts. */
struct lea_decide_facts lea_batch_vg_facts(const struct lea_batch_vg *vg, const char *name,
					   bool is_covered);
/* Of the VGs of a pass with one name the first gets it. > 0: another VG has it; 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_batch_take_name(struct lea_candidates *candidates,
				       struct lea_scan_vg *scanned);
bool lea_batch_is_name_taken(const struct lea_candidates *candidates,
			     const struct lea_scan_vg *scanned);
/* Nothing is to be done about the VG, nor for an add before. */
void lea_batch_end_wait(struct lea_batch_vg *vg);
/* The VG, with @of's metadata, was to come up, and lacked a PV: its add waits, for a change may
 * bring the PV. After the claim's end, which ends the wait. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_batch_keep_waiting(const struct lea_batch_vg *vg, const struct lea_vg *of);
/* Stores the claim with the PVs that changes have added, if there are any. Ends the wait, so it is
 * not for a VG that is awaited and may yet be activated. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_batch_write_extended(const struct lea_batch_vg *vg);
/* ---- candidates_end.c: the ends of a VG's turn, each with a claim that says why. 0 or -errno */

/* Counts a VG that was not given to a worker, and logs why. */
void lea_batch_count_failure(const struct lea_candidates *candidates,
			     const struct lea_scan_vg *scanned, const char *reason,
			     bool is_transient);
/* Changes made the VG complete, or a command took it down before an event could bring it up. */
LEA_MUST_CHECK int lea_batch_take_note(struct lea_candidates *candidates,
				       const struct lea_scan_vg *scanned,
				       enum lea_vg_because because);
/* No event activates the VG until a PV of it is added. */
LEA_MUST_CHECK int lea_batch_fail(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned,
				  enum lea_vg_because because);
/* By the records of disks that deny it the VG was complete: their records end, and it waits as any
 * incomplete VG does. As lea_batch_fail if there is no such record. */
LEA_MUST_CHECK int lea_batch_wait(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned);
/* What was read was no steady state, and is read once more: at once, or after a pause. */
LEA_MUST_CHECK int lea_batch_read_again(const struct lea_batch_vg *vg,
					const struct lea_scan_vg *scanned,
					struct lea_vg_decision decision);
/* A disk gives no answer. */
LEA_MUST_CHECK int lea_batch_fail_for_now(const struct lea_batch_vg *vg,
					  const struct lea_scan_vg *scanned);
/* Has lvmevent-failed@VG.service started at the end of the pass if it is to be. Its claim has been
 * written by then: what is started may ask. */
void lea_batch_note_unit(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned,
			 enum lea_vg_trouble trouble, const char *reason);
/* A worker has reported; @verdict: on its result, and not AGAIN. Logs and counts. */
LEA_MUST_CHECK int lea_batch_end_vg(const struct lea_batch_vg *vg,
				    const struct lea_worker_result *result,
				    enum lea_verdict verdict);

/* ---- candidates.c */

/* Decides about each VG, and reads the members without an event of those that ask for it. Returns 0
 * or -errno. */
LEA_MUST_CHECK int lea_candidates_complete(struct lea_candidates *candidates,
					   struct lea_scan *scan);
