/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder of lvm2's locks, early in a boot. If something is mounted over it while a lock is
 * held, later commands use other files and do not see that lock. An order between units cannot
 * prevent that: a mount of fstab waits for units that may wait for us.
 */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stdint.h>

enum lea_lock_folder_outcome {
	LEA_LOCK_FOLDER_PENDING = 1, /* something is still to be mounted over it */
};
/*
 * lea_lock_folder_wait - wait until everything is mounted that has a mount unit
 * @dir: global/locking_dir
 * @most_ms: blocks no longer
 * Returns 0, LEA_LOCK_FOLDER_PENDING or -errno. Does not log. A unit that is never started counts
 * as pending. Source: systemd.unit(5), systemd-escape(1).
 */
LEA_MUST_CHECK int lea_lock_folder_wait(struct lea_world *world, const char *dir, uint32_t most_ms);
