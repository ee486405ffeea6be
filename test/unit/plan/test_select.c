/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which LVs are selected: flags, properties, lists. */
#include "disk/segments.h"
#include "plan/select.h"
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

/* Rows: does a volume_list with this single entry match vg/lv? */
static const struct {
	const char *entry;
	bool want;
} list_rows[] = {
	{"vg", true},	  {"v", false},		 {"vgx", false},  {"vg/lv", true},
	{"vg/l", false},  {"vg/lvx", false},	 {"vg/", false},  {"vg/lv/x", false},
	{"@lvtag", true}, {"@vgtag", true},	 {"@tag", false}, {"@", false},
	{"", false},	  {"/dev/vg/lv", false}, {"@*", true},
};

TEST_EACH(each_list_entry_matches_as_in_lvm2, list_rows)
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

TEST_EACH(each_list_entry_says_what_comes_first, list_rows)
{
	const struct lea_select_rules rules = {
		.first = {.item = &list_rows[_i].entry, .count = 1, .defined = true},
		.host_tags = ITEMS("other", "vgtag"),
	};

	ck_assert_msg(lea_select_first(&vg, &lv, &rules) == list_rows[_i].want, "\"%s\"",
		      list_rows[_i].entry);
	ck_assert_int_eq(lea_select_lv(&vg, &lv, &rules), LEA_SELECTED);
}

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
	{"wanted alone", LEA_FLAG_VISIBLE, {.only = ITEMS("vg/lv")}, LEA_SELECTED},
	{"another LV is wanted", LEA_FLAG_VISIBLE, {.only = ITEMS("vg/x")}, LEA_SELECT_NOT_WANTED},
	{"nothing is wanted", LEA_FLAG_VISIBLE, {.only = {.defined = true}}, LEA_SELECT_NOT_WANTED},
	{"wanted, but its skip flag is set",
	 LEA_FLAG_VISIBLE | LEA_FLAG_ACTIVATION_SKIP,
	 {.only = ITEMS("vg")},
	 LEA_SELECT_SKIP_FLAG},
	{"deactivation takes every LV",
	 LEA_FLAG_VISIBLE,
	 {.everything = true, .only = {.defined = true}},
	 LEA_SELECTED},
	{"skip comes before the lists",
	 LEA_FLAG_VISIBLE | LEA_FLAG_ACTIVATION_SKIP,
	 {.automatic = true, .auto_list = {.defined = true}},
	 LEA_SELECT_SKIP_FLAG},
};

TEST_EACH(each_rule_selects_as_in_lvm2, rows)
{
	struct lea_lv row_lv = lv;

	row_lv.flags = rows[_i].flags;
	ck_assert_msg(lea_select_lv(&vg, &row_lv, &rows[_i].rules) == rows[_i].want, "%s",
		      rows[_i].claim);
	ck_assert((lea_select_reason(rows[_i].want) == NULL) == (rows[_i].want == LEA_SELECTED));
}

TEST(wanted_snapshot_brings_its_origin)
{
	const struct lea_seg_snapshot link = {.origin = 0, .cow = 1};
	struct lea_lv lvs[] = {
		{.name = "lv", .flags = LEA_FLAG_VISIBLE, .snapshots = &link},
		{.name = "snap", .flags = LEA_FLAG_VISIBLE, .role = LEA_ROLE_COW, .cow = &link},
	};
	const struct lea_vg with_snapshot = {.name = "vg", .lvs = lvs, .lv_count = ARRAY_SIZE(lvs)};
	const struct lea_select_rules rules = {.only = ITEMS("vg/snap")};

	ck_assert_int_eq(lea_select_lv(&with_snapshot, &lvs[0], &rules), LEA_SELECTED);
	ck_assert_int_eq(lea_select_lv(&with_snapshot, &lvs[1], &rules), LEA_SELECT_HIDDEN);
}

TEST(undefined_read_only_list_matches_nothing)
{
	const struct lea_select_rules rules = {0};

	ck_assert(!lea_select_read_only(&vg, &lv, &rules));
}
