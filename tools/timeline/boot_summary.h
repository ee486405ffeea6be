/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long this boot took, in a few numbers: for status and monitoring. */
#pragma once

#include "base/err.h"
#include "timeline/view.h"
#include "world/world.h"

struct lea_boot_summary {
	uint64_t last_us;	       /* the last VG was active, from the start of the kernel */
	char slowest[LEA_TIMELINE_NAME_BYTES]; /* the VG that took longest; "": its name is lost */
	uint64_t slowest_us;	       /* from its first PV to the end */
	enum lea_phase phase;	       /* in which it was longest */
};

enum lea_boot_summary_outcome {
	LEA_BOOT_UNKNOWN = 1, /* not remembered yet, or nothing was activated */
};

/* Of VGs that became active before the boot was remembered. Returns 0, LEA_BOOT_UNKNOWN or -errno;
 * does not log. Reads one file. */
LEA_MUST_CHECK int lea_boot_summary_read(struct lea_world *world,
					 struct lea_boot_summary *ret_summary);
