/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explains what an event would do with a VG, and why not more. The activation code itself gives the
 * answer, run without locks and without changes.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "scan/scan.h"

#define LEA_EXPLAIN_BYTES 512U

enum lea_explain_verdict {
	LEA_EXPLAIN_ACTIVATED, /* natively; why: the LVs that are not; "": all are */
	LEA_EXPLAIN_DELEGATED, /* handed to the real lvm */
	LEA_EXPLAIN_ALONE,     /* left alone: foreign, exported or shared */
	LEA_EXPLAIN_NOT,       /* not activated by events */
};

struct lea_explain {
	enum lea_explain_verdict verdict;
	char why[LEA_EXPLAIN_BYTES]; /* one line, cut to fit; "": no reason needed */
};

/* @arena: for temporary data. 0 or -errno. Logs nothing. */
LEA_MUST_CHECK int lea_explain_vg(struct lea_world *world, const struct lea_conf *conf,
				  struct lea_arena *arena, const struct lea_scan_vg *scanned,
				  struct lea_explain *ret_explain);

/*
 * lea_explain_device - why does this device show no VG, or not its newest metadata?
 * @ret_why: one line that begins with the device; set only on true
 * Returns false if there is nothing to explain. Asks udev's database about a device that was not
 * read.
 */
bool lea_explain_device(struct lea_world *world, struct lea_found *found,
			char ret_why[static LEA_EXPLAIN_BYTES]);
