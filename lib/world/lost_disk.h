/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Active LVs that use a disk which has gone. Such an LV stays active, and goes on using what is no
 * longer there when the disk returns, for it returns as another device. By sysfs alone, which waits
 * for no disk.
 */
#pragma once

#include "base/err.h"
#include "world/active_vgs.h"
#include "world/world.h"

#define LEA_LOST_DISK_BYTES 64U

enum lea_lost_disk_outcome {
	LEA_LOST_DISK = 1,
};

/*
 * lea_lost_disk_of - does an LV use a disk that has gone?
 * Looks below the LV and its parts, and at no device below these: what an array or a map has lost
 * is its own affair. Returns 0, LEA_LOST_DISK with the name that the disk had ("sdb"), or -errno.
 */
LEA_MUST_CHECK int lea_lost_disk_of(struct lea_world *world, const struct lea_active_lv *lv,
				    char ret_disk[static LEA_LOST_DISK_BYTES]);

/*
 * lea_lost_disk_each - all LVs that do, but no parts of LVs
 * @take: 0 to go on, or -errno. @name: "VG/LV", borrowed as @disk
 * An LV without a name, or of which it is not known, is left out. Returns 0, what @take returned, or
 * -errno.
 */
LEA_MUST_CHECK int lea_lost_disk_each(struct lea_world *world, const struct lea_active_vgs *active,
				      int (*take)(void *arg, const struct lea_active_lv *lv,
						  const char *name, const char *disk),
				      void *arg);
