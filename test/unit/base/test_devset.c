/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A set of devices: which are apart, where they are, and what adding costs. */
#include "base/devset.h"
#include "unit/suite.h"

static struct lea_devset set;

static void teardown(void)
{
	lea_devset_done(&set);
}

const struct fixture fixture = {NULL, teardown};

static int add(uint32_t major, uint32_t minor, uint64_t diskseq)
{
	return lea_devset_add(&set, &(struct lea_devid){major, minor, diskseq});
}

static size_t find(uint32_t major, uint32_t minor, uint64_t diskseq)
{
	return lea_devset_find(&set, &(struct lea_devid){major, minor, diskseq});
}

TEST(a_device_is_in_the_set_once)
{
	ck_assert_int_eq(add(8, 0, 1), 0);
	ck_assert_int_eq(add(8, 16, 2), 0);
	ck_assert_int_eq(add(8, 0, 1), LEA_DEVSET_THERE);
	ck_assert_uint_eq(set.count, 2);
}

TEST(positions_follow_the_order_of_adding)
{
	ck_assert_uint_eq(find(8, 0, 0), LEA_DEVSET_NONE);
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_int_eq(add(8, 999 - i, i), 0);
	for (uint32_t i = 0; i < 1000; i++) {
		ck_assert_uint_eq(find(8, 999 - i, i), i);
		ck_assert_uint_eq(set.id[i].minor, 999 - i);
	}
	ck_assert_uint_eq(find(8, 999, 1), LEA_DEVSET_NONE);
}

static const struct {
	const char *claim;
	struct lea_devid id;
} others[] = {
	{"another instance of the number is another device", {8, 16, 6}},
	{"so is another minor", {8, 17, 5}},
	{"so is another major", {9, 16, 5}},
	{"so are swapped numbers", {16, 8, 5}},
};

TEST_EACH(devices_that_differ_stay_apart, others)
{
	ck_assert_int_eq(add(8, 16, 5), 0);
	ck_assert_msg(!lea_devset_has(&set, &others[_i].id), "%s", others[_i].claim);
	ck_assert_msg(lea_devset_add(&set, &others[_i].id) == 0, "%s", others[_i].claim);
	ck_assert(lea_devset_has(&set, &others[_i].id));
}

TEST(a_cleared_set_is_empty_and_takes_more)
{
	for (uint32_t i = 0; i < 200; i++)
		ck_assert_int_eq(add(8, i, 0), 0);
	lea_devset_clear(&set);
	ck_assert_uint_eq(set.count, 0);
	for (uint32_t i = 0; i < 200; i++)
		ck_assert_uint_eq(find(8, i, 0), LEA_DEVSET_NONE);
	ck_assert_int_eq(add(8, 7, 0), 0);
	ck_assert_uint_eq(find(8, 7, 0), 0);
}

static const struct {
	const char *claim;
	uint32_t first_minor, step;
	bool has_diskseq;
	uint32_t count;
} rows[] = {
	{"disks", 0, 16, true, 4096},
	{"disks of an old kernel", 0, 16, false, 4096},
	{"device-mapper", 0, 1, false, 16384},
	{"partitions of every disk's last number", 15, 256, true, 4096},
	{"high minors", 0, 4096, false, 4096},
};

/* With a search through all of them it would be count * count / 2. */
TEST_EACH(adding_a_device_costs_the_same_however_many_there_are, rows)
{
	const uint32_t count = rows[_i].count;

	for (int turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < count; i++)
			ck_assert_int_eq(add(8, rows[_i].first_minor + i * rows[_i].step,
					     rows[_i].has_diskseq ? i + 1 : 0),
					 turn ? LEA_DEVSET_THERE : 0);
	ck_assert_uint_eq(set.count, count);
	ck_assert_uint_le(set.room, 2 * (uintmax_t)count);
	ck_assert_msg(set.compared <= 6 * (uint64_t)count, "%s: %lu comparisons", rows[_i].claim,
		      (unsigned long)set.compared);
}
