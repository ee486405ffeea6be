/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a terminal gets and a file or a pipe does not: colour, and a line that shows progress. */
#pragma once

#include "world/world.h"

#include <stdbool.h>
#include <stdio.h>

/* Is it a terminal, and has the user not set NO_COLOR? */
bool lea_terminal_has_color(const struct lea_world *world, FILE *stream);
/* Is it a terminal that can erase a line? */
bool lea_terminal_is_live(const struct lea_world *world, FILE *stream);

/* How many characters a line of it has, 80 if it does not say; 0: it is no terminal. */
unsigned int lea_terminal_columns(FILE *stream);

enum lea_color {
	LEA_COLOR_OFF,
	LEA_COLOR_GOOD,
	LEA_COLOR_BAD,
	LEA_COLOR_CHANGING, /* it takes care of itself, or somebody wants it so */
};
/* What begins a colour, or ends it (OFF); "" if @has_color is false. Static text. */
const char *lea_color(bool has_color, enum lea_color color);
/* The colour for a state of lvmevent-explain(8): "active", "missing" ... */
enum lea_color lea_color_of_state(const char *state);
