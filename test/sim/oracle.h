/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an administrator expects of the machine. The oracle follows steps and states, and knows for
 * each VG whether an event may activate it, and whether it must be active at rest. Its rules are
 * those of our manual pages, of test/PROHIBITIONS.md and of lvm2's manual pages; where they leave
 * something open, so does the oracle. It knows nothing of how our program works.
 */
#pragma once

#include "sim/course.h"
#include "sim/finding.h"
#include "sim/memory.h"

#define SIM_IDS_MOST 64U

struct sim_known_vg {
	char id[33];
	char name[SIM_NAME_BYTES];
	uint64_t met_ms; /* it came about, or its first disk */
	/* Since then an add is needed: a person took the VG down or made it. 0: never. */
	uint64_t off_ms;
	const char *off_why;
	/* A disk of it was added beside its copy, or a copy that may count as the disk: the VG
	 * comes up when one of the two has gone. */
	uint64_t refused_ms;
	uint64_t off_soon_ms; /* the same, but what is under way may still activate it */
	/* A disk of it was added since a person last took it down. */
	bool is_asked_for;
	/* Since then a command that takes it down waits, perhaps for its lock. 0: none does. */
	uint64_t going_down_ms;
	/* It became sound by something that our program gets to know. */
	bool is_due, is_due_by_repeat; /* of a disk that was there */
	/* It was made when a disk of it was still read for its add: that is an add of the VG, and waits
	 * for the disks that nobody has read, also if a command takes the VG down meanwhile. */
	bool is_made_in_add;
	bool was_reduced; /* its metadata may say that a PV is missing, although it is there again
			   */
	uint64_t due_ms;
	bool was_sound;
	/* What forbids its activation, since when, and whether nothing was under way then. */
	const char *why_not;
	uint64_t why_not_ms;
	bool is_certain;
	bool is_calm;	   /* before this step */
	uint32_t seqno;	   /* of the newest metadata */
	uint64_t seqno_ms; /* they changed */
};

struct sim_oracle {
	const struct sim_history *history;
	struct sim_findings *findings;
	struct sim_course course;
	struct sim_memory memory;
	struct sim_known_vg vg[SIM_IDS_MOST];
	size_t count;
};

void sim_oracle_begin(struct sim_oracle *oracle, const struct sim_history *history,
		      struct sim_findings *findings);
/* As sim_watcher.after. */
void sim_oracle_after(struct sim_oracle *oracle, const struct sim_step *step,
		      const struct sim_state *state);

/* oracle_active.c: what forbids an event to activate the VG now, or to have activated it so;
 * NULL: nothing. Constant. */
const char *sim_oracle_why_not(const struct sim_oracle *oracle, const struct sim_state *state,
			       const struct sim_known_vg *vg, const struct sim_active *active);
/* Judges an activation of ours since the last step. */
void sim_oracle_activation(struct sim_oracle *oracle, const struct sim_state *state,
			   const struct sim_known_vg *vg, const struct sim_active *active);
