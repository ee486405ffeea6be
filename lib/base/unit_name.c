/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "base/unit_name.h"

#include <stdio.h>
#include <string.h>

#define PLAIN "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:_."

/* A dot would hide a name that begins with it, and so one that is an instance. */
static bool is_first(const char *before, const char *text, const char *at)
{
	const size_t len = strlen(before);

	return at == text && (!len || before[len - 1] == '@');
}

bool lea_unit_name(const char *before, const char *text, const char *after,
		   char ret_unit[static LEA_UNIT_BYTES])
{
	size_t len = (size_t)snprintf(ret_unit, LEA_UNIT_BYTES, "%s", before);

	for (const char *at = text; *at && len < LEA_UNIT_BYTES; at++) {
		const bool is_plain = *at == '/' || (strchr(PLAIN, *at) &&
						     (*at != '.' || !is_first(before, text, at)));

		len += (size_t)snprintf(ret_unit + len, LEA_UNIT_BYTES - len,
					is_plain ? "%c" : "\\x%02x",
					*at == '/' ? '-' : (unsigned char)*at);
	}
	if (len < LEA_UNIT_BYTES)
		len += (size_t)snprintf(ret_unit + len, LEA_UNIT_BYTES - len, "%s", after);
	return len < LEA_UNIT_BYTES;
}
