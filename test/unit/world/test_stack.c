/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/stack.h"

#include "fake/tree.h"
#include "unit/suite.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

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

/* Numbers of the devices at the bottom, in the order of the walk's visits. */
static char bottom[256];

static int note_bottom(void *arg, const struct lea_stack_device *device)
{
	const size_t used = strlen(bottom);

	(void)arg;
	if (device->is_bottom)
		snprintf(bottom + used, sizeof(bottom) - used, " %u:%u", device->devno.major,
			 device->devno.minor);
	return 0;
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

static const struct {
	const char *claim, *want;
	struct lea_devno devno;
	int r;
} stacks[] = {
	{"a disk is its own bottom", " 8:0", {8, 0}, 0},
	{"so is a partition of a disk", " 8:1", {8, 1}, 0},
	{"a map has its paths", " 8:64 8:80", {253, 7}, 0},
	{"an array on partitions has these", " 8:1", {9, 1}, 0},
	{"a partition of a map has the map's paths", " 8:64 8:80", {253, 8}, 0},
	{"a device that is its own slave", "", {8, 16}, -E2BIG},
};

TEST_EACH(a_walk_tells_what_is_at_the_bottom, stacks)
{
	tree_put(&tree, DEVICE("8:1") "partition", "1\n");
	tree_put(&tree, DEVICE("253:7") "slaves/sde/dev", "8:64\n");
	tree_put(&tree, DEVICE("253:7") "slaves/sdf/dev", "8:80\n");
	tree_put(&tree, DEVICE("9:1") "slaves/sda1/dev", "8:1\n");
	tree_put(&tree, DEVICE("253:8") "partition", "1\n");
	tree_put(&tree, "/sys/dev/block/dev", stacks[_i].devno.minor == 8 ? "253:7\n" : "8:0\n");
	bottom[0] = '\0';
	ck_assert_int_eq(lea_stack_walk(&tree.world, stacks[_i].devno, note_bottom, NULL),
			 stacks[_i].r);
	/* A folder has no order. */
	if (!strcmp(bottom, " 8:80 8:64"))
		snprintf(bottom, sizeof(bottom), " 8:64 8:80");
	ck_assert_msg(!strcmp(bottom, stacks[_i].want), "%s:%s", stacks[_i].claim, bottom);
}

const struct fixture fixture = {setup, teardown};
