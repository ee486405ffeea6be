/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A device-mapper table as plain rows, as the kernel takes them, and the node that gets it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct lea_row {
	uint64_t start_sectors, length_sectors;
	const char *target; /* "linear" */
	/* "8:16 2048": devices as MAJOR:MINOR, never as paths. In a plan, "@7" stands for the
	 * device number of node 7 of the plan. */
	const char *params;
};

struct lea_table {
	uint32_t row_count;
	struct lea_row *row;
};

/* udev flags of a resume or remove: the upper 16 bits of the cookie. */
enum lea_dm_udev {
	LEA_DM_UDEV_DISABLE_DM = 0x0001,
	LEA_DM_UDEV_DISABLE_SUBSYSTEM = 0x0002,
	LEA_DM_UDEV_DISABLE_DISK = 0x0004,
	LEA_DM_UDEV_DISABLE_OTHER = 0x0008,
	LEA_DM_UDEV_LOW_PRIORITY = 0x0010,
	LEA_DM_UDEV_DISABLE_FALLBACK = 0x0020,
	LEA_DM_UDEV_SUBSYSTEM0 = 0x0100,
};

/* A node to be created. Strings are borrowed. */
struct lea_dm_node {
	const char *name, *uuid;
	bool read_only;
	bool secret_table; /* may hold a key: the kernel wipes its copy of the request */
	bool fixed_minor;
	uint32_t major, minor; /* only with fixed_minor */
	uint16_t udev_flags;   /* enum lea_dm_udev; libdevmapper adds PRIMARY_SOURCE */
	uint32_t read_ahead_sectors;
	bool read_ahead_is_minimum;    /* keep a larger current value */
	bool has_read_ahead;	       /* false: keep the kernel's value */
	const char *link_vg, *link_lv; /* for the link /dev/VG/LV; NULL: no link */
};
