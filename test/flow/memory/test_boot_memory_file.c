/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a boot: collected from claims, sysfs and udev's database; written, kept, refused.
 */
#include "flow/memory_scratch.h"

#include <signal.h>
#include <sys/resource.h>

const struct fixture fixture = {setup, teardown};

TEST(a_vg_is_remembered_with_its_pvs_and_lvs)
{
	boot();
	collect();
	ck_assert_uint_eq(memory.vg_count, 1);
	ck_assert_str_eq(memory.vg[0].id, VG_ID);
	ck_assert_str_eq(memory.vg[0].name, "data");
	ck_assert_uint_eq(memory.vg[0].seqno, 7);
	ck_assert(memory.vg[0].is_tagged);
	ck_assert_uint_eq(memory.vg[0].pv_count, 2);
	ck_assert_str_eq(memory.vg[0].pv[0].pvid, PV(a));
	ck_assert_int_eq(memory.vg[0].pv[0].kind, LEA_BOOT_DISK);
	ck_assert_uint_eq(memory.vg[0].pv[0].size_sectors, 32768);
	ck_assert_str_eq(memory.vg[0].pv[0].wwid, "naa.5000c500");
	ck_assert_str_eq(memory.vg[0].pv[0].serial, "S16");
	ck_assert_str_eq(memory.vg[0].pv[0].address, "pci0/host2/2:0:0:16");
	ck_assert_uint_eq(memory.vg[0].lv_count, 1);
	ck_assert_str_eq(memory.vg[0].lv[0].name, "home");
	ck_assert_str_eq(memory.vg[0].lv[0].fs_uuid, "1-2");
	ck_assert_str_eq(memory.vg[0].lv[0].fs_label, "my home");
}

TEST(parts_of_lvs_and_foreign_maps_are_no_lvs)
{
	boot();
	map(1, "LVM-" VG_ID LV_ID "-tpool", "E:DM_LV_NAME=pool\n");
	map(2, "LVM-" VG_ID LV_ID, "E:DM_LV_NAME=r_rimage_0\n");
	map(3, "LVM-" VG_ID LV_ID, "E:DM_LV_NAME=x\nE:DM_UDEV_DISABLE_OTHER_RULES_FLAG=1\n");
	map(4, "LVM-" LV_ID LV_ID, "E:DM_LV_NAME=of_another_vg\n");
	map(5, "CRYPT-LUKS2-x", "E:DM_NAME=c\n");
	collect();
	ck_assert_uint_eq(memory.vg[0].lv_count, 1);
}

/* Metadata of the VG on a PV that was changed without this one are newer than those of the claim.
 */
TEST(a_vg_with_outdated_metadata_is_not_remembered)
{
	char all[][33] = {PV(a), PV(b)}, others[][33] = {PV(a), PV(c)};

	boot();
	note_newest(7, others, 2);
	collect();
	ck_assert_uint_eq(memory.vg_count, 1);
	memory = (struct lea_boot_memory){0};
	note_newest(8, others, 2);
	collect();
	ck_assert_uint_eq(memory.vg_count, 0);
	/* A change in this boot, of the same PVs. */
	note_newest(9, all, 2);
	collect();
	ck_assert_uint_eq(memory.vg_count, 1);
	ck_assert_uint_eq(memory.vg[0].seqno, 9);
}

/* The claim has seqno 7, and PVs a and b. pvs: of the memory; newest: 0: no other PV shows newer
 * metadata; seqno: remembered now; 0: nothing. */
static const struct {
	const char *claim, *vg_id, *name;
	uint32_t before;
	char pvs[3][33];
	uint32_t newest, seqno;
} lower[] = {
	{"the PV that showed newer ones is away", VG_ID, "data", 8, {PV(c)}, 0, 8},
	{"one of the PVs that showed newer ones is away", VG_ID, "data", 8, {PV(a), PV(c)}, 0, 8},
	{"the PV with newer ones is there, and waits", VG_ID, "data", 8, {PV(c)}, 8, 8},
	{"newer ones were restored to older ones on all their PVs",
	 VG_ID,
	 "data",
	 8,
	 {PV(a), PV(b)},
	 0,
	 7},
	{"... on all that they listed", VG_ID, "data", 8, {PV(b)}, 0, 7},
	{"as new ones on another PV", VG_ID, "data", 7, {PV(c)}, 0, 7},
	{"older ones on another PV", VG_ID, "data", 6, {PV(c)}, 0, 7},
	{"older ones, and a PV shows newer than the claim", VG_ID, "data", 6, {PV(c)}, 8, 0},
	{"another VG of the same id", VG_ID, "else", 8, {PV(c)}, 0, 7},
	{"another VG of the same name", LV_ID, "data", 8, {PV(c)}, 0, 7},
};

TEST_EACH(no_memory_replaces_one_of_newer_metadata, lower)
{
	char others[][33] = {PV(a), PV(c)};
	struct lea_boot_pv pvs[3] = {0};
	struct lea_boot_vg vg = {.name = lower[_i].name, .seqno = lower[_i].before, .pv = pvs};

	snprintf(vg.id, sizeof(vg.id), "%s", lower[_i].vg_id);
	for (; lower[_i].pvs[vg.pv_count][0]; vg.pv_count++)
		memcpy(pvs[vg.pv_count].pvid, lower[_i].pvs[vg.pv_count], sizeof(pvs->pvid));
	before = (struct lea_boot_memory){.vg = &vg, .vg_count = 1};
	boot();
	if (lower[_i].newest)
		note_newest(lower[_i].newest, others, 2);
	collect();
	ck_assert_msg(memory.vg_count == (lower[_i].seqno > 0), "%s: %u VGs", lower[_i].claim,
		      memory.vg_count);
	if (!memory.vg_count)
		return;
	ck_assert_msg(memory.vg[0].seqno == lower[_i].seqno, "%s: seqno %u", lower[_i].claim,
		      memory.vg[0].seqno);
	ck_assert_str_eq(memory.vg[0].pv[0].pvid, lower[_i].seqno == 7 ? PV(a) : lower[_i].pvs[0]);
	/* The LVs are those that are active, on whichever PVs. */
	ck_assert_uint_eq(memory.vg[0].lv_count, 1);
}

static const struct {
	const char *uuid;
	enum lea_boot_kind kind;
} maps[] = {
	{"mpath-3600", LEA_BOOT_MULTIPATH},
	{"CRYPT-LUKS2-x", LEA_BOOT_LUKS},
	{"LVM-" VG_ID LV_ID, LEA_BOOT_LV},
	{"part1-mpath-3600", LEA_BOOT_OTHER},
};

TEST_EACH(the_kind_of_a_device_is_remembered, maps)
{
	boot();
	tree_put(&tree, "/sys/devices/pci0/host2/2:0:0:16/block/sda/dm/uuid", maps[_i].uuid);
	tree_put(&tree, "/sys/devices/pci0/host2/2:0:0:32/block/sdb/md/level", "raid1\n");
	collect();
	ck_assert_int_eq(memory.vg[0].pv[0].kind, maps[_i].kind);
	ck_assert_int_eq(memory.vg[0].pv[1].kind, LEA_BOOT_MD);
}

static void put_slave(const char *of, const char *name, unsigned int minor)
{
	char path[160], text[32];

	snprintf(path, sizeof(path), "%s/slaves/%s/dev", of, name);
	snprintf(text, sizeof(text), "8:%u\n", minor);
	tree_put(&tree, path, text);
}

/* A map with two paths to one disk, and an array of that disk and of one without a wwid. */
TEST(the_disks_below_a_pv_are_remembered)
{
	static const char sda[] = "/sys/devices/pci0/host2/2:0:0:16/block/sda",
			  sdb[] = "/sys/devices/pci0/host2/2:0:0:32/block/sdb";
	const struct lea_boot_pv *pv;

	boot();
	plug("sdc", 48, "naa.5000c502\n");
	plug("sdd", 64, "naa.5000c502\n");
	plug("sde", 80, "\n");
	tree_put(&tree, "/sys/devices/pci0/host2/2:0:0:16/block/sda/dm/uuid", "mpath-3600\n");
	put_slave(sda, "sdc", 48);
	put_slave(sda, "sdd", 64);
	tree_put(&tree, "/sys/devices/pci0/host2/2:0:0:32/block/sdb/md/level", "raid1\n");
	put_slave(sdb, "sde", 80);
	collect();
	pv = memory.vg[0].pv;
	ck_assert_uint_eq(pv[0].below_count, 1);
	ck_assert_str_eq(pv[0].below[0].wwid, "naa.5000c502");
	ck_assert_uint_eq(pv[1].below_count, 1);
	ck_assert_str_eq(pv[1].below[0].wwid, "");
	ck_assert_str_eq(pv[1].below[0].address, "pci0/host2/2:0:0:80");
}

/* The needed wave could find none of them by its ids. */
static const struct {
	const char *claim, *dm_uuid;
} unknown[] = {
	{"an LV", "LVM-" VG_ID LV_ID},
	{"encryption on an LV", "CRYPT-LUKS2-x"},
};

TEST_EACH(what_lies_on_an_lv_has_no_disks_below, unknown)
{
	boot();
	plug("sdc", 48, "naa.5000c502\n");
	plug("sdd", 64, "naa.5000c503\n");
	tree_put(&tree, "/sys/devices/pci0/host2/2:0:0:16/block/sda/dm/uuid", unknown[_i].dm_uuid);
	put_slave("/sys/devices/pci0/host2/2:0:0:16/block/sda", "sdc", 48);
	tree_put(&tree, "/sys/devices/pci0/host2/2:0:0:48/block/sdc/dm/uuid", "LVM-x\n");
	put_slave("/sys/devices/pci0/host2/2:0:0:48/block/sdc", "sdd", 64);
	collect();
	ck_assert_msg(!memory.vg[0].pv[0].below_count, "%s", unknown[_i].claim);
}

TEST(a_partition_is_remembered_with_its_disk)
{
	const char *const folder = "/sys/devices/pci0/host2/2:0:0:16/block/sda";
	char path[160];

	boot();
	snprintf(path, sizeof(path), "%s/sda3/partition", folder);
	tree_put(&tree, path, "3\n");
	snprintf(path, sizeof(path), "%s/sda3/size", folder);
	tree_put(&tree, path, "1024\n");
	tree_remove(&tree, "/sys/dev/block/8:16");
	tree_link(&tree, "/sys/dev/block/8:16", "../../devices/pci0/host2/2:0:0:16/block/sda/sda3");
	collect();
	ck_assert_int_eq(memory.vg[0].pv[0].kind, LEA_BOOT_PARTITION);
	ck_assert_uint_eq(memory.vg[0].pv[0].partition, 3);
	ck_assert_uint_eq(memory.vg[0].pv[0].size_sectors, 1024);
	ck_assert_str_eq(memory.vg[0].pv[0].wwid, "naa.5000c500");
	ck_assert_str_eq(memory.vg[0].pv[0].address, "pci0/host2/2:0:0:16");
}

TEST(a_vg_that_failed_is_not_remembered)
{
	boot();
	finish(VG_ID, "data", LEA_CLAIM_FAILED);
	collect();
	ck_assert_uint_eq(memory.vg_count, 0);
}

/* Rows: the kernel's id of sdb and of the disk sdc, which has a PV of the VG as well. */
static const struct {
	const char *claim, *wwid, *duplicate;
	bool is_remembered;
} duplicates[] = {
	{"another disk", "naa.5000c501\n", "naa.5000c502\n", false},
	{"a path to the same disk", "naa.5000c501\n", "naa.5000c501\n", true},
	{"an id that is made of a serial number", "t10.ATA x\n", "t10.ATA x\n", false},
	{"a disk that has gone", "naa.5000c501\n", NULL, false},
};

TEST_EACH(a_vg_with_a_duplicate_is_remembered_if_it_is_a_path, duplicates)
{
	const struct lea_duplicate duplicate = {.pvid = PV(b), .id = {8, 48, 3}};

	boot();
	tree_put(&tree, "/sys/dev/block/8:32/device/wwid", duplicates[_i].wwid);
	put_instance(32, "sdb", "2\n");
	if (duplicates[_i].duplicate) {
		plug("sdc", 48, duplicates[_i].duplicate);
		put_instance(48, "sdc", "3\n");
	}
	ck_assert_int_eq(lea_duplicate_put(&tree.world, &duplicate), 0);
	collect();
	ck_assert_msg(memory.vg_count == duplicates[_i].is_remembered, "%s", duplicates[_i].claim);
}

static void write_of(const char *boot_id)
{
	memory.machine = MACHINE;
	memory.boot = boot_id;
	ck_assert_int_ge(lea_boot_memory_write(&tree.world, &memory), 0);
}

TEST(the_last_memory_is_kept_and_no_other)
{
	write_of("b1");
	tree_put(&tree, OLD, "of an older version\n");
	tree_put(&tree, OLD ".1", "of an older version\n");
	tree_put(&tree, OLD ".4", "of an older version\n");
	write_of("b2");
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), 0);
	ck_assert_str_eq(memory.boot, "b2");
	ck_assert(!exists(OLD) && !exists(OLD ".1") && !exists(OLD ".4"));
	tree_remove(&tree, FILE_);
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), LEA_BOOT_MEMORY_ABSENT);
}

TEST(the_same_text_is_not_written_again)
{
	write_of("b1");
	memory.boot = "b1";
	ck_assert_int_eq(lea_boot_memory_write(&tree.world, &memory), LEA_BOOT_MEMORY_SAME);
	memory.boot = "b2";
	ck_assert_int_eq(lea_boot_memory_write(&tree.world, &memory), 0);
}

#define TEXT "lvmevent-boot 2\nmachine " MACHINE "\nboot old\nend\n"

/* A version that had no other place may have run here. */
TEST(a_memory_of_an_earlier_version_is_used_until_there_is_another)
{
	tree_put(&tree, OLD, TEXT);
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), 0);
	ck_assert_str_eq(memory.boot, "old");
	write_of("b1");
	ck_assert(!exists(OLD));
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), 0);
	ck_assert_str_eq(memory.boot, "b1");
}

/* What was written when the mount point was none is there until something is mounted. */
static const struct {
	const char *claim, *fstab;
	bool is_used;
} below[] = {
	{"/var is a part of /", "/dev/data/root / ext4 defaults 0 1\n", true},
	{"/var is a mount point", "/dev/data/var /var ext4 defaults 0 2\n", false},
	{"/var/lib is one", "LABEL=lib /var/lib/ xfs defaults 0 2\n", false},
	{"another folder is", "/dev/data/x /var/lib/lvm xfs defaults 0 2\n", true},
};

TEST_EACH(a_file_below_a_mount_point_is_not_used, below)
{
	tree_put(&tree, OLD, TEXT);
	tree_put(&tree, "/etc/fstab", below[_i].fstab);
	ck_assert_msg(lea_boot_memory_read(&tree.world, arena, &memory) ==
			      (below[_i].is_used ? 0 : LEA_BOOT_MEMORY_ABSENT),
		      "%s: %s", below[_i].claim, tree.logged);
}

TEST(a_file_that_was_copied_is_not_used)
{
	char text[8192];

	write_of("b1");
	snprintf(text, sizeof(text), "%s", text_of(FILE_));
	tree_put(&tree, OLD, text);
	remove_all("/etc/lvm"); /* only now: a new folder may get its number */
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), LEA_BOOT_MEMORY_ABSENT);
	ck_assert_msg(strstr(tree.logged, "was copied"), "%s", tree.logged);
}

/* As on a full disk. */
TEST(what_cannot_be_written_leaves_the_file_as_it_was)
{
	const struct rlimit none = {10, 10};

	write_of("b1");
	signal(SIGXFSZ, SIG_IGN);
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
	memory.boot = "b2";
	ck_assert_int_lt(lea_boot_memory_write(&tree.world, &memory), 0);
	ck_assert(strstr(text_of(FILE_), "boot b1 ") && !exists(OLD));
}

/* As where /etc/lvm cannot be written, because it is read-only. */
TEST(without_etc_the_other_place_is_used)
{
	remove_all("/etc/lvm");
	write_of("b1");
	ck_assert(exists(OLD));
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), 0);
	/* From then on the newer one counts, and then it is the only one. */
	tree_mkdir(&tree, "/etc/lvm");
	write_of("b2");
	ck_assert(exists(FILE_) && !exists(OLD));
}

static const struct {
	const char *claim, *path, *text, *logged;
} unusable[] = {
	{"a damaged file", FILE_, "lvmevent-boot 2\nmachine", "is not used"},
	{"a file of an earlier version", FILE_,
	 "lvmevent-boot 1\nmachine " MACHINE "\nboot b1\nend\n", "of another version"},
	{"another machine's file", "/etc/machine-id", "ffffffffffffffffffffffffffffffff\n",
	 "of another machine"},
	{"a machine without an id", "/etc/machine-id", "uninitialized\n", "no /etc/machine-id"},
};

TEST_EACH(a_file_that_is_not_ours_counts_as_none, unusable)
{
	write_of("b1");
	tree_put(&tree, unusable[_i].path, unusable[_i].text);
	ck_assert_msg(lea_boot_memory_read(&tree.world, arena, &memory) == LEA_BOOT_MEMORY_ABSENT &&
			      strstr(tree.logged, unusable[_i].logged),
		      "%s: %s", unusable[_i].claim, tree.logged);
}

TEST(a_folder_that_others_may_write_is_not_used)
{
	char path[128];

	write_of("b1");
	snprintf(path, sizeof(path), "%s/etc/lvm/lvmevent", tree.root);
	ck_assert_int_eq(chmod(path, 0777), 0);
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), LEA_BOOT_MEMORY_ABSENT);
	write_of("b2");
	ck_assert(strstr(text_of(OLD), "boot b2 "));
}

TEST(where_nothing_can_be_written_it_is_said_why)
{
	const char *why;

	ck_assert_int_eq(lea_boot_memory_find(&tree.world, arena, &memory, &why),
			 LEA_BOOT_MEMORY_ABSENT);
	ck_assert_str_eq(why, "no boot has been remembered yet");
	remove_all("/var/lib");
	remove_all("/etc/lvm");
	ck_assert_int_eq(lea_boot_memory_find(&tree.world, arena, &memory, &why),
			 LEA_BOOT_MEMORY_ABSENT);
	ck_assert_msg(strstr(why, "cannot be written"), "%s", why);
	memory.machine = memory.boot = "";
	ck_assert_int_lt(lea_boot_memory_write(&tree.world, &memory), 0);
	ck_assert_str_eq(tree.logged, "");
}
