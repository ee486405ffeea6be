/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The grammar as a table of what may follow what. Strings, comments and barewords end exactly
 * where libdevmapper ends them: if we took a brace for a character of a string and it did not, the
 * limit on depth would be worth nothing.
 */
#include "base/text_check.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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
	TOKEN_COUNT,
};

/* Where we are: the state names what was read last. */
enum state {
	STATE_BAD,
	STATE_ENTRY,	 /* between entries */
	STATE_KEY,	 /* a key was read */
	STATE_VALUE,	 /* "=" was read */
	STATE_LIST,	 /* "[" or "," was read: item or "]" */
	STATE_LIST_ITEM, /* an item was read */
	STATE_COUNT,
};

/* What may follow; all else is STATE_BAD. A comma may be missing, but not before a number. */
static const unsigned char next_state[STATE_COUNT][TOKEN_COUNT] = {
	[STATE_ENTRY][TOKEN_END] = STATE_ENTRY,
	[STATE_ENTRY][TOKEN_CLOSE] = STATE_ENTRY,
	[STATE_ENTRY][TOKEN_WORD] = STATE_KEY,
	[STATE_KEY][TOKEN_OPEN] = STATE_ENTRY,
	[STATE_KEY][TOKEN_EQUALS] = STATE_VALUE,
	[STATE_VALUE][TOKEN_LIST_OPEN] = STATE_LIST,
	[STATE_VALUE][TOKEN_WORD] = STATE_ENTRY,
	[STATE_VALUE][TOKEN_NUMBER] = STATE_ENTRY,
	[STATE_LIST][TOKEN_LIST_CLOSE] = STATE_ENTRY,
	[STATE_LIST][TOKEN_WORD] = STATE_LIST_ITEM,
	[STATE_LIST][TOKEN_NUMBER] = STATE_LIST_ITEM,
	[STATE_LIST_ITEM][TOKEN_LIST_CLOSE] = STATE_ENTRY,
	[STATE_LIST_ITEM][TOKEN_COMMA] = STATE_LIST,
	[STATE_LIST_ITEM][TOKEN_WORD] = STATE_LIST_ITEM,
};

/* What is wrong in each state when the wrong token comes. */
static const char *const complaint[STATE_COUNT] = {
	[STATE_ENTRY] = "expected a key",
	[STATE_KEY] = "expected \"=\" or \"{\" after a key",
	[STATE_VALUE] = "expected a value",
	[STATE_LIST] = "expected an item or \"]\" in a list",
	[STATE_LIST_ITEM] = "expected \",\" or \"]\" in a list",
};

/* What libdevmapper takes for an entry and for a value, without their strings; and how it rounds.
 */
#define ENTRY_BYTES 48U
#define VALUE_BYTES 32U
#define ROUND_BYTES 8U

struct scanner {
	const char *bytes;
	size_t len, at;
	size_t start; /* of the token in hand */
	enum state state;
	unsigned int depth;
	uint64_t tree_bytes; /* that the tree will take for what was read so far */
	bool is_config;
	bool has_entries;
	bool key_is_time; /* the last key was creation_time, whose value nobody needs */
	const char *what; /* first complaint */
};

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct scanner *scanner)
{
	while (scanner->at < scanner->len) {
		char c = scanner->bytes[scanner->at];

		if (c == '#')
			while (scanner->at < scanner->len && scanner->bytes[scanner->at] != '\n')
				scanner->at++;
		else if (is_space(c))
			scanner->at++;
		else
			return;
	}
}

static enum token scan_quoted(struct scanner *scanner, char quote)
{
	for (scanner->at++; scanner->at < scanner->len; scanner->at++) {
		char c = scanner->bytes[scanner->at];

		if (c == quote) {
			scanner->at++;
			return TOKEN_WORD;
		}
		if (c == '\\' && quote == '"' && scanner->at + 1 < scanner->len)
			scanner->at++;
	}
	scanner->what = "string without end";
	return TOKEN_END;
}

static bool fits_64_bits(const char *digits)
{
	long long value;

	errno = 0;
	value = strtoll(digits, NULL, 0);
	return !errno || (value != LLONG_MAX && value != LLONG_MIN);
}

/* Only decimal and (leading 0) octal integers in 64 bits; a float is digits with one dot. */
static enum token scan_number(struct scanner *scanner)
{
	const char *text = scanner->bytes + scanner->at;
	size_t left = scanner->len - scanner->at;
	size_t sign = *text == '-' || *text == '+' ? 1 : 0;
	size_t len = sign, dots = 0;
	bool is_octal, has_8_or_9 = false;
	char digits[64] = "";

	while (len < left && (is_digit(text[len]) || text[len] == '.')) {
		dots += text[len] == '.';
		has_8_or_9 |= text[len] == '8' || text[len] == '9';
		len++;
	}
	scanner->at += len;
	is_octal = len > sign + 1 && text[sign] == '0' && !dots;
	if (len - sign == dots || dots > 1 || len >= sizeof(digits) || (is_octal && has_8_or_9) ||
	    (len < left && !is_space(text[len]) && !strchr(",]}#", text[len]))) {
		scanner->what = "malformed number";
		return TOKEN_NUMBER;
	}
	memcpy(digits, text, len);
	if (!dots && !scanner->key_is_time && !fits_64_bits(digits))
		scanner->what = "number out of range";
	return TOKEN_NUMBER;
}

static enum token scan_bare(struct scanner *scanner)
{
	while (scanner->at < scanner->len && !is_space(scanner->bytes[scanner->at]) &&
	       !strchr("#={}", scanner->bytes[scanner->at]))
		scanner->at++;
	return TOKEN_WORD;
}

static enum token scan_token(struct scanner *scanner)
{
	static const char punctuation[] = "{}=[],";
	static const unsigned char token_of[] = {TOKEN_OPEN,	  TOKEN_CLOSE,	    TOKEN_EQUALS,
						 TOKEN_LIST_OPEN, TOKEN_LIST_CLOSE, TOKEN_COMMA};
	const char *found;
	char c;

	skip_blanks(scanner);
	scanner->start = scanner->at;
	if (scanner->at == scanner->len)
		return TOKEN_END;
	c = scanner->bytes[scanner->at];
	found = strchr(punctuation, c);
	if (found) {
		scanner->at++;
		return (enum token)token_of[found - punctuation];
	}
	if (c == '"' || c == '\'')
		return scan_quoted(scanner, c);
	if ((scanner->state == STATE_VALUE || scanner->state == STATE_LIST) &&
	    (is_digit(c) || strchr("+-.", c)))
		return scan_number(scanner);
	return scan_bare(scanner);
}

static void check_key(struct scanner *scanner)
{
	static const char time_key[] = "creation_time";
	const char *key = scanner->bytes + scanner->start;
	size_t len = scanner->at - scanner->start;

	if (*key == '"' || *key == '\'') {
		key++;
		len -= 2;
	}
	if (!len)
		scanner->what = "empty key";
	else if (!scanner->is_config && memchr(key, '/', len))
		scanner->what = "slash in a key";
	scanner->has_entries = true;
	scanner->key_is_time = len == sizeof(time_key) - 1 && !memcmp(key, time_key, len);
}

static void check_depth(struct scanner *scanner, enum token token)
{
	if (token == TOKEN_OPEN && ++scanner->depth > LEA_TEXT_MAX_DEPTH)
		scanner->what = "sections nested too deeply";
	else if (token == TOKEN_CLOSE && !scanner->depth)
		scanner->what = "\"}\" without a section";
	else if (token == TOKEN_CLOSE)
		scanner->depth--;
	else if (token == TOKEN_END && scanner->depth)
		scanner->what = "section without end";
}

/* Each part of a key with slashes is an entry of its own. */
static void check_memory(struct scanner *scanner, enum token token, enum state before)
{
	const char *text = scanner->bytes + scanner->start;
	size_t len = scanner->at - scanner->start;
	bool is_key = before == STATE_ENTRY && token == TOKEN_WORD;

	if (token == TOKEN_WORD)
		scanner->tree_bytes += len + ROUND_BYTES;
	if (token == TOKEN_NUMBER || (token == TOKEN_WORD && !is_key))
		scanner->tree_bytes += VALUE_BYTES;
	if (is_key)
		scanner->tree_bytes += ENTRY_BYTES;
	for (size_t i = 0; is_key && i < len; i++)
		if (text[i] == '/')
			scanner->tree_bytes += ENTRY_BYTES + ROUND_BYTES;
	if (scanner->tree_bytes > LEA_TEXT_MAX_TREE_BYTES)
		scanner->what = "text takes too much memory";
}

/* One token. False: the end was reached, or a complaint was made. */
static bool step(struct scanner *scanner)
{
	enum token token = scan_token(scanner);
	enum state next = (enum state)next_state[scanner->state][token];

	if (!scanner->what && next == STATE_BAD)
		scanner->what = complaint[scanner->state];
	if (!scanner->what)
		check_depth(scanner, token);
	if (!scanner->what && next == STATE_KEY)
		check_key(scanner);
	if (!scanner->what)
		check_memory(scanner, token, scanner->state);
	scanner->state = next;
	return !scanner->what && token != TOKEN_END;
}

int lea_text_check(const char *bytes, size_t len, const struct lea_text_options *options,
		   struct lea_why *why, bool *ret_has_entries)
{
	struct scanner scanner = {
		.bytes = bytes, .len = len, .state = STATE_ENTRY, .is_config = options->is_config};

	while (step(&scanner))
		;
	if (!scanner.what) {
		*ret_has_entries = scanner.has_entries;
		return 0;
	}
	lea_why_set(why, scanner.what, scanner.start);
	return LEA_TEXT_REFUSED;
}
