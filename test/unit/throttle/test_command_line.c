/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "throttle/command_line.h"
#include "unit/suite.h"

#include <string.h>

static const struct {
	const char *argv[8];
	const char *class_, *vg;
} rows[] = {
	{{"lvs", "csi"}, "read", "csi"},
	{{"/sbin/lvs"}, "read", ""},
	{{"lvm", "vgs", "-o", "name"}, "read", "name"},
	{{"lvm", "lvcreate", "-L", "1g", "csi"}, "change", "csi"},
	{{"lvcreate", "-y", "-n", "pvc", "-L", "1g", "csi"}, "change", "csi"},
	{{"lvremove", "-y", "csi/pvc-1"}, "change", "csi"},
	{{"lvextend", "-L", "+1g", "/dev/csi/pvc-1"}, "change", "csi"},
	{{"lvremove", "/dev/mapper/my--vg-my--lv"}, "change", "my-vg"},
	{{"vgchange", "-ay"}, "change", ""},
	{{"lvcreate", "-n", "x", "csi", "/dev/sdb"}, "change", ""},
	{{"pvmove", "/dev/sdb"}, "change", ""},
	{{"mkfs.ext4", "-q", "/dev/csi/pvc-1"}, "data", "csi"},
	{{"wipefs", "/dev/disk/by-id/x"}, "data", ""},
	{{"blkdiscard", "/dev/mapper/a-b"}, "data", "a"},
	{{"blkdiscard", "/dev/disk/by-id/dm-name-a-b"}, "data", "a"},
	{{"mkfs.ext4", "/dev/md/home"}, "data", ""},
	{{"/usr/local/bin/backup", "csi"}, "change", ""},
	{{"lvremove", "../x"}, "change", ""},
	{{"lvremove", "/dev/mapper/-x"}, "change", ""},
	{{"lvremove", "/dev/mapper/a-"}, "change", ""},
	{{"lvm"}, "change", ""},
};

TEST_EACH(class_and_vg_follow_from_the_command_line, rows)
{
	char vg[LEA_THROTTLE_VG_BYTES] = "?";

	ck_assert_str_eq(lea_throttle_class(rows[_i].argv), rows[_i].class_);
	lea_throttle_vg(rows[_i].argv, vg);
	ck_assert_str_eq(vg, rows[_i].vg);
}

TEST(a_name_of_a_vg_is_never_cut)
{
	char vg[LEA_THROTTLE_VG_BYTES], name[400];
	const char *argv[] = {"lvremove", name, NULL};

	memset(name, 'x', sizeof(name));
	name[127] = '\0';
	lea_throttle_vg(argv, vg);
	ck_assert_str_eq(vg, name);
	name[127] = 'x';
	name[300] = '\0';
	lea_throttle_vg(argv, vg);
	ck_assert_str_eq(vg, "");
}

TEST(only_lvm_without_a_command_is_a_shell)
{
	const char *shell[] = {"/sbin/lvm", NULL}, *command[] = {"lvm", "lvs", NULL};

	ck_assert(lea_throttle_is_shell(shell));
	ck_assert(!lea_throttle_is_shell(command));
}

static const struct {
	const char *name;
	bool ok;
} classes[] = {{"read", true},
	       {"my-9", true},
	       {"", false},
	       {"A", false},
	       {"a/b", false},
	       {".", false},
	       {"a b", false},
	       {"a.b", false},
	       {"aaaaaaaaaabbbbbbbbbbccccccccccdd", true},
	       {"aaaaaaaaaabbbbbbbbbbccccccccccdde", false}};

TEST_EACH(names_of_classes_are_checked, classes)
{
	ck_assert_int_eq(lea_throttle_class_ok(classes[_i].name), classes[_i].ok);
}
