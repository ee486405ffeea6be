/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What became of a VG that was handed to the real lvm. Its exit code is not all: it calls it a
 * success that a VG is incomplete.
 */
#ifndef LEA_FLOW_HANDED_OVER_H
#define LEA_FLOW_HANDED_OVER_H

#include "flow/scan.h"
#include "flow/worker.h"

/*
 * lea_handed_over - fill in outcome, shortage, reason and active of a VG's report
 * @known: as it was before
 * @r:     lvm's exit code for this VG and no other, or for several of which none has failed (0); a
 *         fault (< 0): it could not be started
 * Reads the VG's PVs again, without a lock. The outcome is 0; FAILED; CHANGED: the VG is not there by
 * this name any more; INCOMPLETE: lvm was content, and of the LVs that it was to activate none is
 * active.
 */
void lea_handed_over(const struct lea_worker_setting *setting, const struct lea_scan_vg *known,
		     int r, struct lea_worker_report *report);

#endif
