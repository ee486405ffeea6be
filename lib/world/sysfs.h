/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of one block device, by its number: /sys/dev/block/MAJ:MIN/... and nothing
 * else. No folder of other devices is ever listed. An attribute costs three system calls
 * (openat, read, close), one that isn't there costs one.
 *
 * Attributes in use: size, ro, partition, diskseq, dm/uuid, dm/name, dm/suspended, md/uuid,
 * loop/backing_file, loop/partscan, device/wwid, wwid, serial, device/serial, device/vpd_pg83,
 * queue/read_ahead_kb; "../" leads from a partition to its disk.
 */
#ifndef LEA_WORLD_SYSFS_H
#define LEA_WORLD_SYSFS_H

#include "base/err.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_SYSFS_VALUE_BYTES 256U

enum lea_sysfs_outcome {
	LEA_SYSFS_ABSENT = 1, /* no such device, or it hasn't this attribute */
	LEA_SYSFS_MALFORMED,  /* not the number it should be */
};

/* One block device in sysfs. */
struct lea_devno {
	uint32_t major, minor;
};

/* Is the device there at all? One system call. */
bool lea_sysfs_has_device(struct lea_world *world, struct lea_devno devno);

/* Text of an attribute, white space at its end removed; cut to @size_bytes - 1. */
LEA_MUST_CHECK int lea_sysfs_text(struct lea_world *world, struct lea_devno devno,
				  const char *attribute, char *ret_text, size_t size_bytes);

/* Bytes of a binary attribute; at most @size_bytes. */
LEA_MUST_CHECK int lea_sysfs_bytes(struct lea_world *world, struct lea_devno devno,
				   const char *attribute, uint8_t *ret_bytes, size_t *len_bytes);

/* A decimal number. */
LEA_MUST_CHECK int lea_sysfs_number(struct lea_world *world, struct lea_devno devno,
				    const char *attribute, uint64_t *ret_number);

/* The instance of a disk, or of the disk of a partition, as in udev; 0: the kernel counts none. */
uint64_t lea_sysfs_diskseq(struct lea_world *world, struct lea_devno devno);

/* Has the kernel announce the device as added once more. 0, LEA_SYSFS_ABSENT, or -errno. */
LEA_MUST_CHECK int lea_sysfs_announce(struct lea_world *world, struct lea_devno devno);

/*
 * lea_sysfs_holder - does a device-mapper device whose uuid begins with @prefix sit on this device?
 * @folder: "holders", or "../holders" for a partition's disk
 */
LEA_MUST_CHECK int lea_sysfs_holder(struct lea_world *world, struct lea_devno devno,
				    const char *folder, const char *prefix, bool *ret_has);

#endif
