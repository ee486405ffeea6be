/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device-mapper table as plain rows, as the kernel takes them.
 */
#ifndef LEA_BASE_TABLE_H
#define LEA_BASE_TABLE_H

#include <stdint.h>

struct lea_row {
	uint64_t start_sectors, length_sectors;
	const char *target; /* "linear" */
	const char *params; /* "8:16 2048": devices as MAJOR:MINOR, never as paths */
};

struct lea_table {
	uint32_t row_count;
	struct lea_row *row;
};

#endif
