/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks the text line by line, because comments stay unchanged. */
#include "policy/dm_rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM	 "dmsetup"
#define REPLACED "/" PROGRAM

/* The commands that the smaller program answers. */
static const char *const verbs[] = {" udevflags ", " splitname ", " udevcomplete "};
/* Where distributions install dmsetup; dm-event finds it there as well. */
static const char *const programs[] = {"/sbin/" PROGRAM, "/usr/sbin/" PROGRAM};
#define INFO " info -j %M -m %m -c --nameprefixes --noheadings --rows -o "
/* The arguments. dm-event answers the first three; the rewritten rules leave the rest to dmsetup.
 */
static const char *const forms[] = {
	" udevflags $env{DM_COOKIE}",
	" splitname --nameprefixes --noheadings --rows $env{DM_NAME}",
	" udevcomplete $env{DM_COOKIE}",
	INFO "name,uuid,suspended",
	INFO "suspended",
};

static bool is_comment(const char *line)
{
	return line[strspn(line, " \t")] == '#';
}

/* Is it the form of a call, as far as the closing quote? */
static bool is_known_form(const char *arguments)
{
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		const size_t len = strlen(forms[i]);

		if (!strncmp(arguments, forms[i], len) && arguments[len] == '"')
			return true;
	}
	return false;
}

/* @at: a mention of dmsetup in @line. */
static bool is_known_call(const char *line, const char *at)
{
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
		const size_t before = strlen(programs[i]) - strlen(PROGRAM);

		if ((size_t)(at - line) > before && at[-1 - (ssize_t)before] == '"' &&
		    !strncmp(at - before, programs[i], before))
			return is_known_form(at + strlen(PROGRAM));
	}
	return false;
}

static const char *find_program(const char *from, const char *end)
{
	return memmem(from, (size_t)(end - from), PROGRAM, strlen(PROGRAM));
}

static void copy_call(const char *at, struct lea_dm_call *ret_call)
{
	size_t len = strcspn(at, "\"\n");

	if (len >= sizeof(ret_call->text))
		len = sizeof(ret_call->text) - 1;
	for (size_t i = 0; i < len; i++)
		ret_call->text[i] = (char)(at[i] < ' ' || at[i] > '~' ? '?' : at[i]);
	ret_call->text[len] = '\0';
}

int lea_dm_rules_check(const char *rules, struct lea_dm_call *ret_call)
{
	for (unsigned int number = 1; *rules; number++) {
		const char *end = rules + strcspn(rules, "\n");
		const char *at = is_comment(rules) ? NULL : find_program(rules, end);

		for (; at; at = find_program(at + 1, end)) {
			if (is_known_call(rules, at))
				continue;
			ret_call->line = number;
			copy_call(at, ret_call);
			return LEA_DM_RULES_UNKNOWN;
		}
		rules = end + (*end == '\n');
	}
	return 0;
}

/* Length of the program's path at @value (the text after an opening quote) if it must be replaced;
 * else 0. */
static size_t path_to_replace(const char *value)
{
	size_t len = strcspn(value, " \"\n");

	if (value[0] != '/' || len < strlen(REPLACED) ||
	    strncmp(value + len - strlen(REPLACED), REPLACED, strlen(REPLACED)) != 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strncmp(value + len, verbs[i], strlen(verbs[i])))
			return len;
	return 0;
}

static unsigned int rewrite_line(const char *line, size_t len, const char *program, FILE *out)
{
	const bool is_code = !is_comment(line);
	unsigned int count = 0;

	for (size_t i = 0; i < len; i++) {
		size_t path = is_code && line[i] == '"' ? path_to_replace(line + i + 1) : 0;

		putc(line[i], out);
		if (!path)
			continue;
		fputs(program, out);
		i += path;
		count++;
	}
	return count;
}

int lea_dm_rules_rewrite(const char *rules, const char *header, const char *program,
			 char **ret_text, unsigned int *ret_count)
{
	char *text = NULL;
	size_t bytes = 0;
	unsigned int count = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return -ENOMEM;
	fputs(header, out);
	while (*rules) {
		size_t len = strcspn(rules, "\n");

		len += rules[len] == '\n';
		count += rewrite_line(rules, len, program, out);
		rules += len;
	}
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	*ret_count = count;
	return 0;
}
