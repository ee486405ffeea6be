/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pass leaves under event/ of each device that it has read (flow/mark.h), and what that says
 * of the next entry of the same instance. For lib/flow/batch*.c only.
 */
#ifndef LEA_FLOW_BATCH_MARKS_H
#define LEA_FLOW_BATCH_MARKS_H

#include "flow/batch.h"
#include "flow/record.h"
#include "flow/scan.h"

struct lea_batch_marks {
	const struct lea_batch_how *how; /* borrowed */
	int known_fd;			 /* owned; -1: not open */
	bool has_refused;		 /* there may be instances that were refused */
};

/* 0 or -errno. Closed by lea_batch_marks_close in any case. */
LEA_MUST_CHECK int lea_batch_marks_open(struct lea_batch_marks *marks,
					const struct lea_batch_how *how);
void lea_batch_marks_close(struct lea_batch_marks *marks);

/* What the entry may lead to: that of an instance that was refused is a change. */
enum lea_entry_kind lea_batch_marks_kind(const struct lea_batch_marks *marks,
					 const struct lea_entry *entry);

/* These only save work: a file that can't be made or removed is a line for debugging. */

/* The device was read; @record: what became of it. */
void lea_batch_marks_judged(const struct lea_batch_marks *marks, const struct lea_found *found,
			    const struct lea_record *record, enum lea_entry_kind kind);
/* It has its record, and its VG, if complete, a claim: nothing is left to be done. */
void lea_batch_marks_recorded(const struct lea_batch_marks *marks, const struct lea_found *found);
/* The instance is gone and never comes back: a disk that flaps must not leave a file each time. */
void lea_batch_marks_gone(const struct lea_batch_marks *marks, const struct lea_entry *entry);

#endif
