/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device-mapper table as plain rows, as the kernel takes them, and the node that it is for.
 */
#ifndef LEA_BASE_TABLE_H
#define LEA_BASE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct lea_row {
	uint64_t start_sectors, length_sectors;
	const char *target; /* "linear" */
	/* "8:16 2048": devices as MAJOR:MINOR, never as paths. In a plan a word "@7" is the number
	 * that node 7 of the plan will have. */
	const char *params;
};

struct lea_table {
	uint32_t row_count;
	struct lea_row *row;
};

/* udev flags of a resume or remove: upper half of the event number. */
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
	bool secret_table; /* may hold a key: the kernel wipes its copy of the request */
	bool fixed_minor;
	uint32_t major, minor; /* with fixed_minor */
	uint16_t udev_flags;   /* enum lea_dm_udev; PRIMARY_SOURCE is libdevmapper's business */
	uint32_t read_ahead_sectors;
	bool read_ahead_is_minimum;    /* leave a larger value alone */
	bool has_read_ahead;	       /* false: don't touch it */
	const char *link_vg, *link_lv; /* /dev/VG/LV that goes with it; NULL: none */
};

#endif
