/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a block device lies on, as far as the kernel shows. */
#pragma once

#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>

/* Is this device an LV, or does it lie on one? Follows encryption, RAID, multipath and partitions
 * down, 16 levels at most. False also if the kernel does not show it. Does not log. */
bool lea_lies_on_lv(struct lea_world *world, struct lea_devno devno);
