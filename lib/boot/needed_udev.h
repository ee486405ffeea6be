/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Disks whose turn comes first: before the coldplug has udev process all disks, it processes those
 * of remembered PVs that only udev, multipathd, mdadm or cryptsetup can find.
 */
#pragma once

#include "base/err.h"
#include "boot/needed_disks.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * lea_needed_udev_find - have udev process the disks of these PVs, and wait for the PVs
 * Not for a PV none of whose disks is there, nor for a passphrase that a person must type.
 * @pv:	      [count], without devices; sorted here by PVID
 * @until_ms: of the world's clock; the wait ends at the latest then
 * A PV counts if it is on a device of the remembered kind that lies on the remembered disks alone.
 * Blocks. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_needed_udev_find(struct lea_world *world, struct lea_needed_disks *disks,
					struct lea_needed_pv *pv, size_t count, uint64_t until_ms);
