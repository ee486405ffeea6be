/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A PV on several devices, in an initramfs, where nothing is remembered but what the image knows of
 * the disks that it was built on. A VG whose PVs are taken partly from the original and partly from
 * a copy is destroyed, so all of its PVs are decided together, or none is.
 */
#pragma once

#include "base/err.h"
#include "initramfs/wants.h"
#include "scan/scan.h"
#include "world/world.h"

/*
 * lea_copies_settle - which device is the PV?
 * Of two devices of which one lies on the other, or that are paths to one disk, one is used. Of
 * copies the disk that the image knows. Without that knowledge, from the half of the wait on, for a
 * wanted VG: the devices that all show its newest metadata, while their copies do not; or for a VG
 * of one PV the device with the lower number, since lvm2's rule would take what it sees first.
 * Copies that are not decided stay, so that their VG is refused. Logs. Returns 0 or a shortage.
 */
LEA_MUST_CHECK int lea_copies_settle(struct lea_world *world, const struct lea_wants *wants,
				     struct lea_scan *scan);

/* Sets is_held of each LV in a VG of which one PV is on the disk that the image knows, and another
 * is not: its disk may come late, and this be a copy. Until the half of the wait. */
void lea_copies_hold(struct lea_world *world, struct lea_wants *wants);
