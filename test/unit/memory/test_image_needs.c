/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/image_needs.h"
#include "unit/suite.h"

#include <string.h>

#define VG_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define LV_ID "aaaaaabbbbccccddddeeeeffffgggggg"

#define LINE "sys-root LVM-" VG_ID LV_ID " 1-2 rootfs\n"
static const struct {
	const char *claim, *needs, *spec;
	bool is_found;
} needs[] = {
	{"by the file system's UUID", LINE, "UUID=1-2", true},
	{"by its label", LINE, "LABEL=rootfs", true},
	{"by the LV's name", LINE, "/dev/mapper/sys-root", true},
	{"by its ids", LINE, "/dev/disk/by-id/dm-uuid-LVM-" VG_ID LV_ID, true},
	{"by other ids", LINE, "/dev/disk/by-id/dm-uuid-LVM-" VG_ID VG_ID, false},
	{"in any line", "- - 9-9 -\npv x\n" LINE, "UUID=1-2", true},
	{"another UUID", LINE, "UUID=1-3", false},
	{"a part of the UUID", LINE, "UUID=1", false},
	{"a UUID is no label", LINE, "LABEL=1-2", false},
	{"a UUID is none of a partition", LINE, "PARTUUID=1-2", false},
	{"the sign for an unknown value", "sys-root - - -\n", "UUID=-", false},
	{"no value", "sys-root - - -\n", "UUID=", false},
	{"a name whose ids are unknown", "sys-root - - -\n", "/dev/sys/root", true},
	{"a file system that is not on LVM", "- - 1-2 -\n", "UUID=1-2", true},
	{"what has no form", LINE, "/dev/dm-0", false},
	{"an empty file", "", "UUID=1-2", false},
	{"a line that is cut off", "sys-root LVM-" VG_ID LV_ID " 1-2", "UUID=1-2", false},
	{"a line with a word too many", "sys-root LVM-" VG_ID LV_ID " 1-2 rootfs x\n", "UUID=1-2",
	 false},
	{"an id that is cut off", "sys-root LVM-" VG_ID " 1-2 rootfs\n", "UUID=1-2", false},
	{"an id with another character",
	 "sys-root LVM-" VG_ID "/aaaaabbbbccccddddeeeeffffgggggg 1-2 x\n", "UUID=1-2", false},
	{"a good line behind a damaged one", "\x01\x02 \xff\n\n" LINE, "UUID=1-2", true},
};

TEST_EACH(a_line_is_found_by_what_it_says, needs)
{
	const char *at = needs[_i].needs;
	struct lea_need_line line;
	bool is_found = false;
	struct lea_spec spec;

	lea_spec_parse(needs[_i].spec, &spec);
	while (!is_found && lea_needs_next(&at, &line))
		is_found = lea_need_is_of(&line, &spec);
	ck_assert_msg(is_found == needs[_i].is_found, "%s", needs[_i].claim);
}

TEST(each_line_is_read)
{
	const char *at = "- - 7-7 -\ndamaged\n" LINE "sys-swap - - -\n";
	struct lea_need_line line;

	ck_assert(lea_needs_next(&at, &line));
	ck_assert(line.is_elsewhere && !line.label[0]);
	ck_assert_str_eq(line.uuid, "7-7");
	ck_assert(lea_needs_next(&at, &line));
	ck_assert_str_eq(line.lv.lv, "root");
	ck_assert_str_eq(line.lv.vg_id, VG_ID);
	ck_assert_str_eq(line.lv.lv_id, LV_ID);
	ck_assert_str_eq(line.label, "rootfs");
	ck_assert(lea_needs_next(&at, &line));
	ck_assert(!line.is_elsewhere);
	ck_assert_str_eq(line.lv.vg, "sys");
	ck_assert_str_eq(line.lv.lv, "swap");
	ck_assert_str_eq(line.lv.lv_id, "");
	ck_assert(!lea_needs_next(&at, &line));
}

#define PVID "5ayjisrFL7dSSesEcRBg8PrdlVG05Fap"
static const struct {
	const char *claim, *needs;
	bool is_found;
} disks[] = {
	{"a disk", LINE "pv " PVID " 2048 3 naa.5\n", true},
	{"of another PV", "pv " VG_ID " 2048 3 naa.5\n", false},
	{"behind it", "pv " VG_ID " 1 0 naa.6\npv " PVID " 2048 3 naa.5\n", true},
	{"without an id", "pv " PVID " 2048 3\n", false},
	{"with a word too many", "pv " PVID " 2048 3 naa.5 x\n", false},
	{"with a size that is no number", "pv " PVID " 2x 3 naa.5\n", false},
	{"with a partition that is none", "pv " PVID " 2048 99999999999 naa.5\n", false},
	{"with half a PVID", "pv 5ayjis 2048 3 naa.5\n", false},
	{"another word", "vp " PVID " 2048 3 naa.5\n", false},
};

TEST_EACH(the_disk_of_a_pv_is_found, disks)
{
	struct lea_need_disk disk;

	ck_assert_msg(lea_needs_disk(disks[_i].needs, PVID, &disk) == disks[_i].is_found, "%s",
		      disks[_i].claim);
	if (!disks[_i].is_found)
		return;
	ck_assert_str_eq(disk.id, "naa.5");
	ck_assert_uint_eq(disk.sectors, 2048);
	ck_assert_uint_eq(disk.partition, 3);
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
