/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real clock behind struct lea_clock. */
#pragma once

#include "world/world.h"

/* The only instance, without state; borrowed forever. CLOCK_MONOTONIC: ignores changes of the time
 * of day. */
struct lea_clock *lea_clock_kernel(void);
