/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which devices claim the link that our udev rule creates for each PV,
 * /dev/disk/by-id/lvm-pv-uuid-UUID. The link leads to one device, but udev keeps a folder of all
 * claimants, including those whose event has just ended. The folder is internal to udev, so it may
 * add a candidate but never rules one out.
 *
 * Format: /run/udev/links/LINK/bMAJ:MIN. LINK is the path below /dev with "\x2f" for each slash; up
 * to systemd 253 it begins with one.
 */
#pragma once

#include "world/sysfs.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * lea_udevlinks_pv - the devices that claim the link of this PV
 * @pvid: 32 characters
 * @ret_count: the number of devices in @ret_devnos, at most @room; 0 also where udev keeps no such
 * folders. Three or four system calls, however many devices there are. 0; or -errno of a shortage,
 * which says nothing of the devices.
 */
LEA_MUST_CHECK int lea_udevlinks_pv(const struct lea_world *world, const char *pvid,
				    struct lea_devno *ret_devnos, size_t room, size_t *ret_count);
/* Does udev keep such folders at all? */
bool lea_udevlinks_are_kept(const struct lea_world *world);
