/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmeventd run */
#pragma once

#include "world/world.h"

/* Returns an exit code. */
int lea_lvmevent_run(struct lea_world *world, int argc, char *argv[]);
