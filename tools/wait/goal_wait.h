/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sleep of lvmevent wait: on inotify, of the folders that its goals depend on. While nothing
 * changes there, the process is not woken; while much changes, it checks ten times a second.
 */
#pragma once

#include "wait/goal_state.h"

struct lea_goal_wait {
	uint64_t limit_ms; /* of the whole wait; 0: only check; UINT64_MAX: none */
	/* Answers for an item that LEA_GOAL_ASKS: 1: it is there, 0: not, or -errno. Called when
	 * all else is there, and then only after changes; may block for a while. */
	int (*ask)(void *arg, const struct lea_goal_item *item);
	/* Called after each check that left items absent; NULL: not. Returns whether it says how long
	 * ago something was, and is to be called again although nothing changes. */
	bool (*progress)(void *arg, const struct lea_goals *goals);
	void *arg;
};

enum lea_goal_wait_outcome {
	LEA_GOAL_TIMED_OUT = 1, /* the items that are not there have another state than THERE */
};

/* Returns 0 when all goals are there at the same time, an outcome, or -errno. */
LEA_MUST_CHECK int lea_goals_wait(struct lea_goals *goals, const struct lea_goal_wait *options);
