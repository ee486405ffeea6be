/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One walk over the text, line by line because comments are left alone.
 */
#include "policy/dm_rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACED "/dmsetup"

/* What the smaller program answers. */
static const char *const verbs[] = {" udevflags ", " splitname ", " udevcomplete "};

/* @value: what follows an opening quote. Length of the program's path there if it is one to
 * replace, else 0. */
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
	bool is_comment = line[strspn(line, " \t")] == '#';
	unsigned int count = 0;

	for (size_t i = 0; i < len; i++) {
		size_t path = !is_comment && line[i] == '"' ? path_to_replace(line + i + 1) : 0;

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
