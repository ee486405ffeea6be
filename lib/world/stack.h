/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a block device lies on, as far as the kernel shows. */
#pragma once

#include "base/err.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>

/* A walk sees no more devices than this, each counted once for each way to it. */
#define LEA_STACK_MOST 4096U

/*
 * lea_stack_walk - visit a device and all that it lies on
 * @visit: told whether nothing lies below the device: a disk, or a partition of one. Non-zero ends
 * the walk and is returned.
 * Follows encryption, RAID, multipath and partitions down, 16 levels at most. Returns 0, what
 * @visit returned, -E2BIG (too many levels or devices), or -errno. Does not log.
 */
LEA_MUST_CHECK int lea_stack_walk(struct lea_world *world, struct lea_devno devno,
				  int (*visit)(void *arg, struct lea_devno devno, bool is_bottom),
				  void *arg);

/* Is this device an LV, or does it lie on one? False also if the kernel does not show it. Does not
 * log. */
bool lea_lies_on_lv(struct lea_world *world, struct lea_devno devno);
