/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What passes leave to each other of VGs that wait, and what they don't believe of it. */
#include "flow/known.h"
#include "flow/record_scratch.h"

static struct lea_known *known;

static void known_setup(void)
{
	setup();
	ck_assert_int_eq(lea_known_new(&known), 0);
}

static void known_teardown(void)
{
	teardown();
	lea_known_free(known);
}

/* The PVs of one pass come one after the other; of the last one its VG's count. */
static struct lea_record pass(uint32_t minor, const char *pvid)
{
	const struct lea_record_options options = {.check_complete = true,
						   .count_later = true,
						   .claim_vg = true,
						   .vgs = lea_known_vgs(known)};
	struct lea_record record;

	ck_assert_int_eq(lea_recorder_new(&world, &conf, &options, &recorder), 0);
	see(minor, pvid, &vg3);
	record = count(pvid, &vg3);
	lea_recorder_free(LEA_TAKE(recorder));
	lea_known_use(known);
	lea_known_rest(known);
	return record;
}

static void remove_file(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "run/lvm/%s", path);
	ck_assert_int_eq(unlink(full), 0);
}

START_TEST(three_pvs_in_three_passes)
{
	struct lea_record record;

	ck_assert_uint_eq(pass(16, ID_A).missing, 2);
	ck_assert_ptr_nonnull(get("pvs_lookup/vg3"));
	ck_assert_uint_eq(pass(17, ID_B).missing, 1);
	record = pass(18, ID_C);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert(record.claimed);
	record = pass(17, ID_B);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert_msg(!record.claimed, "each pass asks whose the claim is");
	remove_file("vgs_online/vg3");
	ck_assert(pass(17, ID_B).claimed);
}
END_TEST

/* Its order in the VG is B, A, C: a pass looks for the first one that is missing, no further. */
START_TEST(others_that_record_between_passes_are_seen)
{
	ck_assert_uint_eq(pass(16, ID_A).missing, 2);
	old_record(ID_B, "8:17\nvg:vg3\n");
	ck_assert_int_eq(pass(18, ID_C).complete, LEA_COMPLETE);
}
END_TEST

/* By hand, say: the lookup file stays. */
START_TEST(a_record_that_went_is_missed_in_the_end)
{
	struct lea_record record;

	pass(16, ID_A);
	remove_file("pvs_online/" ID_A);
	pass(17, ID_B);
	record = pass(18, ID_C);
	ck_assert_int_eq(record.complete, LEA_COMPLETE_WAITING);
	ck_assert_uint_eq(record.missing, 1);
	ck_assert_ptr_null(get("vgs_online/vg3"));
	record = pass(16, ID_A);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert(record.claimed);
}
END_TEST

/* As a removal leaves it. */
START_TEST(without_its_lookup_file_a_vg_is_counted_anew)
{
	pass(16, ID_A);
	remove_file("pvs_online/" ID_A);
	remove_file("pvs_lookup/vg3");
	ck_assert_uint_eq(pass(17, ID_B).missing, 2);
	ck_assert_str_eq(get("pvs_lookup/vg3"), ID_B "\n" ID_A "\n" ID_C "\n");
	ck_assert_uint_eq(pass(18, ID_C).missing, 1);
	ck_assert_int_eq(pass(16, ID_A).complete, LEA_COMPLETE);
}
END_TEST

START_TEST(forgotten_counts_are_made_anew)
{
	pass(16, ID_A);
	lea_known_forget(known);
	remove_file("pvs_online/" ID_A);
	ck_assert_uint_eq(pass(17, ID_B).missing, 2);
}
END_TEST

/* Not before nobody waits: a count is kept for those only. */
START_TEST(a_complete_vg_is_counted_each_time)
{
	pass(16, ID_A);
	pass(17, ID_B);
	pass(18, ID_C);
	remove_file("pvs_online/" ID_A);
	ck_assert_uint_eq(pass(18, ID_C).missing, 1);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("known");
	TCase *tcase = tcase_create("known");

	tcase_add_checked_fixture(tcase, known_setup, known_teardown);
	tcase_add_test(tcase, three_pvs_in_three_passes);
	tcase_add_test(tcase, others_that_record_between_passes_are_seen);
	tcase_add_test(tcase, a_record_that_went_is_missed_in_the_end);
	tcase_add_test(tcase, without_its_lookup_file_a_vg_is_counted_anew);
	tcase_add_test(tcase, forgotten_counts_are_made_anew);
	tcase_add_test(tcase, a_complete_vg_is_counted_each_time);
	suite_add_tcase(suite, tcase);
	return suite;
}
