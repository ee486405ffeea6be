/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks words, because the syntax is broken. In doubt, a word counts as a setting. */
#include "conf/conf_forgive.h"

#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "conf/conf.h"

#define WORD_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
#define WORD_MAX   64U

/* Not in the table of keys, because they are read in other ways. */
static const char *const more_words[] = {
	"tags",	       "hosttags",  "host_list",      "profile",
	"profile_dir", "system_id", "system_id_file", "lvmlockd",
};

/* Sections about messages and speed. */
static bool is_harmless(const char *path)
{
	return !strncmp(path, "log/", 4) || !strncmp(path, "event/", 6);
}

static bool is_setting(const char *word)
{
	uint32_t count;
	const struct lea_conf_key *keys = lea_conf_keys(&count);

	for (size_t i = 0; i < ARRAY_SIZE(more_words); i++)
		if (!strcmp(word, more_words[i]))
			return true;
	for (uint32_t i = 0; i < count; i++)
		if (!is_harmless(keys[i].path) && !strcmp(word, strchr(keys[i].path, '/') + 1))
			return true;
	return false;
}

/* "activation {" opens a section; "activation" is also the name of a setting. */
static bool opens_section(const char *word, const char *behind)
{
	return !strcmp(word, "activation") && behind[strspn(behind, " \t")] == '{';
}

/* Checks one line, up to @end. */
static bool line_is_harmless(const char *line, const char *end)
{
	char word[WORD_MAX];
	size_t len;

	while (line < end) {
		len = strspn(line, WORD_CHARS);
		if (len && len < sizeof(word)) {
			memcpy(word, line, len);
			word[len] = '\0';
			if (is_setting(word) && !opens_section(word, line + len))
				return false;
		}
		line += len ? len : 1;
	}
	return true;
}

bool lea_conf_may_ignore(const char *text)
{
	const char *end;

	for (; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\n");
		if (text[strspn(text, " \t")] != '#' && !line_is_harmless(text, end))
			return false;
	}
	return true;
}
