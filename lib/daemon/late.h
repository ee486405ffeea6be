/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Says on the console and in the journal what the boot waits for: an LV that it needs by name and
 * that is late; and ends the wait when it is useless (wait_end.h). Costs nothing while neither is
 * due.
 */
#pragma once

#include "daemon/wait_end.h"
#include "memory/need.h"
#include "world/world.h"

#include <stdint.h>

/* Times from the start of the kernel: after which an LV is late, half of the limit of its device,
 * here of the usual one; between two lines; after which there are no more. */
#define LEA_LATE_FIRST_MS 45000U
#define LEA_LATE_PAUSE_MS 30000U
#define LEA_LATE_MOST_MS  600000U

/* Zeroed at first. */
struct lea_late {
	uint64_t next_ms; /* when to look again; 0: not known yet */
	bool is_over;	  /* no LV was late, or it is too late for lines */
	struct lea_wait_end end;
};

/*
 * lea_late_step - log a line if one is due, and end the wait if it is useless
 * @needs: NULL: does nothing
 * @pvs: number of PVs so far, for the line; 0: not counted
 * The line names the first LV that is late, and how many more there are. Returns the ms after
 * which to call it again; -1: no need. Blocks for some seconds at most, and only when nothing has
 * happened for half a minute or process 1 was not asked yet.
 */
int lea_late_step(struct lea_late *late, struct lea_world *world, const struct lea_needs *needs,
		  uint32_t pvs);
