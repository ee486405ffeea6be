/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an event would do with a VG as it was found, and why not more. The answer is that of the
 * code that activates, asked without a lock and without a change.
 */
#ifndef LEA_FLOW_EXPLAIN_H
#define LEA_FLOW_EXPLAIN_H

#include "base/arena.h"
#include "base/err.h"
#include "flow/scan.h"

#define LEA_EXPLAIN_BYTES 512U

enum lea_explain_verdict {
	LEA_EXPLAIN_ACTIVATED, /* natively; why: which LVs are not; "": all are */
	LEA_EXPLAIN_DELEGATED, /* handed to the real lvm */
	LEA_EXPLAIN_ALONE,     /* another host's, exported, shared */
	LEA_EXPLAIN_NOT,       /* not activated by events */
};

struct lea_explain {
	enum lea_explain_verdict verdict;
	char why[LEA_EXPLAIN_BYTES]; /* "": no reason is needed; one line, cut to fit */
};

/* 0 or -errno. @arena: for what is thrown away afterwards. Logs nothing. */
LEA_MUST_CHECK int lea_explain_vg(struct lea_world *world, const struct lea_conf *conf,
				  struct lea_arena *arena, const struct lea_scan_vg *scanned,
				  struct lea_explain *ret_explain);

/*
 * lea_explain_device - why what is on this device is in no VG that can be seen
 * false: nothing is to be said of it. udev is asked what it knows of devices that were not read.
 * @ret_why: one line that begins with the device
 */
bool lea_explain_device(struct lea_world *world, struct lea_found *found,
			char ret_why[static LEA_EXPLAIN_BYTES]);

/* The line of a device with damage on it (problem is not ""), also for the journal. */
void lea_explain_damage(const struct lea_found *found, char ret_why[static LEA_EXPLAIN_BYTES]);

#endif
