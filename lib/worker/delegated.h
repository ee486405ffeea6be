/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result of a VG that was delegated to the real lvm. Its exit code does not tell everything:
 * lvm also ends with success if a VG is incomplete.
 */
#pragma once

#include "scan/scan.h"
#include "worker/worker.h"

/*
 * lea_delegated_report - fill in outcome, shortage, reason and active of a VG's report
 * @scanned: the VG as it was before; borrowed
 * @r: exit code of an lvm for this VG alone, or 0 of an lvm for several VGs; < 0: it could not be
 * started
 * Reads the VG's PVs again, without a lock. The outcome is 0; FAILED; CHANGED: no VG has this name
 * any more; INCOMPLETE: lvm ended with success, but none of the LVs to activate is active.
 */
void lea_delegated_report(const struct lea_worker_setting *setting,
			  const struct lea_scan_vg *scanned, int r,
			  struct lea_worker_report *report);
