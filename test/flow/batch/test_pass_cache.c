/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What passes cache about VGs that wait, and what they verify. */
#include "batch/pass_cache.h"
#include "flow/record_scratch.h"

static struct lea_pass_cache own_cache, *const known = &own_cache;

static void known_teardown(void)
{
	teardown();
	lea_pass_cache_forget(known);
}

const struct fixture fixture = {setup, known_teardown};

/* One pass with this PV. Returns its record, with the VG's count. */
static struct lea_record pass(uint32_t minor, const char *pvid)
{
	const struct lea_record_options options = {
		.check_complete = true, .count_later = true, .claim_vg = true, .vgs = &known->vgs};
	struct lea_record record;

	ck_assert_int_eq(lea_recorder_new(machine.world, conf, &options, &recorder), 0);
	see(minor, pvid, &vg3);
	record = count(pvid, &vg3);
	lea_recorder_free(LEA_TAKE(recorder));
	lea_pass_cache_begin(known);
	lea_pass_cache_end(known);
	return record;
}

static void remove_file(const char *path)
{
	char full[256];

	snprintf(full, sizeof(full), "run/lvm/%s", path);
	ck_assert_int_eq(unlink(full), 0);
}

TEST(a_vg_counts_its_pvs_over_three_passes)
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

/* Its order in the VG is B, A, C: a pass searches only up to the first missing PV. */
TEST(others_that_record_between_passes_are_seen)
{
	ck_assert_uint_eq(pass(16, ID_A).missing, 2);
	old_record(ID_B, "8:17\nvg:vg3\n");
	ck_assert_int_eq(pass(18, ID_C).complete, LEA_COMPLETE);
}

/* For example removed by hand: the lookup file stays. */
TEST(a_record_that_went_is_missed_in_the_end)
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

/* As after a removal. */
TEST(without_its_lookup_file_a_vg_is_counted_anew)
{
	pass(16, ID_A);
	remove_file("pvs_online/" ID_A);
	remove_file("pvs_lookup/vg3");
	ck_assert_uint_eq(pass(17, ID_B).missing, 2);
	ck_assert_str_eq(get("pvs_lookup/vg3"), ID_B "\n" ID_A "\n" ID_C "\n");
	ck_assert_uint_eq(pass(18, ID_C).missing, 1);
	ck_assert_int_eq(pass(16, ID_A).complete, LEA_COMPLETE);
}

TEST(a_forgotten_vg_is_counted_again)
{
	pass(16, ID_A);
	lea_pass_cache_forget(known);
	remove_file("pvs_online/" ID_A);
	ck_assert_uint_eq(pass(17, ID_B).missing, 2);
}

/* Only VGs that wait for PVs are cached. */
TEST(a_complete_vg_is_counted_each_time)
{
	pass(16, ID_A);
	pass(17, ID_B);
	pass(18, ID_C);
	remove_file("pvs_online/" ID_A);
	ck_assert_uint_eq(pass(18, ID_C).missing, 1);
}
