/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A VG that is delegated to the real lvm: before lvm is started, and its result. Its exit code does
 * not tell everything: lvm also ends with success if a VG is incomplete.
 */
#pragma once

#include "scan/scan.h"
#include "worker/worker.h"

/*
 * lea_delegated_ask - is the VG still to be delegated?
 * lvm activates it whatever happened while it waited for its turn. So its lock is taken for a
 * moment: the command that has it may be taking the VG down.
 * @wait: for that lock. The caller holds none.
 * Returns 0, LEA_ACTIVATE_CHANGED: a command has taken it down, or LEA_ACTIVATE_VG_BUSY. Does not
 * log.
 */
LEA_MUST_CHECK int lea_delegated_ask(const struct lea_worker_setting *setting,
				     const struct lea_scan_vg *scanned, bool wait);

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
