/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many histories, in children: each carries out a batch of them and ends, so that neither leaks nor
 * crashes of the machine end the search. What a batch found or reached first comes by a pipe.
 */
#pragma once

#include "sim/cover.h"
#include "sim/finding.h"

#include <stdint.h>

struct sim_kind {
	char kind[SIM_FINDING_BYTES]; /* of the finding, and the ops of its history */
	char text[SIM_FINDING_BYTES]; /* the finding of the smallest history */
	struct sim_history history;
	uint64_t seed; /* that the first such history was drawn from; 0: by mutation */
	uint64_t count;
	double after_s;
};

#define SIM_KINDS_MOST 200U

struct sim_crowd {
	uint64_t seed;	     /* of the first history */
	double seconds;	     /* 0: no limit */
	uint64_t histories;  /* 0: no limit */
	uint64_t most_steps; /* 0: no limit */
	unsigned jobs;	     /* 0: one a CPU */
	bool keeps_going;
	const char *const *except; /* borrowed; as in struct sim_judge */
	const char *folder;	   /* borrowed; findings are written there; NULL: nowhere */
	/* The results. */
	struct sim_cover cover;
	struct sim_kind *kind; /* owned */
	size_t kind_count;
	uint64_t done, steps, kept;
	double took_s;
};

/* Prints findings of a new kind as they come. 0 or -errno. */
int sim_crowd_run(struct sim_crowd *crowd);
void sim_crowd_done(struct sim_crowd *crowd);
/* Shrinks @history, which shows a finding of @kind (sim_finding_kind), within @seconds; 0: no
 * limit. The machine is made. */
void sim_crowd_shrink(struct sim_history *history, const char *kind, unsigned trials,
		      double seconds, char ret_text[SIM_FINDING_BYTES]);
