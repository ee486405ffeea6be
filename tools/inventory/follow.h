/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inventory as a stream of lines of JSON: all of it, and then each object that has changed.
 * udev's broadcasts say when to look: each (de)activation is one, and so is each change of
 * metadata, for udev watches for writers of disks. What has changed follows from a comparison with
 * the inventory before, so a broadcast that is lost, or that comes together with others, loses no
 * state.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "inventory/collect.h"
#include "world/world.h"

#include <stdio.h>

/*
 * lea_inventory_follow - print until the reader has gone
 * @collect: gathers all into *ret_inventory, which is freed in every case; 0, logged, or -errno
 * Sleeps while nothing comes. Returns 0: the reader has gone; or -errno.
 */
LEA_MUST_CHECK int lea_inventory_follow(struct lea_world *world,
					int (*collect)(void *arg,
						       struct lea_inventory *ret_inventory),
					void *arg, FILE *out);
