/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/stack.h"

#include "fake/tree.h"
#include "unit/suite.h"

#define DEVICE(number) "/sys/dev/block/" number "/"

static struct tree tree;

/* An LV 253:0; LUKS 253:1 on it; an array 9:0 on that and on a disk; its partition 259:0. */
static void setup(void)
{
	tree_init(&tree);
	tree_put(&tree, DEVICE("253:0") "dm/uuid", "LVM-abc\n");
	tree_put(&tree, DEVICE("253:1") "dm/uuid", "CRYPT-LUKS2-abc\n");
	tree_put(&tree, DEVICE("253:1") "slaves/dm-0/dev", "253:0\n");
	tree_put(&tree, DEVICE("9:0") "slaves/sda/dev", "8:0\n");
	tree_put(&tree, DEVICE("9:0") "slaves/dm-1/dev", "253:1\n");
	tree_put(&tree, DEVICE("8:0") "dev", "8:0\n");
	tree_put(&tree, "/sys/dev/block/dev", "9:0\n");
	tree_put(&tree, DEVICE("259:0") "partition", "1\n");
	tree_put(&tree, DEVICE("8:16") "slaves/loop/dev", "8:16\n");
	tree_put(&tree, DEVICE("8:32") "slaves/odd/dev", "what\n");
}

static void teardown(void)
{
	tree_done(&tree);
}

static const struct {
	const char *claim;
	struct lea_devno devno;
	bool want;
} rows[] = {
	{"an LV", {253, 0}, true},
	{"LUKS on an LV", {253, 1}, true},
	{"an array of which one disk is on an LV", {9, 0}, true},
	{"a partition of it", {259, 0}, true},
	{"a disk", {8, 0}, false},
	{"a device that is its own slave", {8, 16}, false},
	{"a slave without a number", {8, 32}, false},
	{"no such device", {8, 48}, false},
};

TEST_EACH(an_lv_is_found_below_each_device, rows)
{
	ck_assert_msg(lea_lies_on_lv(&tree.world, rows[_i].devno) == rows[_i].want, "%s",
		      rows[_i].claim);
}

const struct fixture fixture = {setup, teardown};
