/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When is a VG complete, and which recorder may claim it? */
#include "flow/record_scratch.h"

const struct fixture fixture = {setup, teardown};

TEST(one_of_one_is_complete_without_a_lookup_file)
{
	struct lea_record record;

	begin(true, true, false);
	record = see(16, ID_A, &vg1);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert(record.claimed);
	ck_assert(!record.rechecked);
	ck_assert_str_eq(get("vgs_online/vg1"), "");
	ck_assert_ptr_null(get("pvs_lookup/vg1"));
}

TEST(three_pvs_in_three_processes)
{
	struct lea_record record;

	begin(true, true, false);
	record = see(16, ID_A, &vg3);
	ck_assert_int_eq(record.complete, LEA_COMPLETE_WAITING);
	ck_assert_uint_eq(record.missing, 2);
	ck_assert_str_eq(get("pvs_lookup/vg3"), ID_B "\n" ID_A "\n" ID_C "\n");
	ck_assert_ptr_null(get("vgs_online/vg3"));
	begin(true, true, false);
	record = see(18, ID_C, &vg3);
	ck_assert_uint_eq(record.missing, 1);
	begin(true, true, false);
	record = see(17, ID_B, &vg3);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert(record.claimed);
	begin(true, true, false);
	record = see(17, ID_B, &vg3);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert_msg(!record.claimed, "the claim is the first one's");
}

TEST(three_pvs_in_one_process)
{
	begin(true, true, false);
	ck_assert_uint_eq(see(16, ID_A, &vg3).missing, 2);
	ck_assert_uint_eq(see(17, ID_B, &vg3).missing, 1);
	ck_assert_int_eq(see(18, ID_C, &vg3).complete, LEA_COMPLETE);
	ck_assert_msg(see(18, ID_C, &vg3).claimed, "the claim of this process stays its own");
}

TEST(counted_later_the_first_sees_all)
{
	struct lea_record record;

	begin_later();
	ck_assert_int_eq(see(16, ID_A, &vg3).kind, LEA_RECORD_ONLINE);
	see(17, ID_B, &vg3);
	see(18, ID_C, &vg3);
	ck_assert_msg(!get("vgs_online/vg3") && !get("pvs_lookup/vg3"), "nothing was counted yet");
	record = count(ID_A, &vg3);
	ck_assert_int_eq(record.kind, LEA_RECORD_ONLINE);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert(record.claimed && !record.rechecked);
	ck_assert_str_eq(record.vg_name, "vg3");
	ck_assert_str_eq(get("pvs_lookup/vg3"), ID_B "\n" ID_A "\n" ID_C "\n");
	ck_assert_int_eq(count(ID_C, &vg3).complete, LEA_COMPLETE);
}

TEST(counted_later_others_are_seen)
{
	begin_later();
	see(16, ID_A, &vg3);
	see(17, ID_B, NULL);
	ck_assert_uint_eq(count(ID_A, &vg3).missing, 1);
	old_record(ID_C, "8:18\nvg:vg3\n");
	ck_assert_int_eq(count(ID_B, NULL).complete, LEA_COMPLETE);
}

/* Rows: at its first count, or at a later one. */
TEST_TIMES(a_record_of_which_nobody_knows_is_not_missing, 2)
{
	struct lea_record record;

	begin_later();
	see(16, ID_A, &vg3);
	see(17, ID_B, &vg3);
	if (_i)
		ck_assert_uint_eq(count(ID_A, &vg3).missing, 1);
	old_record(ID_C, "8:18\nvg:vg3\n");
	ck_assert_int_eq(rename("run/lvm/pvs_online", "run/lvm/away"), 0);
	ck_assert_int_eq(symlink("pvs_online", "run/lvm/pvs_online"), 0);
	record = count(ID_B, &vg3);
	ck_assert_int_eq(record.kind, LEA_RECORD_FAILED);
	ck_assert_int_eq(unlink("run/lvm/pvs_online"), 0);
	ck_assert_int_eq(rename("run/lvm/away", "run/lvm/pvs_online"), 0);
	ck_assert_int_eq(count(ID_B, &vg3).complete, LEA_COMPLETE);
}

TEST(others_that_record_meanwhile_are_seen)
{
	struct lea_record record;

	begin(true, true, false);
	ck_assert_uint_eq(see(16, ID_A, &vg3).missing, 2);
	old_record(ID_C, "8:18\nvg:vg3\n");
	record = see(17, ID_B, &vg3);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert(record.claimed);
}

TEST(without_a_claim_nobody_is_shut_out)
{
	begin(true, false, false);
	ck_assert_int_eq(see(16, ID_A, &vg1).complete, LEA_COMPLETE);
	ck_assert_ptr_null(get("vgs_online/vg1"));
}

TEST(a_pv_without_metadata_waits_for_one_with)
{
	struct lea_record record;

	begin(true, true, false);
	record = see(16, ID_A, NULL);
	ck_assert_int_eq(record.complete, LEA_COMPLETE_UNKNOWN);
	ck_assert_str_eq(record.vg_name, "");
	begin(true, true, false);
	ck_assert_uint_eq(see(17, ID_B, &vg3).missing, 1);
	begin(true, true, false);
	record = see(18, ID_C, NULL);
	ck_assert_int_eq(record.complete, LEA_COMPLETE);
	ck_assert_str_eq(record.vg_name, "vg3");
	ck_assert(record.claimed && !record.has_metadata);
	ck_assert_str_eq(get("pvs_online/" ID_C), "8:18\ndev:/dev/sdb\n");
}

TEST(with_and_without_metadata_share_one_claim)
{
	begin(true, true, false);
	ck_assert_uint_eq(see(16, ID_A, &vg3).missing, 2);
	ck_assert_uint_eq(see(17, ID_B, NULL).missing, 1);
	ck_assert(see(18, ID_C, NULL).claimed);
	ck_assert(see(16, ID_A, &vg3).claimed);
}
