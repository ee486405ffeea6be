/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which LVs are meant: flags, properties, lists. */
#include "policy/select.h"
#include "unit/suite.h"

#include "base/err.h"

#define ITEMS(...)                                                                                 \
	{                                                                                          \
		.item = (const char *const[]){__VA_ARGS__},                                        \
		.count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),              \
		.defined = true                                                                    \
	}

static const char *const lv_tags[] = {"lvtag"};
static const char *const vg_tags[] = {"vgtag"};
static const struct lea_vg vg = {.name = "vg", .tags = {vg_tags, 1}};
static const struct lea_lv lv = {.name = "lv", .flags = LEA_FLAG_VISIBLE, .tags = {lv_tags, 1}};

/* Rows: does a volume_list with this one entry let vg/lv pass? */
static const struct {
	const char *entry;
	bool want;
} list_rows[] = {
	{"vg", true},	  {"v", false},		 {"vgx", false},  {"vg/lv", true},
	{"vg/l", false},  {"vg/lvx", false},	 {"vg/", false},  {"vg/lv/x", false},
	{"@lvtag", true}, {"@vgtag", true},	 {"@tag", false}, {"@", false},
	{"", false},	  {"/dev/vg/lv", false}, {"@*", true},
};

START_TEST(list_entries)
{
	const struct lea_select_rules rules = {
		.volume_list = {.item = &list_rows[_i].entry, .count = 1, .defined = true},
		.read_only_list = {.item = &list_rows[_i].entry, .count = 1, .defined = true},
		.host_tags = ITEMS("other", "vgtag"),
	};

	ck_assert_msg((lea_select_lv(&vg, &lv, &rules) == LEA_SELECTED) == list_rows[_i].want,
		      "\"%s\"", list_rows[_i].entry);
	ck_assert_msg(lea_select_read_only(&vg, &lv, &rules) == list_rows[_i].want, "\"%s\" ro",
		      list_rows[_i].entry);
}
END_TEST

static const struct {
	const char *claim;
	uint32_t flags;
	struct lea_select_rules rules;
	enum lea_selected want;
} rows[] = {
	{"plain", LEA_FLAG_VISIBLE, {0}, LEA_SELECTED},
	{"hidden", 0, {0}, LEA_SELECT_HIDDEN},
	{"skip flag", LEA_FLAG_VISIBLE | LEA_FLAG_ACTIVATION_SKIP, {0}, LEA_SELECT_SKIP_FLAG},
	{"skip flag with -K",
	 LEA_FLAG_VISIBLE | LEA_FLAG_ACTIVATION_SKIP,
	 {.ignore_skip = true},
	 LEA_SELECTED},
	{"property off, by hand", LEA_FLAG_VISIBLE | LEA_FLAG_NOAUTOACTIVATE, {0}, LEA_SELECTED},
	{"property off, automatic",
	 LEA_FLAG_VISIBLE | LEA_FLAG_NOAUTOACTIVATE,
	 {.automatic = true},
	 LEA_SELECT_NOT_AUTO},
	{"auto list, by hand", LEA_FLAG_VISIBLE, {.auto_list = {.defined = true}}, LEA_SELECTED},
	{"empty auto list",
	 LEA_FLAG_VISIBLE,
	 {.automatic = true, .auto_list = {.defined = true}},
	 LEA_SELECT_NOT_IN_AUTO},
	{"empty volume list",
	 LEA_FLAG_VISIBLE,
	 {.volume_list = {.defined = true}},
	 LEA_SELECT_FILTERED},
	{"no list, host has a tag that it lacks",
	 LEA_FLAG_VISIBLE,
	 {.host_tags = ITEMS("other")},
	 LEA_SELECT_FILTERED},
	{"no list, host has its tag",
	 LEA_FLAG_VISIBLE,
	 {.host_tags = ITEMS("lvtag")},
	 LEA_SELECTED},
	{"skip comes before the lists",
	 LEA_FLAG_VISIBLE | LEA_FLAG_ACTIVATION_SKIP,
	 {.automatic = true, .auto_list = {.defined = true}},
	 LEA_SELECT_SKIP_FLAG},
};

START_TEST(selection)
{
	struct lea_lv row_lv = lv;

	row_lv.flags = rows[_i].flags;
	ck_assert_msg(lea_select_lv(&vg, &row_lv, &rows[_i].rules) == rows[_i].want, "%s",
		      rows[_i].claim);
	ck_assert((lea_select_reason(rows[_i].want) == NULL) == (rows[_i].want == LEA_SELECTED));
}
END_TEST

START_TEST(undefined_read_only_list_matches_nothing)
{
	const struct lea_select_rules rules = {0};

	ck_assert(!lea_select_read_only(&vg, &lv, &rules));
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("select");
	TCase *tcase = tcase_create("select");

	tcase_add_loop_test(tcase, list_entries, 0, ARRAY_SIZE(list_rows));
	tcase_add_loop_test(tcase, selection, 0, ARRAY_SIZE(rows));
	tcase_add_test(tcase, undefined_read_only_list_matches_nothing);
	suite_add_tcase(suite, tcase);
	return suite;
}
