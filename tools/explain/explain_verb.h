/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent explain */
#pragma once

#include "world/world.h"

#include <stdbool.h>

/* Returns an exit code. */
int lea_lvmevent_explain(struct lea_world *world, int argc, char *argv[]);
/* Is only a part of the manual page asked for? That is for all, wherever they are. */
bool lea_lvmevent_explain_reads_page(int argc, char *argv[]);
