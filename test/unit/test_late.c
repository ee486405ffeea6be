/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/late.h"
#include "unit/suite.h"

static struct lea_late late;

static uint32_t deadline(uint32_t minor, uint64_t diskseq, uint32_t deadline_ms)
{
	const struct lea_device device = {.major = 8, .minor = minor, .diskseq = diskseq};

	return lea_late_deadline_ms(&late, &device, deadline_ms);
}

static void was_late(uint32_t minor, uint32_t times)
{
	const struct lea_device device = {.major = 8, .minor = minor, .diskseq = 1};

	for (uint32_t i = 0; i < times; i++)
		lea_late_note(&late, &device, true);
}

START_TEST(each_time_twice_as_long)
{
	ck_assert_uint_eq(deadline(1, 1, 10000), 10000);
	was_late(1, 1);
	ck_assert_uint_eq(deadline(1, 1, 10000), 20000);
	was_late(1, 2);
	ck_assert_uint_eq(deadline(1, 1, 10000), 80000);
	ck_assert_msg(deadline(2, 1, 10000) == 10000, "another one");
	ck_assert_msg(deadline(1, 2, 10000) == 10000, "another one that has its number");
}
END_TEST

START_TEST(has_an_end)
{
	was_late(1, 1000);
	ck_assert_uint_eq(deadline(1, 1, 100), LEA_LATE_MOST_MS);
	ck_assert_msg(deadline(1, 1, 2 * LEA_LATE_MOST_MS) == 2 * LEA_LATE_MOST_MS,
		      "never less than the others");
}
END_TEST

START_TEST(in_time_again)
{
	const struct lea_device device = {.major = 8, .minor = 1, .diskseq = 1};

	lea_late_forget(&late, &device);
	was_late(1, 3);
	lea_late_forget(&late, &device);
	ck_assert_uint_eq(deadline(1, 1, 10000), 10000);
	was_late(1, 1);
	ck_assert_uint_eq(deadline(1, 1, 10000), 20000);
}
END_TEST

START_TEST(one_that_others_did_not_wait_for)
{
	const struct lea_device device = {.major = 8, .minor = 1, .diskseq = 7};

	lea_late_note(&late, &device, false);
	ck_assert_msg(deadline(1, 7, 10000) == 10000, "its time was not too short");
	ck_assert(lea_late_has_key(&late, "8:1-7"));
	ck_assert(!lea_late_has_key(&late, "8:1-8") && !lea_late_has_key(&late, "8:17-7"));
	ck_assert(!lea_late_has_key(&late, "8:1") && !lea_late_has_key(&late, ""));
	lea_late_forget(&late, &device);
	ck_assert(!lea_late_has_key(&late, "8:1-7"));
}
END_TEST

START_TEST(the_last_ones_are_remembered)
{
	for (uint32_t minor = 0; minor < LEA_LATE_DEVICES + 1; minor++)
		was_late(minor, 1);
	ck_assert_uint_eq(deadline(0, 1, 10000), 10000);
	for (uint32_t minor = 1; minor < LEA_LATE_DEVICES + 1; minor++)
		ck_assert_uint_eq(deadline(minor, 1, 10000), 20000);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("late");
	TCase *tcase = tcase_create("late");

	tcase_add_test(tcase, each_time_twice_as_long);
	tcase_add_test(tcase, has_an_end);
	tcase_add_test(tcase, in_time_again);
	tcase_add_test(tcase, one_that_others_did_not_wait_for);
	tcase_add_test(tcase, the_last_ones_are_remembered);
	suite_add_tcase(suite, tcase);
	return suite;
}
