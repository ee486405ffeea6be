/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a boot: collected from claims, sysfs and udev's database; written, kept, refused.
 */
#include "daemon/boot_memory_collect.h"
#include "daemon/remember.h"
#include "memory/boot_memory_file.h"

#include "fake/tree.h"
#include "record/duplicate_note.h"
#include "state/claim.h"
#include "state/newest.h"
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MACHINE "0123456789abcdef0123456789abcdef"
#define BOOT	"11111111-2222-3333-4444-555555555555"
#define PV(n)	#n "bcdefghijklmnopqrstuvwxyz012345"
#define VG_ID	"vgcdefghijklmnopqrstuvwxyz012345"
#define LV_ID	"lvcdefghijklmnopqrstuvwxyz012345"
#define FILE_	"/var/lib/lvmevent/boot"

static struct tree tree;
static struct lea_arena *arena;
static struct lea_boot_memory memory, before;

static void setup(void)
{
	tree_init(&tree);
	tree_put(&tree, "/etc/machine-id", MACHINE "\n");
	tree_put(&tree, "/proc/sys/kernel/random/boot_id", BOOT "\n");
	tree_put_process(&tree, getpid(), "test", 'S', 4242);
	tree_mkdir(&tree, "/run/lvm");
	tree_mkdir(&tree, "/var/lib");
	tree_mkdir(&tree, "/sys/class/block");
	tree_mkdir(&tree, "/run/udev/data");
	arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	memory = before = (struct lea_boot_memory){0};
}

static void teardown(void)
{
	lea_arena_free(arena);
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* A SCSI disk 8:@minor below its own folder, as sysfs shows it. */
static void plug(const char *name, unsigned int minor, const char *wwid)
{
	char path[160], text[160];

	snprintf(path, sizeof(path), "/sys/devices/pci0/host2/2:0:0:%u/block/%s/size", minor, name);
	tree_put(&tree, path, "32768\n");
	snprintf(path, sizeof(path), "/sys/devices/pci0/host2/2:0:0:%u/block/%s/device/wwid", minor,
		 name);
	tree_put(&tree, path, wwid);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u", minor);
	snprintf(text, sizeof(text), "../../devices/pci0/host2/2:0:0:%u/block/%s", minor, name);
	tree_link(&tree, path, text);
	snprintf(path, sizeof(path), "/run/udev/data/b8:%u", minor);
	snprintf(text, sizeof(text),
		 "I:%u000000\nE:ID_SERIAL_SHORT=S%u\nE:ID_FS_TYPE=LVM2_member\n", minor, minor);
	tree_put(&tree, path, text);
}

/* A device-mapper device 253:@minor. */
static void map(unsigned int minor, const char *uuid, const char *properties)
{
	char path[160], text[512];

	snprintf(path, sizeof(path), "/sys/class/block/dm-%u/dev", minor);
	snprintf(text, sizeof(text), "253:%u\n", minor);
	tree_put(&tree, path, text);
	snprintf(path, sizeof(path), "/run/udev/data/b253:%u", minor);
	snprintf(text, sizeof(text), "I:9000000\nE:DM_UUID=%s\n%s", uuid, properties);
	tree_put(&tree, path, text);
}

static void finish(const char *vg_id, const char *name, enum lea_claim_state state)
{
	struct lea_claim_pv pv[] = {{PV(a), {8, 16, 1}}, {PV(b), {8, 32, 2}}};
	struct lea_claim claim = {
		.state = state, .seqno = 7, .pv = pv, .pv_count = 2, .is_tagged = true};
	struct lea_claims claims;

	snprintf(claim.vg_name, sizeof(claim.vg_name), "%s", name);
	ck_assert_int_eq(lea_claims_init(&claims, &tree.world, NULL), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, vg_id, &claim), 0);
}

static void boot(void)
{
	plug("sda", 16, "naa.5000c500\n");
	plug("sdb", 32, "naa.5000c501\n");
	finish(VG_ID, "data", LEA_CLAIM_DONE);
	map(0, "LVM-" VG_ID LV_ID,
	    "E:DM_VG_NAME=data\nE:DM_LV_NAME=home\nE:ID_FS_UUID_ENC=1-2\n"
	    "E:ID_FS_LABEL_ENC=my\\x20home\n");
}

static void collect(void)
{
	ck_assert_int_eq(
		lea_boot_memory_collect(&tree.world, arena, &before, MACHINE, BOOT, &memory), 0);
}

TEST(a_vg_is_remembered_with_its_pvs_and_lvs)
{
	boot();
	collect();
	ck_assert_uint_eq(memory.vg_count, 1);
	ck_assert_str_eq(memory.vg[0].id, VG_ID);
	ck_assert_str_eq(memory.vg[0].name, "data");
	ck_assert_uint_eq(memory.vg[0].seqno, 7);
	ck_assert(memory.vg[0].is_tagged);
	ck_assert_uint_eq(memory.vg[0].complete_ms, 32000);
	ck_assert_uint_eq(memory.vg[0].pv_count, 2);
	ck_assert_str_eq(memory.vg[0].pv[0].pvid, PV(a));
	ck_assert_int_eq(memory.vg[0].pv[0].kind, LEA_BOOT_DISK);
	ck_assert_uint_eq(memory.vg[0].pv[0].size_sectors, 32768);
	ck_assert_uint_eq(memory.vg[0].pv[0].seen_ms, 16000);
	ck_assert_str_eq(memory.vg[0].pv[0].wwid, "naa.5000c500");
	ck_assert_str_eq(memory.vg[0].pv[0].serial, "S16");
	ck_assert_str_eq(memory.vg[0].pv[0].address, "pci0/host2/2:0:0:16");
	ck_assert_uint_eq(memory.vg[0].lv_count, 1);
	ck_assert_str_eq(memory.vg[0].lv[0].name, "home");
	ck_assert_str_eq(memory.vg[0].lv[0].fs_uuid, "1-2");
	ck_assert_str_eq(memory.vg[0].lv[0].fs_label, "my home");
	ck_assert_uint_eq(memory.vg[0].lv[0].usable_ms, 9000);
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

static void note_newest(uint32_t seqno, char (*pvid)[33], uint32_t pv_count)
{
	struct lea_newest newest = {.vg_id = VG_ID,
				    .vg_name = "data",
				    .seqno = seqno,
				    .shown_by = {PV(a), {8, 16, 1}},
				    .pvid = pvid,
				    .pv_count = pv_count};

	ck_assert_int_eq(lea_newest_replace(lea_world_run(&tree.world), &newest), 0);
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
	{"another VG", LV_ID, "data", 8, {PV(c)}, 0, 7},
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

/* sysfs has the instance that the claim and the notes name. */
static void put_instance(unsigned int minor, const char *name, const char *diskseq)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/diskseq", minor);
	tree_put(&tree, path, diskseq);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/uevent", minor);
	snprintf(text, sizeof(text), "MAJOR=8\nMINOR=%u\nDEVNAME=%s\n", minor, name);
	tree_put(&tree, path, text);
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

static bool exists(const char *path)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", tree.root, path);
	return !access(full, F_OK);
}

static void write_of(const char *boot_id)
{
	memory.machine = MACHINE;
	memory.boot = boot_id;
	ck_assert_int_eq(lea_boot_memory_write(&tree.world, &memory), 0);
}

TEST(the_last_boot_is_kept_and_no_other)
{
	write_of("b1");
	tree_put(&tree, FILE_ ".1", "of an older version\n");
	tree_put(&tree, FILE_ ".4", "of an older version\n");
	write_of("b2");
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), 0);
	ck_assert_str_eq(memory.boot, "b2");
	ck_assert(!exists(FILE_ ".1") && !exists(FILE_ ".4"));
	tree_remove(&tree, FILE_);
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), LEA_BOOT_MEMORY_ABSENT);
}

static const struct {
	const char *claim, *path, *text, *logged;
} unusable[] = {
	{"a damaged file", FILE_, "lvmevent-boot 1\nmachine", "is not used"},
	{"another machine's file", "/etc/machine-id", "ffffffffffffffffffffffffffffffff\n",
	 "of another machine"},
	{"a machine without an id", "/etc/machine-id", "uninitialized\n", "no id"},
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
	snprintf(path, sizeof(path), "%s/var/lib/lvmevent", tree.root);
	ck_assert_int_eq(chmod(path, 0777), 0);
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), LEA_BOOT_MEMORY_ABSENT);
	ck_assert_int_lt(lea_boot_memory_write(&tree.world, &memory), 0);
}

TEST(without_var_nothing_is_read_or_written)
{
	tree_remove(&tree, "/var/lib");
	ck_assert_int_eq(lea_boot_memory_read(&tree.world, arena, &memory), LEA_BOOT_MEMORY_ABSENT);
	memory.machine = memory.boot = "";
	ck_assert_int_lt(lea_boot_memory_write(&tree.world, &memory), 0);
	ck_assert_str_eq(tree.logged, "");
}

/* remembered: is there a file after one step? */
static const struct {
	const char *claim, *fstab;
	bool remembered;
	const char *logged;
} boots[] = {
	{"nothing is needed", "", true, ""},
	{"what is needed is active", "/dev/data/home /home ext4 defaults 0 2\n", true, ""},
	{"an LV of a VG that is there is missing", "/dev/data/old /old ext4 defaults 0 2\n", false,
	 "data/old, which /old needs"},
	{"a VG has only some of its PVs", "/dev/part/lv /part ext4 defaults 0 2\n", false,
	 "part/lv, which /part needs"},
	{"a name that only looks like a VG", "/dev/disk/sda1 /x ext4 defaults 0 2\n", true, ""},
	{"a UUID that is on no LV", "UUID=77-88 /boot vfat defaults 0 2\n", true, ""},
};

static const struct lea_conf *read_conf(void)
{
	const struct lea_conf_options options = {0};
	const struct lea_conf *conf;

	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	return conf;
}

TEST_EACH(a_good_boot_is_remembered, boots)
{
	struct lea_remember remember = {0};
	const struct lea_conf *conf;

	boot();
	tree_put(&tree, "/run/lvm/pvs_lookup/part", PV(c) "\n");
	tree_put(&tree, "/etc/fstab", boots[_i].fstab);
	conf = read_conf();
	lea_remember_step(&remember, &tree.world, conf);
	ck_assert_msg(exists(FILE_) == boots[_i].remembered, "%s: %s", boots[_i].claim,
		      tree.logged);
	ck_assert_msg(strstr(tree.logged, boots[_i].logged), "%s: %s", boots[_i].claim,
		      tree.logged);
	ck_assert(remember.is_done == boots[_i].remembered);
	lea_conf_free(conf);
}

/* Which of the two is the PV is not known, so this boot cannot tell the next one. */
TEST(a_needed_vg_with_a_pv_on_two_devices_is_not_said_to_be_inactive)
{
	const struct lea_duplicate note = {
		.pvid = PV(a), .id = {8, 48, 3}, .state = LEA_DUPLICATE_IGNORED, .vg_id = VG_ID};
	struct lea_remember remember = {0};
	const struct lea_conf *conf;

	boot();
	tree_put(&tree, "/run/lvm/pvs_lookup/data", PV(a) "\n" PV(b) "\n");
	tree_put(&tree, "/etc/fstab", "/dev/data/home /home ext4 defaults 0 2\n");
	ck_assert_int_eq(lea_duplicate_put(&tree.world, &note), 0);
	conf = read_conf();
	lea_remember_step(&remember, &tree.world, conf);
	ck_assert(!remember.is_done);
	ck_assert_msg(strstr(tree.logged, "is not active, or a PV of it is on two devices"), "%s",
		      tree.logged);
	lea_conf_free(conf);
}

TEST(a_vg_of_the_last_boot_is_expected)
{
	struct lea_remember remember = {0};
	const struct lea_conf *conf = read_conf();

	boot();
	collect();
	write_of("b1");
	finish(VG_ID, "data", LEA_CLAIM_FAILED);
	tree_put(&tree, "/etc/fstab", "/dev/data/home /home ext4 defaults 0 2\n");
	lea_remember_step(&remember, &tree.world, conf);
	ck_assert(!remember.is_done);
	finish(VG_ID, "data", LEA_CLAIM_DONE);
	lea_remember_step(&remember, &tree.world, conf);
	ck_assert(remember.is_done);
	lea_conf_free(conf);
}

TEST(a_boot_is_remembered_once)
{
	struct lea_remember remember = {0}, restarted = {0};
	const struct lea_conf *conf = read_conf();

	boot();
	tree_put(&tree, "/run/udev/queue", "");
	ck_assert_msg(lea_remember_step(&remember, &tree.world, conf) > 0, "called again soon");
	ck_assert_msg(!exists(FILE_) && !remember.tries, "udev still works");
	tree_remove(&tree, "/run/udev/queue");
	ck_assert_int_eq(lea_remember_step(&remember, &tree.world, conf), -1);
	tree_remove(&tree, "/etc/machine-id");
	lea_remember_step(&remember, &tree.world, conf);
	ck_assert_str_eq(tree.logged, "");
	tree_put(&tree, "/etc/machine-id", MACHINE "\n");
	lea_remember_step(&restarted, &tree.world, conf);
	ck_assert_msg(restarted.is_done && !exists(FILE_ ".1"), "%s", tree.logged);
	lea_conf_free(conf);
}

TEST(a_boot_without_vgs_does_not_replace_a_good_one)
{
	struct lea_remember remember = {0};
	const struct lea_conf *conf = read_conf();

	write_of("b1");
	lea_remember_step(&remember, &tree.world, conf);
	ck_assert(!remember.is_done && !exists(FILE_ ".1"));
	lea_conf_free(conf);
}

TEST(without_var_a_few_tries_are_made)
{
	struct lea_remember remember = {0};
	const struct lea_conf *conf = read_conf();
	unsigned int lines = 0;

	boot();
	tree_remove(&tree, "/var/lib");
	for (int i = 0; i < 50; i++)
		lea_remember_step(&remember, &tree.world, conf);
	for (const char *line = tree.logged; (line = strstr(line, "not remembered")); line++)
		lines++;
	ck_assert_uint_eq(lines, 5);
	lea_conf_free(conf);
}
