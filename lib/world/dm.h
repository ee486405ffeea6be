/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that we ever ask of device-mapper. dm_kernel.c does it with libdevmapper, test/fake/dm.c
 * in memory. One thread per process.
 */
#ifndef LEA_WORLD_DM_H
#define LEA_WORLD_DM_H

#include "base/err.h"
#include "base/table.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_DM_NAME_BYTES 128U
#define LEA_DM_UUID_BYTES 129U

struct lea_dm_info {
	char name[LEA_DM_NAME_BYTES];
	uint32_t major, minor;
	uint32_t open_count;
	bool live_table, inactive_table, suspended, read_only;
};

enum lea_dm_outcome {
	LEA_DM_ABSENT = 1, /* no node with this uuid (or name) */
	LEA_DM_BUSY,	   /* remove: open */
	LEA_DM_STILL,	   /* wait: udev hangs */
};

struct lea_dm {
	/* By uuid. LEA_DM_ABSENT, or 0 with *ret_info. */
	int (*info)(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info);
	/* By name: is the name taken? LEA_DM_ABSENT, or 0 with the uuid of its holder. */
	int (*uuid_of)(struct lea_dm *dm, const char *name,
		       char ret_uuid[static LEA_DM_UUID_BYTES]);
	/* Does the live table equal @table? *ret_same. */
	int (*same_table)(struct lea_dm *dm, const char *uuid, const struct lea_table *table,
			  bool *ret_same);
	int (*create)(struct lea_dm *dm, const struct lea_dm_node *node, uint32_t *ret_major,
		      uint32_t *ret_minor);
	int (*load)(struct lea_dm *dm, const struct lea_dm_node *node,
		    const struct lea_table *table);
	/* No new I/O until resume; nothing is frozen. */
	int (*suspend)(struct lea_dm *dm, const struct lea_dm_node *node);
	/* What the first target of the live table says of itself; owned by the caller (free). */
	int (*status)(struct lea_dm *dm, const struct lea_dm_node *node, char **ret_text);
	/* Does the kernel know this target now? */
	bool (*has_target)(struct lea_dm *dm, const char *target);
	/* Joins the open transaction: udev is told, and waited for in wait(). */
	int (*resume)(struct lea_dm *dm, const struct lea_dm_node *node);
	/* LEA_DM_BUSY when it is open. @retry: try for some seconds first. Joins the transaction.
	 */
	int (*remove)(struct lea_dm *dm, const struct lea_dm_node *node, bool retry);
	/* End of the transaction: every udev event since the last wait() is done (at most
	 * @limit_ms, 0: no limit; -ETIMEDOUT then), nodes and links are there. LEA_DM_STILL: udev
	 * has done nothing at all for @still_ms (0: no such limit), what is left of it comes later.
	 */
	int (*wait)(struct lea_dm *dm, uint32_t limit_ms, uint32_t still_ms);
	void (*free)(struct lea_dm *dm);
	uint32_t release;   /* N of libdevmapper 1.02.N; 0: not known */
	bool udev_rules;    /* udev makes nodes and links; false: the dm does */
	bool udev_fallback; /* nodes are checked after udev: don't tell the library to rely on it */
};

/* How the real one behaves: lvm2's settings. */
struct lea_dm_options {
	const char *dev_dir; /* devices/dir, "/dev"; borrowed during the call */
	bool udev_sync;	     /* wait for udev */
	bool udev_rules;     /* udev makes nodes and links; false: libdevmapper does */
	bool verify_udev;    /* check and mend nodes after udev */
	struct lea_log *log; /* where libdevmapper's messages go; borrowed while the dm lives */
	bool disable_udev;   /* DM_DISABLE_UDEV is in the environment: as if there were no udev */
};

/* Opens /dev/mapper/control at the first request, not before. */
LEA_MUST_CHECK int lea_dm_kernel_new(const struct lea_dm_options *options, struct lea_dm **ret_dm);

#endif
