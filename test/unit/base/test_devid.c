/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/devid.h"
#include "base/err.h"
#include "unit/suite.h"

static const struct {
	struct lea_devid id;
	const char *text;
} rows[] = {
	{{8, 16, 42}, "8:16-42"},
	{{253, 0, 0}, "253:0-0"},
	{{UINT32_MAX, UINT32_MAX, UINT64_MAX}, "4294967295:4294967295-18446744073709551615"},
};

TEST_EACH(an_id_survives_the_way_through_text, rows)
{
	char text[LEA_DEVID_TEXT_BYTES];
	struct lea_devid id;

	lea_devid_format(&rows[_i].id, text);
	ck_assert_str_eq(text, rows[_i].text);
	ck_assert(lea_devid_parse(text, &id));
	ck_assert(lea_devid_is_same(&id, &rows[_i].id));
}

static const struct {
	const char *text;
	size_t taken; /* characters of the number; 0: it is none */
	bool is_whole;
} numbers[] = {
	{"8:16", 4, true},
	{"0:0", 3, true},
	{"8:16\n", 4, true},
	{"4294967295:4294967295", 21, true},
	{"8:16-42", 4, false},
	{"8:16\nvg:one\n", 4, false},
	{"8:16 ", 4, false},
	{"8:16x", 4, false},
	{"8:16:1", 4, false},
	{"", 0, false},
	{"8", 0, false},
	{"8:", 0, false},
	{":16", 0, false},
	{" 8:16", 0, false},
	{"8: 16", 0, false},
	{"+8:16", 0, false},
	{"8:-16", 0, false},
	{"4294967296:16", 0, false},
	{"8:4294967296", 0, false},
	{"8:99999999999999999999999", 0, false},
	{"sdb", 0, false},
	{"/dev/sdb", 0, false},
};

TEST_EACH(a_number_has_one_form, numbers)
{
	struct lea_devno taken = {1, 2}, whole = {1, 2};
	const char *at = numbers[_i].text;

	ck_assert_int_eq(lea_devno_take(&at, &taken), numbers[_i].taken != 0);
	ck_assert_uint_eq((size_t)(at - numbers[_i].text), numbers[_i].taken);
	ck_assert_int_eq(lea_devno_parse(numbers[_i].text, &whole), numbers[_i].is_whole);
	if (!numbers[_i].taken)
		ck_assert_msg(taken.major == 1 && taken.minor == 2, "it stays");
	if (!numbers[_i].is_whole)
		ck_assert_msg(whole.major == 1 && whole.minor == 2, "it stays");
	else
		ck_assert_msg(whole.major == taken.major && whole.minor == taken.minor, "the same");
}

static const char *const others[] = {
	"",
	"8",
	"8:16",
	"8:16-",
	"8:16--UUID",
	"8:16-42-UUID",
	"8:16-42 ",
	" 8:16-42",
	"8: 16-42",
	"+8:16-42",
	"8:-16-42",
	"8:16--42",
	"08:16-42",
	"8:0x10-42",
	"4294967296:16-42",
	"8:16-18446744073709551616",
	"8:16-42.tmp",
};

TEST_EACH(any_other_text_is_refused, others)
{
	struct lea_devid id = {1, 2, 3};

	ck_assert_msg(!lea_devid_parse(others[_i], &id), "\"%s\"", others[_i]);
	ck_assert_msg(lea_devid_is_same(&id, &(struct lea_devid){1, 2, 3}), "it stays");
}

static const struct lea_devid unlike[] = {{8, 16, 6}, {8, 17, 5}, {9, 16, 5}, {16, 8, 5}};

TEST_EACH(ids_that_differ_in_one_number_are_not_the_same, unlike)
{
	const struct lea_devid one = {8, 16, 5};

	ck_assert(lea_devid_is_same(&one, &one));
	ck_assert(!lea_devid_is_same(&one, &unlike[_i]));
}

static const struct lea_devid sorted[] = {{7, 300, 9}, {8, 0, 5}, {8, 16, 1}, {8, 16, 2}};

TEST(ids_are_ordered_by_numbers_then_by_instance)
{
	for (size_t i = 0; i < ARRAY_SIZE(sorted); i++)
		for (size_t k = 0; k < ARRAY_SIZE(sorted); k++) {
			const int order = lea_devid_compare(&sorted[i], &sorted[k]);

			ck_assert_int_eq((order > 0) - (order < 0), (i > k) - (i < k));
		}
}
