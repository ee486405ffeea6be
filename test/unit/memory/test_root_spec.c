/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/root_spec.h"
#include "unit/suite.h"

#include <string.h>

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define LV_ID "aaaaaabbbbccccddddeeeeffffgggggg"

static const struct {
	const char *text;
	enum lea_root_kind kind;
	const char *vg, *lv, *value;
} specs[] = {
	{"/dev/mapper/sys-root", LEA_ROOT_LV, "sys", "root", NULL},
	{"/dev/mapper/my--vg-my--root", LEA_ROOT_LV, "my-vg", "my-root", NULL},
	{"/dev/mapper/a---b", LEA_ROOT_LV, "a-", "b", NULL},
	{"/dev/mapper/a-----b", LEA_ROOT_LV, "a--", "b", NULL},
	{"/dev/mapper/vg-lv-real", LEA_ROOT_MAPPER, "", "", NULL},
	{"/dev/mapper/vg-", LEA_ROOT_MAPPER, "", "", NULL},
	{"/dev/mapper/-lv", LEA_ROOT_MAPPER, "", "", NULL},
	{"/dev/mapper/vda3_crypt", LEA_ROOT_MAPPER, "", "", NULL},
	{"/dev/mapper/", LEA_ROOT_MAPPER, "", "", NULL},
	{"/dev/mapper/a-b/c", LEA_ROOT_MAPPER, "", "", NULL},
	{"/dev/sys/root", LEA_ROOT_LV, "sys", "root", NULL},
	{"/dev/md/0", LEA_ROOT_ELSEWHERE, "", "", NULL},
	{"/dev/disk/by-id/dm-name-my--vg-root", LEA_ROOT_LV, "my-vg", "root", NULL},
	{"/dev/disk/by-id/dm-name-vda3_crypt", LEA_ROOT_MAPPER, "", "", NULL},
	{"/dev/disk/by-partuuid/1-2", LEA_ROOT_ELSEWHERE, "", "", NULL},
	{"/dev/sda2", LEA_ROOT_ELSEWHERE, "", "", NULL},
	{"/dev/sys/root/x", LEA_ROOT_ELSEWHERE, "", "", NULL},
	{"/dev/../root", LEA_ROOT_ELSEWHERE, "", "", NULL},
	{"UUID=1-2", LEA_ROOT_UUID, "", "", "1-2"},
	{"/dev/disk/by-uuid/1-2", LEA_ROOT_UUID, "", "", "1-2"},
	{"LABEL=rootfs", LEA_ROOT_LABEL, "", "", "rootfs"},
	{"PARTUUID=1-2", LEA_ROOT_ELSEWHERE, "", "", NULL},
	{"server:/export", LEA_ROOT_ELSEWHERE, "", "", NULL},
	{"", LEA_ROOT_ELSEWHERE, "", "", NULL},
};

TEST_EACH(each_form_of_a_device_is_recognised, specs)
{
	struct lea_root_spec spec;

	lea_root_parse(specs[_i].text, &spec);
	ck_assert_msg(spec.kind == specs[_i].kind, "%s: kind %d", specs[_i].text, spec.kind);
	ck_assert_str_eq(spec.vg, specs[_i].vg);
	ck_assert_str_eq(spec.lv, specs[_i].lv);
	ck_assert(!spec.value == !specs[_i].value);
	if (spec.value)
		ck_assert_str_eq(spec.value, specs[_i].value);
}

TEST(a_name_longer_than_the_limit_is_no_lv)
{
	struct lea_root_spec spec;
	char text[512] = "/dev/mapper/";

	memset(text + strlen(text), 'v', 300);
	strcat(text, "-lv");
	lea_root_parse(text, &spec);
	ck_assert_int_eq(spec.kind, LEA_ROOT_MAPPER);
	memset(text, 0, sizeof(text));
	strcpy(text, "/dev/mapper/vg");
	memset(text + strlen(text), '-', 401);
	strcat(text, "lv");
	lea_root_parse(text, &spec);
	ck_assert_int_eq(spec.kind, LEA_ROOT_MAPPER);
}

#define LINE "sys-root LVM-" VG_ID LV_ID " 1-2 rootfs\n"
static const struct {
	const char *claim, *needs, *spec;
	int want;
} needs[] = {
	{"by the file system's UUID", LINE, "UUID=1-2", 0},
	{"by its label", LINE, "LABEL=rootfs", 0},
	{"by the LV's name", LINE, "/dev/mapper/sys-root", 0},
	{"in any line", "- - 9-9 -\n" LINE, "UUID=1-2", 0},
	{"another UUID", LINE, "UUID=1-3", LEA_NEEDS_ABSENT},
	{"a part of the UUID", LINE, "UUID=1", LEA_NEEDS_ABSENT},
	{"a UUID is no label", LINE, "LABEL=1-2", LEA_NEEDS_ABSENT},
	{"the sign for an unknown value", "sys-root - - -\n", "UUID=-", LEA_NEEDS_ABSENT},
	{"a name whose ids are unknown", "sys-root - - -\n", "/dev/sys/root", LEA_NEEDS_ABSENT},
	{"a file system that is not on LVM", "- - 1-2 -\n", "UUID=1-2", LEA_NEEDS_ELSEWHERE},
	{"an empty file", "", "UUID=1-2", LEA_NEEDS_ABSENT},
	{"a line that is cut off", "sys-root LVM-" VG_ID LV_ID " 1-2", "UUID=1-2",
	 LEA_NEEDS_ABSENT},
	{"a line with a word too many", "sys-root LVM-" VG_ID LV_ID " 1-2 rootfs x\n", "UUID=1-2",
	 LEA_NEEDS_ABSENT},
	{"an id that is cut off", "sys-root LVM-" VG_ID " 1-2 rootfs\n", "UUID=1-2",
	 LEA_NEEDS_ABSENT},
	{"an id with another character",
	 "sys-root LVM-" VG_ID "/aaaaabbbbccccddddeeeeffffgggggg 1-2 x\n", "UUID=1-2",
	 LEA_NEEDS_ABSENT},
	{"a good line behind a damaged one", "\x01\x02 \xff\n\n" LINE, "UUID=1-2", 0},
};

TEST_EACH(needs_give_the_lv_of_a_file_system, needs)
{
	char vg_id[33] = "", lv_id[33] = "";
	struct lea_root_spec spec;

	lea_root_parse(needs[_i].spec, &spec);
	ck_assert_msg(lea_needs_find(needs[_i].needs, &spec, vg_id, lv_id) == needs[_i].want, "%s",
		      needs[_i].claim);
	ck_assert_str_eq(vg_id, needs[_i].want ? "" : VG_ID);
	ck_assert_str_eq(lv_id, needs[_i].want ? "" : LV_ID);
}

TEST(each_line_with_an_lv_gives_it)
{
	const char *at = "- - 7-7 -\ndamaged\n" LINE "- - 8-8 -\nsys-swap - - -\n- - 9-9 -\n";
	char vg_id[33], lv_id[33];
	struct lea_root_spec spec;

	ck_assert(lea_needs_next(&at, &spec, vg_id, lv_id));
	ck_assert_int_eq(spec.kind, LEA_ROOT_LV);
	ck_assert_str_eq(spec.lv, "root");
	ck_assert_str_eq(vg_id, VG_ID);
	ck_assert_str_eq(lv_id, LV_ID);
	ck_assert(lea_needs_next(&at, &spec, vg_id, lv_id));
	ck_assert_str_eq(spec.vg, "sys");
	ck_assert_str_eq(spec.lv, "swap");
	ck_assert_str_eq(lv_id, "");
	ck_assert(!lea_needs_next(&at, &spec, vg_id, lv_id));
}

TEST(needs_are_usable_with_one_good_line)
{
	char endless[4096];

	ck_assert(lea_needs_is_usable("damaged\n" LINE));
	ck_assert(lea_needs_is_usable("- - - -\n"));
	ck_assert(!lea_needs_is_usable(""));
	ck_assert(!lea_needs_is_usable("damaged\n\nLVM\n"));
	memset(endless, 'x', sizeof(endless) - 1);
	endless[sizeof(endless) - 1] = '\0';
	ck_assert(!lea_needs_is_usable(endless));
}

TEST(steps_widen_by_thirds)
{
	ck_assert_int_eq(lea_root_step(0, 30), LEA_ROOT_STEP_EXACT);
	ck_assert_int_eq(lea_root_step(9, 30), LEA_ROOT_STEP_EXACT);
	ck_assert_int_eq(lea_root_step(10, 30), LEA_ROOT_STEP_ALL);
	ck_assert_int_eq(lea_root_step(14, 30), LEA_ROOT_STEP_ALL);
	ck_assert_int_eq(lea_root_step(15, 30), LEA_ROOT_STEP_PARTIAL);
	ck_assert_int_eq(lea_root_step(19, 30), LEA_ROOT_STEP_PARTIAL);
	ck_assert_int_eq(lea_root_step(20, 30), LEA_ROOT_STEP_LAST);
	ck_assert_int_eq(lea_root_step(99, 30), LEA_ROOT_STEP_LAST);
	ck_assert_str_eq(lea_root_step_name(LEA_ROOT_STEP_PARTIAL), "part");
	ck_assert_str_eq(lea_root_step_name(LEA_ROOT_STEP_LAST), "last");
}
