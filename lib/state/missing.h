/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which PVs does a VG wait for? Its lookup file names the members; a member without a record is
 * missing. VGs with a single PV have no lookup file, and after a removal there is none until the
 * next PV of the VG is recorded.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>

/* Zeroed: nothing is missing. */
struct lea_missing {
	char vg[128];
	char (*pvid)[33];   /* [count]; owned, released by lea_missing_done */
	uint32_t count;	    /* members without a record */
	uint32_t all_count; /* members */
};

/*
 * lea_missing_read - the members of one VG that have no record
 * @run_fd: the run folder
 * Returns 0 with *ret_missing (count 0: complete, or members unknown), or -errno. Reads one file,
 * and one stat per member.
 */
LEA_MUST_CHECK int lea_missing_read(int run_fd, const char *vg, struct lea_missing *ret_missing);
void lea_missing_done(struct lea_missing *missing);

/*
 * lea_missing_each - every VG that waits for PVs, for reports
 * Reads all lookup files and skips unreadable ones. A non-zero return of @tell ends the walk and is
 * returned.
 */
LEA_MUST_CHECK int
lea_missing_each(int run_fd, int (*tell)(void *arg, const struct lea_missing *missing), void *arg);

/*
 * lea_missing_describe - "3 of 4 PVs are there, missing PV ID", with hyphens in the id
 * Names up to three ids, otherwise only their number.
 * @text: truncated if necessary
 */
#define LEA_MISSING_TEXT_BYTES 256U
void lea_missing_describe(const struct lea_missing *missing,
			  char text[static LEA_MISSING_TEXT_BYTES]);
