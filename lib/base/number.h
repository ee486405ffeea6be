/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers in texts of the kernel. */
#pragma once

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * lea_number_take - read a decimal number
 * @at: moved behind the number; as it was, if there is none
 * Digits only: a sign or a blank before them is refused. False: no digit, or the number does not
 * fit; then *ret_number is undefined. Does not log or block.
 */
static inline bool lea_number_take(const char **at, uint64_t *ret_number)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	errno = 0;
	*ret_number = strtoull(*at, &end, 10);
	*at = end;
	return !errno;
}
