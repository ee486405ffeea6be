/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is mounted or used as swap, and what should be: the only reader of /proc/self/mountinfo,
 * /proc/swaps, fstab and crypttab. base/mount_text.h has the rows.
 */
#pragma once

#include "base/err.h"
#include "base/mount_text.h"
#include "world/world.h"

#include <time.h>

#define LEA_MOUNTINFO_FILE "self/mountinfo" /* below /proc */

/*
 * lea_mounts_read - read the current list
 * Returns 0 with rows to release with lea_mounts_done; LEA_FILE_ABSENT (base/file.h) or -errno with
 * none (-EFBIG: larger than 16 MiB; swaps, fstab and crypttab: 1 MiB). Does not log.
 */
LEA_MUST_CHECK int lea_mounts_read(struct lea_world *world, enum lea_mount_text form,
				   struct lea_mounts *ret_mounts);

/* The same as text (owned by the caller, free), for a parser that also takes other texts. NUL bytes
 * have become \1. */
LEA_MUST_CHECK int lea_mounts_read_text(struct lea_world *world, enum lea_mount_text form,
					char **ret_text);

/* When the administrator's list was last written, LEA_FSTAB or LEA_CRYPTTAB. All zero: never. */
struct timespec lea_mounts_written(const struct lea_world *world, enum lea_mount_text form);
