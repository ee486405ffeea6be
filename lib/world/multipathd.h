/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "world/world.h"

#include <stdbool.h>

/* Is multipathd enabled, by itself or by its socket? In doubt yes. Three system calls. */
bool lea_has_multipathd(const struct lea_world *world);
