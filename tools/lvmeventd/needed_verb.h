/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmeventd needed */
#pragma once

#include "world/world.h"

/* Returns an exit code. */
int lea_lvmevent_needed(struct lea_world *world, int argc, char *argv[]);
