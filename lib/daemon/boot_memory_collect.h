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
 * lea_boot_memory_collect - the VGs that are done in this boot, and those that it has not seen yet
 * @before: the memory so far, of this boot or of an earlier one; its VGs sorted by id
 * @machine, @boot: borrowed by *ret_memory, as @arena and @before are
 * A VG that is not there, or not whole at the moment, stays as it was, for five boots. One that was
 * removed, or of which a PV is in another VG now, does not.
 * Leaves out a VG of which a PV has a duplicate, unless its PVs are where @before has them: without
 * the memory it is treated as any other.
 * Keeps the PVs of a VG of which @before knows newer metadata, unless each of these PVs has older
 * ones now (vgcfgrestore): the others may only be away, and the next boot must not use the older.
 * Reads some files for each PV and each device-mapper device. Returns 0 or -errno; does not log.
 */
LEA_MUST_CHECK int lea_boot_memory_collect(struct lea_world *world, struct lea_arena *arena,
					   const struct lea_boot_memory *before,
					   const char *machine, const char *boot,
					   struct lea_boot_memory *ret_memory);
