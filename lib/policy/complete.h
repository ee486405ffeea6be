/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is every PV of a VG recorded? A count over "this PV has a record" answers, kept up to date PV by
 * PV, so that n PVs of one VG cost n answers and not n times n. Pure.
 */
#ifndef LEA_POLICY_COMPLETE_H
#define LEA_POLICY_COMPLETE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Members of one VG and which of them are known to be recorded. Records only ever appear here. */
struct lea_members {
	uint32_t count;       /* 0: nobody knows the members */
	uint32_t missing;     /* of these, not known to be recorded */
	uint32_t first;       /* no index below it is missing */
	bool *recorded;       /* [count]; borrowed */
};

enum lea_complete {
	LEA_COMPLETE = 0,
	LEA_COMPLETE_WAITING, /* members->missing PVs are awaited */
	LEA_COMPLETE_UNKNOWN, /* no metadata and in no lookup file: a later PV will tell */
};

/* @recorded: [count], all false; borrowed for as long as @members is used. */
void lea_members_init(struct lea_members *members, bool *recorded, uint32_t count);

/* Member @index has a record. Saying it twice is fine. */
void lea_members_recorded(struct lea_members *members, uint32_t index);

/* Index of the next member to be looked for, LEA_MEMBERS_NONE when all are recorded. */
#define LEA_MEMBERS_NONE UINT32_MAX
uint32_t lea_members_next_missing(struct lea_members *members);

LEA_MUST_CHECK enum lea_complete lea_complete_check(const struct lea_members *members);

#endif
