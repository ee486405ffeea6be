/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wait/goal.h"

#include "unit/suite.h"

#include <string.h>

static const struct {
	const char *word;
	enum lea_goal_kind kind;
	const char *vg, *lv;
	uint32_t pvs;
} goals[] = {
	{"vg:data", LEA_GOAL_VG, "data", "", 0},
	{"vg:my-vg", LEA_GOAL_VG, "my-vg", "", 0},
	{"vg:my\\x2dvg", LEA_GOAL_VG, "my-vg", "", 0},
	{"vg:a\\x2bb", LEA_GOAL_VG, "a+b", "", 0},
	{"lv:data/home", LEA_GOAL_LV, "data", "home", 0},
	{"lv:my\\x2dvg/a\\x2db", LEA_GOAL_LV, "my-vg", "a-b", 0},
	{"pvs:1", LEA_GOAL_PVS, "", "", 1},
	{"pvs:1000000", LEA_GOAL_PVS, "", "", 1000000},
	{"needed", LEA_GOAL_NEEDED, "", "", 0},
	{"settled", LEA_GOAL_SETTLED, "", "", 0},
	{"healthy", LEA_GOAL_HEALTHY, "", "", 0},
	{"data", LEA_GOAL_VG, "data", "", 0},
	{"data/home", LEA_GOAL_LV, "data", "home", 0},
	{"/dev/data/home", LEA_GOAL_LV, "data", "home", 0},
	{"/dev/mapper/my--vg-home", LEA_GOAL_LV, "my-vg", "home", 0},
	{"@tag", LEA_GOAL_TARGET, "", "", 0},
	{"/home", LEA_GOAL_TARGET, "", "", 0},
	{"/dev/sda", LEA_GOAL_TARGET, "", "", 0},
	{"UUID=1-2", LEA_GOAL_TARGET, "", "", 0},
	{"abcdef-ghij-klmn-opqr-stuv-wxyz-012345", LEA_GOAL_TARGET, "", "", 0},
};

TEST_EACH(each_word_is_understood, goals)
{
	const char *why = NULL;
	struct lea_goal goal;

	ck_assert_int_eq(lea_goal_parse(goals[_i].word, &goal, &why), 0);
	ck_assert_int_eq(goal.kind, goals[_i].kind);
	ck_assert_str_eq(goal.vg, goals[_i].vg);
	ck_assert_str_eq(goal.lv, goals[_i].lv);
	ck_assert_uint_eq(goal.pvs, goals[_i].pvs);
}

static const struct {
	const char *word, *why;
} mistakes[] = {
	{"", "it is no VG"},
	{"settled:", "it is no VG"},
	{"VG:data", "it is no VG"},
	{"vg:", "the name of a VG"},
	{"vg:a/b", "the name of a VG"},
	{"vg:../x", "the name of a VG"},
	{"vg:-x", "the name of a VG"},
	{"vg:a\\x2fb", "the name of a VG"},
	{"vg:a\\x00b", "the name of a VG"},
	{"vg:a\\x2", "the name of a VG"},
	{"vg:a\\x", "the name of a VG"},
	{"lv:data", "VG/LV"},
	{"lv:data/", "VG/LV"},
	{"lv:/home", "VG/LV"},
	{"lv:a/b/c", "VG/LV"},
	{"pvs:", "a number"},
	{"pvs:0", "a number"},
	{"pvs:-1", "a number"},
	{"pvs:1x", "a number"},
	{"pvs:1000001", "a number"},
	{"pvs:99999999999999999999", "a number"},
};

TEST_EACH(a_mistake_is_refused_with_the_reason, mistakes)
{
	const char *why = "";
	struct lea_goal goal;

	ck_assert_int_eq(lea_goal_parse(mistakes[_i].word, &goal, &why), LEA_GOAL_BAD);
	ck_assert_msg(!strncmp(why, mistakes[_i].why, strlen(mistakes[_i].why)), "%s: %s",
		      mistakes[_i].word, why);
}

TEST(a_name_that_is_too_long_is_refused)
{
	const char *why = "";
	struct lea_goal goal;
	char word[400];

	memset(word, 'a', sizeof(word));
	memcpy(word, "vg:", 3);
	word[3 + 127] = '\0';
	ck_assert_int_eq(lea_goal_parse(word, &goal, &why), 0);
	word[3 + 127] = 'a';
	word[3 + 128] = '\0';
	ck_assert_int_eq(lea_goal_parse(word, &goal, &why), LEA_GOAL_BAD);
	word[3 + 128] = 'a';
	word[399] = '\0';
	ck_assert_int_eq(lea_goal_parse(word, &goal, &why), LEA_GOAL_BAD);
}
