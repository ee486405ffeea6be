/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of process 1's wait for the devices of what the boot needs. */
#pragma once

#include "memory/need.h"
#include "world/world.h"

/* Of our drop-ins. It sorts before the names that administrators give to theirs, whose settings
 * then count. */
#define LEA_GENERATOR_DROP_IN "+lvmevent.conf"

/*
 * lea_limits_write - a drop-in for the device of each need that may be an LV
 * @needs: gets the LVs of file systems that the last boot had
 * @write: writes @text as the drop-in @name of @unit below @folder_fd
 * The limit is the bound in case that nobody ends the wait earlier (daemon/wait_end.h): an hour, or
 * more where the administrator wants all devices to be waited for longer. It comes before those of
 * others, whose limit then counts, but after that of fstab or crypttab if daemon/wait_end.h takes
 * this over. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_limits_write(struct lea_world *world, struct lea_needs *needs, int folder_fd,
				    int (*write)(int folder_fd, const char *unit, const char *name,
						 const char *text));
