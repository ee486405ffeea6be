/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One history, carried out and judged. */
#pragma once

#include "sim/cover.h"
#include "sim/finding.h"
#include "sim/machine.h"

#include <stdio.h>

struct sim_judge {
	struct sim_cover *cover; /* borrowed; NULL: what is reached does not count */
	/* A place, or a place after a step of this op, was reached first. May be NULL. */
	void (*news)(void *arg, const char *place, enum sim_op op);
	void *arg;
	bool has_news;
	const char *const *except; /* borrowed; kinds that do not count, NULL at the end; or NULL */
	FILE *trace;		   /* borrowed; NULL: silent; else steps, states and log lines */
	struct sim_use use;
};

/*
 * sim_judge_history - carry out a history, and ask oracle and invariants
 * A history with slow disks may be carried out a second time, without them.
 * 0: @ret_findings are set; -errno: the machine could not be made.
 */
int sim_judge_history(struct sim_judge *judge, const struct sim_history *history,
		      struct sim_findings *ret_findings);
