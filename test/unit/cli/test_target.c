/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/target.h"

#include "unit/suite.h"

#include <stdlib.h>
#include <string.h>

#define ID32 "abcdefghijklmnopqrstuvwxyz012345"
#define UUID "abcdef-ghij-klmn-opqr-stuv-wxyz-012345"

static const struct {
	const char *word;
	int outcome;
	uint32_t count;
	enum lea_target_kind kind; /* of the first meaning */
	const char *vg, *lv, *id, *tag;
} words[] = {
	{"data", 0, 1, LEA_TARGET_VG, "data", "", "", NULL},
	{"my-vg.a+b_c", 0, 1, LEA_TARGET_VG, "my-vg.a+b_c", "", "", NULL},
	{"data/home", 0, 1, LEA_TARGET_LV, "data", "home", "", NULL},
	{"@site/a", 0, 1, LEA_TARGET_TAG, "", "", "", "site/a"},
	{UUID, 0, 2, LEA_TARGET_ID, "", "", ID32, NULL},
	{ID32, 0, 2, LEA_TARGET_ID, "", "", ID32, NULL},
	{"/dev/data/home", LEA_TARGET_SOURCE, 1, LEA_TARGET_LV, "data", "home", "", NULL},
	{"/dev/mapper/my--vg-home", LEA_TARGET_SOURCE, 1, LEA_TARGET_LV, "my-vg", "home", "", NULL},
	{"/dev/sda", LEA_TARGET_SOURCE, 0, 0, "", "", "", NULL},
	{"/home", LEA_TARGET_SOURCE, 0, 0, "", "", "", NULL},
	{"UUID=1111-2222", LEA_TARGET_SOURCE, 0, 0, "", "", "", NULL},
	{"LABEL=x", LEA_TARGET_SOURCE, 0, 0, "", "", "", NULL},
	{"", LEA_TARGET_BAD, 0, 0, "", "", "", NULL},
	{"@", LEA_TARGET_BAD, 0, 0, "", "", "", NULL},
	{"-x", LEA_TARGET_BAD, 0, 0, "", "", "", NULL},
	{"a b", LEA_TARGET_BAD, 0, 0, "", "", "", NULL},
	{"vg:data", LEA_TARGET_BAD, 0, 0, "", "", "", NULL},
	{"data/", LEA_TARGET_BAD, 0, 0, "", "", "", NULL},
	{"data/a/b", LEA_TARGET_BAD, 0, 0, "", "", "", NULL},
};

TEST_EACH(each_word_has_its_meanings, words)
{
	struct lea_target target;
	const struct lea_meaning *meaning = target.meaning;

	ck_assert_msg(lea_target_parse(words[_i].word, &target) == words[_i].outcome, "%s",
		      words[_i].word);
	ck_assert_msg(target.count == words[_i].count, "%s: %u", words[_i].word, target.count);
	if (!target.count)
		return;
	ck_assert_int_eq(meaning->kind, words[_i].kind);
	ck_assert_str_eq(meaning->vg, words[_i].vg);
	ck_assert_str_eq(meaning->lv, words[_i].lv);
	ck_assert_str_eq(meaning->id, words[_i].id);
	ck_assert(words[_i].tag ? !strcmp(meaning->tag, words[_i].tag) : !meaning->tag);
}

TEST(a_word_of_32_letters_is_an_id_and_a_name)
{
	struct lea_target target;

	ck_assert_int_eq(lea_target_parse(ID32, &target), 0);
	ck_assert_int_eq(target.meaning[1].kind, LEA_TARGET_VG);
	ck_assert_str_eq(target.meaning[1].vg, ID32);
}

/* ---- what is met */

static const char *vg_tag[] = {"vtag"}, *lv_tag[] = {"ltag"};
static struct lea_lv lvs[] = {
	{.name = "home", .id = "hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", .tags = {lv_tag, 1}},
	{.name = "swap", .id = "ssssssssssssssssssssssssssssssss"},
};
static const struct lea_vg vg = {.name = "data",
				 .id = "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv",
				 .tags = {vg_tag, 1},
				 .lvs = lvs,
				 .lv_count = 2};
#define PVID "pppppppppppppppppppppppppppppppp"

static const struct {
	const char *word;
	bool vg, home, swap, pv;
} met[] = {
	{"data", true, false, false, false},
	{"data/home", false, true, false, false},
	{"/dev/data/swap", false, false, true, false},
	{"@vtag", true, false, false, false},
	{"@ltag", false, true, false, false},
	{"vvvvvv-vvvv-vvvv-vvvv-vvvv-vvvv-vvvvvv", true, false, false, false},
	{"ssssss-ssss-ssss-ssss-ssss-ssss-ssssss", false, false, true, false},
	{"pppppp-pppp-pppp-pppp-pppp-pppp-pppppp", false, false, false, true},
	{"other", false, false, false, false},
	{"other/home", false, false, false, false},
	{"@other", false, false, false, false},
};

TEST_EACH(what_a_word_means_is_met, met)
{
	const struct lea_devno number = {8, 16};
	struct lea_target target;
	struct lea_targets targets = {&target, 1};
	const bool any = met[_i].vg || met[_i].home || met[_i].swap || met[_i].pv;

	(void)!lea_target_parse(met[_i].word, &target);
	ck_assert(lea_targets_have_vg(&targets, &vg) == met[_i].vg);
	ck_assert(lea_targets_have_lv(&targets, &vg, 0) == met[_i].home);
	ck_assert(lea_targets_have_lv(&targets, &vg, 1) == met[_i].swap);
	ck_assert(lea_targets_have_pv(&targets, PVID, number, "/dev/sda") == met[_i].pv);
	ck_assert_ptr_eq(lea_targets_unmet(&targets), any ? NULL : target.word);
}

TEST(a_device_is_a_pv_by_number_or_path_and_an_lv_by_its_ids)
{
	struct lea_target target = {.word = "/dev/x",
				    .count = 1,
				    .meaning = {{.kind = LEA_TARGET_DEVICE,
						 .id = "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv",
						 .lv_id = "ssssssssssssssssssssssssssssssss",
						 .number = {8, 16},
						 .path = "/dev/x"}}};
	struct lea_targets targets = {&target, 1};

	ck_assert(lea_targets_have_pv(&targets, PVID, (struct lea_devno){8, 16}, "/dev/sda"));
	ck_assert(!lea_targets_have_pv(&targets, PVID, (struct lea_devno){8, 17}, "/dev/sdb"));
	ck_assert(lea_targets_have_pv(&targets, PVID, (struct lea_devno){0, 0}, "/dev/x"));
	ck_assert(lea_targets_have_lv(&targets, &vg, 1));
	ck_assert(!lea_targets_have_lv(&targets, &vg, 0));
	ck_assert(!lea_targets_have_vg(&targets, &vg));
}

TEST(without_words_everything_is_meant)
{
	struct lea_targets none = {NULL, 0};

	ck_assert(lea_targets_have_vg(&none, &vg));
	ck_assert(lea_targets_have_lv(NULL, &vg, 1));
	ck_assert_ptr_null(lea_targets_unmet(&none));
}
