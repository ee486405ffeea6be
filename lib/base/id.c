/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The characters are listed one by one so that the locale has no influence. */
#include "base/id.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ID_CHARS       32U
#define NAME_MAX_CHARS 127U

static bool is_alphanumeric(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_id_char(char c)
{
	return is_alphanumeric(c) || c == '!' || c == '#';
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

bool lea_name_ok(const char *name)
{
	size_t len;

	if (*name == '-' || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (len = 0; name[len]; len++)
		if (len == NAME_MAX_CHARS ||
		    (!is_alphanumeric(name[len]) && !strchr("._+-", name[len])))
			return false;
	return len > 0;
}

bool lea_lv_name_is_reserved(const char *name)
{
	static const char *const prefixes[] = {"pvmove", "snapshot"};
	static const char *const parts[] = {
		"_cdata",  "_cmeta", "_corig",	"_cpool",   "_cvol",	"_wcorig",
		"_mimage", "_mlog",  "_rimage", "_rmeta",   "_tdata",	"_tmeta",
		"_vdata",  "_imeta", "_iorig",	"_pmspare", "_vorigin",
	};

	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strstr(name, parts[i]))
			return true;
	return false;
}

bool lea_number_parse(const char *text, uint64_t max, uint64_t *ret_number)
{
	unsigned long long number;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || *end || number > max)
		return false;
	*ret_number = number;
	return true;
}

const char *lea_after(const char *text, const char *prefix)
{
	const size_t chars = strlen(prefix);

	return strncmp(text, prefix, chars) ? NULL : text + chars;
}
