/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/duplicate_tie.h"

#include "fake/tree.h"
#include "unit/suite.h"

#include <stdio.h>

#define PATHS 80U

static struct tree tree;

#define PUT(value, ...)                                                                            \
	do {                                                                                       \
		snprintf(path, sizeof(path), __VA_ARGS__);                                         \
		tree_put(&tree, path, value);                                                      \
	} while (0)

/* A map 253:0 of many paths, 8:0 and up; loop devices 7:0 and up, each on a file that is the next. */
static void setup(void)
{
	char text[32], path[128];

	tree_init(&tree);
	for (unsigned int i = 0; i < PATHS; i++) {
		snprintf(text, sizeof(text), "8:%u\n", i);
		PUT(text, "/sys/dev/block/253:0/slaves/sd%u/dev", i);
		PUT(text, "/sys/dev/block/8:%u/dev", i);
		snprintf(text, sizeof(text), "/dev/loop%u\n", (i + 1) % PATHS);
		PUT(text, "/sys/dev/block/7:%u/loop/backing_file", i);
		snprintf(text, sizeof(text), "7:%u\n", i);
		PUT(text, "/sys/class/block/loop%u/dev", i);
	}
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static enum lea_duplicate_tie tie(uint32_t major, uint32_t minor, uint32_t of_major, uint32_t of)
{
	const struct lea_device a = {.major = major, .minor = minor};
	const struct lea_device b = {.major = of_major, .minor = of};

	return lea_duplicate_tie(&tree.world, &a, &b);
}

/* A path that is taken for a copy keeps its VG down. */
TEST(a_map_lies_on_each_of_its_paths)
{
	for (uint32_t i = 0; i < PATHS; i++)
		ck_assert_msg(tie(253, 0, 8, i) == LEA_DUPLICATE_STACKED, "path %u", i);
	ck_assert_int_eq(tie(253, 0, 8, PATHS), LEA_DUPLICATE_COPY);
}

TEST(a_ring_of_loop_devices_ends)
{
	ck_assert_int_eq(tie(7, 0, 7, 4), LEA_DUPLICATE_STACKED);
	ck_assert_int_eq(tie(7, 0, 8, 1), LEA_DUPLICATE_COPY);
}
