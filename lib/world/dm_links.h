/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /dev/VG/LV links that udev does not make: with udev's rules off, and after udev where its work
 * is to be verified. Collected while a transaction is open, done at its end.
 */
#ifndef LEA_WORLD_DM_LINKS_H
#define LEA_WORLD_DM_LINKS_H

#include "base/err.h"
#include "base/log.h"
#include "base/table.h"

#include <stdbool.h>

struct lea_dm_link;

struct lea_dm_links {
	struct lea_dm_link *first, **end;
	const char *dev_dir; /* borrowed */
	struct lea_log *log; /* borrowed; NULL: nobody listens */
	bool verify;	     /* udev should have done it: say so when it has not */
};

void lea_dm_links_init(struct lea_dm_links *links, const char *dev_dir, struct lea_log *log,
		       bool verify);
/* The link that goes with @node is to be there (or gone) at the end. Nodes without one: nothing. */
LEA_MUST_CHECK int lea_dm_links_add(struct lea_dm_links *links, const struct lea_dm_node *node,
				    bool wanted);
/* Makes and removes what was collected; the first fault, after having tried all. */
LEA_MUST_CHECK int lea_dm_links_settle(struct lea_dm_links *links);
void lea_dm_links_done(struct lea_dm_links *links);

#endif
