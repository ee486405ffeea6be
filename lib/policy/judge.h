/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * May this host touch the LVs of this VG at all? Pure.
 * Source: lvm2 2.03.16 black-box (commands-and-run-files 3.2).
 */
#ifndef LEA_POLICY_JUDGE_H
#define LEA_POLICY_JUDGE_H

#include "disk/vg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_JUDGE_TEXT_BYTES 512U

/* Who we are. */
struct lea_judge_host {
	const char *system_id; /* NULL: none */
	const char *const *extra_system_ids;
	uint32_t extra_count;
	bool use_lvmlockd;
};

enum lea_judgement {
	LEA_JUDGE_OURS,
	LEA_JUDGE_CLUSTERED,
	LEA_JUDGE_SHARED,	 /* needs lvmlockd */
	LEA_JUDGE_FOREIGN,	 /* another system ID */
	LEA_JUDGE_FOREIGN_EXTRA, /* one of extra_system_ids: visible, and not to be activated */
	LEA_JUDGE_EXPORTED,
	LEA_JUDGE_READ_ONLY, /* no WRITE status */
	LEA_JUDGE_DELEGATE,  /* lvmlockd or persistent reservations decide: the real lvm's business
			      */
};

/*
 * lea_judge_vg - the first obstacle, in lvm2's order
 * @text: lvm2's message for it; "" for OURS and DELEGATE. Bytes of a system ID that are not plain
 * are shown as "?".
 */
enum lea_judgement lea_judge_vg(const struct lea_vg *vg, const struct lea_judge_host *host,
				char text[static LEA_JUDGE_TEXT_BYTES]);

/* Unchecked text from a disk, fit for a message: anything but printable ASCII becomes "?". */
void lea_judge_plain(const char *from, char *to, size_t to_bytes);

#endif
