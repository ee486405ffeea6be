/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file in which udev keeps a device's properties, read in three system calls, without libudev,
 * which reads sysfs as well. Its format is udev's own affair, so what it says may save a question
 * and what it does not say is no answer: then libudev is asked (world/udevdb.h).
 *
 * Format, as systemd's udevd writes it: one item a line: "I:" when the device was finished first,
 * "E:" a property as KEY=value; others are links, tags, versions.
 */
#ifndef LEA_WORLD_UDEVBRIEF_H
#define LEA_WORLD_UDEVBRIEF_H

#include "world/sysfs.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

/* Files that are longer are left to libudev. */
#define LEA_UDEVBRIEF_BYTES 16384U

/* /run/udev/data; the caller closes it. -errno: there is none, say. */
LEA_MUST_CHECK int lea_udevbrief_open(const struct lea_world *world);

/*
 * lea_udevbrief_read - the properties that udev has stored of a device that it has finished
 * @data_fd: of lea_udevbrief_open; -1: nothing is known of any
 * @ret_lines: "KEY=value" lines as struct lea_device has them, when true is returned
 * false: not there, not finished, too long, or not as expected; ask libudev.
 */
LEA_MUST_CHECK bool lea_udevbrief_read(int data_fd, struct lea_devno devno,
				       char ret_lines[LEA_UDEVBRIEF_BYTES]);

#endif
