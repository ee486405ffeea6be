/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is to be remembered of this boot: from our claims, sysfs and udev's database. Reads no
 * device.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "memory/boot_memory.h"
#include "world/world.h"

/*
 * lea_boot_memory_collect - the VGs that are done in this boot
 * @machine, @boot: borrowed by *ret_memory, as @arena is
 * Leaves out a VG of which a PV has a duplicate: without the memory it is treated as any other.
 * Reads some files for each PV and each device-mapper device, so call it once a boot. Returns 0 or
 * -errno; does not log.
 */
LEA_MUST_CHECK int lea_boot_memory_collect(struct lea_world *world, struct lea_arena *arena,
					   const char *machine, const char *boot,
					   struct lea_boot_memory *ret_memory);
