/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The question of memory/original.h, asked of the machine's memory and of sysfs. */
#pragma once

#include "disk/vg.h"
#include "memory/original.h"
#include "world/device.h"
#include "world/world.h"

/*
 * lea_original_find - which of two devices with @pvid is the PV?
 * @vg: its metadata; NULL: unknown
 * Reads the memory of the last good boot, so it is for PVs on two devices only. Any fault leaves it
 * unsure. Never reads a device.
 */
enum lea_original lea_original_find(struct lea_world *world, const char *pvid,
				    const struct lea_vg *vg, const struct lea_device *first,
				    const struct lea_device *second);
