/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Walks the text rule by rule, because comments stay unchanged. */
#include "rules/dm_rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM	 "dmsetup"
#define REPLACED "/" PROGRAM

/* The commands that the smaller program answers. */
static const char *const verbs[] = {" udevflags ", " splitname ", " udevcomplete "};
static const char *const programs[] = {LEA_DMSETUP_PLACES};
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

/* Length of a rule: a line, and those that continue it. udev skips comments between them. */
static size_t rule_length(const char *rule)
{
	const char *at = rule;
	bool continues = true;

	while (continues && *at) {
		const size_t len = strcspn(at, "\n");

		continues = is_comment(at) ? at != rule : len && at[len - 1] == '\\';
		at += len + (at[len] == '\n');
	}
	return (size_t)(at - rule);
}

static bool is_in_comment(const char *rule, size_t at)
{
	const char *newline = memrchr(rule, '\n', at);

	return is_comment(newline ? newline + 1 : rule);
}

/* Finds the next path to replace, from the byte @from of the rule on. Returns @len if there is none.
 */
static size_t next_path(const char *rule, size_t len, size_t from, size_t *ret_bytes)
{
	for (size_t i = from; i < len; i++) {
		if (rule[i] != '"' || is_in_comment(rule, i))
			continue;
		*ret_bytes = path_to_replace(rule + i + 1);
		if (*ret_bytes)
			return i + 1;
	}
	return len;
}

/* Writes the rule with @program, and as it is for a machine from which the program disappears: a
 * cookie that is never completed would stop each LVM command. */
static unsigned int rewrite_rule(const char *rule, size_t len, const char *program, FILE *out)
{
	size_t from = 0, bytes, at = next_path(rule, len, 0, &bytes);
	unsigned int count = 0;

	if (at < len)
		fprintf(out, "TEST==\"%s\", ", program);
	for (; at < len; at = next_path(rule, len, from, &bytes)) {
		fwrite(rule + from, 1, at - from, out);
		fputs(program, out);
		from = at + bytes;
		count++;
	}
	fwrite(rule + from, 1, len - from, out);
	if (!count)
		return 0;
	fprintf(out, "%sTEST!=\"%s\", ", rule[len - 1] == '\n' ? "" : "\n", program);
	fwrite(rule, 1, len, out);
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
	for (size_t len; (len = rule_length(rules)); rules += len)
		count += rewrite_rule(rules, len, program, out);
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	*ret_count = count;
	return 0;
}
