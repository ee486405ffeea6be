/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Passes of the runner: devices and VGs that are looked at more than once. */
#include "flow/batch_scratch.h"
#include "flow/known.h"
#include "unit/suite.h"

/* Two passes on their way at a time, over what is kept from pass to pass: each hears of its own VG,
 * and in any order. */
START_TEST(passes_side_by_side)
{
	struct lea_entry one = event("sda", 16, 1, PVID_ONE, false);
	struct lea_entry two[] = {event("sdb", 32, 2, PVID_A, false),
				  event("sdc", 48, 3, PVID_B, false)};
	struct lea_batch_pass *first, *second;
	struct lea_claim claim;

	ck_assert_int_eq(lea_prober_new(machine.world, conf, &how.prober), 0);
	ck_assert_int_eq(lea_known_new(&how.known), 0);
	ck_assert_int_eq(lea_batch_workers(&how, &how.workers), 0);
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_batch_start(&how, &one, 1, &summary, &first), 0);
	ck_assert_int_eq(lea_batch_start(&how, two, 2, &summary, &second), 0);
	ck_assert(!lea_batch_is_done(first) && !lea_batch_is_done(second));
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_B), "it is recorded at once");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_CLAIMED);
	lea_claim_done(&claim);
	ck_assert_int_eq(lea_workers_drain(how.workers), 0);
	ck_assert(lea_batch_is_done(first) && lea_batch_is_done(second));
	ck_assert_int_eq(lea_batch_end(second), 0);
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_DONE);
	lea_claim_done(&claim);
	ck_assert_int_eq(lea_batch_end(first), 0);
	ck_assert_uint_eq(summary.vgs_active, 2);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
	lea_workers_free(how.workers);
	lea_known_free(how.known);
	lea_prober_free(how.prober);
}
END_TEST

/* One that is given up leaves nothing behind but its claims, which count as long as we live. */
START_TEST(pass_that_is_given_up)
{
	struct lea_entry one = event("sda", 16, 1, PVID_ONE, false);
	struct lea_batch_pass *first;

	ck_assert_int_eq(lea_batch_workers(&how, &how.workers), 0);
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_int_eq(lea_batch_start(&how, &one, 1, &summary, &first), 0);
	lea_batch_drop(first);
	ck_assert_uint_eq(lea_workers_open(how.workers), 0);
	ck_assert_int_eq(lea_batch_start(&how, NULL, 0, &summary, &first), 0);
	ck_assert_ptr_null(first);
	ck_assert(lea_batch_is_done(first));
	ck_assert_int_eq(lea_batch_end(first), 0);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	lea_workers_free(how.workers);
}
END_TEST

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

/* A claim of @vg_id as if it had been activated with these PVs. */
static void claim_with(const char *vg_id, struct lea_claim_pv *pv, uint32_t count)
{
	struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
				    .proc_fd = lea_world_proc(machine.world)};
	struct lea_claim claim = {
		.state = LEA_CLAIM_DONE, .vg_name = "vg", .pv = pv, .pv_count = count};

	ck_assert_int_eq(lea_claim_finish(&claims, vg_id, &claim), 0);
}

/* vgreduce, then lvchange -an: an event of a PV that stayed does not undo it. */
START_TEST(reduced_is_no_news)
{
	struct lea_claim_pv pv[] = {{.pvid = PVID_ONE, .major = 8, .minor = 16, .diskseq = 7},
				    {.pvid = PVID_A, .major = 8, .minor = 32, .diskseq = 2}};

	machine_plug("one-pv", "sda", 16, 7);
	claim_with(VG_ONE_ID, pv, 2);
	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), "vg_one"), 0);
	ck_assert_str_eq(came("sda", 16, 7, PVID_ONE), "");
	ck_assert_uint_eq(summary.vgs_active + summary.vgs_failed, 0);
}
END_TEST

/* A PV that was added and was not there when the VG was activated. */
START_TEST(added_member_is_news)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .major = 8, .minor = 32, .diskseq = 2};

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	claim_with(VG_TWO_ID, &pv, 1);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_A), "");
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "vg-two.pvs ");
}
END_TEST

/* vgrename on the disk @name, which holds the sample's PV. */
static void rename_vg_on(const char *sample_name, const char *name)
{
	struct sample sample;
	char path[128];

	sample_load(&sample, sample_name);
	sample_change_text(&sample, "vg-two.pvs {", "vg-new.pvs {");
	sample_change_text(&sample, "seqno = 3", "seqno = 4");
	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, name);
	sample_write(&sample, path);
	sample_done(&sample);
}

/* vgrename is through with one disk when we read it, and not with the other one. */
static void read_while_it_is_renamed(void)
{
	struct lea_claim claim;

	machine_plug("stripe-a", "sda", 16, 2);
	machine_plug("stripe-b", "sdb", 32, 3);
	ck_assert_str_eq(came("sdb", 32, 3, PVID_B), "");
	rename_vg_on("stripe-b", "sdb");
	ck_assert_str_eq(came("sda", 16, 2, PVID_A), "");
	ck_assert_uint_eq(summary.vgs_failed + summary.vgs_active, 0);
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_FAILED);
	lea_claim_done(&claim);
}

/* What a look at it put into the queue. */
static const char *pass_of_queue(void)
{
	struct lea_entry *entries;
	size_t count;

	ck_assert_int_eq(lea_queue_take(how.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	pass(entries, count);
	ck_assert_int_eq(lea_queue_done(how.event_fd, &entries[0]), 0);
	free(entries);
	return activated;
}

START_TEST(renamed_while_it_is_read)
{
	read_while_it_is_renamed();
	rename_vg_on("stripe-a", "sda");
	ck_assert_str_eq(pass_of_queue(), "vg-new.pvs ");
	ck_assert_uint_eq(summary.vgs_active, 1);
}
END_TEST

/* One that was away keeps the old name: said, and not looked at for ever. */
START_TEST(renamed_without_a_pv)
{
	read_while_it_is_renamed();
	ck_assert_str_eq(pass_of_queue(), "");
	ck_assert_uint_eq(summary.vgs_failed, 1);
	ck_assert_msg(strstr(machine.err, "two names") != NULL, "%s", machine.err);
	ck_assert(!lea_queue_has_pending(how.event_fd));
	ck_assert_str_eq(came("sdb", 32, 3, PVID_B), "");
	ck_assert(!lea_queue_has_pending(how.event_fd));
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("batch_again");
	TCase *tcase = tcase_create("batch_again");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, passes_side_by_side);
	tcase_add_test(tcase, pass_that_is_given_up);
	tcase_add_test(tcase, one_device_in_two_entries);
	tcase_add_test(tcase, changed_meanwhile_is_looked_at_again);
	tcase_add_test(tcase, reduced_is_no_news);
	tcase_add_test(tcase, added_member_is_news);
	tcase_add_test(tcase, renamed_while_it_is_read);
	tcase_add_test(tcase, renamed_without_a_pv);
	suite_add_tcase(suite, tcase);
	return suite;
}
