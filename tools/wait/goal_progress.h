/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lvmevent wait shows while it waits: how much is there, and of the first VG that is not, which
 * PVs are missing, with what the memory of the last good boot knows of the disk to look for.
 */
#pragma once

#include "cli/target_find.h"
#include "wait/goal_state.h"

#define LEA_GOAL_PROGRESS_BYTES 600U

/* "0 of 1 there; waiting for vg:data: 1 of 2 PVs is there, missing PV ID (serial S5Y)". Reads run
 * files, and the memory once. */
void lea_goal_progress(const struct lea_goals *goals, struct lea_target_finder *finder,
			 char ret_line[static LEA_GOAL_PROGRESS_BYTES]);
