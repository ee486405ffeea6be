/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmevent gate and sweep */
#pragma once

#include "world/world.h"

/* Each returns an exit code. */
int lea_lvmevent_gate(struct lea_world *world, int argc, char *argv[]);
int lea_lvmevent_sweep(struct lea_world *world, int argc, char *argv[]);

/* "open", "closed" ...: static text. */
const char *lea_gate_word(struct lea_world *world);
