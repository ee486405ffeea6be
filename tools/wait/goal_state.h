/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is what lvmevent wait waits for there? Answered from run files and links in /dev, with a few
 * system calls for each goal, however many VGs and disks there are. Reads no disk, takes no lock.
 */
#pragma once

#include "base/err.h"
#include "cli/target.h"
#include "conf/conf.h"
#include "explain/cause.h"
#include "memory/need_unit.h"
#include "wait/goal.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

enum lea_goal_state {
	LEA_GOAL_WAITS,
	LEA_GOAL_THERE,
	LEA_GOAL_ASKS, /* the records do not say it: the VG's metadata has to be read */
};

/* A goal, or one of the devices and VGs that "needed" stands for. */
struct lea_goal_item {
	size_t goal; /* its index */
	enum lea_goal_kind kind;
	char vg[128];			/* VG and LV */
	char vg_id[33];			/* VG: as a claim has named it; "": none has */
	char path[LEA_NEED_PATH_BYTES]; /* LV and NEEDED: its link below /dev */
	uint32_t pvs;			/* PVS */
	char word[300];			/* for people: "vg:data", "needed: /home (data/home)" */
	char target[LEA_TARGET_PATH_BYTES]; /* for lvmevent explain: "data/home"; "": none */
	enum lea_goal_state state;
};

struct lea_goals {
	struct lea_world *world;      /* borrowed, as conf */
	const struct lea_conf *conf;
	struct lea_goal_item *item; /* [count]; owned */
	size_t count, room;
};

/* Reads fstab and the like for LEA_GOAL_NEEDED. 0, or -errno with nothing to free. */
LEA_MUST_CHECK int lea_goals_new(struct lea_world *world, const struct lea_conf *conf,
				 const struct lea_goal *goal, size_t count,
				 struct lea_goals **ret_goals);
void lea_goals_free(struct lea_goals *goals); /* NULL is fine */

/* Is there an item of one of these kinds? @kinds: bits, 1 << kind. */
bool lea_goals_have(const struct lea_goals *goals, uint32_t kinds);
/* A claim was made or has changed: one file is read. */
void lea_goals_note_claim(struct lea_goals *goals, const char *vg_id);
/* Claims may have changed unnoticed: all are read. */
void lea_goals_note_claims(struct lea_goals *goals);
/* What the records say about an item that explain has no answer for: "7 PVs are recorded".
 * @text: of LEA_CAUSE_EVIDENCE_BYTES */
void lea_goals_describe(const struct lea_goals *goals, const struct lea_goal_item *item,
			char *text);
/* Sets the state of each item; returns how many are not there. */
size_t lea_goals_check(struct lea_goals *goals);
