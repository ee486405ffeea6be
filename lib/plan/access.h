/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May this host touch the LVs of this VG at all? May it record its PVs? Pure.
 *
 * lvm2 has two sets of rules, and each is followed where lvm2 applies it. vgchange opens the VG: it
 * refuses every lock type but "none" if lvmlockd is not used, and opens VGs of extra system IDs
 * without activating anything in them. pvscan only decides whether a PV counts towards a VG that
 * events may activate: it knows three lock types, asks nothing of lvmlockd, and takes no extra
 * system ID for this host's own.
 * Source: lvm2 2.03.16 black-box (commands-and-run-files 1.3, 3.2).
 */
#pragma once

#include "disk/vg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_ACCESS_TEXT_BYTES 512U

/* Who we are. */
struct lea_access_host {
	const char *system_id; /* NULL: none */
	const char *const *extra_system_ids;
	uint32_t extra_count;
	bool use_lvmlockd;
};

enum lea_vg_access {
	LEA_VG_ACCESS_OK,
	LEA_VG_ACCESS_CLUSTERED,
	LEA_VG_ACCESS_SHARED,	     /* needs lvmlockd */
	LEA_VG_ACCESS_FOREIGN,	     /* another system ID */
	LEA_VG_ACCESS_FOREIGN_EXTRA, /* one of extra_system_ids: visible, and not to be activated */
	LEA_VG_ACCESS_EXPORTED,
	LEA_VG_ACCESS_READ_ONLY, /* no WRITE status */
	LEA_VG_ACCESS_DELEGATE,	 /* lvmlockd or persistent reservations decide: the real lvm's
				  * business
				  */
};

/*
 * lea_access_check - the first obstacle, in lvm2's order
 * @text: lvm2's message for it; "" for OURS and DELEGATE. Bytes of a system ID that are not plain
 * are shown as "?".
 */
enum lea_vg_access lea_access_check(const struct lea_vg *vg, const struct lea_access_host *host,
				    char text[static LEA_ACCESS_TEXT_BYTES]);

/*
 * lea_access_check_pv - may the PVs of this VG be recorded? As pvscan decides
 * @system_id: this host's; NULL: none. A host without one owns no VG that has one.
 * OK, or the first obstacle in lvm2's order: SHARED, FOREIGN or EXPORTED.
 */
enum lea_vg_access lea_access_check_pv(const struct lea_vg *vg, const char *system_id);

/* Has the VG a system ID other than @system_id? */
bool lea_access_is_foreign(const struct lea_vg *vg, const char *system_id);

/* Unchecked text from a disk, fit for a message: anything but printable ASCII becomes "?". */
void lea_access_plain(const char *from, char *to, size_t to_bytes);
