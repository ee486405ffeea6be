/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device (or, in tests, a regular file) opened read-only: its size and its bytes.
 */
#ifndef LEA_WORLD_BLOCKDEV_H
#define LEA_WORLD_BLOCKDEV_H

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * lea_blockdev_open - O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_DIRECT where it works
 * @path: "/dev/sdb" (below world->root), or NULL
 * Opens the path, and where its number is not @major:@minor, looks the kernel's own name up in
 * /sys/dev/block/MAJ:MIN. Returns a descriptor (owned) or -errno; -ENODEV: other device now.
 */
LEA_MUST_CHECK int lea_blockdev_open(struct lea_world *world, const char *path, uint32_t major,
				     uint32_t minor);
/* Does @path (below world->root) lead to the device of this number? Opens nothing. */
bool lea_blockdev_is_at(const struct lea_world *world, const char *path, uint32_t major,
			uint32_t minor);
/* Size in bytes by ioctl or fstat. */
LEA_MUST_CHECK int lea_blockdev_size(int fd, uint64_t *ret_bytes);
/* Reads exactly @len_bytes (aligned bounce buffer for O_DIRECT inside); -EIO when short. */
LEA_MUST_CHECK int lea_blockdev_read(int fd, uint64_t offset_bytes, void *bytes, size_t len_bytes);

#endif
