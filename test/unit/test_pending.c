/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that wait for a pass: which state stays, and what adding costs. */
#include <string.h>

#include "flow/pending.h"
#include "suite.h"

static struct lea_pending pending;

static void setup(void)
{
	pending = (struct lea_pending){0};
}

static void teardown(void)
{
	lea_pending_done(&pending);
}

static void put(uint32_t major, uint32_t minor, uint64_t diskseq, const char *name)
{
	struct lea_entry entry = {.device = {.major = major, .minor = minor, .diskseq = diskseq}};

	entry.device.name = strdup(name);
	ck_assert_ptr_nonnull(entry.device.name);
	ck_assert_int_eq(lea_pending_put(&pending, &entry), 0);
}

START_TEST(the_last_state_of_a_device_wins)
{
	put(8, 0, 1, "/dev/old");
	put(8, 16, 2, "/dev/other");
	put(8, 0, 1, "/dev/new");
	ck_assert_uint_eq(pending.count, 2);
	ck_assert_str_eq(pending.entry[0].device.name, "/dev/new");
	ck_assert_str_eq(pending.entry[1].device.name, "/dev/other");
	ck_assert_str_eq(pending.entry[0].key, "8:0-1");
}
END_TEST

static const struct {
	const char *claim;
	uint32_t major, minor;
	uint64_t diskseq;
} others[] = {
	{"another instance of the number is another device", 8, 16, 6},
	{"so is another minor", 8, 17, 5},
	{"so is another major", 9, 16, 5},
	{"so are swapped numbers", 16, 8, 5},
};

START_TEST(what_differs_stays_apart)
{
	put(8, 16, 5, "/dev/one");
	put(others[_i].major, others[_i].minor, others[_i].diskseq, "/dev/two");
	ck_assert_msg(pending.count == 2, "%s", others[_i].claim);
}
END_TEST

START_TEST(one_is_found_by_number_and_instance)
{
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = 2},
				other = {.major = 8, .minor = 16, .diskseq = 3};

	ck_assert_ptr_null(lea_pending_find(&pending, &device));
	put(8, 0, 1, "/dev/sda");
	ck_assert_ptr_null(lea_pending_find(&pending, &device));
	put(8, 16, 2, "/dev/sdb");
	ck_assert_str_eq(lea_pending_find(&pending, &device)->device.name, "/dev/sdb");
	ck_assert_ptr_null(lea_pending_find(&pending, &other));
	lea_pending_clear(&pending);
	ck_assert_ptr_null(lea_pending_find(&pending, &device));
}
END_TEST

START_TEST(none_is_known_after_a_pass)
{
	for (uint32_t i = 0; i < 200; i++)
		put(8, i, 0, "/dev/a");
	lea_pending_clear(&pending);
	ck_assert_uint_eq(pending.count, 0);
	put(8, 7, 0, "/dev/b");
	ck_assert_uint_eq(pending.count, 1);
	ck_assert_str_eq(pending.entry[0].device.name, "/dev/b");
}
END_TEST

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
START_TEST(adding_costs_the_same_however_many_there_are)
{
	const uint32_t count = rows[_i].count;

	for (unsigned int turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < count; i++)
			put(8, rows[_i].first_minor + i * rows[_i].step,
			    rows[_i].has_diskseq ? i + 1 : 0, "/dev/x");
	ck_assert_uint_eq(pending.count, count);
	for (uint32_t i = 0; i < count; i++)
		ck_assert_uint_eq(pending.entry[i].device.minor,
				  rows[_i].first_minor + i * rows[_i].step);
	ck_assert_msg(pending.compared <= 4 * (uint64_t)count, "%s: %lu comparisons",
		      rows[_i].claim, (unsigned long)pending.compared);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("pending");
	TCase *tc = tcase_create("pending");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_last_state_of_a_device_wins);
	tcase_add_test(tc, one_is_found_by_number_and_instance);
	tcase_add_loop_test(tc, what_differs_stays_apart, 0, (int)ARRAY_SIZE(others));
	tcase_add_test(tc, none_is_known_after_a_pass);
	tcase_add_loop_test(tc, adding_costs_the_same_however_many_there_are, 0,
			    (int)ARRAY_SIZE(rows));
	suite_add_tcase(suite, tc);
	return suite;
}
