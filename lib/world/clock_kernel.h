/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real clock behind struct lea_clock. */
#ifndef LEA_WORLD_CLOCK_KERNEL_H
#define LEA_WORLD_CLOCK_KERNEL_H

#include "world/world.h"

/* Stateless, one for all; borrowed for ever. CLOCK_MONOTONIC: a set of the time of day is not seen.
 */
struct lea_clock *lea_clock_kernel(void);

#endif
