/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/suggest.h"

#include "unit/suite.h"

#include <string.h>

static const char *const names[] = {"status", "explain", "wait", "plan", "inventory", "vgchange"};

static const struct {
	const char *word, *best; /* NULL: none */
	unsigned int errors;
} words[] = {
	{"stauts", "status", 1},   {"stats", "status", 1},    {"stat", "status", 2}, {"statuss", "status", 1},
	{"explian", "explain", 1}, {"expain", "explain", 1},  {"eplian", "explain", 2},
	{"wiat", "wait", 1},	   {"pln", "plan", 1},	      {"inv", "inventory", 6},
	{"vgchnge", "vgchange", 1}, {"vgchnage", "vgchange", 1}, {"vgscan", NULL, 0},
	{"lvs", NULL, 0},	   {"boot", NULL, 0},	      {"needed", NULL, 0},
	{"p", NULL, 0},		   {"", NULL, 0},
};

TEST_EACH(the_likely_name_is_found, words)
{
	struct lea_suggestion suggestion = {.word = words[_i].word};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		lea_suggest(&suggestion, names[i]);
	if (!words[_i].best) {
		ck_assert_msg(!suggestion.best, "%s: %s", words[_i].word, suggestion.best);
		return;
	}
	ck_assert_ptr_nonnull(suggestion.best);
	ck_assert_str_eq(suggestion.best, words[_i].best);
	ck_assert_uint_eq(suggestion.errors, words[_i].errors);
}

TEST(long_words_are_not_compared)
{
	struct lea_suggestion suggestion;
	char word[200], name[200];

	memset(word, 'a', sizeof(word));
	memset(name, 'a', sizeof(name));
	word[48] = name[48] = '\0';
	name[47] = 'b';
	suggestion = (struct lea_suggestion){.word = word};
	lea_suggest(&suggestion, name);
	ck_assert_ptr_eq(suggestion.best, name);
	word[48] = 'a';
	word[199] = '\0';
	suggestion = (struct lea_suggestion){.word = word};
	lea_suggest(&suggestion, name);
	ck_assert_ptr_null(suggestion.best);
}
