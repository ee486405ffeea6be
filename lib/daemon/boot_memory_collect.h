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
 * @before: the memory of an earlier boot, its VGs sorted by id
 * @machine, @boot: borrowed by *ret_memory, as @arena and @before are
 * Leaves out a VG of which a PV has a duplicate: without the memory it is treated as any other.
 * Keeps the PVs of a VG of which @before knows newer metadata, unless each of these PVs has older
 * ones now (vgcfgrestore): the others may only be away, and the next boot must not use the older.
 * Reads some files for each PV and each device-mapper device, so call it once a boot. Returns 0 or
 * -errno; does not log.
 */
LEA_MUST_CHECK int lea_boot_memory_collect(struct lea_world *world, struct lea_arena *arena,
					   const struct lea_boot_memory *before,
					   const char *machine, const char *boot,
					   struct lea_boot_memory *ret_memory);
