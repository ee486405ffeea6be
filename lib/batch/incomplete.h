/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Remembers incomplete VGs. While disks keep appearing they are only noted; when the queue is idle,
 * one line is logged for each VG that is still incomplete, and another one only when the set of
 * missing PVs has changed.
 */
#pragma once

#include "world/world.h"

#include <stdbool.h>

/* Zeroed: none. */
struct lea_incomplete {
	void *tree;			 /* of struct lea_incomplete_vg, owned */
	struct lea_incomplete_vg *noted; /* since the last lea_incomplete_log */
	uint32_t count;
};

/* VGs remembered at most; further ones are not logged. */
#define LEA_WAITING_MOST     4096U
/* Least time between two lines of one VG, in ms. */
#define LEA_WAITING_PAUSE_MS 60000U

/* Forgets all. */
void lea_incomplete_done(struct lea_incomplete *waiting);

/* Notes that a PV of @vg appeared; @is_complete: none is missing now. Reads no file and never
 * fails: without memory nothing is noted. */
void lea_incomplete_note(struct lea_incomplete *waiting, const char *vg, bool is_complete);

/* Another line said what is missing of @vg: it gets none until that changes. */
void lea_incomplete_told(struct lea_incomplete *waiting, struct lea_world *world, const char *vg);

/*
 * lea_incomplete_log - log a line for each VG that was noted since the last call and is incomplete
 * Reads only the records of these VGs. Returns the ms after which to call it again, because some VG
 * had a line less than LEA_WAITING_PAUSE_MS ago; -1: no need.
 */
int lea_incomplete_log(struct lea_incomplete *waiting, struct lea_world *world);
