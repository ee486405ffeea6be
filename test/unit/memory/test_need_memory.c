/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/need_memory.h"

#include "unit/suite.h"

#include <string.h>

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define LV_ID "PcQcBZwJhnj1HdGL2OBxm3m3lqxqbUNP"
#define BY_ID "/dev/disk/by-id/dm-uuid-LVM-"

static struct lea_boot_lv data_lv[] = {
	{.name = "home", .fs_uuid = "ab-12", .fs_label = "my home", .id = LV_ID},
	{.name = "swap", .fs_uuid = "cd-34", .fs_label = ""},
};
static struct lea_boot_lv bulk_lv[] = {{.name = "lv0", .fs_uuid = "", .fs_label = ""}};
static struct lea_boot_vg vgs[] = {
	{.name = "data", .id = VG_ID, .lv = data_lv, .lv_count = 2},
	{.name = "bulk", .lv = bulk_lv, .lv_count = 1},
	{.name = "bul", .is_tagged = true},
};
static struct lea_boot_memory memory = {.machine = "m", .boot = "b", .vg = vgs, .vg_count = 3};

/* words: the words of all needs; needed: names of the VGs that are needed; each followed by ",". */
static const struct {
	const char *claim, *fstab, *words, *needed;
} rows[] = {
	{"nothing is needed", "", "", ""},
	{"an LV", "/dev/bulk/lv0 /a ext4 defaults 0 2\n", "bulk/lv0,", "bulk,"},
	{"a UUID, in capitals", "UUID=AB-12 /a ext4 defaults 0 2\n", "data/home,", "data,"},
	{"a label", "LABEL=my\\040home /a ext4 defaults 0 2\n", "data/home,", "data,"},
	{"a swap area by UUID", "UUID=cd-34 none swap sw 0 0\n", "data/swap,", "data,"},
	{"a UUID that no LV has", "UUID=ef-56 /a ext4 defaults 0 2\n", "", ""},
	{"the ids of an LV", BY_ID VG_ID LV_ID " /a ext4\n", "data/home,", "data,"},
	{"those of an LV that is not known", BY_ID VG_ID VG_ID " /a ext4\n", "", ""},
	{"those of one in another VG", BY_ID LV_ID LV_ID " /a ext4\n", "", ""},
	{"an LV that is no longer there", "/dev/data/old /a ext4 defaults 0 2\n", "data/old,",
	 "data,"},
	{"two ways to one LV",
	 "UUID=ab-12 /a ext4 defaults 0 2\n/dev/data/home /b ext4 defaults 0 2\n", "data/home,",
	 "data,"},
	{"an LV that need not be there", "UUID=ab-12 /a ext4 nofail 0 2\n", "", ""},
};

static void append(char *text, size_t bytes, const char *word)
{
	strncat(text, word, bytes - strlen(text) - 1);
	strncat(text, ",", bytes - strlen(text) - 1);
}

TEST_EACH(needs_by_uuid_and_label_become_lvs, rows)
{
	const struct lea_need_sources sources = {.fstab = rows[_i].fstab};
	char words[256] = "", needed[256] = "";
	struct lea_needs *needs;

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_int_eq(lea_need_remembered(needs, &memory), 0);
	for (uint32_t i = 0; i < needs->words.count; i++)
		append(words, sizeof(words), needs->words.item[i]);
	for (uint32_t i = 0; i < memory.vg_count; i++)
		if (memory.vg[i].is_needed)
			append(needed, sizeof(needed), memory.vg[i].name);
	ck_assert_msg(!strcmp(words, rows[_i].words), "%s: %s", rows[_i].claim, words);
	ck_assert_msg(!strcmp(needed, rows[_i].needed), "%s: %s", rows[_i].claim, needed);
	lea_needs_free(needs);
}

/* Of tags only is remembered that one of them was needed. */
TEST(a_need_of_a_tag_marks_what_was_tagged)
{
	static const char *const tag[] = {"@early"};
	const struct lea_need_sources sources = {.needed = {.item = tag, .count = 1}};
	struct lea_needs *needs;

	ck_assert_int_eq(lea_needs_parse(&sources, &needs), 0);
	ck_assert_int_eq(lea_need_remembered(needs, &memory), 0);
	ck_assert(!vgs[0].is_needed && !vgs[1].is_needed && vgs[2].is_needed);
	lea_needs_free(needs);
}

TEST(a_need_names_the_vg_of_its_lv)
{
	const struct lea_need lv = {LEA_NEED_WORD, "data/home", "", 0},
			      vg = {LEA_NEED_WORD, "data", "", 0};

	ck_assert(lea_need_names_vg(&lv, "data") && lea_need_names_vg(&vg, "data"));
	ck_assert(!lea_need_names_vg(&lv, "dat") && !lea_need_names_vg(&lv, "data/home2"));
}

/* Rows: a need, and whether an LV had this file system. */
static const struct {
	enum lea_need_kind kind;
	const char *value;
	bool is_remembered;
} systems[] = {
	{LEA_NEED_UUID, "AB-12", true},	     {LEA_NEED_LABEL, "my home", true},
	{LEA_NEED_UUID, "ab-13", false},     {LEA_NEED_WORD, "data/home", false},
	{LEA_NEED_IDS, "LVM-" VG_ID LV_ID, true},
	{LEA_NEED_PARTUUID, "ab-12", false}, {LEA_NEED_LABEL, "ab-12", false},
};

TEST_EACH(file_system_of_an_lv_is_remembered, systems)
{
	const struct lea_need need = {.kind = systems[_i].kind, .value = systems[_i].value};

	ck_assert_msg(lea_need_is_remembered(&need, &memory) == systems[_i].is_remembered, "%s",
		      systems[_i].value);
}
