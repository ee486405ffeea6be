/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands for the kernel and for udev in a tree of files; each outlives the processes that use
 * it. */
#ifndef LEA_TEST_CRASH_DRIVE_H
#define LEA_TEST_CRASH_DRIVE_H

#include "world/dm.h"

/* device-mapper: nodes in ROOT/dm, shared by all processes. NULL: it can't be had. */
struct lea_dm *drive_dm_open(const char *root);
/* One line a node: "NAME UUID up|down creates loads resumes" and its table behind a "|". */
int drive_dm_print(const char *root);

/* udev: ROOT/run/udev/data/bM:m holds "KEY=value" lines of a device that it has finished; a file of
 * that name that comes to ROOT/run/udev/broadcast is a broadcast. */
void drive_udev_root(const char *root);

#endif
