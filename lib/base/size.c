/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "base/size.h"

#include <stdio.h>

void lea_size_format(uint64_t bytes, char ret_text[static LEA_SIZE_BYTES])
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
	double value = (double)bytes / 1024;
	size_t unit = 0;

	if (!bytes) {
		snprintf(ret_text, LEA_SIZE_BYTES, "0");
		return;
	}
	for (; value >= 1024 && unit + 1 < ARRAY_SIZE(units); unit++)
		value /= 1024;
	snprintf(ret_text, LEA_SIZE_BYTES, "%.1f %s", value, units[unit]);
}
