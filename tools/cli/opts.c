/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser of the option tables. As in lvm2, hyphens inside a long name are optional, a name may
 * be abbreviated while it stays unique, and options may follow arguments.
 */
#include "cli/opts.h"

#include "base/cleanup.h"
#include "base/suggest.h"
#include "cli/columns.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct parse {
	struct lea_opts *opts;
	int argc, next; /* next: index of the next argument */
	char **argv;
	char *why;
};

static int bad(struct parse *parse, const char *name, const char *what)
{
	snprintf(parse->why, 256, "option '%.64s' %s", name, what);
	return LEA_OPTS_BAD;
}

static void *member(const struct parse *parse, const struct lea_opt *row)
{
	return (char *)parse->opts->values + row->offset;
}

static int append(struct lea_list *list, const char *item)
{
	const char **grown = realloc(list->item, (list->count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	list->item = grown;
	grown[list->count++] = item;
	list->defined = true;
	return 0;
}

/* Copies the piece: the real lvm may need argv unchanged later. */
static int append_copy(struct lea_list *list, const char *piece, size_t len)
{
	char *item = strndup(piece, len);
	int r = item ? append(list, item) : -ENOMEM;

	if (r)
		free(item);
	return r;
}

/* A value without a piece is one empty piece, as in lvm2: an option that is given, as by a script
 * whose variable is empty, never means all. */
static int append_split(struct lea_list *list, const char *items)
{
	int r = items[strspn(items, ",")] ? 0 : append_copy(list, "", 0);

	while (!r && *items) {
		const size_t len = strcspn(items, ",");

		r = len ? append_copy(list, items, len) : 0;
		items += len + (items[len] == ',');
	}
	return r;
}

static int bad_value(struct parse *parse, const struct lea_opt *row, const char *value)
{
	snprintf(parse->why, 256, "Invalid argument for --%s: %.128s", row->name, value);
	return LEA_OPTS_BAD;
}

static bool is_number(const char *value)
{
	return value[0] && !value[strspn(value, "0123456789")] && strlen(value) < 10;
}

static bool has_value(const struct lea_opt *row)
{
	return row->type != LEA_OPT_FLAG && row->type != LEA_OPT_COUNT;
}

static bool is_repeatable(const struct lea_opt *row)
{
	return row->type == LEA_OPT_COUNT || row->type == LEA_OPT_LIST ||
	       row->type == LEA_OPT_NUMBERS;
}

static int bad_repeat(struct parse *parse, const struct lea_opt *row)
{
	const char letter[] = {'-', row->letter, '/', '\0'};

	snprintf(parse->why, 256, "Option %s--%s may not be repeated.", row->letter ? letter : "",
		 row->name);
	return LEA_OPTS_BAD;
}

static int store(struct parse *parse, const struct lea_opt *row, char *value)
{
	uint64_t bit = 1ULL << (row - parse->opts->row);

	if (parse->opts->given & bit && !is_repeatable(row))
		return bad_repeat(parse, row);
	parse->opts->given |= bit;
	switch (row->type) {
	case LEA_OPT_FLAG:
	case LEA_OPT_COUNT:
		++*(unsigned int *)member(parse, row);
		return 0;
	case LEA_OPT_YES_NO:
		if (strcmp(value, "y") && strcmp(value, "n"))
			return bad_value(parse, row, value);
		break;
	case LEA_OPT_NUMBERS:
		if (!is_number(value))
			return bad_value(parse, row, value);
		return append(member(parse, row), value);
	case LEA_OPT_LIST:
		return append_split(member(parse, row), value);
	case LEA_OPT_STRING:
		break;
	}
	*(const char **)member(parse, row) = value;
	return 0;
}

/* Compares @typed[0..len) with a name, ignoring hyphens in both. Returns 2: equal, 1: prefix, 0: no
 * match. */
static int match(const char *typed, size_t len, const char *name)
{
	const char *end = typed + len;

	for (;; typed++, name++) {
		while (typed < end && *typed == '-')
			typed++;
		while (*name == '-')
			name++;
		if (typed == end)
			return *name ? 1 : 2;
		if (*typed != *name)
			return 0;
	}
}

/* Returns NULL for an unknown or an ambiguous name. */
static const struct lea_opt *find_long(const struct lea_opts *opts, const char *typed, size_t len)
{
	const struct lea_opt *found = NULL;
	bool is_ambiguous = false;

	for (size_t i = 0; i < opts->count; i++) {
		int quality = match(typed, len, opts->row[i].name);

		if (quality == 2)
			return &opts->row[i];
		is_ambiguous |= quality == 1 && found;
		if (quality == 1)
			found = &opts->row[i];
	}
	return is_ambiguous ? NULL : found;
}

static const struct lea_opt *find_letter(const struct lea_opts *opts, char letter)
{
	for (size_t i = 0; i < opts->count; i++)
		if (opts->row[i].letter && opts->row[i].letter == letter)
			return &opts->row[i];
	return NULL;
}

static int unknown(struct parse *parse, const char *arg)
{
	char name[64] = "";
	struct lea_suggestion suggestion = {.word = name};

	if (arg[1] == '-')
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(arg + 2, "="), arg + 2);
	for (size_t i = 0; i < parse->opts->count; i++)
		if (parse->opts->row[i].help)
			lea_suggest(&suggestion, parse->opts->row[i].name);
	snprintf(parse->why, 256, "unrecognized option '%.128s'%s%s%s", arg,
		 suggestion.best ? "; did you mean --" : "",
		 suggestion.best ? suggestion.best : "", suggestion.best ? "?" : "");
	return LEA_OPTS_UNKNOWN;
}

static int parse_long(struct parse *parse, char *arg)
{
	char *typed = arg + 2, *equals = strchr(typed, '=');
	size_t len = equals ? (size_t)(equals - typed) : strlen(typed);
	const struct lea_opt *row = find_long(parse->opts, typed, len);
	char *value = equals ? equals + 1 : NULL;

	if (!row)
		return unknown(parse, arg);
	if (!has_value(row) && value)
		return bad(parse, arg, "doesn't allow an argument");
	if (has_value(row) && !value) {
		if (parse->next >= parse->argc)
			return bad(parse, arg, "requires an argument");
		value = parse->argv[parse->next++];
	}
	return store(parse, row, value);
}

/* "-vvt", "-aay", "-a ay" */
static int parse_letters(struct parse *parse, char *arg)
{
	int r;

	for (char *at = arg + 1; *at; at++) {
		const struct lea_opt *row = find_letter(parse->opts, *at);
		const char letter[] = {'-', *at, '\0'};
		char *value = at + 1;

		if (!row)
			return unknown(parse, arg);
		if (has_value(row)) {
			if (!*value && parse->next >= parse->argc)
				return bad(parse, letter, "requires an argument");
			return store(parse, row, *value ? value : parse->argv[parse->next++]);
		}
		r = store(parse, row, NULL);
		if (r)
			return r;
	}
	return 0;
}

int lea_opts_parse(struct lea_opts *opts, int argc, char *argv[], char why[static 256])
{
	struct parse parse = {.opts = opts, .argc = argc, .argv = argv, .next = 1, .why = why};
	bool only_arguments = false;
	int r = 0;

	why[0] = '\0';
	while (!r && parse.next < argc) {
		char *arg = argv[parse.next++];

		if (only_arguments || arg[0] != '-' || !arg[1] ||
		    (opts->takes_numbers && is_number(arg + 1)))
			r = append(&opts->positional, arg);
		else if (!strcmp(arg, "--"))
			only_arguments = true;
		else if (arg[1] == '-')
			r = parse_long(&parse, arg);
		else
			r = parse_letters(&parse, arg);
	}
	return r;
}

static void free_list(struct lea_list *list, bool owns_items)
{
	for (uint32_t i = 0; owns_items && i < list->count; i++) {
		/* copies made by append_split; const only for readers of the list */
		free((void *)(uintptr_t)list->item[i]);
	}
	free(list->item);
	*list = (struct lea_list){0};
}

void lea_opts_done(struct lea_opts *opts)
{
	for (size_t i = 0; i < opts->count; i++) {
		const struct lea_opt *row = &opts->row[i];
		void *list = (char *)opts->values + row->offset;

		if (row->type == LEA_OPT_LIST || row->type == LEA_OPT_NUMBERS)
			free_list(list, row->type == LEA_OPT_LIST);
	}
	free_list(&opts->positional, false);
}

const struct lea_opt *lea_opts_stray(const struct lea_opts *opts, uint32_t form)
{
	for (size_t i = 0; i < opts->count; i++)
		if (opts->given & 1ULL << i && opts->row[i].forms != LEA_OPT_ALL &&
		    !(opts->row[i].forms & form))
			return &opts->row[i];
	return NULL;
}

const char *lea_opt_value(const struct lea_opts *opts, const struct lea_opt *opt)
{
	const char *const *value =
		(const char *const *)(const void *)((const char *)opts->values + opt->offset);

	switch (opt->type) {
	case LEA_OPT_STRING:
	case LEA_OPT_YES_NO:
		return *value;
	case LEA_OPT_FLAG:
	case LEA_OPT_COUNT:
	case LEA_OPT_LIST:
	case LEA_OPT_NUMBERS:
		return NULL;
	}
	return NULL;
}

static void print_help(struct lea_columns *table, const struct lea_opt *row)
{
	char letter[8] = "    ";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	lea_columns_cell(table, "%s--%s%s%s", letter, row->name, row->value_name ? " " : "",
			 row->value_name ? row->value_name : "");
	lea_columns_cell(table, "%s", row->help);
}

void lea_opts_help(const struct lea_opts *opts, FILE *out)
{
	struct lea_columns table;

	for (lea_columns_begin(&table, out, "ll"); lea_columns_pass(&table);)
		for (size_t i = 0; i < opts->count; i++)
			if (opts->row[i].help)
				print_help(&table, &opts->row[i]);
}
