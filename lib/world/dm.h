/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All operations that we use of device-mapper. dm_kernel.c implements them with libdevmapper,
 * test/fake/dm.c in memory. Only one thread per process may use them. They return 0, an outcome or
 * -errno.
 */
#pragma once

#include "base/err.h"
#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
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
	LEA_DM_BUSY,	   /* remove: the node is open */
	LEA_DM_STILL,	   /* wait: udev makes no progress */
	LEA_DM_UNTOLD,	   /* list: there are nodes, but not all uuids are known */
};

/* A node in the kernel's list. */
struct lea_dm_listed {
	char name[LEA_DM_NAME_BYTES], uuid[LEA_DM_UUID_BYTES]; /* uuid "": none, or not told */
};

struct lea_dm {
	/* All nodes, in one request (owned, free). LEA_DM_UNTOLD: this kernel or library does not
	 * list uuids. -ENODEV: it cannot be asked, as in a container without its node. */
	int (*list)(struct lea_dm *dm, struct lea_dm_listed **ret_nodes, size_t *ret_count);
	/* By uuid. LEA_DM_ABSENT, or 0 with *ret_info. */
	int (*info)(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info);
	/* By name: LEA_DM_ABSENT, or 0 with the uuid of the node that has this name. */
	int (*uuid_of)(struct lea_dm *dm, const char *name,
		       char ret_uuid[static LEA_DM_UUID_BYTES]);
	/* Does the live table equal @table? */
	int (*same_table)(struct lea_dm *dm, const char *uuid, const struct lea_table *table,
			  bool *ret_same);
	/* Is @is_one true for a target of the live table? A node that is gone has none. */
	int (*has_row)(struct lea_dm *dm, const char *uuid, bool (*is_one)(const char *target),
		       bool *ret_has);
	int (*create)(struct lea_dm *dm, const struct lea_dm_node *node, uint32_t *ret_major,
		      uint32_t *ret_minor);
	int (*load)(struct lea_dm *dm, const struct lea_dm_node *node,
		    const struct lea_table *table);
	/* Holds back new I/O until resume; does not freeze the file system. */
	int (*suspend)(struct lea_dm *dm, const struct lea_dm_node *node);
	/* Status of the live table's first target that has one, as a linear target has not; owned
	 * by the caller (free). */
	int (*status)(struct lea_dm *dm, const struct lea_dm_node *node, char **ret_text);
	/* 0: the kernel currently has this target; LEA_DM_ABSENT: it does not, but may load its
	 * module when a table asks for it; a fault: not known, for device-mapper may not be asked.
	 */
	int (*has_target)(struct lea_dm *dm, const char *target);
	/* Joins the open transaction: udev gets an event, which wait() waits for. */
	int (*resume)(struct lea_dm *dm, const struct lea_dm_node *node);
	/* LEA_DM_BUSY if the node is open. @retry: retry for some seconds first. Joins the
	 * transaction. */
	int (*remove)(struct lea_dm *dm, const struct lea_dm_node *node, bool retry);
	/*
	 * Ends the transaction: blocks until udev has completed all events since the last wait(),
	 * and then creates or removes links. @limit_ms: 0: no limit; -ETIMEDOUT when exceeded.
	 * @still_ms (0: no limit): LEA_DM_STILL if udev makes no progress for so long; its events
	 * complete later.
	 */
	int (*wait)(struct lea_dm *dm, uint32_t limit_ms, uint32_t still_ms);
	void (*free)(struct lea_dm *dm);
	uint32_t release;   /* N of libdevmapper 1.02.N; 0: unknown */
	bool udev_rules;    /* udev creates nodes and links; false: libdevmapper does */
	bool udev_fallback; /* nodes are verified after udev, so don't set DISABLE_FALLBACK */
};

/* Options of the real implementation, from lvm2's settings. */
struct lea_dm_options {
	const char *dev_dir; /* devices/dir, "/dev"; borrowed during the call */
	bool udev_sync;	     /* wait for udev */
	bool udev_rules;     /* udev creates nodes and links; false: libdevmapper does */
	bool verify_udev;    /* verify and repair nodes after udev */
	struct lea_log *log; /* for libdevmapper's messages; borrowed while the dm exists */
	bool disable_udev;   /* DM_DISABLE_UDEV is in the environment: act as without udev */
};

/* 0 or -errno. Opens /dev/mapper/control with the first request. */
LEA_MUST_CHECK int lea_dm_kernel_new(const struct lea_dm_options *options, struct lea_dm **ret_dm);
