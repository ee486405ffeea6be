/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which places of the code histories have reached, and at which step: what reaches something new
 * is worth being varied.
 */
#pragma once

#include "sim/history.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define SIM_PLACE_BYTES 64U

struct sim_cover {
	char (*place)[SIM_PLACE_BYTES]; /* owned; sorted */
	size_t count, room;
	uint64_t *pair; /* owned; a hash table of place and op, 0: empty */
	size_t pair_count, pair_room;
};

void sim_cover_done(struct sim_cover *cover);
/* Was this place never reached before? */
bool sim_cover_place(struct sim_cover *cover, const char *place);
/* Was it never reached before after a step of this op? */
bool sim_cover_pair(struct sim_cover *cover, const char *place, enum sim_op op);
void sim_cover_print(const struct sim_cover *cover, FILE *out);
