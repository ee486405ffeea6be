/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/devname.h"

#include "unit/suite.h"

#include <string.h>

#define X10 "xxxxxxxxxx"
#define X60 X10 X10 X10 X10 X10 X10

/* is_ok: lea_devname_ok; lv: of lea_devname_lv, NULL: no LV */
static const struct {
	const char *path;
	bool is_ok;
	const char *lv;
} paths[] = {
	{"/dev/sdb", true, NULL},
	{"/dev/nvme0n1p2", true, NULL},
	{"/dev/cciss/c0d0", true, "cciss/c0d0"}, /* as VG/LV: only the disks can tell */
	{"/dev/dm-3", true, NULL},
	{"/dev/vg0/home", true, "vg0/home"},
	{"/dev/vg0/", true, "vg0/"},
	{"/dev/vg0/home/x", true, NULL},
	{"/dev/mapper/vg0-home", true, "vg0/home"},
	{"/dev/mapper/my--vg-my--lv", true, "my-vg/my-lv"},
	{"/dev/mapper/a---b", true, "a-/b"},
	{"/dev/mapper/vg0-home-real", true, NULL},
	{"/dev/mapper/luks", true, NULL},
	{"/dev/mapper/a-b/c", true, NULL},
	{"/dev/mapper/", true, NULL},
	{"/dev/disk/by-id/dm-name-my--vg-home", true, "my-vg/home"},
	{"/dev/disk/by-id/dm-name-luks", true, NULL},
	{"/dev/disk/by-id/dm-uuid-LVM-x", true, NULL},
	{"/dev/disk/by-uuid/1-2", true, NULL},
	{"/dev/block/8:16", true, NULL},
	{"/dev/char/1:3", true, NULL},
	{"/dev/md/0", true, NULL},
	{"/dev/net/tun", true, NULL},
	{"/dev/shm/image", true, NULL},
	{"/dev/" X60 X60 "12", true, NULL},
	{"/dev/" X60 X60 "123", false, NULL},
	{"/dev/a\nb", false, NULL},
	{"/dev/a\r", false, NULL},
	{"/devices/sdb", false, NULL},
	{"dev/sdb", false, NULL},
	{"/dev", false, NULL},
	{"8:16", false, NULL},
	{"", false, NULL},
};

TEST_EACH(a_path_is_below_dev_and_of_an_lv_or_not, paths)
{
	const char *path = paths[_i].path, *below = lea_devname_below(path);
	char lv[128];

	ck_assert_msg(lea_devname_ok(path) == paths[_i].is_ok, "%s", path);
	ck_assert_msg(!below == (strncmp(path, "/dev/", 5) != 0), "%s", path);
	if (!below || !lea_devname_lv(below, lv, sizeof(lv)))
		ck_assert_msg(!paths[_i].lv, "%s", path);
	else
		ck_assert_pstr_eq(lv, paths[_i].lv);
}

TEST(a_name_that_does_not_fit_is_no_lv)
{
	char lv[6];

	ck_assert(lea_devname_lv("vg/lv", lv, sizeof(lv)));
	ck_assert(!lea_devname_lv("vg/lv1", lv, sizeof(lv)));
	ck_assert(!lea_devname_lv("mapper/vg--lv", lv, sizeof(lv)));
}

static const struct {
	const char *name, *parts;
	size_t count;
} names[] = {
	{"vg-lv", "vg/lv", 2},
	{"my--vg-my--lv-real", "my-vg/my-lv/real", 3},
	{"vg-lv_mimage_0", "vg/lv_mimage_0", 2},
	{"a-----b", "a--/b", 2},
	{"luks", "luks", 1},
	{"vg-", "vg/", 2},
	{"-lv", "/lv", 2},
	{"", "", 1},
};

TEST_EACH(a_mapped_name_has_parts, names)
{
	char name[64];

	strcpy(name, names[_i].name);
	ck_assert_uint_eq(lea_devname_cut(name), names[_i].count);
	ck_assert_str_eq(name, names[_i].parts);
}

TEST(a_mapped_name_has_no_slash)
{
	char name[] = "vg-lv/x";

	ck_assert_uint_eq(lea_devname_cut(name), 0);
}
