/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is every PV of a VG recorded? The members carry a count of missing PVs that is updated PV by PV,
 * so that n PVs of one VG cost n updates instead of n times n. Pure.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Members of one VG, and which of them have a record. Records are only added here. */
struct lea_members {
	uint32_t count;	  /* 0: the members are unknown */
	uint32_t missing; /* members without a known record */
	uint32_t first;	  /* no member below this index is missing */
	bool *recorded;	  /* [count]; borrowed */
};

enum lea_complete {
	LEA_COMPLETE = 0,
	LEA_COMPLETE_WAITING, /* waits for members->missing PVs */
	LEA_COMPLETE_UNKNOWN, /* no metadata and no lookup file: a later PV brings one */
};

/* @recorded: [count], all false; borrowed for as long as @members is used. */
void lea_members_init(struct lea_members *members, bool *recorded, uint32_t count);

/* Member @index has a record. Ignores repeated calls and an @index beyond the count. */
void lea_members_recorded(struct lea_members *members, uint32_t index);

/* Index of the next member without a known record, or LEA_MEMBERS_NONE. */
#define LEA_MEMBERS_NONE UINT32_MAX
uint32_t lea_members_next_missing(struct lea_members *members);

/* The current answer, without a search. */
LEA_MUST_CHECK enum lea_complete lea_complete_check(const struct lea_members *members);
