/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#pragma once

#include <stdbool.h>

/* What an entry may cause. */
enum lea_entry_kind {
	/* Without an event: reconcile found the device, or a pass is repeated. If these PV
	 * instances were activated already, or failed permanently, the VG stays as it is. The
	 * first, so that an entry of which nobody says it is none that activates more. */
	LEA_ENTRY_MISSED,
	/* The device came into use: activate its VG, as lvm2 does for an add event. Only the
	 * enqueuer and the boot scan, which have such an event, make this kind. */
	LEA_ENTRY_ADD,
	/* As MISSED, and an incomplete VG is activated in part, as its rule says (batch/partial.h).
	 */
	LEA_ENTRY_PARTIAL,
	/* Only register the active LVs of the VG with dmeventd. */
	LEA_ENTRY_WATCH,
	/* A change of a device that was in use before: record it, activate nothing. */
	LEA_ENTRY_CHANGE,
	LEA_ENTRY_KINDS
};

/* Is it an add, perhaps one that was missed? Such a one waits for a VG that is not complete. */
static inline bool lea_entry_kind_is_add(enum lea_entry_kind kind)
{
	return kind == LEA_ENTRY_ADD || kind == LEA_ENTRY_MISSED;
}

/* Which of the two allows more? From CHANGE over WATCH, PARTIAL and MISSED to ADD. */
enum lea_entry_kind lea_entry_kind_most(enum lea_entry_kind one, enum lea_entry_kind other);
