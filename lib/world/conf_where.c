/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The settings themselves are read by conf.c, which keeps no lines. This is a plain walk over the
 * words of a text that conf.c has accepted.
 */
#include "world/conf_where.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <stdio.h>
#include <string.h>

#define MAX_FILE_BYTES (4U * 1024U * 1024U)
#define WORD_CHARS     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/.+-"

struct walk {
	char section[64], word[128];
	unsigned int line, word_line, found;
};

/* The end of a comment or a string that begins at @at. */
static const char *skip(const char *at, struct walk *walk)
{
	const char quote = *at;

	if (quote == '#')
		return at + strcspn(at, "\n");
	for (at++; *at && *at != quote; at++) {
		walk->line += *at == '\n';
		at += *at == '\\' && quote == '"' && at[1];
	}
	return *at ? at + 1 : at;
}

static void set_word(struct walk *walk, const char *at, size_t chars)
{
	snprintf(walk->word, sizeof(walk->word), "%.*s", (int)chars, at);
	walk->word_line = walk->line;
}

static void take_sign(struct walk *walk, char sign, const char *path)
{
	char full[sizeof(walk->section) + sizeof(walk->word) + 1];

	if (sign == '\n')
		walk->line++;
	else if (sign == '{')
		snprintf(walk->section, sizeof(walk->section), "%.63s", walk->word);
	else if (sign == '}')
		walk->section[0] = '\0';
	if (sign != '=')
		return;
	snprintf(full, sizeof(full), "%s%s%s", walk->section, walk->section[0] ? "/" : "",
		 walk->word);
	if (!strcmp(full, path))
		walk->found = walk->word_line;
}

/* Returns the text after one word, string, comment or sign. */
static const char *step(struct walk *walk, const char *text, const char *path)
{
	const size_t chars = strspn(text, WORD_CHARS);

	if (chars) {
		set_word(walk, text, chars);
		return text + chars;
	}
	if (*text == '#' || *text == '"' || *text == '\'')
		return skip(text, walk);
	take_sign(walk, *text, path);
	return text + 1;
}

unsigned int lea_conf_line_of(const char *text, const char *path)
{
	struct walk walk = {.line = 1};

	while (*text)
		text = step(&walk, text, path);
	return walk.found;
}

bool lea_conf_has_section(const char *text, const char *section)
{
	const size_t chars = strlen(section);
	struct walk walk = {.line = 1};
	bool is_found = false;

	while (*text && !is_found) {
		text = step(&walk, text, "");
		is_found = !strcmp(walk.section, section) ||
			   (!strncmp(walk.word, section, chars) && walk.word[chars] == '/');
	}
	return is_found;
}

/* @name: below the folder of lvm.conf. */
static bool is_set_in(struct lea_world *world, const struct lea_conf *conf, const char *name,
		      const char *path, char ret_where[static LEA_CONF_WHERE_BYTES])
{
	LEA_AUTO(lea_freep) char *full = NULL, *text = NULL;
	char relative[LEA_CONF_WHERE_BYTES - 16];
	unsigned int line;

	lea_conf_path(conf, name, relative, sizeof(relative));
	full = lea_world_path(world, relative);
	if (!full || lea_file_read_config(full, MAX_FILE_BYTES, &text, NULL))
		return false;
	line = lea_conf_line_of(text, path);
	if (line)
		snprintf(ret_where, LEA_CONF_WHERE_BYTES, "%s:%u", relative, line);
	return line != 0;
}

void lea_conf_where(struct lea_world *world, const struct lea_conf *conf, const char *path,
		    char ret_where[static LEA_CONF_WHERE_BYTES])
{
	char name[LEA_CONF_WHERE_BYTES / 2];

	ret_where[0] = '\0';
	if (is_set_in(world, conf, "lvmevent.conf", path, ret_where))
		return;
	for (uint32_t i = conf->host_tags.count; i > 0; i--) {
		snprintf(name, sizeof(name), "lvm_%.120s.conf", conf->host_tags.item[i - 1]);
		if (is_set_in(world, conf, name, path, ret_where))
			return;
	}
	if (!is_set_in(world, conf, "lvmlocal.conf", path, ret_where))
		(void)is_set_in(world, conf, "lvm.conf", path, ret_where);
}
