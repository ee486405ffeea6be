/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device (or, in tests, a regular file) opened read-only: its size and its bytes. */
#pragma once

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * lea_blockdev_open - open a device read-only, with O_DIRECT where possible
 * @path: "/dev/sdb" (below world->root), or NULL
 * If @path is not device @major:@minor, opens the kernel's name from /sys/dev/block/MAJ:MIN
 * instead. Returns a descriptor (owned) or -errno; -ENODEV: the number belongs to another device,
 * or to none.
 */
LEA_MUST_CHECK int lea_blockdev_open(struct lea_world *world, const char *path, uint32_t major,
				     uint32_t minor);
/* Does @path (below world->root) lead to this device? Uses stat, opens nothing. */
bool lea_blockdev_is_at(const struct lea_world *world, const char *path, uint32_t major,
			uint32_t minor);
/* Size in bytes, by ioctl or fstat. 0 or -errno. */
LEA_MUST_CHECK int lea_blockdev_size(int fd, uint64_t *ret_bytes);
/* Sufficient for any device. Whole blocks of this size are read without a copy into memory with
 * this alignment. */
#define LEA_BLOCKDEV_ALIGN 4096U
/* Reads exactly @len_bytes, at any alignment. Blocks. 0, or -errno (-EIO if the device ends
 * earlier). */
LEA_MUST_CHECK int lea_blockdev_read(int fd, uint64_t offset_bytes, void *bytes, size_t len_bytes);
/* The number of the disk's instance, also for a partition. 0 or -errno; -ENOTTY: this kernel has
 * none, or it is a file. */
LEA_MUST_CHECK int lea_blockdev_diskseq(int fd, uint64_t *ret_diskseq);
