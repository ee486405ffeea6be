/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stand-ins for the kernel and udev in a tree of files, which outlive the processes that use them.
 */
#pragma once

#include "world/dm.h"
#include "world/udev.h"

/* device-mapper: nodes in ROOT/dm, shared by all processes. NULL: cannot be opened. */
struct lea_dm *drive_dm_open(const char *root);
/* Prints a line for each node: "NAME UUID up|down creates loads resumes", then "|" and its table.
 */
int drive_dm_print(const char *root);

/* udev: ROOT/run/udev/data/bM:m holds "KEY=value" lines of a device that udev has processed; a file
 * of that name that appears in ROOT/run/udev/broadcast is a broadcast. */
const struct lea_udev *drive_udev_open(const char *root);
