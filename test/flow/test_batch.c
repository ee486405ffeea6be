/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes of the runner on a machine made of files: records, claims, and who is handed to the
 * workers. The workers only say how it ended.
 */
#include "flow/batch_scratch.h"
#include "flow/waiting.h"
#include "flow/known.h"
#include "flow/sweep.h"
#include "unit/suite.h"

#define UUID_ONE "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"

START_TEST(a_damaged_pv_is_named_with_its_id_and_its_vg)
{
	machine_plug("damaged/text-crc", "sda", 16, 7);
	came("sda", 16, 7, PVID_ONE);
	ck_assert_msg(strstr(machine.err, "  PV /dev/sda (" UUID_ONE " of VG vg_one): damaged: ") ==
			      machine.err,
		      "%s", machine.err);
	ck_assert_ptr_nonnull(strstr(machine.err, "; check it by: pvck /dev/sda\n"));
}
END_TEST

START_TEST(a_complete_vg_is_activated_once)
{
	struct lea_claim claim;

	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(came("sda", 16, 7, PVID_ONE), "vg_one ");
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_ONE));
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_DONE);
	ck_assert_uint_eq(claim.pv_count, 1);
	ck_assert_uint_eq(claim.pv[0].diskseq, 7);
	lea_claim_done(&claim);
	ck_assert_msg(!came("sda", 16, 7, PVID_ONE)[0], "a second event of it does nothing");
	ck_assert_uint_eq(summary.vgs_active, 1);
	ck_assert_uint_eq(summary.vgs_failed, 0);
	ck_assert_str_eq(machine.err, "");
}
END_TEST

/* PVs of one VG by one event each: the pass with the last one reads the others, too. */
START_TEST(complete_over_two_passes)
{
	machine_plug("stripe-a", "sdb", 32, 1);
	ck_assert_str_eq(came("sdb", 32, 1, PVID_A), "");
	ck_assert(machine_has("/run/lvm/pvs_lookup/vg-two.pvs"));
	ck_assert(!machine_has("/run/lvm/vgs_online/vg-two.pvs"));
	machine_plug("stripe-b", "sdc", 48, 2);
	ck_assert_str_eq(came("sdc", 48, 2, PVID_B), "vg-two.pvs ");
	ck_assert(!came("sdb", 32, 1, PVID_A)[0]);
}
END_TEST

START_TEST(a_vg_that_waits_is_named_with_its_missing_pv_when_asked)
{
	ck_assert_int_eq(lea_waiting_new(&how.waiting), 0);
	machine_plug("stripe-a", "sdb", 32, 1);
	came("sdb", 32, 1, PVID_A);
	ck_assert_str_eq(machine.err, "");
	lea_waiting_tell(how.waiting, machine.world);
	fflush(machine.err_file);
	ck_assert_ptr_nonnull(strstr(machine.err, "VG vg-two.pvs: not activated, incomplete: 1 of 2 PVs "
						  "is there, missing PV yENn7p-uYj7-"));
	machine_plug("stripe-b", "sdc", 48, 2);
	ck_assert_str_eq(came("sdc", 48, 2, PVID_B), "vg-two.pvs ");
	ck_assert_int_eq(lea_waiting_tell(how.waiting, machine.world), -1);
	lea_waiting_free(how.waiting);
}
END_TEST

static const struct {
	enum lea_left_why why;
	const char *line;
} left[] = {
	{LEA_LEFT_DISK, "VG vg_one: not finished: its disk /dev/sda does not answer"},
	{LEA_LEFT_LOCK, "VG vg_one: not activated yet: another command has its lock"},
	{LEA_LEFT_UDEV, "VG vg_one: its LVs are set up, but udev does not finish"},
	{LEA_LEFT_LVM, "VG vg_one: lvm, which activates it, does not come to an end"},
	{LEA_LEFT_OTHER, "VG vg_one: not finished: its worker process makes no progress"},
};

START_TEST(a_vg_that_is_left_has_a_line_with_its_own_reason)
{
	is_left = true;
	left_why = left[_i].why;
	machine_plug("one-pv", "sda", 16, 7);
	came("sda", 16, 7, PVID_ONE);
	fflush(machine.err_file);
	ck_assert_msg(strstr(machine.err, left[_i].line) != NULL, "%s", machine.err);
	ck_assert_uint_eq(summary.vgs_failed + summary.vgs_active, 0);
}
END_TEST

START_TEST(a_vg_beside_one_that_is_left_is_no_warning)
{
	is_left = true;
	left_why = LEA_LEFT_BESIDE;
	machine_plug("one-pv", "sda", 16, 7);
	came("sda", 16, 7, PVID_ONE);
	fflush(machine.err_file);
	fflush(machine.out_file);
	ck_assert_str_eq(machine.err, "");
	ck_assert_ptr_nonnull(strstr(machine.out, "VG vg_one: its LVs are set up; its lock is held "
						  "until VG other is finished"));
}
END_TEST

START_TEST(all_in_one_pass)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, false),
				      event("sdb", 32, 2, PVID_A, false),
				      event("sdc", 48, 3, PVID_B, false)};

	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_str_eq(pass(entries, 3), "vg_one vg-two.pvs ");
	ck_assert_uint_eq(summary.pvs, 3);
}
END_TEST

/* With what one leaves to the next: the same, also when one of them is taken out between. */
START_TEST(passes_know_of_each_other)
{
	struct lea_prober *prober;

	ck_assert_int_eq(lea_prober_new(machine.world, conf, &prober), 0);
	ck_assert_int_eq(lea_known_new(&how.known), 0);
	how.prober = prober;
	machine_plug("stripe-a", "sdb", 32, 1);
	ck_assert_str_eq(came("sdb", 32, 1, PVID_A), "");
	machine_unplug("sdb", 32);
	ck_assert_str_eq(went("sdb", 32, 1, PVID_A), "");
	machine_plug("stripe-b", "sdc", 48, 2);
	ck_assert_str_eq(came("sdc", 48, 2, PVID_B), "");
	ck_assert(machine_has("/run/lvm/pvs_lookup/vg-two.pvs"));
	machine_plug("stripe-a", "sdb", 32, 3);
	ck_assert_str_eq(came("sdb", 32, 3, PVID_A), "vg-two.pvs ");
	ck_assert_str_eq(came("sdb", 32, 3, PVID_A), "");
	ck_assert_str_eq(machine.err, "");
	lea_known_free(how.known);
	lea_prober_free(prober);
}
END_TEST

/* ... which costs one child that reads and one set of workers. */
START_TEST(passes_share_processes)
{
	struct lea_prober *prober;

	workers_made = 0;
	ck_assert_int_eq(lea_prober_new(machine.world, conf, &prober), 0);
	how.prober = prober;
	ck_assert_int_eq(lea_batch_workers(&how, &how.workers), 0);
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(came("sda", 16, 7, PVID_ONE), "vg_one ");
	machine_plug("stripe-a", "sdb", 32, 1);
	ck_assert_str_eq(came("sdb", 32, 1, PVID_A), "");
	machine_plug("stripe-b", "sdc", 48, 2);
	ck_assert_str_eq(came("sdc", 48, 2, PVID_B), "vg-two.pvs ");
	ck_assert_uint_eq(lea_prober_children(prober), 1);
	ck_assert_uint_eq(workers_made, 1);
	ck_assert_uint_eq(summary.vgs_active, 2);
	ck_assert_str_eq(machine.err, "");
	lea_workers_free(how.workers);
	lea_prober_free(prober);
}
END_TEST

START_TEST(removal_leaves_nothing)
{
	machine_plug("stripe-a", "sdb", 32, 1);
	machine_plug("stripe-b", "sdc", 48, 2);
	came("sdb", 32, 1, PVID_A);
	ck_assert_str_eq(came("sdc", 48, 2, PVID_B), "vg-two.pvs ");
	machine_unplug("sdc", 48);
	ck_assert_str_eq(went("sdc", 48, 2, PVID_B), "");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_B));
	ck_assert(!machine_has("/run/lvm/pvs_lookup/vg-two.pvs"));
	ck_assert(!machine_has("/run/lvm/vgs_online/vg-two.pvs"));
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_A), "the other one stays");
	ck_assert_uint_eq(summary.gone, 1);
	/* ... and back under another name and number */
	machine_plug("stripe-b", "sdx", 240, 9);
	ck_assert_str_eq(came("sdx", 240, 9, PVID_B), "vg-two.pvs ");
}
END_TEST

/* The claim of the old disk is there all along: it is of another instance. */
START_TEST(old_claim_covers_no_new_disk)
{
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_unplug("sda", 16);
	ck_assert_str_eq(went("sda", 16, 1, PVID_ONE), "");
	machine_plug("one-pv", "sda", 16, 2);
	ck_assert_str_eq(came("sda", 16, 2, PVID_ONE), "vg_one ");
}
END_TEST

/* A kernel that does not number instances: only the removal tells. */
START_TEST(same_number_no_instance)
{
	struct lea_claim claim;

	machine_plug("one-pv", "sda", 16, 0);
	ck_assert_str_eq(came("sda", 16, 0, PVID_ONE), "vg_one ");
	machine_unplug("sda", 16);
	ck_assert_str_eq(went("sda", 16, 0, PVID_ONE), "");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), LEA_CLAIM_ABSENT);
	machine_plug("one-pv", "sda", 16, 0);
	ck_assert_str_eq(came("sda", 16, 0, PVID_ONE), "vg_one ");
}
END_TEST

/* Nobody told of the removal: the record names a device that is gone. */
START_TEST(replug_without_a_removal)
{
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sdz", 160, 2);
	ck_assert_str_eq(came("sdz", 160, 2, PVID_ONE), "vg_one ");
	ck_assert_str_eq(machine.err, "");
}
END_TEST

/* A whole VG, no removal told of: in the end it is active. */
START_TEST(replug_of_two_without_removals)
{
	machine_plug("stripe-a", "sdb", 32, 1);
	machine_plug("stripe-b", "sdc", 48, 2);
	came("sdb", 32, 1, PVID_A);
	ck_assert_str_eq(came("sdc", 48, 2, PVID_B), "vg-two.pvs ");
	machine_unplug("sdb", 32);
	machine_unplug("sdc", 48);
	machine_plug("stripe-a", "sdx", 240, 3);
	ck_assert_str_eq(came("sdx", 240, 3, PVID_A), "");
	ck_assert_str_eq(machine.err,
			 "  VG vg-two.pvs: not activated: a PV of it has gone without a "
			 "word, it is tried again with the next one that comes\n");
	machine_plug("stripe-b", "sdy", 256, 4);
	ck_assert_str_eq(came("sdy", 256, 4, PVID_B), "vg-two.pvs ");
	ck_assert_msg(!came("sdx", 240, 3, PVID_A)[0], "once");
}
END_TEST

/* Removal and arrival under the old number in one burst: the new instance is another one. */
START_TEST(same_number_new_instance)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, true),
				      event("sda", 16, 2, PVID_ONE, false)};

	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sda", 16, 2);
	ck_assert_str_eq(pass(entries, 2), "vg_one ");
}
END_TEST

/* The removal of a PV whose number an empty disk has now. */
START_TEST(number_of_another_disk)
{
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	machine_unplug("sda", 16);
	machine_plug("orphan", "sda", 16, 2);
	ck_assert_str_eq(went("sda", 16, 1, PVID_ONE), "");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_ONE));
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
}
END_TEST

/* Rows: how a worker can fail, and what is told. */
static const struct {
	const char *claim, *reason, *said;
	int outcome;
} failures[] = {
	{"an LV that failed", "LV vg_one/home: resuming: Input/output error",
	 "  VG vg_one: not activated: LV vg_one/home: resuming: Input/output error; "
	 "try: vgchange -aay vg_one\n",
	 LEA_ACTIVATE_FAILED},
	{"a PV that was gone when the lock was there", "",
	 "  VG vg_one: not activated: a PV of it went away; try: vgchange -aay vg_one\n",
	 LEA_ACTIVATE_INCOMPLETE},
	{"a worker that died", "",
	 "  VG vg_one: not activated: activation failed; "
	 "try: vgchange -aay vg_one\n",
	 -ECHILD},
};

START_TEST(what_failed_is_tried_again)
{
	struct lea_claim claim;

	machine_plug("one-pv", "sda", 16, 1);
	outcome = failures[_i].outcome;
	reason = failures[_i].reason;
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	ck_assert_msg(!strcmp(machine.err, failures[_i].said),
		      "%s: one line, the VG and the next step: %s", failures[_i].claim,
		      machine.err);
	ck_assert_msg(!machine_has("/run/lvm/vgs_online/vg_one"), "lvm2 may try, too");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_FAILED);
	ck_assert_msg(claim.reason[0], "status can say why");
	lea_claim_done(&claim);
	ck_assert_uint_eq(summary.vgs_failed, 1);
	outcome = 0;
	reason = "";
	ck_assert_msg(!strcmp(came("sda", 16, 1, PVID_ONE), "vg_one "), "by the next event");
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg_one"), "claimed as ever");
}
END_TEST

/* Not to be activated by events: that is no failure, and done with. */
START_TEST(not_meant_is_done)
{
	machine_plug("one-pv", "sda", 16, 1);
	outcome = LEA_ACTIVATE_NOT_AUTO;
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	ck_assert_uint_eq(summary.vgs_failed + summary.vgs_active, 0);
	ck_assert(!came("sda", 16, 1, PVID_ONE)[0]);
	ck_assert_str_eq(machine.err, "");
}
END_TEST

START_TEST(switched_off)
{
	machine_plug("one-pv", "sda", 16, 1);
	conf->event_activation = false;
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(machine.err,
			 "  event_activation=0: devices are not looked at, nothing is activated\n");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_ONE));
	lea_batch_report(&how, &summary);
	fflush(machine.out_file);
	ck_assert_str_eq(machine.out ? machine.out : "", "");
}
END_TEST

START_TEST(one_line_at_the_end)
{
	machine_plug("one-pv", "sda", 16, 1);
	came("sda", 16, 1, PVID_ONE);
	lea_batch_report(&how, &summary);
	fflush(machine.out_file);
	ck_assert_str_eq(machine.out,
			 "  1 device(s), 1 PV(s), 0 removed, 1 VG(s) active (1 LVs), 0 "
			 "failed\n");
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("batch");
	TCase *tcase = tcase_create("batch");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_damaged_pv_is_named_with_its_id_and_its_vg);
	tcase_add_test(tcase, a_complete_vg_is_activated_once);
	tcase_add_test(tcase, complete_over_two_passes);
	tcase_add_test(tcase, a_vg_that_waits_is_named_with_its_missing_pv_when_asked);
	tcase_add_loop_test(tcase, a_vg_that_is_left_has_a_line_with_its_own_reason, 0,
			    (int)ARRAY_SIZE(left));
	tcase_add_test(tcase, a_vg_beside_one_that_is_left_is_no_warning);
	tcase_add_test(tcase, all_in_one_pass);
	tcase_add_test(tcase, passes_know_of_each_other);
	tcase_add_test(tcase, passes_share_processes);
	tcase_add_test(tcase, removal_leaves_nothing);
	tcase_add_test(tcase, old_claim_covers_no_new_disk);
	tcase_add_test(tcase, same_number_no_instance);
	tcase_add_test(tcase, replug_without_a_removal);
	tcase_add_test(tcase, replug_of_two_without_removals);
	tcase_add_test(tcase, same_number_new_instance);
	tcase_add_test(tcase, number_of_another_disk);
	tcase_add_loop_test(tcase, what_failed_is_tried_again, 0, ARRAY_SIZE(failures));
	tcase_add_test(tcase, not_meant_is_done);
	tcase_add_test(tcase, switched_off);
	tcase_add_test(tcase, one_line_at_the_end);
	suite_add_tcase(suite, tcase);
	return suite;
}
