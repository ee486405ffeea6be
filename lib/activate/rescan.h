/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the PVs of a VG again under its lock: another command may have changed the VG since the
 * first scan.
 */
#pragma once

#include "base/err.h"
#include "scan/scan.h"

/*
 * lea_vg_rescan - the same VG as its PVs describe it now
 * @scan:        new and empty; gets the PVs of @before_lock and owns the result
 * @before_lock: the VG as scanned before the lock; borrowed
 * @ret_vg:      NULL if no PV has a VG of this id under this name any more; lives as long as @scan
 * Returns 0, LEA_SCAN_BAD_FILTER or a fault. A PV that timed out, or that could not be read for
 * lack of memory or descriptors, makes the call fail; so does any other that cannot be read, where
 * no other PV has the VG. In *ret_vg such a PV is SILENT, and so is one that was SILENT before,
 * which is not asked again: @before_lock must live until @ret_vg is no longer used.
 */
LEA_MUST_CHECK int lea_vg_rescan(struct lea_scan *scan, const struct lea_scan_vg *before_lock,
				 const struct lea_scan_vg **ret_vg);

/*
 * lea_vg_scan_pvs - scan the devices of a VG's PVs once more
 * @scan:      gets them in the order of vg->pv; another scan than that of @vg
 * @is_wanted: [vg->pv_count]; NULL: all. A PV without device is left out.
 * Returns what lea_scan_add_expected returns.
 */
LEA_MUST_CHECK int lea_vg_scan_pvs(struct lea_scan *scan, const struct lea_scan_vg *vg,
				   const bool *is_wanted);
