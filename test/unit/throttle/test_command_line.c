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
	{{"mkfs.vfat", "/dev/csi/esp"}, "data", "csi"},
	{{"mkswap", "-L", "swap", "/dev/csi/swap"}, "data", "csi"},
	{{"fstrim", "/srv"}, "data", ""},
	{{"lvscan"}, "read", ""},
	{{"vgscan", "--mknodes"}, "read", ""},
	{{"lvm", "vgscan"}, "read", ""},
	{{"vgexport", "csi"}, "change", "csi"},
	{{"vgcfgrestore", "-f", "/root/csi.vg", "csi"}, "change", "csi"},
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
	{{"vgremove", "data", "csi"}, "change", "csi,data"},
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
	/* starters */
	{{"unshare", "-m", "lvremove", "csi/x"}, "change", "csi"},
	{{"unshare", "--mount-proc", "-fp", "--root", "/x", "lvremove", "csi/x"}, "change", "csi"},
	{{"unshare", "--mo", "lvremove", "csi/x"}, "change", ""},
	{{"nohup", "lvs", "csi"}, "read", "csi"},
	{{"ionice", "-c3", "-n", "5", "-t", "lvs", "csi"}, "read", "csi"},
	{{"ionice", "-p", "12", "lvs", "csi"}, "change", ""},
	{{"nice", "-n", "10", "lvs", "csi"}, "read", "csi"},
	{{"nice", "-10", "lvs", "csi"}, "read", "csi"},
	{{"nice", "--adj=5", "lvs", "csi"}, "read", "csi"},
	{{"chrt", "-i", "0", "lvs", "csi"}, "read", "csi"},
	{{"chrt", "-p", "1", "lvs", "csi"}, "change", ""},
	{{"taskset", "-c", "0-3", "lvs", "csi"}, "read", "csi"},
	{{"taskset", "0x3", "lvs", "csi"}, "read", "csi"},
	{{"taskset", "-p", "0x3", "700"}, "change", ""},
	{{"env", "A=b", "LVM_SYSTEM_DIR=/x", "lvs", "csi"}, "read", "csi"},
	{{"env", "-i", "-u", "HOME", "--chdir=/", "lvs", "csi"}, "read", "csi"},
	{{"env", "-", "lvs", "csi"}, "change", ""},
	{{"env", "-S", "lvs data", "lvs", "csi"}, "change", ""},
	{{"env", "LVM_VG_NAME=data", "lvs", "csi"}, "read", ""},
	{{"env", "A=b"}, "change", ""},
	{{"env"}, "change", ""},
	{{"setsid", "-w", "lvs", "csi"}, "read", "csi"},
	{{"stdbuf", "-oL", "-e", "0", "lvs", "csi"}, "read", "csi"},
	{{"stdbuf", "--output=L", "lvs", "csi"}, "read", "csi"},
	{{"systemd-run", "--scope", "-q", "--unit", "lvs", "-p", "CPUWeight=1", "lvs", "csi"}, "read",
	 "csi"},
	{{"systemd-run", "-M", "guest", "lvs", "csi"}, "change", ""},
	{{"systemd-run", "-H", "host", "lvs", "csi"}, "change", ""},
	{{"chroot", "/host", "lvs", "csi"}, "read", "csi"},
	{{"chroot", "--userspec=0:0", "/host", "/sbin/lvm", "lvs", "csi"}, "read", "csi"},
	{{"chroot", "/host"}, "change", ""},
	{{"nsenter", "--mount=/host/proc/1/ns/mnt", "--", "lvs", "csi"}, "read", "csi"},
	{{"nsenter", "-m/host/proc/1/ns/mnt", "lvs", "csi"}, "read", "csi"},
	{{"nsenter", "--target", "1", "--mount", "--ipc", "lvs", "csi"}, "read", "csi"},
	{{"nsenter", "-t1", "-a", "chroot", "/x", "timeout", "-k", "5", "60", "lvs", "csi"}, "read",
	 "csi"},
	{{"nsenter", "--nonesuch", "lvs", "csi"}, "change", ""},
	{{"flock", "/run/x", "lvs", "csi"}, "read", "csi"},
	{{"flock", "-w", "5", "-E75", "/run/x", "lvs", "csi"}, "read", "csi"},
	{{"flock", "/run/x", "-c", "lvs csi"}, "change", ""},
	{{"timeout", "-s", "KILL", "--foreground", "1m", "lvs", "csi"}, "read", "csi"},
	{{"timeout", "--kill-after", "5", "1m", "lvs", "csi"}, "read", "csi"},
	{{"sudo", "-u", "lvadmin", "lvs", "csi"}, "read", "csi"},
	{{"sudo", "-nu", "lvs", "--", "A=b", "lvremove", "csi/x"}, "change", "csi"},
	{{"sudo", "-h", "host", "lvs", "csi"}, "change", ""},
	{{"sudo", "--preserve-env=PATH", "--user=lvadmin", "lvs", "csi"}, "read", "csi"},
	{{"doas", "-n", "-u", "lvadmin", "lvs", "csi"}, "read", "csi"},
	{{"chronic", "lvremove", "csi/x"}, "change", ""},
	{{"chronic", "lvremove", "/dev/csi/x"}, "change", ""},
	/* a shell */
	{{"sh", "-c", "lvremove -y csi/x"}, "change", "csi"},
	{{"/bin/bash", "-ec", " A=b lvm  lvremove -y 'csi/x' "}, "change", "csi"},
	{{"sudo", "sh", "-c", "nice lvs \"csi\""}, "read", "csi"},
	{{"sh", "-c", "lvs csi", "sh", "data"}, "read", "csi"},
	{{"sh", "-c", "lvs $1", "sh", "data"}, "change", ""},
	{{"sh", "-c", "lvs \"$VG\""}, "change", ""},
	{{"sh", "-c", "lvs c*"}, "change", ""},
	{{"sh", "-c", "lvs csi && lvs data"}, "change", ""},
	{{"sh", "-c", "lvs csi; lvs data"}, "change", ""},
	{{"sh", "-c", "lvs csi\nlvs data"}, "change", ""},
	{{"sh", "-c", "lvs `x`"}, "change", ""},
	{{"sh", "-c", "lvs csi >/x"}, "change", ""},
	{{"sh", "-c", "lvs csi # data"}, "change", ""},
	{{"sh", "-c", "lvs ~"}, "change", ""},
	{{"sh", "-c", "lvs \\csi"}, "change", ""},
	{{"sh", "-c", "lvs {csi,data}"}, "change", ""},
	{{"sh", "-c", "lvs 'csi"}, "change", ""},
	{{"sh", "-c", "if lvs csi"}, "change", ""},
	{{"sh", "-c", "sh -c 'lvs csi'"}, "change", ""},
	{{"sh", "-c", ""}, "change", ""},
	{{"sh", "-c"}, "change", ""},
	{{"sh", "/x", "-c", "lvs csi"}, "change", ""},
	{{"sh"}, "change", ""},
	/* prefixes of options: only if all that they may mean take a value, or none does */
	{{"lvcreate", "--addt", "a/b", "-n", "x", "-L", "1g", "csi"}, "change", "csi"},
	{{"lvcreate", "--stripes=2", "--siz", "1g", "csi"}, "change", "csi"},
	{{"lvcreate", "--thinp", "csi/pool", "-V", "1g", "-n", "x"}, "change", "csi"},
	{{"lvcreate", "--na", "x", "-L", "1g", "csi"}, "change", ""},
	{{"lvcreate", "--t", "thin", "csi"}, "change", ""},
	{{"lvcreate", "--nonesuch", "x", "csi"}, "change", ""},
	{{"lvcreate", "--nonesuch=x", "csi"}, "change", ""},
	{{"lvcreate", "-Y", "csi"}, "change", ""},
	{{"lvcreate", "-L", "1g", "--yes=1", "csi"}, "change", ""},
	{{"lvcreate", "csi", "-n"}, "change", ""},
	/* one name, two meanings */
	{{"lvcreate", "--all", "anywhere", "-L", "1g", "csi"}, "change", "csi"},
	{{"vgreduce", "--all", "csi"}, "change", "csi"},
	{{"vgreduce", "--mirrors", "--removemissing", "csi"}, "change", "csi"},
	{{"lvs", "--name", "csi"}, "read", "csi"},
	{{"lvchange", "--vdo", "x=y", "csi/a"}, "change", "csi"},
	{{"lvextend", "--poolmetadata", "+1g", "csi/pool"}, "change", "csi"},
	{{"vgmerge", "--poolmetadata", "y", "csi", "data"}, "change", "csi,data"},
	/* several VGs */
	{{"vgchange", "-ay", "data", "csi", "data"}, "change", "csi,data"},
	{{"lvremove", "-y", "csi/a", "/dev/data/b", "csi/c"}, "change", "csi,data"},
	{{"lvremove", "-y", "@tag", "data/b"}, "change", "data"},
	{{"vgsplit", "-n", "lv", "csi", "new", "/dev/sdb"}, "change", "csi,new"},
	{{"lvconvert", "--type", "raid1", "csi/a", "/dev/mapper/data-b"}, "change", "csi"},
	/* words that are something else */
	{{"lvmconfig", "devices/filter"}, "read", ""},
	{{"pvcreate", "/dev/csi/x"}, "change", ""},
	{{"pvs", "/dev/csi/x"}, "read", ""},
	{{"lvextend", "-L", "1g", "csi"}, "change", ""},
	{{"vgs", "/dev/csi"}, "read", "csi"},
	{{"vgs", "csi/x"}, "read", ""},
	{{"vgrename", "fRmK9r-AAAA-AAAA-AAAA-AAAA-AAAA-AAAAAA", "new"}, "change", ""},
	{{"lvcreate", "-n", "csi/x", "-L", "1g", "data"}, "change", ""},
	{{"lvcreate", "-n", "csi/x", "-L", "1g", "--thinpool", "data/pool"}, "change", ""},
	{{"lvcreate_all", "csi"}, "change", ""},
	{{"lvm", "--version"}, "change", ""},
	{{"backup", "/dev/csi/x"}, "change", ""},
	{{"dd", "if=/dev/csi/x", "of=/dev/shm/x"}, "data", "csi"},
	{{"dd", "if=/dev/csi/x", "of=/dev/data/x"}, "data", "csi,data"},
};

/* With a comma between them. */
static void find(const char *const argv[], const char *default_vg, char ret_vgs[static 1024])
{
	struct lea_throttle_vgs vgs;

	ret_vgs[0] = '\0';
	lea_throttle_find_vgs(argv, default_vg, &vgs);
	for (size_t i = 0; i < vgs.count; i++) {
		strcat(ret_vgs, i ? "," : "");
		strcat(ret_vgs, vgs.name[i]);
	}
}

TEST_EACH(class_and_vgs_follow_from_the_command_line, rows)
{
	char vgs[1024];

	ck_assert_str_eq(lea_throttle_class(rows[_i].argv), rows[_i].class_);
	find(rows[_i].argv, NULL, vgs);
	ck_assert_str_eq(vgs, rows[_i].vg);
	find(rows[_i].argv, "", vgs);
	ck_assert_str_eq(vgs, "");
}

TEST(of_many_vgs_none_is_found_twice_and_the_rest_is_left_out)
{
	const char *argv[] = {"vgs", "h", "g", "f", "e", "d", "c", "b", "a", "a", "h", "i", NULL};
	char vgs[1024];

	find(argv, NULL, vgs);
	ck_assert_str_eq(vgs, "a,b,c,d,e,f,g,h");
}

TEST(words_of_a_shell_that_do_not_fit_give_no_vg)
{
	char text[1100] = "lvs csi", vgs[1024];
	const char *argv[] = {"sh", "-c", text, NULL};

	find(argv, NULL, vgs);
	ck_assert_str_eq(vgs, "csi");
	memset(text + 7, ' ', sizeof(text) - 8);
	find(argv, NULL, vgs);
	ck_assert_str_eq(vgs, "csi");
	memset(text + 7, 'x', sizeof(text) - 8);
	find(argv, NULL, vgs);
	ck_assert_str_eq(vgs, "");
	for (size_t i = 4; i < sizeof(text) - 1; i++)
		text[i] = i % 2 ? 'x' : ' ';
	find(argv, NULL, vgs);
	ck_assert_str_eq(vgs, "");
}

TEST(a_name_of_a_vg_is_never_cut)
{
	char vg[1024], name[400];
	const char *argv[] = {"lvremove", name, NULL};

	memset(name, 'x', sizeof(name));
	name[127] = '\0';
	find(argv, NULL, vg);
	ck_assert_str_eq(vg, name);
	name[127] = 'x';
	name[300] = '\0';
	find(argv, NULL, vg);
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
