/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes of the runner: devices and VGs that are looked at more than once. */
#include "flow/batch_scratch.h"
#include "unit/suite.h"

/* By a person and by udev, or after it was out and in again: that makes no two PVs of it. */
START_TEST(one_device_in_two_entries)
{
	struct lea_entry entries[2];

	machine_plug("stripe-a", "sda", 16, 2);
	machine_plug("stripe-b", "sdb", 32, 3);
	ck_assert_str_eq(came("sda", 16, 2, PVID_A), "");
	entries[0] = event("sdb", 32, 0, PVID_B, false);
	entries[1] = event("sdb", 32, 3, PVID_B, false);
	ck_assert_str_eq(pass(entries, 2), "vg-two.pvs ");
	ck_assert_str_eq(machine.err, "");
}
END_TEST

/* Another command had the lock first: nothing but ourselves will ever look at it again. */
START_TEST(changed_meanwhile_is_looked_at_again)
{
	struct lea_entry *entries;
	struct lea_claim claim;
	size_t count;

	machine_plug("one-pv", "sda", 16, 7);
	outcome = LEA_ACTIVATE_CHANGED;
	ck_assert_str_eq(came("sda", 16, 7, PVID_ONE), "vg_one ");
	ck_assert_str_eq(machine.err, "");
	ck_assert_uint_eq(summary.vgs_failed + summary.vgs_active, 0);
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), LEA_CLAIM_ABSENT);
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert(machine_has("/run/lvm/event/queue/8:16-7"));
	outcome = 0;
	ck_assert_int_eq(lea_queue_take(how.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(entries[0].pvid, PVID_ONE);
	ck_assert_str_eq(pass(entries, count), "vg_one ");
	ck_assert_uint_eq(summary.vgs_active, 1);
	free(entries);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("batch_again");
	TCase *tcase = tcase_create("batch_again");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, one_device_in_two_entries);
	tcase_add_test(tcase, changed_meanwhile_is_looked_at_again);
	suite_add_tcase(suite, tcase);
	return suite;
}
