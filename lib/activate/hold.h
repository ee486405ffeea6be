/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Holds the devices that a VG's tables will name. A table names numbers only, and while a device is
 * open the kernel gives its number to no other.
 */
#pragma once

#include "base/err.h"
#include "scan/scan.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* Zeroed at first. */
struct lea_hold {
	int *fd; /* owned, and so are the descriptors */
	uint32_t count;
};

enum lea_hold_result {
	LEA_HOLD_NOT_AS_READ = 1, /* a device has gone, or another one has its number */
	LEA_HOLD_TOO_MANY,	  /* this process may not open so many files, nor raise its limit */
};

/*
 * lea_hold_pvs - open the present PVs that count
 * @uses_pv: for each PV of the VG, does it count?
 * Returns 0: until lea_hold_done the number of each is that of the device that was scanned;
 * LEA_HOLD_NOT_AS_READ or LEA_HOLD_TOO_MANY; or -errno. Raises the limit of open files if the VG has
 * many PVs. May block as long as the kernel blocks the opening of a disk. Logs nothing.
 */
LEA_MUST_CHECK int lea_hold_pvs(struct lea_world *world, const struct lea_scan_vg *scanned,
				const bool *uses_pv, struct lea_hold *hold);
void lea_hold_done(const struct lea_hold *hold);
