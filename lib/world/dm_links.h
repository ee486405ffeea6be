/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /dev/VG/LV links that udev does not create: if udev's rules are off, or if its work is verified.
 * Collected during a transaction and processed at its end.
 */
#pragma once

#include "base/err.h"
#include "base/log.h"
#include "base/table.h"

#include <stdbool.h>

struct lea_dm_link;

struct lea_dm_links {
	struct lea_dm_link *first, **end;
	const char *dev_dir; /* borrowed */
	struct lea_log *log; /* borrowed; NULL: no messages */
	bool verify;	     /* udev should have created the link: warn if not */
};

/* @dev_dir: devices/dir. @verify: warn about links that udev should have created. */
void lea_dm_links_init(struct lea_dm_links *links, const char *dev_dir, struct lea_log *log,
		       bool verify);
/* Requests that @node's link exists (or not) at the end. Ignores nodes without a link. 0 or
 * -ENOMEM. */
LEA_MUST_CHECK int lea_dm_links_add(struct lea_dm_links *links, const struct lea_dm_node *node,
				    bool wanted);
/* Creates and removes all requested links. Returns the first fault, after trying all. */
LEA_MUST_CHECK int lea_dm_links_settle(struct lea_dm_links *links);
void lea_dm_links_done(struct lea_dm_links *links);
