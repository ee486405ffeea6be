/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "state/entry_kind.h"

enum lea_entry_kind lea_entry_kind_most(enum lea_entry_kind one, enum lea_entry_kind other)
{
	static const unsigned int allows[LEA_ENTRY_KINDS] = {
		[LEA_ENTRY_CHANGE] = 0, [LEA_ENTRY_WATCH] = 1, [LEA_ENTRY_PARTIAL] = 2,
		[LEA_ENTRY_MISSED] = 3, [LEA_ENTRY_ADD] = 4,
	};

	return allows[one] >= allows[other] ? one : other;
}
