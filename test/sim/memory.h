/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the memory of boots may name by now, by lvmevent-internals(7): on which disks the PVs of a
 * VG were. It is renewed while the machine is idle, from 15 seconds to 5 minutes after a change.
 */
#pragma once

#include "sim/course.h"

#define SIM_NAMED_MOST 64U

/* A look may have found the PV of the VG on that disk. */
struct sim_named {
	char pvid[33], vg_id[33], wwid[64];
	uint32_t seqno; /* of the metadata, the lowest */
};

struct sim_memory {
	struct sim_named named[SIM_NAMED_MOST];
	uint32_t count, next; /* when all are in use, the oldest goes */
};

/* Note what a look since the last step may have found; before sim_course_note. */
void sim_memory_note(struct sim_memory *memory, const struct sim_history *history,
		     const struct sim_course *course, const struct sim_state *state);
/*
 * sim_memory_decides - may it say on which disk each PV of the VG is that is on two?
 * @disks: bit mask of those that the VG was activated on; 0: in any way.
 */
bool sim_memory_decides(const struct sim_memory *memory, const struct sim_history *history,
			const struct sim_course *course, const struct sim_state *state,
			const char *vg_id, uint32_t disks);
