/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "unit/suite.h"

#include <string.h>

static const struct lea_text_options metadata = {.max_bytes = 65536};
static const struct lea_text_options config = {.max_bytes = 65536, .is_config = true};

#define TIMES16(x) x x x x x x x x x x x x x x x x

static const struct {
	const char *claim, *text;
	int at; /* -1: accepted; otherwise the offset in the complaint */
} rows[] = {
	{"nothing at all", "", -1},
	{"blanks and comments", " \t\r\n\v\f# { \" [\n", -1},
	{"a comment without a newline", "a=1#{", -1},
	{"values and sections", "a=1 b{c=\"x\"d=[]}e=[1,\"y\",'z']", -1},
	{"a comma after the last item", "a=[1,]", -1},
	{"no commas between strings", "a=[\"x\" \"y\"]", -1},
	{"two commas in a row", "a=[1,,2]", 5},
	{"a list in a list", "a=[[1]]", 3},
	{"a number without a comma before", "a=[\"x\" {", 7},
	{"16 sections deep", TIMES16("a{") TIMES16("}"), -1},
	{"17 sections deep",
	 TIMES16("a{") "a{"
		       "}" TIMES16("}"),
	 33},
	{"braces in strings don't count", "a=\"" TIMES16("{{") "\"", -1},
	{"braces in comments don't count", "#" TIMES16("{{"), -1},
	{"an escaped quote doesn't end a string", "a=\"\\\"{\"", -1},
	{"single quotes know no escapes", "a='\\' b=1", -1},
	{"a section without end", "a{b=1", 5},
	{"one end too many", "a{}}", 3},
	{"a string without end", "a=\"x", 2},
	{"a list without end", "a=[1", 4},
	{"a key alone", "a", 1},
	{"a key without a value", "a=\nb=1", 4},
	{"a value without a key", "=1", 0},
	{"a slash in a key", "a/b=1", 0},
	{"a slash in a quoted key", "\"a/b\"=1", 0},
	{"an empty key", "\"\"=1", 0},
	{"the largest integer", "a=9223372036854775807", -1},
	{"one more", "a=9223372036854775808", 2},
	{"the smallest", "a=-9223372036854775808", -1},
	{"octal", "a=020000", -1},
	{"no octal", "a=08", 2},
	{"a lone sign", "a=-", 2},
	{"a float", "a=1.5", -1},
	{"two dots", "a=1.5.2", 2},
	{"letters behind digits", "a=12b=3", 2},
	{"hexadecimal", "a=0x10", 2},
	{"a bareword", "a=async-unsafe b=1", -1},
	{"the time of creation may be anything", "creation_time=99999999999999999999 b=1", -2},
};

TEST_EACH(each_text_is_parsed_or_refused_where_it_is_wrong, rows)
{
	int r;
	struct lea_text_tree *tree = NULL;
	struct lea_why why = {NULL, 0};

	r = lea_text_parse(rows[_i].text, strlen(rows[_i].text), &metadata, &why, &tree);
	if (rows[_i].at == -1)
		ck_assert_msg(r == 0, "%s: %s at %d", rows[_i].claim, why.what, (int)why.at);
	else if (rows[_i].at >= 0)
		ck_assert_msg(r == LEA_TEXT_REFUSED && why.at == (uint64_t)rows[_i].at,
			      "%s: %s at %d", rows[_i].claim, why.what, (int)why.at);
	lea_text_free(tree);
}

TEST(entries_keep_the_order_of_the_text)
{
	static const char text[] = "one=1 two=2 s { x=1 y { } z=3 } s { w=1 } three=3";
	static const char *const keys[] = {"one", "two", "s", "s", "three"};
	const struct lea_text *entry, *section;
	struct lea_text_tree *tree;
	size_t i = 0;

	ck_assert_int_eq(lea_text_parse(text, sizeof(text) - 1, &metadata, NULL, &tree), 0);
	for (entry = tree->root; entry; entry = entry->next)
		ck_assert_str_eq(entry->key, keys[i++]);
	ck_assert_uint_eq(i, 5);
	section = lea_text_find(tree->root, "s");
	ck_assert(lea_text_is_section(section));
	entry = section->child;
	ck_assert_str_eq(entry->key, "x");
	ck_assert_msg(lea_text_is_section(entry->next), "an empty section is a section");
	ck_assert_ptr_null(entry->next->child);
	ck_assert_str_eq(entry->next->next->key, "z");
	lea_text_free(tree);
}

TEST(each_kind_of_value_is_read)
{
	static const char text[] =
		"i=-7 o=020000 f=1.5 s=\"a\\\"b\\\\c\\n\" l=[\"x\",5] e=[] i=8 n{}";
	const struct lea_value *value;
	const struct lea_text *root;
	struct lea_text_tree *tree;
	const char *string = NULL;
	int64_t number = 0;

	ck_assert_int_eq(lea_text_parse(text, sizeof(text) - 1, &metadata, NULL, &tree), 0);
	root = tree->root;
	ck_assert_int_eq(lea_text_int(root, "i", -7, 0, &number), 0);
	ck_assert_msg(number == -7, "the first of two keys counts");
	ck_assert_int_eq(lea_text_int(root, "i", -6, 0, &number), LEA_TEXT_MALFORMED);
	ck_assert_int_eq(lea_text_int(root, "o", 0, INT64_MAX, &number), 0);
	ck_assert_int_eq(number, 8192);
	ck_assert_int_eq(lea_text_int(root, "f", 0, 9, &number), LEA_TEXT_MALFORMED);
	ck_assert_int_eq(lea_text_int(root, "s", 0, 9, &number), LEA_TEXT_MALFORMED);
	ck_assert_int_eq(lea_text_int(root, "n", 0, 9, &number), LEA_TEXT_MALFORMED);
	ck_assert_int_eq(lea_text_int(root, "absent", 0, 9, &number), LEA_TEXT_ABSENT);
	ck_assert_int_eq(lea_text_string(root, "s", &string), 0);
	ck_assert_str_eq(string, "a\"b\\c\\n");
	ck_assert_int_eq(lea_text_string(root, "i", &string), LEA_TEXT_MALFORMED);
	value = lea_text_values(lea_text_find(root, "l"));
	ck_assert_str_eq(value->string, "x");
	value = value->next;
	ck_assert_ptr_null(value->string);
	ck_assert(lea_value_int(value, &number) && number == 5);
	ck_assert_ptr_null(value->next);
	ck_assert_msg(!lea_text_values(lea_text_find(root, "e")), "an empty list has no values");
	ck_assert(!lea_text_is_section(lea_text_find(root, "e")));
	lea_text_free(tree);
}

TEST(repeated_sections_of_a_configuration_are_one)
{
	static const char text[] = "devices { a = 1 }\ndevices { b = 2 }\nlog/level = 7\n";
	const struct lea_text *root, *entry;
	struct lea_text_tree *tree;

	ck_assert_int_eq(lea_text_parse(text, sizeof(text) - 1, &config, NULL, &tree), 0);
	root = tree->root;
	entry = lea_text_find(root, "devices");
	ck_assert_ptr_nonnull(entry);
	ck_assert_msg(lea_text_find(entry->child, "b") != NULL, "repeated sections are one");
	ck_assert_ptr_nonnull(lea_text_find(entry->child, "a"));
	entry = lea_text_find(root, "log");
	ck_assert_ptr_nonnull(entry);
	ck_assert_msg(lea_text_find(entry->child, "level") != NULL, "a slash makes a section");
	ck_assert_ptr_null(lea_text_find(entry->child, "leve"));
	lea_text_free(tree);
}

TEST(a_text_is_read_to_its_end_and_no_further)
{
	static const char text[] = "a = 1\n\0}";
	struct lea_why why;
	struct lea_text_tree *tree;

	ck_assert_int_eq(lea_text_parse(text, sizeof(text), &metadata, NULL, &tree), 0);
	lea_text_free(tree);
	/* A digit may be the last byte: the parser must not read beyond it. */
	ck_assert_int_eq(lea_text_parse("a=12345", 4, &metadata, NULL, &tree), 0);
	ck_assert_int_eq(lea_text_int(tree->root, "a", 12, 12, &(int64_t){0}), 0);
	lea_text_free(tree);
	ck_assert_int_eq(
		lea_text_parse("a=1", 3, &(struct lea_text_options){.max_bytes = 2}, &why, &tree),
		LEA_TEXT_REFUSED);
	ck_assert_uint_eq(lea_text_line_at("a\nb\nc", 5, 4), 3);
	ck_assert_uint_eq(lea_text_line_at("a\nb\nc", 5, 0), 1);
}
