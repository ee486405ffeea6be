/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of two VGs with one name the first counts, as in lvm2. For lib/batch only. */
#pragma once

#include "base/err.h"
#include "scan/scan.h"

struct lea_candidates;

enum lea_twin {
	LEA_NO_TWIN,
	LEA_TWIN,
	LEA_SILENT_TWIN, /* its disks, as far as they answer, do not say that it is still there */
};

/*
 * lea_twin_search - has another VG the name of @scanned, and is it active, or about to be?
 * Claims tell, until one is found; then a disk of that VG is read, for a command may have removed it
 * or renamed it, whose change started no process. Blocks for its deadline, in that case, if it gives
 * no answer, and has not failed to before. Returns an enum lea_twin or a fault.
 * @only_active: only a VG counts of which LVs are active, as one without some PVs, which has no
 *               vgs_online file; else one that is done, too
 */
LEA_MUST_CHECK int lea_twin_search(struct lea_candidates *candidates,
				   const struct lea_scan_vg *scanned, bool only_active);
