/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a number or a kernel's name to the device: what the kernel says, from sysfs. */
#pragma once

#include "base/err.h"
#include "world/device.h"
#include "world/world.h"

enum lea_device_find {
	LEA_DEVICE_GONE = 1, /* no such device, or another instance has the number */
};

/*
 * lea_device_find - the device that has this number
 * @id: with a diskseq only that instance counts; 0: any
 * Sets number, diskseq and the kernel's name, "/dev/sdb". *ret_device is the caller's, by
 * lea_device_done. Returns 0, LEA_DEVICE_GONE or a fault.
 */
LEA_MUST_CHECK int lea_device_find(struct lea_world *world, const struct lea_devid *id,
				   struct lea_device *ret_device);
/* The same for the kernel's name as it is in sysfs: "sdb", "cciss!c0d0". */
LEA_MUST_CHECK int lea_device_find_name(struct lea_world *world, const char *name,
					struct lea_device *ret_device);
