/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "throttle/command_line.h"
#include "unit/suite.h"

#include <string.h>

static const struct {
	const char *argv[24];
	const char *class_, *vg;
} rows[] = {
	{{"lvs", "csi"}, "read", "csi"},
	{{"/sbin/lvs"}, "read", ""},
	{{"lvm", "vgs", "-o", "name"}, "read", ""},
	{{"lvm", "lvcreate", "-L", "1g", "csi"}, "change", "csi"},
	{{"lvcreate", "-y", "-n", "pvc", "-L", "1g", "csi"}, "change", "csi"},
	{{"lvremove", "-y", "csi/pvc-1"}, "change", "csi"},
	{{"lvextend", "-L", "+1g", "/dev/csi/pvc-1"}, "change", "csi"},
	{{"lvremove", "/dev/mapper/my--vg-my--lv"}, "change", "my-vg"},
	{{"vgchange", "-ay"}, "change", ""},
	{{"lvcreate", "-n", "x", "csi", "/dev/sdb"}, "change", "csi"},
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
	/* LINSTOR, thick and thin */
	{{"lvcreate", "--config", "devices { filter=['a|/dev/sdb|','r|.*|'] }", "--size", "1048576k",
	  "linstor_vg", "-n", "pvc-1_00000", "-y"},
	 "change", "linstor_vg"},
	{{"lvcreate", "--config", "devices { }", "--virtualsize", "1048576k", "linstor_vg",
	  "--thinpool", "thinpool", "--name", "pvc-1_00000"},
	 "change", "linstor_vg"},
	{{"lvremove", "--config", "devices { }", "-f", "linstor_vg/pvc-1_00000"}, "change",
	 "linstor_vg"},
	{{"lvs", "-o", "lv_name,lv_path,lv_size,vg_name", "--separator", ";", "--noheadings",
	  "--units", "k", "--nosuffix", "linstor_vg"},
	 "read", "linstor_vg"},
	{{"lvrename", "--config", "devices { }", "linstor_vg", "a", "b"}, "change", "linstor_vg"},
	/* OpenEBS lvm-localpv */
	{{"lvcreate", "-L", "1073741824b", "-n", "pvc-1", "lvmvg", "-y"}, "change", "lvmvg"},
	{{"lvcreate", "-T", "lvmvg/lvmvg_thinpool", "-n", "pvc-1", "-V", "1073741824b", "-y"},
	 "change", "lvmvg"},
	{{"lvcreate", "--snapshot", "--name", "snap", "/dev/lvmvg/pvc-1", "--permission", "r"},
	 "change", "lvmvg"},
	{{"lvremove", "-y", "/dev/lvmvg/pvc-1"}, "change", "lvmvg"},
	{{"lvextend", "-r", "-L", "2g", "/dev/lvmvg/pvc-1"}, "change", "lvmvg"},
	/* TopoLVM */
	{{"nsenter", "-m", "-u", "-i", "-n", "-p", "-t", "1", "/sbin/lvm", "lvcreate", "-n",
	  "7a60b4e6", "-L", "1073741824b", "-W", "y", "-y", "--addtag", "topolvm.io/x", "myvg1"},
	 "change", "myvg1"},
	{{"/sbin/lvm", "lvcreate", "-V", "1g", "-T", "--thinpool", "pool0", "-n", "a", "myvg1"},
	 "change", "myvg1"},
	{{"nsenter", "-t", "1", "-m", "/sbin/lvm", "fullreport", "--reportformat", "json"}, "read", ""},
	{{"nsenter", "-t", "1", "-m", "mkfs.ext4", "/dev/myvg1/a"}, "data", "myvg1"},
	{{"nsenter", "-t", "1", "-m", "/sbin/lvm"}, "change", ""},
	/* Proxmox */
	{{"/sbin/lvcreate", "-aly", "-Wy", "--yes", "--size", "4194304k", "--name", "vm-100-disk-0",
	  "--setautoactivation", "n", "--addtag", "pve-vm-100", "pve"},
	 "change", "pve"},
	{{"/sbin/lvcreate", "-aly", "-V", "4194304k", "--name", "vm-100-disk-0", "--thinpool",
	  "pve/data"},
	 "change", "pve"},
	{{"/sbin/lvrename", "pve", "vm-100-disk-0", "base-100-disk-0"}, "change", "pve"},
	/* CSI drivers whose tags have a slash */
	{{"lvcreate", "-n", "pvc-1", "--addtag", "a/b", "-L", "1g", "csi"}, "change", "csi"},
	{{"lvcreate", "csi", "-n", "pvc-1", "-L", "1g"}, "change", "csi"},
	{{"lvchange", "--addtag", "x.io/y", "csi/pvc-1"}, "change", "csi"},
	{{"lvchange", "--addtag=x.io/y", "csi/pvc-1"}, "change", "csi"},
	{{"lvchange", "-ay", "@x.io/y"}, "change", ""},
	{{"vgrename", "old", "new"}, "change", "old"},
	{{"vgremove", "csi", "data"}, "change", "csi"},
	{{"vgremove", "-ff", "csi"}, "change", "csi"},
	{{"vgcfgbackup", "-f", "a/b", "csi"}, "change", "csi"},
	{{"vgextend", "csi", "/dev/sdb"}, "change", "csi"},
	{{"vgcreate", "-s", "4m", "csi", "/dev/sdb"}, "change", "csi"},
	{{"vgreduce", "-a", "csi"}, "change", "csi"},
	{{"vgchange", "-aay", "csi"}, "change", "csi"},
	{{"vgchange", "-a", "ay", "csi"}, "change", "csi"},
	{{"lvcreate", "-yn", "pvc-1", "-L1g", "csi"}, "change", "csi"},
	{{"lvcreate", "-s", "-n", "csi/snap", "-L", "1g", "--", "csi/pvc"}, "change", "csi"},
	{{"lvcreate", "-n", "csi/pvc", "-L", "1g"}, "change", "csi"},
	{{"lvdisplay", "-c", "csi/pvc"}, "read", "csi"},
	{{"pvmove", "-n", "csi/pvc", "/dev/sdb"}, "change", "csi"},
	{{"pvs", "-o", "a/b", "x"}, "read", ""},
	{{"rsync", "a/b", "c/d"}, "change", ""},
	{{"dd", "if=/dev/zero", "of=/dev/csi/pvc-1"}, "data", "csi"},
	{{"sudo", "-n", "lvremove", "-y", "csi/pvc-1"}, "change", "csi"},
	{{"timeout", "60", "lvs", "csi"}, "read", "csi"},
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
