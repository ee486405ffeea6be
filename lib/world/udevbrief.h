/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads, in three system calls, the file in which udev stores the properties of a device. libudev
 * would read sysfs as well. The format is internal to udev: a property found here saves a query,
 * but a missing one proves nothing; then ask libudev (world/udevdb.h).
 *
 * Format, as written by systemd's udevd, one item per line: "I:" the time when udev initialized the
 * device, "E:" a property as KEY=value; other items are links, tags, versions.
 */
#pragma once

#include "world/sysfs.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Longer files are left to libudev. */
#define LEA_UDEVBRIEF_BYTES 16384U

/* Opens /run/udev/data. The caller closes the descriptor. -errno: for example, no udev. */
LEA_MUST_CHECK int lea_udevbrief_open(const struct lea_world *world);

/*
 * lea_udevbrief_read - the stored properties of a device that udev has initialized
 * @data_fd: what lea_udevbrief_open returned
 * @ret_lines: "KEY=value" lines as in struct lea_device, if 1 is returned
 * 1; 0: no such file, not initialized, too long, or an unknown format: ask libudev; or the shortage for
 * which it is not known.
 */
LEA_MUST_CHECK int lea_udevbrief_read(int data_fd, struct lea_devno devno,
				      char ret_lines[LEA_UDEVBRIEF_BYTES]);

/* When did udev last store something of the device? False: unknown. */
LEA_MUST_CHECK bool lea_udevbrief_stored_at(int data_fd, struct lea_devno devno,
					    struct timespec *ret_at);
