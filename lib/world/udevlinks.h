/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who claims a link that the udev rule makes of each PV, /dev/disk/by-id/lvm-pv-uuid-UUID. The link
 * itself leads to one device; udev keeps a folder of all that want it, also of those whose event it
 * has just ended. It is udev's own affair, so it may name a device and never clears one.
 *
 * Format: /run/udev/links/LINK/bMAJ:MIN, LINK being the path below /dev with "\x2f" for each slash;
 * up to systemd 253 it begins with one.
 */
#ifndef LEA_WORLD_UDEVLINKS_H
#define LEA_WORLD_UDEVLINKS_H

#include "world/sysfs.h"
#include "world/world.h"

#include <stddef.h>

/*
 * lea_udevlinks_pv - the devices that claim the link of this PV
 * @pvid: 32 characters
 * How many of them are in @ret_devnos, at most @room; 0 if it can't be told, too. Three or four
 * system calls, however many devices there are.
 */
size_t lea_udevlinks_pv(const struct lea_world *world, const char *pvid,
			struct lea_devno *ret_devnos, size_t room);

#endif
