/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine made of files whose boot is remembered: claims, records, sysfs, udev's database. */
#pragma once

#include "daemon/boot_memory_collect.h"
#include "daemon/remember.h"
#include "fake/tree.h"
#include "memory/boot_memory_file.h"
#include "record/duplicate_note.h"
#include "state/claim.h"
#include "state/newest.h"
#include "state/online.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MACHINE "0123456789abcdef0123456789abcdef"
#define BOOT	"11111111-2222-3333-4444-555555555555"
#define PV(n)	#n "bcdefghijklmnopqrstuvwxyz012345"
#define VG_ID	"vgcdefghijklmnopqrstuvwxyz012345"
#define LV_ID	"lvcdefghijklmnopqrstuvwxyz012345"
#define FILE_	"/etc/lvm/lvmevent/boot"
#define OLD	"/var/lib/lvmevent/boot"

static struct tree tree;
static struct lea_arena *arena;
static struct lea_boot_memory memory, before;
static uint64_t now_ms;

static inline uint64_t clock_now(struct lea_clock *clock)
{
	return now_ms;
}

static struct lea_clock test_clock = {.now_ms = clock_now};

static inline void setup(void)
{
	tree_init(&tree);
	tree.world.clock = &test_clock;
	now_ms = 1000;
	tree_put(&tree, "/etc/machine-id", MACHINE "\n");
	tree_put(&tree, "/proc/sys/kernel/random/boot_id", BOOT "\n");
	tree_put_process(&tree, getpid(), "test", 'S', 4242);
	tree_mkdir(&tree, "/run/lvm");
	tree_mkdir(&tree, "/etc/lvm");
	tree_mkdir(&tree, "/var/lib");
	tree_mkdir(&tree, "/sys/class/block");
	tree_mkdir(&tree, "/run/udev/data");
	arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	memory = before = (struct lea_boot_memory){0};
}

static inline void teardown(void)
{
	lea_arena_free(arena);
	tree_done(&tree);
}

/* A SCSI disk 8:@minor below its own folder, as sysfs shows it. */
static inline void plug(const char *name, unsigned int minor, const char *wwid)
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
static inline void map(unsigned int minor, const char *uuid, const char *properties)
{
	char path[160], text[512];

	snprintf(path, sizeof(path), "/sys/class/block/dm-%u/dev", minor);
	snprintf(text, sizeof(text), "253:%u\n", minor);
	tree_put(&tree, path, text);
	snprintf(path, sizeof(path), "/sys/class/block/dm-%u/dm/uuid", minor);
	snprintf(text, sizeof(text), "%s\n", uuid);
	tree_put(&tree, path, text);
	snprintf(path, sizeof(path), "/run/udev/data/b253:%u", minor);
	snprintf(text, sizeof(text), "I:9000000\nE:DM_UUID=%s\n%s", uuid, properties);
	tree_put(&tree, path, text);
}

/* A record of PV @letter: on 8:16 if it is "a", and so on. */
static inline void record(char letter, const char *vg_name)
{
	struct lea_online online = {.major = 8, .minor = 16U * (uint32_t)(letter - 'a' + 1)};
	char pvid[33] = PV(a);

	pvid[0] = letter;
	snprintf(online.vg, sizeof(online.vg), "%s", vg_name);
	ck_assert_int_eq(lea_online_ensure(lea_world_run(&tree.world)), 0);
	ck_assert_int_eq(lea_online_write(lea_world_run(&tree.world), pvid, &online), 0);
}

/* The claim of a VG with these PVs, and their records. */
static inline void claim(const char *vg_id, const char *name, uint32_t seqno, const char *letters,
			 enum lea_claim_state state)
{
	struct lea_claim_pv pv[4] = {0};
	struct lea_claim claim = {.state = state, .seqno = seqno, .pv = pv, .is_tagged = true};
	struct lea_claims claims;

	for (; letters[claim.pv_count]; claim.pv_count++) {
		const uint32_t number = (uint32_t)(letters[claim.pv_count] - 'a' + 1);

		pv[claim.pv_count] = (struct lea_claim_pv){.pvid = PV(a),
							   .id = {8, 16 * number, number}};
		pv[claim.pv_count].pvid[0] = letters[claim.pv_count];
		record(letters[claim.pv_count], name);
	}
	snprintf(claim.vg_name, sizeof(claim.vg_name), "%s", name);
	ck_assert_int_eq(lea_claims_init(&claims, &tree.world, NULL), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, vg_id, &claim), 0);
}

static inline void finish(const char *vg_id, const char *name, enum lea_claim_state state)
{
	claim(vg_id, name, 7, "ab", state);
}

static inline void boot(void)
{
	plug("sda", 16, "naa.5000c500\n");
	plug("sdb", 32, "naa.5000c501\n");
	finish(VG_ID, "data", LEA_CLAIM_DONE);
	map(0, "LVM-" VG_ID LV_ID,
	    "E:DM_VG_NAME=data\nE:DM_LV_NAME=home\nE:ID_FS_UUID_ENC=1-2\n"
	    "E:ID_FS_LABEL_ENC=my\\x20home\n");
}

static inline void collect(void)
{
	ck_assert_int_eq(
		lea_boot_memory_collect(&tree.world, arena, &before, MACHINE, BOOT, &memory), 0);
}

static inline void note_newest(uint32_t seqno, char (*pvid)[33], uint32_t pv_count)
{
	struct lea_newest newest = {.vg_id = VG_ID,
				    .vg_name = "data",
				    .seqno = seqno,
				    .shown_by = {PV(a), {8, 16, 1}},
				    .pvid = pvid,
				    .pv_count = pv_count};

	ck_assert_int_eq(lea_newest_replace(lea_world_run(&tree.world), &newest), 0);
}

/* sysfs has the instance that the claim and the notes name. */
static inline void put_instance(unsigned int minor, const char *name, const char *diskseq)
{
	char path[64], text[64];

	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/diskseq", minor);
	tree_put(&tree, path, diskseq);
	snprintf(path, sizeof(path), "/sys/dev/block/8:%u/uevent", minor);
	snprintf(text, sizeof(text), "MAJOR=8\nMINOR=%u\nDEVNAME=%s\n", minor, name);
	tree_put(&tree, path, text);
}

static inline bool exists(const char *path)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", tree.root, path);
	return !access(full, F_OK);
}

/* What is remembered, as text; "": nothing. */
static inline const char *text_of(const char *path)
{
	static char text[8192];
	char full[128];
	FILE *file;

	memset(text, 0, sizeof(text));
	snprintf(full, sizeof(full), "%s%s", tree.root, path);
	file = fopen(full, "r");
	if (file) {
		ck_assert_uint_lt(fread(text, 1, sizeof(text) - 1, file), sizeof(text) - 1);
		fclose(file);
	}
	return text;
}

static inline void remove_all(const char *path)
{
	char full[128];

	snprintf(full, sizeof(full), "%s%s", tree.root, path);
	folder_remove(full, -1);
}
