/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/id.h"
#include "unit/suite.h"

#include <string.h>

#define TEN  "abcdefghij"
#define N120 TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN

static const struct {
	const char *claim, *name;
	bool ok;
} names[] = {
	{"letters, digits and the four signs", "aZ0._+-", true},
	{"127 characters", N120 "abcdefg", true},
	{"128 characters are too many", N120 "abcdefgh", false},
	{"empty is no name", "", false},
	{"the folder itself", ".", false},
	{"the folder above", "..", false},
	{"three dots are a name", "...", true},
	{"a leading hyphen is an option", "-a", false},
	{"a slash leaves the folder", "a/b", false},
	{"a blank", "a b", false},
	{"a control character", "a\nb", false},
	{"not ASCII", "\xc3\xa4", false},
	{"hash", "a#", false},
};

static const struct {
	const char *claim, *name;
	bool reserved;
} reserved[] = {
	{"a user's name", "home", false},	  {"prefix pvmove", "pvmove0", true},
	{"prefix snapshot", "snapshot_of", true}, {"the word inside is free", "my_snapshot", false},
	{"part _rimage", "r_rimage_0", true},	  {"part _pmspare", "lvol0_pmspare", true},
	{"case counts", "r_RIMAGE_0", false},
};

static const struct {
	const char *claim, *text, *id;
} ids[] = {
	{"with hyphens", "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap",
	 "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap"},
	{"without", "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap", "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap"},
	{"! and # are part of the alphabet", "!#yjisrFL7dSSesEcRBg8PrdlVG05Fap",
	 "!#yjisrFL7dSSesEcRBg8PrdlVG05Fap"},
	{"31 characters", "5ayjisrFL7dSSesEcRBg8PrdlVG05Fa", NULL},
	{"33 characters", "5ayjisrFL7dSSesEcRBg8PrdlVG05Fapx", NULL},
	{"a slash", "5ayjisrFL7dSSesEcRBg8PrdlVG05F/p", NULL},
	{"empty", "", NULL},
};

TEST_EACH(each_name_is_judged, names)
{
	ck_assert_msg(lea_name_ok(names[_i].name) == names[_i].ok, "%s", names[_i].claim);
}

TEST_EACH(each_reserved_lv_name_is_known, reserved)
{
	ck_assert_msg(lea_lv_name_is_reserved(reserved[_i].name) == reserved[_i].reserved, "%s",
		      reserved[_i].claim);
}

TEST_EACH(each_id_is_parsed_or_refused, ids)
{
	char id[33] = "untouched";
	int r = lea_id_parse(ids[_i].text, id);

	ck_assert_msg(!r == (ids[_i].id != NULL), "%s", ids[_i].claim);
	ck_assert_msg(!strcmp(id, ids[_i].id ? ids[_i].id : "untouched"), "%s", ids[_i].claim);
	if (ids[_i].id)
		ck_assert(lea_id_ok(id));
}

TEST(an_id_has_a_short_form_and_one_with_hyphens)
{
	char text[39];

	lea_id_format(ids[0].id, text);
	ck_assert_str_eq(text, ids[0].text);
	ck_assert_msg(!lea_id_ok(ids[0].text), "an id with hyphens is not in its short form");
	ck_assert_msg(!lea_id_ok("short"), "a short string is no id");
}
