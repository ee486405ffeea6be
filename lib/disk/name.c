/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Character classes are spelled out: the locale must not decide what a name is. */
#include "disk/name.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#define NAME_MAX_CHARS 127U

static bool is_alphanumeric(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_name_char(char c)
{
	return is_alphanumeric(c) || c == '.' || c == '_' || c == '+' || c == '-';
}

bool lea_name_ok(const char *name)
{
	size_t len;

	if (*name == '-' || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (len = 0; name[len]; len++)
		if (len == NAME_MAX_CHARS || !is_name_char(name[len]))
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
