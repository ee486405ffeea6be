/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* What lvmevent wait waits for, as a person writes it. Pure. */
#pragma once

#include "base/err.h"

#include <stdint.h>

enum lea_goal_kind {
	LEA_GOAL_VG,	  /* "data", "vg:data": the VG is active */
	LEA_GOAL_LV,	  /* "data/home", "lv:data/home": the LV has its device */
	LEA_GOAL_PVS,	  /* "pvs:12": at least 12 PVs are recorded */
	LEA_GOAL_NEEDED,  /* "needed": what the boot needs has its devices */
	LEA_GOAL_TARGET,  /* "@tag", "/home": all that it means (cli/target.h) is active or used */
	LEA_GOAL_SETTLED, /* "settled": nothing is pending, and no VG is being activated */
	LEA_GOAL_HEALTHY, /* "healthy": settled, and lvmevent explain finds nothing */
};

struct lea_goal {
	enum lea_goal_kind kind;
	char vg[128], lv[128]; /* "": not of this kind */
	uint32_t pvs;
	const char *target; /* TARGET: the word; borrowed */
};

enum lea_goal_outcome {
	LEA_GOAL_BAD = 1, /* *ret_why: static text */
};

/*
 * lea_goal_parse - one word of the command line
 * In names "\xHH" stands for a byte, as systemd-escape(1) writes it, so that a unit can pass on the
 * instance of its name. 0 or LEA_GOAL_BAD.
 */
LEA_MUST_CHECK int lea_goal_parse(const char *word, struct lea_goal *ret_goal,
				  const char **ret_why);
