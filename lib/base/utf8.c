/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "base/utf8.h"

#include <stdint.h>

/* Bytes of the character at @text; 0: there is none. Not one that is longer than need be, nor half
 * of a pair of UTF-16. */
static size_t length_of(const char *text)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char first = (unsigned char)*text;
	const size_t len = first < 0x80   ? 1
			   : first < 0xc0 ? 0
			   : first < 0xe0 ? 2
			   : first < 0xf0 ? 3
					  : 4;
	uint32_t code = first & (0xffU >> (len + 1));

	for (size_t i = 1; i < len; i++) {
		if (((unsigned char)text[i] & 0xc0U) != 0x80U)
			return 0;
		code = code << 6 | ((unsigned char)text[i] & 0x3fU);
	}
	if (len > 1 && (first >= 0xf8 || code < least[len] || code > 0x10ffff ||
			(code >= 0xd800 && code < 0xe000)))
		return 0;
	return len;
}

bool lea_utf8_is_ok(const char *text)
{
	size_t len = 1;

	for (; *text && len; text += len)
		len = length_of(text);
	return len > 0;
}

void lea_utf8_mend(char *text)
{
	while (*text) {
		const size_t len = length_of(text);

		if (!len)
			*text = '?';
		text += len ? len : 1;
	}
}
