/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says about one block device, by number: only /sys/dev/block/MAJ:MIN/... and, for
 * the number, /sys/class/block/NAME/dev. Folders of other devices are never listed. Reading an
 * attribute takes three system calls (openat, read, close), a missing one takes one.
 *
 * Attributes in use: size, ro, partition, diskseq, dm/uuid, dm/name, dm/suspended, md/uuid,
 * loop/backing_file, loop/partscan, device/wwid, wwid, serial, device/serial, device/vpd_pg83,
 * queue/read_ahead_kb; "../" leads from a partition to its disk.
 */
#pragma once

#include "base/err.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_SYSFS_VALUE_BYTES 256U

enum lea_sysfs_outcome {
	LEA_SYSFS_ABSENT = 1, /* no such device, or it lacks this attribute */
	LEA_SYSFS_MALFORMED,  /* not a number */
};

/* Is the device there at all? True also if that cannot be found out. One system call. */
bool lea_sysfs_has_device(struct lea_world *world, struct lea_devno devno);

/* Is this very instance there? 0; LEA_SYSFS_ABSENT: it has gone, and another may have its number;
 * -errno: that could not be found out. */
LEA_MUST_CHECK int lea_sysfs_find_instance(struct lea_world *world, const struct lea_devid *id);

/* The number of the device that the kernel calls so: "sdb", "cciss/c0d0". No device node is
 * touched. 1: it is set, 0: there is none, or the shortage for which it is not known. */
LEA_MUST_CHECK int lea_sysfs_find(struct lea_world *world, const char *name,
				  struct lea_devno *ret_devno);

/* Text of an attribute without trailing white space, cut to @size_bytes - 1. 0, an outcome or
 * -errno; so for the following functions. */
LEA_MUST_CHECK int lea_sysfs_text(struct lea_world *world, struct lea_devno devno,
				  const char *attribute, char *ret_text, size_t size_bytes);

/* Bytes of a binary attribute. *len_bytes: room in @ret_bytes, then the number of bytes read. */
LEA_MUST_CHECK int lea_sysfs_bytes(struct lea_world *world, struct lea_devno devno,
				   const char *attribute, uint8_t *ret_bytes, size_t *len_bytes);

/* A decimal number. */
LEA_MUST_CHECK int lea_sysfs_number(struct lea_world *world, struct lea_devno devno,
				    const char *attribute, uint64_t *ret_number);

/* *ret_number: of a partition; 0: it is none. 0, or the shortage for which it is not known. */
LEA_MUST_CHECK int lea_sysfs_partition(struct lea_world *world, struct lea_devno devno,
				       uint32_t *ret_number);

/*
 * lea_sysfs_address - where the kernel has a disk: its folder below /sys/devices, without the
 * kernel's name of the disk. For a partition: of its disk.
 * "pci0000:00/0000:00:03.0/virtio1/host2/target2:0:0/2:0:0:0", with the HCTL, or
 * "pci0000:00/0000:00:04.0/nvme/nvme0/nvme0n1".
 */
LEA_MUST_CHECK int lea_sysfs_address(struct lea_world *world, struct lea_devno devno,
				     bool is_partition, char *ret_text, size_t size_bytes);

/* DISKSEQ of a disk, or of a partition's disk, as in udev; 0: the kernel provides none. Returns 0 or
 * -errno: a disk whose instance is not known is not one without. */
LEA_MUST_CHECK int lea_sysfs_diskseq(struct lea_world *world, struct lea_devno devno,
				     uint64_t *ret_diskseq);

/* Makes the kernel send another add uevent for the device. 0, LEA_SYSFS_ABSENT, or -errno. */
LEA_MUST_CHECK int lea_sysfs_announce(struct lea_world *world, struct lea_devno devno);

/*
 * lea_sysfs_holder - does a device-mapper device whose uuid begins with @prefix use this device?
 * @folder: "holders", or "../holders" for a partition's disk
 */
LEA_MUST_CHECK int lea_sysfs_holder(struct lea_world *world, struct lea_devno devno,
				    const char *folder, const char *prefix, bool *ret_has);
/* The same: does a device that is no such device-mapper device use it? */
LEA_MUST_CHECK int lea_sysfs_holder_but(struct lea_world *world, struct lea_devno devno,
					const char *folder, const char *prefix, bool *ret_has);
/* Does the device that the kernel calls @holder ("dm-3") use this device? 1, 0 or a shortage. One
 * system call. */
LEA_MUST_CHECK int lea_sysfs_has_holder(struct lea_world *world, struct lea_devno devno,
					const char *holder);
