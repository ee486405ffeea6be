/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmeventd monitor */
#pragma once

#include "world/world.h"

/* Returns an exit code. */
int lea_lvmevent_monitor(struct lea_world *world, int argc, char *argv[]);
