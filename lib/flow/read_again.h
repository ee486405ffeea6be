/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PVs of a VG read once more: what was known of it may have been true before another command
 * had its lock.
 */
#ifndef LEA_FLOW_READ_AGAIN_H
#define LEA_FLOW_READ_AGAIN_H

#include "base/err.h"
#include "flow/scan.h"

/*
 * lea_read_again - the same VG as its PVs describe it now
 * @scan: new and empty; gets the PVs of @known and owns what was found
 * *ret_vg: NULL when none of them has a VG of this id under this name any more. 0,
 * LEA_SCAN_BAD_FILTER, or a fault: a PV that could not be read for want of something is not one
 * that has gone.
 */
LEA_MUST_CHECK int lea_read_again(struct lea_scan *scan, const struct lea_scan_vg *known,
				  const struct lea_scan_vg **ret_vg);

#endif
