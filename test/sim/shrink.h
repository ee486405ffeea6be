/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The smallest history near a given one that still shows something. */
#pragma once

#include "sim/history.h"

#include <stdbool.h>

/* Does the history still show it? */
typedef bool sim_shows_fn(void *arg, const struct sim_history *history);

/* @history shows it before and after; at most @trials others are asked about. */
void sim_shrink(struct sim_history *history, sim_shows_fn *shows, void *arg, unsigned trials);
