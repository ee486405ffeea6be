/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of boots while the machine runs: what changes, what is away, and when it is looked. */
#include "fake/no_descriptor.h"
#include "flow/memory_scratch.h"

const struct fixture fixture = {setup, teardown};

static const struct lea_conf *read_conf(void)
{
	const struct lea_conf_options options = {0};
	const struct lea_conf *conf;

	ck_assert_int_eq(lea_conf_read(&tree.world, &options, &conf), 0);
	return conf;
}

/* A look after the longest pause. */
static int look(struct lea_remember *remember)
{
	const struct lea_conf *conf = read_conf();
	int r;

	now_ms += 1200000;
	remember->passes++;
	r = lea_remember_step(remember, &tree.world, conf);
	lea_conf_free(conf);
	return r;
}

/* Names that nothing will ever bear do not keep the rest from being remembered. */
static const struct {
	const char *fstab, *cmdline;
} stale[] = {
	{"", "root=/dev/sda1 resume=/dev/mapper/data-swap_1 quiet\n"},
	{"", "root=/dev/sda1 resume=/dev/data/swap_1 noresume\n"},
	{"", "root=/dev/mapper/data-home rd.lvm.lv=data/home rd.lvm.lv=data/swap\n"},
	{"/dev/data/old /old ext4 defaults 0 2\n", ""},
	{"/dev/part/lv /part ext4 defaults 0 2\n", ""},
};

TEST_EACH(a_stale_name_does_not_keep_a_boot_from_being_remembered, stale)
{
	struct lea_remember remember = {0};

	boot();
	tree_put(&tree, "/run/lvm/pvs_lookup/part", PV(c) "\n");
	tree_put(&tree, "/etc/fstab", stale[_i].fstab);
	tree_put(&tree, "/proc/cmdline", stale[_i].cmdline);
	look(&remember);
	ck_assert_msg(strstr(text_of(FILE_), " data tagged"), "%s%s: %s", stale[_i].fstab,
		      stale[_i].cmdline, tree.logged);
}

/* ---- what happens later */

#define NEW_LV "xvcdefghijklmnopqrstuvwxyz012345"

static void extend(void)
{
	plug("sdc", 48, "naa.5000c502\n");
	claim(VG_ID, "data", 9, "abc", LEA_CLAIM_DONE);
}
/* The claim covers what is left. */
static void move_to_another_disk(void)
{
	char left[][33] = {PV(b), PV(c)};

	extend();
	note_newest(12, left, 2);
	record('a', "");
}
static void rename_it(void)
{
	char both[][33] = {PV(a), PV(b)};
	struct lea_newest newest = {
		.vg_id = VG_ID, .vg_name = "uno", .seqno = 8, .pvid = both, .pv_count = 2};

	ck_assert_int_eq(lea_newest_replace(lea_world_run(&tree.world), &newest), 0);
	record('a', "uno");
	record('b', "uno");
}
static void remove_the_lv(void)
{
	remove_all("/sys/class/block/dm-0");
}
static void make_a_file_system(void)
{
	map(1, "LVM-" VG_ID NEW_LV,
	    "E:DM_VG_NAME=data\nE:DM_LV_NAME=new\nE:ID_FS_UUID_ENC=3-4\n");
}
static void make_a_vg(void)
{
	plug("sdc", 48, "naa.5000c502\n");
	claim("freshfghijklmnopqrstuvwxyz012345", "fresh", 2, "c", LEA_CLAIM_DONE);
}
static void remove_it(void)
{
	put_instance(16, "sda", "1\n");
	put_instance(32, "sdb", "2\n");
	record('a', "");
	record('b', "");
}
static void give_its_pvs_to_another(void)
{
	remove_it();
	claim("freshfghijklmnopqrstuvwxyz012345", "fresh", 2, "ab", LEA_CLAIM_DONE);
}
static void pull_a_disk(void)
{
	tree_remove(&tree, "/run/lvm/pvs_online/" PV(b));
	tree_remove(&tree, "/sys/dev/block/8:32");
}
static void go_on_in_part(void)
{
	struct lea_claim_pv pv = {.pvid = PV(a), .id = {8, 16, 1}};
	struct lea_claim claim = {.state = LEA_CLAIM_DONE,
				  .vg_name = "data",
				  .seqno = 7,
				  .in_part = "degraded",
				  .pv = &pv,
				  .pv_count = 1};
	struct lea_claims claims;

	pull_a_disk();
	ck_assert_int_eq(lea_claims_init(&claims, &tree.world, NULL), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ID, &claim), 0);
}
static void pull_both(void)
{
	pull_a_disk();
	tree_remove(&tree, "/run/lvm/pvs_online/" PV(a));
	tree_remove(&tree, "/sys/dev/block/8:16");
}
static void move_to_its_copy(void)
{
	plug("sdd", 64, "naa.5000c503\n");
	claim(VG_ID, "data", 7, "bd", LEA_CLAIM_DONE);
}
static void be_a_failure(void)
{
	finish(VG_ID, "data", LEA_CLAIM_FAILED);
}
static void grow(void)
{
	tree_put(&tree, "/sys/devices/pci0/host2/2:0:0:32/block/sdb/size", "65536\n");
}

static const struct {
	const char *claim;
	void (*change)(void);
	const char *has[2], *lacks; /* in the text, after that */
} changes[] = {
	{"a PV is added", extend, {" 3 1 data", "pv " PV(c)}, "away"},
	{"a PV is moved to another disk", move_to_another_disk, {" 2 1 data", "pv " PV(c)}, PV(a)},
	{"it is renamed", rename_it, {" 2 1 uno", "pv " PV(a)}, " data"},
	{"an LV is removed", remove_the_lv, {" 2 0 data"}, "home"},
	{"an LV with a file system is made", make_a_file_system, {" new 3-4 - " NEW_LV, " home 1-2"}, "away"},
	{"another VG is made", make_a_vg, {" fresh", " data"}, "away"},
	{"it is removed", remove_it, {"boot "}, "data"},
	{"its PVs are given to another VG", give_its_pvs_to_another, {" fresh"}, "data"},
	{"a disk is pulled out", pull_a_disk, {" 32768 0 naa.5000c501", " data"}, "away"},
	{"... and it is active without it", go_on_in_part, {" 2 1 data"}, "away"},
	{"both are", pull_both, {" 32768 0 naa.5000c501", " data"}, "away"},
	{"a PV moves to its copy", move_to_its_copy, {"naa.5000c503"}, "naa.5000c500"},
	{"it fails", be_a_failure, {" 2 1 data"}, "away"},
	{"a disk has grown", grow, {" 65536 "}, "away"},
};

TEST_EACH(a_change_after_the_first_look_is_remembered, changes)
{
	struct lea_remember remember = {0}, restarted = {0};
	char text[8192];

	boot();
	look(&remember);
	ck_assert_msg(strstr(text_of(FILE_), " 2 1 data"), "%s", text_of(FILE_));
	changes[_i].change();
	look(&remember);
	snprintf(text, sizeof(text), "%s", text_of(FILE_));
	for (size_t i = 0; i < 2 && changes[_i].has[i]; i++)
		ck_assert_msg(strstr(text, changes[_i].has[i]), "%s: %s", changes[_i].claim, text);
	ck_assert_msg(!strstr(text, changes[_i].lacks), "%s: %s", changes[_i].claim, text);
	look(&restarted);
	ck_assert_msg(!strcmp(text, text_of(FILE_)), "%s: a restarted runner: %s",
		      changes[_i].claim, text_of(FILE_));
}

static void next_boot(unsigned int number)
{
	char id[64];

	snprintf(id, sizeof(id), "%08u-2222-3333-4444-555555555555\n", number);
	tree_put(&tree, "/proc/sys/kernel/random/boot_id", id);
}

/* Disks may be late in a boot, and in the next ones, too. */
TEST(a_vg_that_is_away_is_remembered_for_five_boots)
{
	struct lea_remember remember = {0};
	char word[16], path[64];
	struct stat st;

	boot();
	look(&remember);
	snprintf(path, sizeof(path), "%s" FILE_, tree.root);
	ck_assert_int_eq(stat(path, &st), 0);
	remove_all("/run/lvm/event/claims");
	remove_all("/run/lvm/pvs_online");
	remove_all("/sys/class/block/dm-0");
	for (unsigned int i = 1; i <= 5; i++) {
		next_boot(i);
		look(&remember);
		look(&remember);
		snprintf(word, sizeof(word), " away %u ", i);
		ck_assert_msg(strstr(text_of(FILE_), word) && strstr(text_of(FILE_), " home 1-2"),
			      "boot %u: %s", i, text_of(FILE_));
		/* since the boot that had it */
		ck_assert_uint_eq(strtoull(strstr(text_of(FILE_), word) + strlen(word), NULL, 10),
				  (uint64_t)st.st_mtime);
	}
	finish(VG_ID, "data", LEA_CLAIM_DONE);
	look(&remember);
	ck_assert_msg(!strstr(text_of(FILE_), "away"), "%s", text_of(FILE_));
	remove_all("/run/lvm/event/claims");
	remove_all("/run/lvm/pvs_online");
	for (unsigned int i = 6; i <= 11; i++) {
		next_boot(i);
		look(&remember);
		ck_assert_int_eq(!strstr(text_of(FILE_), " data"), i == 11);
	}
}

/* The one that counts is there; disks of the other one may be, too. */
TEST(a_vg_that_is_away_gives_its_name_to_another)
{
	struct lea_remember remember = {0};

	boot();
	look(&remember);
	remove_all("/run/lvm/event/claims");
	plug("sdc", 48, "naa.5000c502\n");
	claim("freshfghijklmnopqrstuvwxyz012345", "data", 2, "c", LEA_CLAIM_DONE);
	look(&remember);
	ck_assert_msg(!strstr(text_of(FILE_), VG_ID), "%s", text_of(FILE_));
}

/* Rows: what holds when the boot begins and later in it, and what is remembered. */
static const struct {
	bool at_first, later, is_remembered;
} enabled[] = {
	{false, false, false}, {true, true, true}, {false, true, false}, {true, false, true}};

TEST_EACH(multipathd_counts_if_it_was_enabled_at_first, enabled)
{
	const char *const link = "/etc/systemd/system/sysinit.target.wants/multipathd.service";
	struct lea_remember remember = {0};

	boot();
	for (int i = 0; i < 2; i++) {
		if (i ? enabled[_i].later : enabled[_i].at_first)
			tree_put(&tree, link, "");
		else if (exists(link))
			tree_remove(&tree, link);
		if (i)
			make_a_vg();
		look(&remember);
	}
	ck_assert_int_eq(!!strstr(text_of(FILE_), "fresh tagged multipathd"),
			 enabled[_i].is_remembered);
	next_boot(1);
	claim("freshfghijklmnopqrstuvwxyz012345", "fresh", 2, "c", LEA_CLAIM_DONE);
	look(&remember);
	ck_assert_int_eq(!!strstr(text_of(FILE_), "fresh tagged multipathd"), enabled[_i].later);
}

/* ---- a PV on two devices */

static void duplicate(void)
{
	const struct lea_duplicate note = {
		.pvid = PV(a), .id = {8, 64, 4}, .state = LEA_DUPLICATE_IGNORED, .vg_id = VG_ID};

	plug("sdd", 64, "naa.5000c503\n");
	put_instance(64, "sdd", "4\n");
	ck_assert_int_eq(lea_duplicate_put(&tree.world, &note), 0);
}

TEST(with_a_copy_beside_it_a_vg_stays_remembered_as_it_was)
{
	struct lea_remember remember = {0};

	boot();
	look(&remember);
	duplicate();
	look(&remember);
	ck_assert_msg(strstr(text_of(FILE_), "naa.5000c500"), "%s", text_of(FILE_));
	next_boot(1);
	finish(VG_ID, "data", LEA_CLAIM_DONE);
	look(&remember);
	ck_assert_msg(strstr(text_of(FILE_), "naa.5000c500") && !strstr(text_of(FILE_), "away"),
		      "%s", text_of(FILE_));
}

/* Then nothing says which of the two it is. */
TEST(a_vg_on_a_copy_with_the_original_beside_it_is_forgotten)
{
	struct lea_remember remember = {0};

	boot();
	look(&remember);
	move_to_its_copy();
	{
		struct lea_duplicate original = {.pvid = PV(d), .id = {8, 16, 1}, .vg_id = VG_ID};

		put_instance(16, "sda", "1\n");
		put_instance(64, "sdd", "4\n");
		ck_assert_int_eq(lea_duplicate_put(&tree.world, &original), 0);
	}
	look(&remember);
	ck_assert_msg(!strstr(text_of(FILE_), " data"), "%s", text_of(FILE_));
}

/* A copy, of which nothing is noted, as it is foreign, has shown newer metadata. Rows: it is there; it has gone. */
TEST_TIMES(a_vg_of_which_a_copy_has_newer_metadata_is_forgotten, 2)
{
	struct lea_remember remember = {0};
	char both[][33] = {PV(a), PV(b)};
	const struct lea_newest newest = {.vg_id = VG_ID,
					  .vg_name = "data",
					  .seqno = 12,
					  .shown_by = {PV(a), {8, 64, 4}},
					  .pvid = both,
					  .pv_count = 2};

	boot();
	put_instance(16, "sda", "1\n");
	look(&remember);
	ck_assert_msg(strstr(text_of(FILE_), " data"), "%s", text_of(FILE_));
	plug("sdd", 64, "naa.5000c503\n");
	put_instance(64, "sdd", "4\n");
	if (_i)
		tree_remove(&tree, "/sys/dev/block/8:64");
	ck_assert_int_eq(lea_newest_replace(lea_world_run(&tree.world), &newest), 0);
	look(&remember);
	ck_assert_msg(!strstr(text_of(FILE_), " data") == !_i, "%s", text_of(FILE_));
}

/* ---- when it is looked */

TEST(without_news_nobody_looks)
{
	struct lea_remember remember = {0};
	const struct lea_conf *conf = read_conf();

	boot();
	tree_put(&tree, "/etc/fstab", "");
	tree_put(&tree, "/run/udev/queue", "");
	ck_assert_msg(lea_remember_step(&remember, &tree.world, conf) > 0, "called again soon");
	ck_assert_msg(!exists(FILE_) && !remember.has_looked, "udev still works");
	tree_remove(&tree, "/run/udev/queue");
	ck_assert_msg(lea_remember_step(&remember, &tree.world, conf) > 0, "called once more");
	ck_assert(exists(FILE_));
	tree_remove(&tree, FILE_);
	now_ms += 3600000;
	ck_assert_int_eq(lea_remember_step(&remember, &tree.world, conf), -1);
	ck_assert(!exists(FILE_));
	/* udev's database, then fstab */
	map(1, "CRYPT-LUKS2-x", "E:DM_NAME=c\n");
	ck_assert_int_gt(lea_remember_step(&remember, &tree.world, conf), 0);
	ck_assert(exists(FILE_));
	tree_remove(&tree, FILE_);
	now_ms += 3600000;
	ck_assert_int_eq(lea_remember_step(&remember, &tree.world, conf), -1);
	tree_remove(&tree, "/etc/fstab");
	ck_assert_int_gt(lea_remember_step(&remember, &tree.world, conf), 0);
	ck_assert(exists(FILE_));
	lea_conf_free(conf);
}

TEST(while_there_is_news_it_is_looked_once_in_five_minutes)
{
	struct lea_remember remember = {0};
	const struct lea_conf *conf = read_conf();
	unsigned int looks = 0;
	uint64_t last = 0;

	boot();
	for (int i = 0; i < 3600; i++) {
		now_ms += 1000;
		remember.passes++;
		lea_remember_step(&remember, &tree.world, conf);
		if (!exists(FILE_))
			continue;
		tree_remove(&tree, FILE_);
		looks++;
		ck_assert_msg(looks < 7 || now_ms - last >= 300000, "look %u after %llu ms", looks,
			      (unsigned long long)(now_ms - last));
		last = now_ms;
	}
	ck_assert_uint_ge(looks, 14);
	ck_assert_uint_le(looks, 17);
	lea_conf_free(conf);
}

TEST(the_average_of_reads_is_that_of_the_boot)
{
	struct lea_remember remember = {0};
	char text[8192];

	boot();
	tree_put(&tree, "/sys/devices/pci0/host2/2:0:0:16/block/sda/stat", "20 0 160 8 0 0 0 0\n");
	look(&remember);
	snprintf(text, sizeof(text), "%s", text_of(FILE_));
	ck_assert_msg(strstr(text, " 400 naa."), "%s", text);
	tree_put(&tree, "/sys/devices/pci0/host2/2:0:0:16/block/sda/stat", "40 0 160 80 0 0 0 0\n");
	look(&remember);
	ck_assert_str_eq(text_of(FILE_), text);
	next_boot(1);
	finish(VG_ID, "data", LEA_CLAIM_DONE);
	look(&remember);
	ck_assert_msg(strstr(text_of(FILE_), " 2000 naa."), "%s", text_of(FILE_));
}

TEST(a_boot_without_vgs_writes_nothing)
{
	struct lea_remember remember = {0};

	look(&remember);
	ck_assert(remember.has_looked && !exists(FILE_));
}

TEST(what_keeps_it_from_being_written_is_said_once)
{
	struct lea_remember remember = {0};
	unsigned int lines = 0;

	boot();
	remove_all("/var/lib");
	remove_all("/etc/lvm");
	for (int i = 0; i < 50; i++)
		look(&remember);
	for (const char *line = tree.logged; (line = strstr(line, "not remembered")); line++)
		lines++;
	ck_assert_uint_eq(lines, 1);
	/* Without an event: */
	tree_mkdir(&tree, "/etc/lvm");
	remember.passes--;
	look(&remember);
	ck_assert(exists(FILE_));
}

/* What is collected as text; "": nothing yet. */
static char whole[4096];

static int collect_again(void)
{
	struct lea_arena *again = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	struct lea_boot_memory found = {0};
	char *text = NULL;
	size_t bytes;
	int r = lea_boot_memory_collect(&tree.world, again, &before, MACHINE, BOOT, &found);

	if (!r) {
		ck_assert_int_eq(lea_boot_memory_format(&found, &text, &bytes), 0);
		if (!whole[0])
			snprintf(whole, sizeof(whole), "%s", text);
		ck_assert_str_eq(text, whole);
		free(text);
	}
	lea_arena_free(again);
	return r;
}

/* The next boot would not know which LV has the file system that it waits for. */
TEST(half_of_a_boot_is_not_remembered_for_want_of_a_descriptor)
{
	boot();
	whole[0] = '\0';
	ck_assert_int_eq(collect_again(), 0);
	ck_assert_ptr_nonnull(strstr(whole, "home"));
	ck_assert_ptr_nonnull(strstr(whole, "S16"));
	ck_assert_uint_gt(faults_of(collect_again, 0), 8);
}
