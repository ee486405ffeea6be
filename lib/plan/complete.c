/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts a VG's members. Records are only added, so the search for the next missing member never
 * moves backwards.
 */
#include "plan/complete.h"

void lea_members_init(struct lea_members *members, bool *recorded, uint32_t count)
{
	*members = (struct lea_members){.count = count, .missing = count, .recorded = recorded};
}

void lea_members_recorded(struct lea_members *members, uint32_t index)
{
	if (index >= members->count || members->recorded[index])
		return;
	members->recorded[index] = true;
	members->missing--;
}

uint32_t lea_members_next_missing(struct lea_members *members)
{
	while (members->first < members->count && members->recorded[members->first])
		members->first++;
	return members->first < members->count ? members->first : LEA_MEMBERS_NONE;
}

enum lea_complete lea_complete_check(const struct lea_members *members)
{
	if (!members->count)
		return LEA_COMPLETE_UNKNOWN;
	return members->missing ? LEA_COMPLETE_WAITING : LEA_COMPLETE;
}
