/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "throttle/turn.h"
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

/* Which lanes are served while all have plenty that waits. */
static void serve(const bool waits[static 3], uint32_t share, size_t count, char *text)
{
	struct lea_throttle_runs runs = {0, 0};

	for (size_t i = 0; i < count; i++) {
		const enum lea_throttle_lane lane = lea_throttle_turn(waits, &runs, share);

		ck_assert(waits[lane]);
		lea_throttle_count(&runs, lane, waits);
		text[i] = "hnl"[lane];
	}
	text[count] = '\0';
}

static const struct {
	bool waits[3];
	uint32_t share;
	const char *order;
} shares[] = {
	{{true, true, true}, 2, "hhnhhnhhlhhnhhnhhl"},
	{{true, true, false}, 4, "hhhhnhhhhn"},
	{{true, false, true}, 4, "hhhhlhhhhl"},
	{{false, true, true}, 1, "nlnl"},
	{{true, false, false}, 1, "hhhh"},
	{{false, false, true}, 4, "llll"},
};

TEST_EACH(a_lane_gets_its_share_and_no_lane_starves, shares)
{
	char order[32];

	serve(shares[_i].waits, shares[_i].share, strlen(shares[_i].order), order);
	ck_assert_str_eq(order, shares[_i].order);
}

TEST(a_percentile_is_at_most_a_quarter_too_long)
{
	uint32_t counts[LEA_THROTTLE_BUCKETS] = {0};
	uint64_t p;

	ck_assert_uint_eq(lea_throttle_percentile(counts, 50), 0);
	for (uint64_t ms = 1; ms <= 1000; ms++)
		counts[lea_throttle_bucket(ms)]++;
	p = lea_throttle_percentile(counts, 50);
	ck_assert(p >= 500 && p <= 625);
	p = lea_throttle_percentile(counts, 99);
	ck_assert(p >= 990 && p <= 1238);
	ck_assert(lea_throttle_bucket(UINT64_MAX) < LEA_THROTTLE_BUCKETS);
}
