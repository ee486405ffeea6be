/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which VGs lvm2's command for monitoring must see when the machine boots. */
#include "daemon/boot_monitor.h"

#include "base/cleanup.h"
#include "fake/dm.h"
#include "fake/tree.h"
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>

#define ID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define LV_1 "11111111111111111111111111111111"
#define LV_2 "22222222222222222222222222222222"
#define LV_3 "33333333333333333333333333333333"

struct node {
	const char *name, *uuid, *table;
};

static struct tree tree;
static struct fake_dm *dm;

static void setup(void)
{
	tree_init(&tree);
	tree_mkdir(&tree, "/sys/class/block/sda");
	dm = fake_dm_new();
	tree.world.dm = &dm->dm;
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* Writes the names, each followed by ",", or "all". */
static void find(char names[static 256])
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(1 << 20);
	const char **name = NULL;
	size_t count = 0;
	const int r = lea_boot_monitor(&tree.world, arena, &name, &count);

	snprintf(names, 256, "%s", r ? "all" : "");
	for (size_t i = 0; !r && i < count; i++) {
		strncat(names, name[i], 100);
		strcat(names, ",");
	}
}

static void add(const struct node *node, size_t number)
{
	char path[64], line[160];

	fake_dm_add(dm, node->name, node->uuid, node->table);
	snprintf(path, sizeof(path), "/sys/class/block/dm-%zu/dm/uuid", number);
	snprintf(line, sizeof(line), "%s\n", node->uuid);
	tree_put(&tree, path, line);
	snprintf(path, sizeof(path), "/sys/class/block/dm-%zu/dm/name", number);
	snprintf(line, sizeof(line), "%s\n", node->name);
	tree_put(&tree, path, line);
}

static const struct {
	const char *claim, *names;
	struct node node[4];
} rows[] = {
	{"no LV", "", {{"crypt", "CRYPT-LUKS2-1", "0 8 crypt x"}}},
	{"plain LVs",
	 "",
	 {{"sys-root", "LVM-" ID_A LV_1, "0 8 linear 8:0 0\n8 8 linear 8:1 0\n"},
	  {"sys-fast", "LVM-" ID_A LV_2, "0 8 striped 2 128 8:0 0 8:1 0\n"}}},
	{"a RAID LV",
	 "my-vg,",
	 {{"my--vg-root", "LVM-" ID_A LV_1, "0 8 raid raid1\n"},
	  {"my--vg-root_rimage_0", "LVM-" ID_A LV_2, "0 8 linear 8:0 0\n"}}},
	{"an LV that consists of segments of two kinds",
	 "sys,",
	 {{"sys-root", "LVM-" ID_A LV_1, "0 8 linear 8:0 0\n8 8 mirror core\n"}}},
	{"a pool behind a linear node",
	 "sys,",
	 {{"sys-pool", "LVM-" ID_A LV_1, "0 8 linear 253:1 0\n"},
	  {"sys-pool-tpool", "LVM-" ID_A LV_1 "-tpool", "0 8 thin-pool 253:2\n"}}},
	{"two VGs, each once",
	 "a,b,",
	 {{"b-x", "LVM-" ID_B LV_1, "0 8 raid raid1\n"},
	  {"a-x", "LVM-" ID_A LV_1, "0 8 snapshot-merge 253:1\n"},
	  {"a-y", "LVM-" ID_A LV_2, "0 8 vdo V4\n"}}},
	{"a target of the future", "sys,", {{"sys-a", "LVM-" ID_A LV_3, "0 8 new 1\n"}}},
	{"a name of another form", "all", {{"renamed", "LVM-" ID_A LV_1, "0 8 raid raid1\n"}}},
	{"a name that would be an option", "all", {{"--a-b", "LVM-" ID_A LV_1, "0 8 raid raid1\n"}}},
	{"a short uuid", "all", {{"sys-a", "LVM-" ID_A, "0 8 raid raid1\n"}}},
};

TEST_EACH(the_vgs_that_need_it_are_found, rows)
{
	char names[256];

	for (size_t i = 0; i < ARRAY_SIZE(rows[_i].node) && rows[_i].node[i].name; i++)
		add(&rows[_i].node[i], i);
	find(names);
	ck_assert_msg(!strcmp(names, rows[_i].names), "%s: %s", rows[_i].claim, names);
}

TEST(without_an_lv_device_mapper_is_not_asked)
{
	char names[256];

	find(names);
	ck_assert_str_eq(names, "");
	ck_assert_uint_eq(dm->step_count, 0);
}

TEST(without_sysfs_all_is_left_to_lvm)
{
	char names[256];

	tree_remove(&tree, "/sys/class/block/sda");
	tree_remove(&tree, "/sys/class/block");
	tree_remove(&tree, "/sys/class");
	tree_remove(&tree, "/sys");
	find(names);
	ck_assert_str_eq(names, "all");
}

TEST(what_cannot_be_asked_is_left_to_lvm)
{
	const struct node node = {"sys-a", "LVM-" ID_A LV_1, "0 8 linear 8:0 0\n"};
	char names[256];

	add(&node, 0);
	dm->fail_on = "has_row";
	dm->fault = -EIO;
	find(names);
	ck_assert_str_eq(names, "all");
}
