/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The markers that a pass writes under event/ for each device it has read
 * (record/recorded_marker.h, state/mark.h), and what a marker means for the next entry of the same
 * instance. For lib/batch only.
 */
#pragma once

#include "batch/batch.h"
#include "batch/retry_set.h"
#include "record/record.h"
#include "scan/scan.h"
#include "state/mark.h"

struct lea_batch_marks {
	const struct lea_batch_options *options; /* borrowed */
	int known_fd;				 /* owned; -1: not open */
	struct timespec begun;			 /* the pass, by the clock of files */
	bool has[LEA_INSTANCE_MARKS];		 /* some instance may have this mark */
	/* For whom threads wait (world/hung.h), opened for the first change: a descriptor; -1: not
	 * open. */
	bool has_asked_hung;
	int hung_fd;
};

/* Returns 0 or -errno; lea_batch_marks_close is needed in either case. */
LEA_MUST_CHECK int lea_batch_marks_open(struct lea_batch_marks *marks,
					const struct lea_batch_options *options);
void lea_batch_marks_close(struct lea_batch_marks *marks);

/* How to treat this entry: one of an instance that was refused, or that a change led to, counts as
 * a change. Returns 0 or a shortage. */
LEA_MUST_CHECK int lea_batch_marks_kind(struct lea_batch_marks *marks,
					const struct lea_entry *entry,
					enum lea_entry_kind *ret_kind);

/*
 * lea_batch_marks_unheeded - event_activation is 0: nobody reads the device of this entry
 * When somebody does, that it is there is a change: what came while events did nothing is brought
 * up by persons. One that has a record was dealt with before. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_batch_marks_unheeded(const struct lea_batch_options *options,
					    const struct lea_entry *entry);

/* The device was read. @record: result of recording it. Without its mark a reconcile would take a
 * change of the device for an add. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_batch_marks_judged(const struct lea_batch_marks *marks,
					  const struct lea_found *found,
					  const struct lea_record *record,
					  enum lea_entry_kind kind);

/* The copy that had the PV's record (record.was_copied) is not the device that the devices file means. As for one that
 * had none, a reconcile of the boot, which trusts no marker, must not take its add for lost. Returns 0 or a fault,
 * which is logged. */
LEA_MUST_CHECK int lea_batch_marks_left_out(const struct lea_batch_marks *marks,
					    const struct lea_record *record);

/* The following functions only save work: a fault in them is logged for debugging. */

/* The device has its record, and its VG a claim if it is complete: nothing remains to be done. 0,
 * LEA_MARKER_WAS_SET or -errno. */
int lea_batch_marks_recorded(const struct lea_batch_marks *marks, const struct lea_found *found);
/* What has to come back was not dealt with: of a disk that gives no answer then, a reconcile asks,
 * should the answer get lost. */
void lea_batch_marks_take_back(const struct lea_batch_marks *marks, const struct lea_scan *scan,
			       struct lea_retry_set *retries);
/* That the device is read is a change, as a claim said that is gone now: a shortage that has it read again must not
 * make a missed add of that. 0 or -errno. */
LEA_MUST_CHECK int lea_batch_marks_changed(const struct lea_batch_marks *marks,
					   const struct lea_found *found);
/* The instance is gone for good; removes its marker, so that a flapping disk leaves no pile of
 * files. */
void lea_batch_marks_gone(const struct lea_batch_marks *marks, const struct lea_entry *entry);
