/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lvmevent wait shows while it waits: how much is there, and of the first VG that is not, which
 * PV came last and which ones are missing, with what the memory of the last good boot knows of the
 * disk to look for.
 */
#pragma once

#include "cli/target_find.h"
#include "wait/goal_state.h"

#define LEA_GOAL_PROGRESS_BYTES 600U

/* Zeroed but for finder.world; to be released by lea_goal_progress_done. */
struct lea_goal_progress {
	struct lea_target_finder finder;
	/* What the memory knows of the VG and the PV that were shown last: looked up once. */
	char vg_name[128], pvid[33];
	const struct lea_boot_vg *vg; /* NULL: nothing; so is pv */
	const struct lea_boot_pv *pv;
};

void lea_goal_progress_done(struct lea_goal_progress *progress);
/*
 * lea_goal_progress - "0 of 1 there; waiting for vg:data: 1 of 2 PVs is there, last came sdb 4 s
 * ago, missing PV ID (serial S5Y)"
 * @with_age: is "4 s ago" to be said?
 * Reads run files, and the memory once. Returns whether the line has an age in it.
 */
bool lea_goal_progress(struct lea_goal_progress *progress, const struct lea_goals *goals,
		       bool with_age, char ret_line[static LEA_GOAL_PROGRESS_BYTES]);
