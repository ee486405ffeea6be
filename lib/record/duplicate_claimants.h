/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All devices that may carry a PV. Reads event/duplicates, udev's links and sysfs, never a device. */
#pragma once

#include "base/err.h"
#include "record/duplicate_note.h"
#include "world/world.h"

struct lea_claimants {
	/* Those with a note come first. udev's links name only numbers, which other disks may get.
	 */
	struct lea_duplicate one[2 * LEA_DUPLICATES_MOST];
	int noted, count;
};

/* By the notes and by udev's links: a few system calls if no other device claims the PV. 0 or
 * -errno. */
LEA_MUST_CHECK int lea_claimants_find(struct lea_world *world, const char *pvid,
				      struct lea_claimants *ret);
