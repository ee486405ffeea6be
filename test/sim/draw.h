/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histories from seeds: first disks and VGs, then trouble. */
#pragma once

#include "sim/history.h"

/* The same seed gives the same history. */
void sim_history_draw(uint64_t seed, struct sim_history *ret_history);
/* Another history near @from: steps are put in, dropped, moved, or have other numbers. */
void sim_history_mutate(uint64_t seed, const struct sim_history *from,
			struct sim_history *ret_history);
