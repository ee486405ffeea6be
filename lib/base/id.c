/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The character class is spelled out: the locale must not decide what an id is. */
#include "base/id.h"

#include <errno.h>
#include <string.h>

#define ID_CHARS 32U

static bool is_id_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '!' || c == '#';
}

bool lea_id_ok(const char *id)
{
	for (size_t i = 0; i < ID_CHARS; i++)
		if (!is_id_char(id[i]))
			return false;
	return !id[ID_CHARS];
}

int lea_id_parse(const char *text, char ret_id[static 33])
{
	char id[ID_CHARS + 1] = "";
	size_t len = 0;

	for (; *text; text++) {
		if (*text == '-')
			continue;
		if (len == ID_CHARS || !is_id_char(*text))
			return -EINVAL;
		id[len++] = *text;
	}
	if (len != ID_CHARS)
		return -EINVAL;
	memcpy(ret_id, id, sizeof(id));
	return 0;
}

void lea_id_format(const char *id, char ret_text[static 39])
{
	static const unsigned char group[] = {6, 4, 4, 4, 4, 4, 6};
	char *to = ret_text;

	for (size_t i = 0; i < ARRAY_SIZE(group); i++) {
		if (i)
			*to++ = '-';
		memcpy(to, id, group[i]);
		to += group[i];
		id += group[i];
	}
	*to = '\0';
}
