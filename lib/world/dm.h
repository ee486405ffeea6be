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

/* udev flags of a resume or remove: upper half of the event number (device-mapper-activation 7.2). */
enum lea_dm_udev {
	LEA_DM_UDEV_DISABLE_DM = 0x0001,
	LEA_DM_UDEV_DISABLE_SUBSYSTEM = 0x0002,
	LEA_DM_UDEV_DISABLE_DISK = 0x0004,
	LEA_DM_UDEV_DISABLE_OTHER = 0x0008,
	LEA_DM_UDEV_LOW_PRIORITY = 0x0010,
	LEA_DM_UDEV_DISABLE_FALLBACK = 0x0020,
	LEA_DM_UDEV_SUBSYSTEM0 = 0x0100,
};

/* A node to be made. */
struct lea_dm_node {
	const char *name, *uuid;
	bool read_only;
	bool fixed_minor;
	uint32_t major, minor;      /* with fixed_minor */
	uint16_t udev_flags;        /* enum lea_dm_udev; PRIMARY_SOURCE is libdevmapper's business */
	uint32_t read_ahead_sectors;
	bool read_ahead_is_minimum; /* leave a larger value alone */
	bool has_read_ahead;        /* false: don't touch it */
};

struct lea_dm_info {
	char name[LEA_DM_NAME_BYTES];
	uint32_t major, minor;
	uint32_t open_count;
	bool live_table, inactive_table, suspended, read_only;
};

enum lea_dm_outcome {
	LEA_DM_ABSENT = 1, /* no node with this uuid (or name) */
	LEA_DM_BUSY,       /* remove: open */
};

struct lea_dm {
	/* By uuid. LEA_DM_ABSENT, or 0 with *ret_info. */
	int (*info)(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info);
	/* By name: is the name taken? LEA_DM_ABSENT, or 0 with the uuid of its holder. */
	int (*uuid_of)(struct lea_dm *dm, const char *name, char ret_uuid[static LEA_DM_UUID_BYTES]);
	/* Does the live table equal @table? *ret_same. */
	int (*same_table)(struct lea_dm *dm, const char *uuid, const struct lea_table *table,
			  bool *ret_same);
	int (*create)(struct lea_dm *dm, const struct lea_dm_node *node, uint32_t *ret_major,
		      uint32_t *ret_minor);
	int (*load)(struct lea_dm *dm, const struct lea_dm_node *node, const struct lea_table *table);
	/* Joins the open transaction: udev is told, and waited for in wait(). */
	int (*resume)(struct lea_dm *dm, const struct lea_dm_node *node);
	/* LEA_DM_BUSY when it is open. @retry: try for some seconds first. Joins the transaction. */
	int (*remove)(struct lea_dm *dm, const struct lea_dm_node *node, bool retry);
	/* End of the transaction: every udev event since the last wait() is done (at most
	 * @limit_ms, 0: no limit; -ETIMEDOUT then), nodes and links are there. */
	int (*wait)(struct lea_dm *dm, uint32_t limit_ms);
	void (*free)(struct lea_dm *dm);
};

/* How the real one behaves: lvm2's settings. */
struct lea_dm_options {
	const char *dev_dir;   /* devices/dir, "/dev"; borrowed during the call */
	bool udev_sync;        /* wait for udev */
	bool udev_rules;       /* udev makes nodes and links; false: libdevmapper does */
	bool verify_udev;      /* check and mend nodes after udev */
};

/* Opens /dev/mapper/control at the first request, not before. */
LEA_MUST_CHECK int lea_dm_kernel_new(const struct lea_dm_options *options, struct lea_dm **ret_dm);

#endif
