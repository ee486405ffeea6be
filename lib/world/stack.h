/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a block device lies on, as far as the kernel shows. */
#pragma once

#include "base/err.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>

/* A walk sees no more devices than this, each counted once for each way to it. */
#define LEA_STACK_MOST 4096U

#define LEA_STACK_UUID_BYTES 256U

struct lea_stack_device {
	struct lea_devno devno;
	char uuid[LEA_STACK_UUID_BYTES];      /* of device-mapper; "": it is another device */
	const struct lea_stack_device *above; /* NULL: the walk began here */
	bool is_bottom; /* nothing lies below: it is a disk, or a partition of one */
};

/*
 * lea_stack_walk - visit a device and those that it lies on
 * @visit: non-zero ends the walk and is returned.
 * Follows encryption, RAID, multipath and partitions down, 16 levels at most; what is reached twice
 * is visited twice. Returns 0, what @visit returned, -E2BIG (too many levels or devices), or
 * -errno. Does not log.
 */
LEA_MUST_CHECK int lea_stack_walk(struct lea_world *world, struct lea_devno devno,
				  int (*visit)(void *arg, const struct lea_stack_device *device),
				  void *arg);

/* Is it an LV, or a part of one? */
bool lea_stack_is_lv(const struct lea_stack_device *device);

/* Is this device an LV, or does it lie on one? False also if the kernel does not show it. Does not
 * log. */
bool lea_lies_on_lv(struct lea_world *world, struct lea_devno devno);
