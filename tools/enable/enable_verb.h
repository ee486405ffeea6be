/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent enable and disable */
#pragma once

#include "world/world.h"

/* Each returns an exit code. */
int lea_lvmevent_enable(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_disable(struct lea_world *world, int argc, char *argv[]);
