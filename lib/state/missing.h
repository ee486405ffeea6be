/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which PVs does a VG wait for? Its lookup file names the members; a member without a record is
 * missing. VGs with a single PV have no lookup file, and after a removal there is none until the
 * next PV of the VG is recorded.
 */
#pragma once

#include "base/err.h"

#include <stdint.h>
#include <time.h>

/* Zeroed: nothing is missing. */
struct lea_missing {
	char vg[128];
	char (*pvid)[33];   /* [count]; owned, released by lea_missing_done */
	uint32_t count;	    /* members without a record */
	uint32_t all_count; /* members */
	char came_last[33]; /* the member whose record was written last; "": none has a record */
	struct timespec came;
};

/*
 * lea_missing_read - the members of one VG that have no record
 * @run_fd: the run folder
 * Returns 0 with *ret_missing (count 0: complete, or members unknown), or -errno. Reads one file,
 * and one stat per member.
 */
LEA_MUST_CHECK int lea_missing_read(int run_fd, const char *vg, struct lea_missing *ret_missing);
/* The same of the VG with this id, by its newest metadata, for a lookup file holds only the name.
 * Without a note of these the lookup file tells. */
LEA_MUST_CHECK int lea_missing_of(int run_fd, const char *vg_id, const char *vg,
				  struct lea_missing *ret_missing);
void lea_missing_done(struct lea_missing *missing);

/* Counts one more member, which is missing or not. There is room for it in missing->pvid, of which
 * @pvid may be a later row. 0 or -errno. */
LEA_MUST_CHECK int lea_missing_add(int run_fd, const char *pvid, struct lea_missing *missing);

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
/* The same with @came behind the first part: ", last came sdb". */
void lea_missing_describe_with(const struct lea_missing *missing, const char *came,
			       char text[static LEA_MISSING_TEXT_BYTES]);
