/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A parser by descent, which goes no deeper than LEA_TEXT_MAX_DEPTH. Nodes and strings are in one
 * arena, whose limit bounds what a hostile text can use.
 */
#include "base/text.h"

#include "base/arena.h"
#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n\v\f\r"

/* What a character is to the scanner. */
enum kind { OTHER, BLANK, PUNCTUATION, SIGN, DIGIT };

static const unsigned char kinds[256] = {
	[' '] = BLANK,	     ['\t'] = BLANK,	  ['\n'] = BLANK,      ['\v'] = BLANK,
	['\f'] = BLANK,	     ['\r'] = BLANK,	  ['{'] = PUNCTUATION, ['}'] = PUNCTUATION,
	['='] = PUNCTUATION, ['['] = PUNCTUATION, [']'] = PUNCTUATION, [','] = PUNCTUATION,
	['+'] = SIGN,	     ['-'] = SIGN,	  ['.'] = DIGIT,       ['0' ... '9'] = DIGIT,
};

static struct lea_value empty_list; /* stands for the values of an empty list */

enum token {
	TOKEN_END,
	TOKEN_OPEN,
	TOKEN_CLOSE,
	TOKEN_EQUALS,
	TOKEN_LIST_OPEN,
	TOKEN_LIST_CLOSE,
	TOKEN_COMMA,
	TOKEN_WORD, /* bare or quoted */
	TOKEN_NUMBER,
};

struct parser {
	const char *text;  /* a copy that ends in NUL */
	const char *at;	   /* in it */
	const char *start; /* of the current token */
	struct lea_arena *arena;
	bool is_config;
	const char *what; /* first complaint */
};

/* False, for the caller to return. */
static bool complain(struct parser *parser, const char *what)
{
	if (!parser->what)
		parser->what = what;
	return false;
}

static void *allocate(struct parser *parser, size_t bytes)
{
	void *memory = lea_arena_alloc(parser->arena, 1, bytes);

	if (lea_arena_is_full(parser->arena))
		complain(parser, "text takes too much memory");
	return memory;
}

static enum kind kind_of(char c)
{
	return (enum kind)kinds[(unsigned char)c];
}

/* Most runs are short, so a loop takes less time than strspn. */
static const char *skip(const char *at, enum kind kind)
{
	while (kind_of(*at) == kind)
		at++;
	return at;
}

static void skip_blanks(struct parser *parser)
{
	parser->at = skip(parser->at, BLANK);
	while (*parser->at == '#') {
		parser->at += strcspn(parser->at, "\n");
		parser->at = skip(parser->at, BLANK);
	}
}

static enum token scan_quoted(struct parser *parser)
{
	const char quote = *parser->at++;

	while (*parser->at && *parser->at != quote)
		parser->at += *parser->at == '\\' && quote == '"' && parser->at[1] ? 2 : 1;
	if (!*parser->at) {
		complain(parser, "string without end");
		return TOKEN_END;
	}
	parser->at++;
	return TOKEN_WORD;
}

static enum token next_token(struct parser *parser, bool may_be_number)
{
	static const char punctuation[] = "{}=[],"; /* in the order of enum token */
	enum kind kind;

	skip_blanks(parser);
	parser->start = parser->at;
	if (!*parser->at)
		return TOKEN_END;
	if (*parser->at == '"' || *parser->at == '\'')
		return scan_quoted(parser);
	kind = kind_of(*parser->at);
	if (kind == PUNCTUATION)
		return (enum token)(TOKEN_OPEN +
				    (strchr(punctuation, *parser->at++) - punctuation));
	if (may_be_number && (kind == SIGN || kind == DIGIT)) {
		parser->at = skip(parser->at + 1, DIGIT);
		return TOKEN_NUMBER;
	}
	parser->at += strcspn(parser->at, BLANKS "#={}");
	return TOKEN_WORD;
}

static bool is_quoted(const struct parser *parser)
{
	return *parser->start == '"' || *parser->start == '\'';
}

/* The current word as a string. In double quotes, a backslash escapes a quote or a backslash. */
static char *copy_word(struct parser *parser)
{
	const bool quote = is_quoted(parser);
	const char *from = parser->start + quote, *end = parser->at - quote;
	char *copy = allocate(parser, (size_t)(end - from) + 1), *to = copy;

	if (copy && !memchr(from, '\\', (size_t)(end - from)))
		return memcpy(copy, from, (size_t)(end - from));
	while (copy && from < end) {
		if (*parser->start == '"' && *from == '\\' && (from[1] == '"' || from[1] == '\\'))
			from++;
		*to++ = *from++;
	}
	return copy;
}

/* Accepts decimal and octal (leading 0) integers of 64 bits, and floats: digits with one dot. */
static bool read_number(struct parser *parser, const struct lea_text *entry,
			struct lea_value *value)
{
	size_t digits = 0, dots = 0;
	char *end;

	for (const char *at = parser->start; at < parser->at; at++) {
		digits += *at >= '0' && *at <= '9';
		dots += *at == '.';
	}
	errno = 0;
	value->number = strtoll(parser->start, &end, 0);
	value->is_int = !dots;
	if (!digits || dots > 1 || (!dots && end != parser->at) ||
	    !strchr(BLANKS ",]}#", *parser->at))
		return complain(parser, "malformed number");
	/* The time is not used, and a wrong clock may have written it. */
	if (errno && !dots && strcmp(entry->key, "creation_time") != 0)
		return complain(parser, "number out of range");
	return true;
}

static bool add_value(struct parser *parser, const struct lea_text *entry, enum token token,
		      struct lea_value **place)
{
	struct lea_value *value = allocate(parser, sizeof(*value));

	if (!value)
		return false;
	*place = value;
	if (token == TOKEN_NUMBER)
		return read_number(parser, entry, value);
	value->string = copy_word(parser);
	return value->string;
}

/* A comma may be missing before a string in quotes. */
static bool parse_list(struct parser *parser, struct lea_text *entry)
{
	struct lea_value **end = &entry->values;
	enum token token;

	*end = &empty_list;
	while ((token = next_token(parser, true)) == TOKEN_WORD || token == TOKEN_NUMBER) {
		do {
			if (!add_value(parser, entry, token, end))
				return false;
			end = &(*end)->next;
			token = next_token(parser, false);
		} while (token == TOKEN_WORD && is_quoted(parser));
		if (token == TOKEN_LIST_CLOSE)
			return true;
		if (token != TOKEN_COMMA)
			return complain(parser, "expected \",\" or \"]\" in a list");
	}
	return token == TOKEN_LIST_CLOSE || complain(parser, "expected an item or \"]\" in a list");
}

static bool parse_value(struct parser *parser, struct lea_text *entry)
{
	const enum token token = next_token(parser, true);

	if (token == TOKEN_LIST_OPEN)
		return parse_list(parser, entry);
	if (token != TOKEN_WORD && token != TOKEN_NUMBER)
		return complain(parser, "expected a value");
	return add_value(parser, entry, token, &entry->values);
}

static struct lea_text *add_entry(struct parser *parser, struct lea_text *parent, const char *key)
{
	struct lea_text *entry = allocate(parser, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->key = key;
	*(parent->child ? &parent->last_child->next : &parent->child) = entry;
	parent->last_child = entry;
	return entry;
}

/* In a configuration each part of the key is a section, and what exists is used again. The search
 * costs n^2 in all, so metadata does without. */
static struct lea_text *find_or_add(struct parser *parser, struct lea_text *parent, char *key)
{
	struct lea_text *entry = parent;

	for (char *part = key, *next; entry && part; part = next) {
		part += strspn(part, "/");
		next = strchr(part, '/');
		if (next)
			*next++ = '\0';
		parent = entry;
		for (entry = parent->child; entry && strcmp(entry->key, part) != 0;)
			entry = entry->next;
		if (!entry)
			entry = add_entry(parser, parent, part);
	}
	return entry;
}

/* The current word is a key of @parent. */
static struct lea_text *find_place(struct parser *parser, struct lea_text *parent)
{
	char *key = copy_word(parser);

	if (!key)
		return NULL;
	if (!key[0]) {
		complain(parser, "empty key");
		return NULL;
	}
	if (parser->is_config)
		return find_or_add(parser, parent, key);
	if (strchr(key, '/')) {
		complain(parser, "slash in a key");
		return NULL;
	}
	return add_entry(parser, parent, key);
}

static struct lea_text *take_key(struct parser *parser, struct lea_text *parent)
{
	struct lea_text *entry = find_place(parser, parent);

	if (entry)
		entry->at = (uint32_t)(parser->start - parser->text);
	return entry;
}

/* Reads the entries of @section, up to its end. False after a complaint. */
static bool parse_section(struct parser *parser, struct lea_text *section, unsigned int depth)
{
	enum token token;

	while ((token = next_token(parser, false)) == TOKEN_WORD) {
		struct lea_text *entry = take_key(parser, section);

		if (!entry)
			return false;
		token = next_token(parser, false);
		if (token != TOKEN_OPEN && token != TOKEN_EQUALS)
			return complain(parser, "expected \"=\" or \"{\" after a key");
		if (token == TOKEN_OPEN && depth == LEA_TEXT_MAX_DEPTH)
			return complain(parser, "sections nested too deeply");
		if (token == TOKEN_OPEN ? !parse_section(parser, entry, depth + 1)
					: !parse_value(parser, entry))
			return false;
	}
	if (token == TOKEN_END)
		return depth ? complain(parser, "section without end") : !parser->what;
	if (token == TOKEN_CLOSE)
		return depth ? true : complain(parser, "\"}\" without a section");
	return complain(parser, "expected a key");
}

int lea_text_parse(const char *bytes, size_t len_bytes, const struct lea_text_options *options,
		   struct lea_why *why, struct lea_text_tree **ret_tree)
{
	LEA_AUTO(lea_text_freep) struct lea_text_tree *tree = calloc(1, sizeof(*tree));
	struct parser parser = {.is_config = options->is_config};
	struct lea_text top = {0};
	LEA_AUTO(lea_freep) char *text = NULL;

	if (len_bytes > options->max_bytes) {
		lea_why_set(why, "text too long", options->max_bytes);
		return LEA_TEXT_REFUSED;
	}
	text = strndup(bytes, len_bytes);
	if (tree)
		tree->memory = parser.arena = lea_arena_new(LEA_TEXT_MAX_TREE_BYTES);
	if (!text || !parser.arena)
		return -ENOMEM;
	parser.text = parser.at = text;
	if (parse_section(&parser, &top, 0)) {
		tree->root = top.child;
		*ret_tree = LEA_TAKE(tree);
		return 0;
	}
	if (!parser.what)
		return -ENOMEM;
	lea_why_set(why, parser.what, (uint64_t)(parser.start - text));
	return LEA_TEXT_REFUSED;
}

void lea_text_free(struct lea_text_tree *tree)
{
	if (!tree)
		return;
	lea_arena_free(tree->memory);
	free(tree);
}

unsigned int lea_text_line_at(const char *bytes, size_t len_bytes, uint64_t at)
{
	unsigned int line = 1;

	for (size_t i = 0; i < len_bytes && i < at; i++)
		if (bytes[i] == '\n')
			line++;
	return line;
}

bool lea_text_is_section(const struct lea_text *entry)
{
	return !entry->values;
}

const struct lea_text *lea_text_find(const struct lea_text *first, const char *key)
{
	/* The first character saves most calls of strcmp. */
	while (first && (first->key[0] != key[0] || strcmp(first->key, key) != 0))
		first = first->next;
	return first;
}

int lea_text_int(const struct lea_text *first, const char *key, int64_t min, int64_t max,
		 int64_t *ret_value)
{
	const struct lea_text *entry = lea_text_find(first, key);
	int64_t number;

	if (!entry)
		return LEA_TEXT_ABSENT;
	if (!entry->values || !lea_value_int(entry->values, &number) || number < min ||
	    number > max)
		return LEA_TEXT_MALFORMED;
	*ret_value = number;
	return 0;
}

int lea_text_string(const struct lea_text *first, const char *key, const char **ret_string)
{
	const struct lea_text *entry = lea_text_find(first, key);

	if (!entry)
		return LEA_TEXT_ABSENT;
	if (!entry->values || !entry->values->string)
		return LEA_TEXT_MALFORMED;
	*ret_string = entry->values->string;
	return 0;
}

const struct lea_value *lea_text_values(const struct lea_text *entry)
{
	return entry->values == &empty_list ? NULL : entry->values;
}

bool lea_value_int(const struct lea_value *value, int64_t *ret_value)
{
	if (!value->is_int)
		return false;
	*ret_value = value->number;
	return true;
}
