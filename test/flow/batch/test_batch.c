/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes of the runner on a machine made of files: records, claims, and the VGs that go to the
 * workers. Fake workers only report the outcome.
 */
#include "daemon/reconcile.h"
#include "flow/batch_scratch.h"
#include "flow/forks.h"
#include "unit/suite.h"

const struct fixture fixture = {setup, teardown};

#define UUID_ONE "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"

TEST(a_damaged_pv_is_named_with_its_id_and_its_vg)
{
	machine_plug("damaged/text-crc", "sda", 16, 7);
	came("sda", 16, 7, PVID_ONE);
	ck_assert_msg(strstr(machine.err, "  PV /dev/sda (" UUID_ONE " of VG vg_one): damaged: ") ==
			      machine.err,
		      "%s", machine.err);
	ck_assert_ptr_nonnull(strstr(machine.err, "; check it by: pvck /dev/sda\n"));
}

static void one_comes_up(uint32_t diskseq)
{
	machine_plug("one-pv", "sda", 16, diskseq);
	ck_assert_str_eq(came("sda", 16, diskseq, PVID_ONE), "vg_one ");
}

TEST(a_complete_vg_is_activated_once)
{
	struct lea_claim claim;

	one_comes_up(7);
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_ONE));
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_DONE);
	ck_assert_uint_eq(claim.pv_count, 1);
	ck_assert_uint_eq(claim.pv[0].id.diskseq, 7);
	lea_claim_done(&claim);
	ck_assert_msg(!came("sda", 16, 7, PVID_ONE)[0], "a second event of it does nothing");
	ck_assert_uint_eq(summary.vgs_active, 1);
	ck_assert_uint_eq(summary.vgs_failed, 0);
	ck_assert_str_eq(machine.err, "");
}

/* One event per PV of a VG: the pass with the last PV reads the others, too. */
TEST(a_vg_that_is_complete_after_two_passes_is_activated)
{
	machine_plug("stripe-a", "sdb", 32, 1);
	ck_assert_str_eq(came("sdb", 32, 1, PVID_A), "");
	ck_assert(machine_has("/run/lvm/pvs_lookup/vg-two.pvs"));
	ck_assert(!machine_has("/run/lvm/vgs_online/vg-two.pvs"));
	machine_plug("stripe-b", "sdc", 48, 2);
	ck_assert_str_eq(came("sdc", 48, 2, PVID_B), "vg-two.pvs ");
	ck_assert(!came("sdb", 32, 1, PVID_A)[0]);
}

TEST(a_vg_that_waits_is_named_with_its_missing_pv_when_asked)
{
	machine_plug("stripe-a", "sdb", 32, 1);
	came("sdb", 32, 1, PVID_A);
	ck_assert_str_eq(machine.err, "");
	lea_incomplete_log(batch_options.waiting, machine.world);
	fflush(machine.err_file);
	ck_assert_ptr_nonnull(strstr(machine.err,
				     "VG vg-two.pvs: not activated, incomplete: 1 of 2 PVs "
				     "is there, missing PV yENn7p-uYj7-"));
	machine_plug("stripe-b", "sdc", 48, 2);
	ck_assert_str_eq(came("sdc", 48, 2, PVID_B), "vg-two.pvs ");
	ck_assert_int_eq(lea_incomplete_log(batch_options.waiting, machine.world), -1);
}

static const struct {
	enum lea_detached_why why;
	const char *line;
} left[] = {
	{LEA_DETACHED_DISK, "VG vg_one: not finished: its disk /dev/sda does not answer"},
	{LEA_DETACHED_LOCK, "VG vg_one: not activated yet: another command has its lock"},
	{LEA_DETACHED_UDEV, "VG vg_one: udev does not finish with its LVs"},
	{LEA_DETACHED_LVM, "VG vg_one: lvm, which activates it, does not finish"},
	{LEA_DETACHED_CHECK,
	 "VG vg_one: not activated yet: a pool of it is being checked, for 0 s"},
	{LEA_DETACHED_OTHER, "VG vg_one: not finished: its worker process makes no progress"},
};

TEST_EACH(a_vg_that_is_left_has_a_line_with_its_own_reason, left)
{
	is_detached = true;
	detached_why = left[_i].why;
	machine_plug("one-pv", "sda", 16, 7);
	came("sda", 16, 7, PVID_ONE);
	fflush(machine.err_file);
	ck_assert_msg(strstr(machine.err, left[_i].line) != NULL, "%s", machine.err);
	ck_assert_uint_eq(summary.vgs_failed + summary.vgs_active, 0);
}

TEST(a_vg_beside_one_that_is_left_is_no_warning)
{
	is_detached = true;
	detached_why = LEA_DETACHED_BESIDE;
	machine_plug("one-pv", "sda", 16, 7);
	came("sda", 16, 7, PVID_ONE);
	fflush(machine.err_file);
	fflush(machine.out_file);
	ck_assert_str_eq(machine.err, "");
	ck_assert_ptr_nonnull(strstr(machine.out, "VG vg_one: its LVs are set up; its lock is held "
						  "until VG other is finished"));
}

TEST(pvs_of_several_vgs_come_in_one_pass)
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

/* The same with a reader shared between passes, also when one PV is removed in between. */
TEST(a_pass_knows_the_pvs_of_earlier_passes)
{
	struct lea_reader *reader;

	ck_assert_int_eq(lea_reader_new(machine.world, conf, &reader), 0);
	batch_options.reader = reader;
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
	lea_reader_free(reader);
}

/* Passes share one reader child. */
TEST(passes_share_processes)
{
	struct lea_reader *reader;

	forks = 0;
	ck_assert_int_eq(lea_reader_new(machine.world, conf, &reader), 0);
	batch_options.reader = reader;
	one_comes_up(7);
	machine_plug("stripe-a", "sdb", 32, 1);
	ck_assert_str_eq(came("sdb", 32, 1, PVID_A), "");
	machine_plug("stripe-b", "sdc", 48, 2);
	ck_assert_str_eq(came("sdc", 48, 2, PVID_B), "vg-two.pvs ");
	ck_assert_uint_eq(forks, 1);
	ck_assert_uint_eq(summary.vgs_active, 2);
	ck_assert_str_eq(machine.err, "");
	lea_reader_free(reader);
}

TEST(a_removed_pv_leaves_no_run_files)
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
	/* the PV is back under another name and number */
	machine_plug("stripe-b", "sdx", 240, 9);
	ck_assert_str_eq(came("sdx", 240, 9, PVID_B), "vg-two.pvs ");
}

/* The old disk's claim still exists: it is for another instance. */
TEST(old_claim_covers_no_new_disk)
{
	one_comes_up(1);
	machine_unplug("sda", 16);
	ck_assert_str_eq(went("sda", 16, 1, PVID_ONE), "");
	one_comes_up(2);
}

/* On a kernel without diskseq, only the removal ends a claim. */
TEST(without_instances_a_removal_ends_the_claim)
{
	struct lea_claim claim;

	one_comes_up(0);
	machine_unplug("sda", 16);
	ck_assert_str_eq(went("sda", 16, 0, PVID_ONE), "");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), LEA_CLAIM_ABSENT);
	one_comes_up(0);
}

/* The removal event was lost: the record names a device that is gone. */
TEST(replug_without_a_removal)
{
	one_comes_up(1);
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sdz", 160, 2);
	ck_assert_str_eq(came("sdz", 160, 2, PVID_ONE), "vg_one ");
	ck_assert_str_eq(machine.err, "");
}

/* A whole VG is replugged and the removal events are lost: it is active in the end. */
TEST(replug_of_two_without_removals)
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
			 "  VG vg-two.pvs: not activated: a PV disappeared without a remove "
			 "event; retried when the next PV appears\n");
	machine_plug("stripe-b", "sdy", 256, 4);
	ck_assert_str_eq(came("sdy", 256, 4, PVID_B), "vg-two.pvs ");
	ck_assert_msg(!came("sdx", 240, 3, PVID_A)[0], "once");
}

/* Removal and add event with the same number in one burst: the new instance is a different one. */
TEST(same_number_new_instance)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, true),
				      event("sda", 16, 2, PVID_ONE, false)};

	one_comes_up(1);
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sda", 16, 2);
	ck_assert_str_eq(pass(entries, 2), "vg_one ");
}

/* No event told that the disk went, and an event of it is pending with the add of the next one. Rows: the event's
 * kind, and was its VG up? */
TEST_TIMES(an_event_of_an_instance_that_went_unseen_is_not_of_the_next_one, 6)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, false),
				      event("sda", 16, 2, PVID_ONE, false)};
	struct lea_claim claim;

	if (_i / 3) {
		one_comes_up(1);
		machine_unplug("sda", 16);
	}
	machine_plug("one-pv", "sda", 16, 2);
	entries[0].kind = (enum lea_entry_kind[]){LEA_ENTRY_ADD, LEA_ENTRY_CHANGE,
						  LEA_ENTRY_MISSED}[_i % 3];
	entries[0].device.seqnum = 5;
	entries[1].device.seqnum = 9;
	ck_assert_str_eq(pass(entries, 2), "vg_one ");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_uint_eq(claim.pv_count, 1);
	ck_assert_uint_eq(claim.pv[0].id.diskseq, 2);
	lea_claim_done(&claim);
	ck_assert(machine_has("/run/lvm/event/known/8:16-2-" UUID_ONE));
	ck_assert(_i / 3 || !machine_has("/run/lvm/event/known/8:16-1-" UUID_ONE));
}

/* Such an event is handled after the add of the next instance. Rows: a dead runner had taken that add, so it is
 * handled first, and its number says nothing. */
TEST_TIMES(an_event_of_an_instance_that_went_unseen_may_come_late, 2)
{
	struct lea_entry late = event("sda", 16, 1, PVID_ONE, false);
	struct lea_entry add = event("sda", 16, 2, PVID_ONE, false);
	struct lea_claim claim;

	machine_plug("one-pv", "sda", 16, 2);
	late.device.seqnum = 5;
	add.device.seqnum = _i ? 3 : 9;
	add.is_leftover = _i;
	ck_assert_str_eq(pass(&add, 1), "vg_one ");
	ck_assert_int_eq(lea_vg_online_drop(lea_world_run(machine.world), "vg_one"), 0);
	ck_assert_str_eq(pass(&late, 1), "");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_uint_eq(claim.pv[0].id.diskseq, 2);
	lea_claim_done(&claim);
	ck_assert(!machine_has("/run/lvm/event/known/8:16-1-" UUID_ONE));
}

/* Removes a PV whose number now belongs to an empty disk. */
TEST(a_removal_spares_the_disk_that_has_the_number_now)
{
	one_comes_up(1);
	machine_unplug("sda", 16);
	machine_plug("orphan", "sda", 16, 2);
	ck_assert_str_eq(went("sda", 16, 1, PVID_ONE), "");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_ONE));
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
}

/* udevadm trigger --action=remove tells of a removal that did not take place. The instance was never read, and no other
 * event of it comes. */
TEST(a_removal_of_what_is_still_there_reads_it)
{
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(went("sda", 16, 1, PVID_ONE), "vg_one ");
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_ONE));
}

/* Rows: how a worker can fail, and the message. */
static const struct {
	const char *claim, *reason, *said;
	int outcome;
} failures[] = {
	{"an LV that failed", "LV vg_one/home: resuming: Input/output error",
	 "  VG vg_one: not activated: LV vg_one/home: resuming: Input/output error; "
	 "try: vgchange -aay vg_one\n",
	 LEA_ACTIVATE_FAILED},
	{"a PV that was gone when the lock was there", "",
	 "  VG vg_one: not activated: one of its PVs was removed; try: vgchange -aay vg_one\n",
	 LEA_ACTIVATE_INCOMPLETE},
	{"a worker that died", "",
	 "  VG vg_one: not activated: activation failed; "
	 "try: vgchange -aay vg_one\n",
	 -ECHILD},
};

TEST_EACH(what_failed_is_tried_again, failures)
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

/* A VG that is not for event activation is no failure and needs no retry. */
TEST(a_vg_not_meant_for_events_is_done)
{
	machine_plug("one-pv", "sda", 16, 1);
	outcome = LEA_ACTIVATE_NOT_AUTO;
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
	ck_assert_uint_eq(summary.vgs_failed + summary.vgs_active, 0);
	ck_assert(!came("sda", 16, 1, PVID_ONE)[0]);
	ck_assert_str_eq(machine.err, "");
}

TEST(event_activation_0_reads_and_activates_nothing)
{
	machine_plug("one-pv", "sda", 16, 1);
	conf->event_activation = false;
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	ck_assert_str_eq(machine.err,
			 "  event_activation=0: devices are not read, nothing is activated\n");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_ONE));
	lea_batch_report(&batch_options, &summary);
	fflush(machine.out_file);
	ck_assert_str_eq(machine.out ? machine.out : "", "");
}

TEST(a_pass_says_what_it_activated_and_ends_with_one_line)
{
	machine_plug("one-pv", "sda", 16, 1);
	came("sda", 16, 1, PVID_ONE);
	lea_batch_report(&batch_options, &summary);
	fflush(machine.out_file);
	ck_assert_str_eq(machine.out,
			 "  active: VG vg_one (1 LV)\n"
			 "  1 device(s), 1 PV(s), 0 removed, 1 VG(s) active (1 LVs), 0 "
			 "failed\n");
}

/* Two passes in progress, with shared caches: each gets the results of its own VG, in any order. */
TEST(two_passes_at_a_time_keep_their_own_vgs)
{
	struct lea_entry one = event("sda", 16, 1, PVID_ONE, false);
	struct lea_entry two[] = {event("sdb", 32, 2, PVID_A, false),
				  event("sdc", 48, 3, PVID_B, false)};
	struct lea_batch_pass *first, *second;
	struct lea_claim claim;

	ck_assert_int_eq(lea_reader_new(machine.world, conf, &batch_options.reader), 0);
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_batch_start(&batch_options, &one, 1, &summary, &first), 0);
	ck_assert_int_eq(lea_batch_start(&batch_options, two, 2, &summary, &second), 0);
	ck_assert(!lea_batch_is_done(first) && !lea_batch_is_done(second));
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_B), "it is recorded at once");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_CLAIMED);
	lea_claim_done(&claim);
	ck_assert_int_eq(fake_drain(batch_options.workers), 0);
	ck_assert(lea_batch_is_done(first) && lea_batch_is_done(second));
	ck_assert_int_eq(lea_batch_end(second), 0);
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_DONE);
	lea_claim_done(&claim);
	ck_assert_int_eq(lea_batch_end(first), 0);
	ck_assert_uint_eq(summary.vgs_active, 2);
	ck_assert_str_eq(activated, "vg_one vg-two.pvs ");
	lea_reader_free(batch_options.reader);
}

/* A dropped pass leaves only its claims, which are valid as long as this process lives. */
TEST(a_dropped_pass_leaves_its_claims_only)
{
	struct lea_entry one = event("sda", 16, 1, PVID_ONE, false);
	struct lea_batch_pass *first;

	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_int_eq(lea_batch_start(&batch_options, &one, 1, &summary, &first), 0);
	lea_batch_drop(first);
	ck_assert_uint_eq(batch_options.workers->count, 0);
	ck_assert_int_eq(lea_batch_start(&batch_options, NULL, 0, &summary, &first), 0);
	ck_assert_ptr_null(first);
	ck_assert(lea_batch_is_done(first));
	ck_assert_int_eq(lea_batch_end(first), 0);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
}

/* Commands that put something else where the claim of a VG would be. */
static const char *const no_claims[] = {"mkfifo", "ln -s /etc/passwd", "ln -s no",
					"truncate -s 5M"};

static void put_no_claim(const char *command)
{
	char line[256];

	snprintf(line, sizeof(line), "%s %s/run/lvm/event/claims/" VG_ONE_ID, command,
		 machine.tree.root);
	ck_assert_int_eq(system(line), 0);
}

TEST_EACH(what_is_no_claim_holds_up_no_vg, no_claims)
{
	struct lea_claim claim;

	put_no_claim(no_claims[_i]);
	one_comes_up(7);
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_DONE);
	lea_claim_done(&claim);
	ck_assert_str_eq(machine.err, "");
}

/* What cannot be replaced costs its own VG only. */
TEST(a_claim_that_cannot_be_written_stops_no_other_vg)
{
	struct lea_entry entries[3];

	put_no_claim("mkdir");
	machine_plug("one-pv", "sda", 16, 7);
	machine_plug("stripe-a", "sdb", 32, 1);
	machine_plug("stripe-b", "sdc", 48, 2);
	entries[0] = event("sda", 16, 7, PVID_ONE, false);
	entries[1] = event("sdb", 32, 1, PVID_A, false);
	entries[2] = event("sdc", 48, 2, PVID_B, false);
	ck_assert_str_eq(pass(entries, 3), "vg-two.pvs ");
	ck_assert_uint_eq(summary.vgs_failed, 1);
	ck_assert_ptr_nonnull(strstr(machine.err, "VG vg_one"));
	ck_assert_ptr_nonnull(strstr(machine.err, "writing its claim: Is a directory"));
}

/* An entry from a user and one from udev, or after a replug: the device counts as one PV. */
TEST(a_device_in_two_entries_is_one_pv)
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

/* Another command had the lock first: only our runner will read this VG again. */
TEST(a_vg_changed_meanwhile_is_read_again)
{
	struct lea_entry *entries;
	struct lea_claim claim;
	size_t count;

	machine_plug("one-pv", "sda", 16, 7);
	outcome = LEA_ACTIVATE_CHANGED;
	ck_assert_str_eq(came("sda", 16, 7, PVID_ONE), "vg_one ");
	ck_assert_str_eq(machine.err, "");
	ck_assert_uint_eq(summary.vgs_failed + summary.vgs_active, 0);
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert(claim.state == LEA_CLAIM_FAILED && claim.is_transient);
	lea_claim_done(&claim);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert(machine_has("/run/lvm/event/queue/8:16-7"));
	outcome = 0;
	ck_assert_int_eq(lea_queue_take(batch_options.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(entries[0].pvid, PVID_ONE);
	ck_assert_str_eq(pass(entries, count), "vg_one ");
	ck_assert_uint_eq(summary.vgs_active, 1);
	free(entries);
}

/* Writes a claim of @vg_id as if it had been activated with these PVs. */
static void claim_with(const char *vg_id, struct lea_claim_pv *pv, uint32_t count)
{
	struct lea_claims claims = machine_claims();
	struct lea_claim claim = {
		.state = LEA_CLAIM_DONE, .vg_name = "vg", .pv = pv, .pv_count = count};

	ck_assert_int_eq(lea_claim_finish(&claims, vg_id, &claim), 0);
}

/* vgreduce, then lvchange -an: an event of a remaining PV must not activate the VG again. */
TEST(an_event_does_not_activate_a_reduced_vg_again)
{
	struct lea_claim_pv pv[] = {{.pvid = PVID_ONE, .id = {8, 16, 7}},
				    {.pvid = PVID_A, .id = {8, 32, 2}}};

	machine_plug("one-pv", "sda", 16, 7);
	claim_with(VG_ONE_ID, pv, 2);
	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), "vg_one"), 0);
	ck_assert_str_eq(came("sda", 16, 7, PVID_ONE), "");
	ck_assert_uint_eq(summary.vgs_active + summary.vgs_failed, 0);
}

/* The VG got a PV that was missing when the VG was activated. */
TEST(a_pv_added_since_activates_its_vg)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .id = {8, 32, 2}};

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	claim_with(VG_TWO_ID, &pv, 1);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_A), "");
	ck_assert_str_eq(came("sdc", 48, 3, PVID_B), "vg-two.pvs ");
}

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

/* The pass reads the disks when vgrename has written only one of them. */
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

/* One pass over the queue. */
static const char *pass_of_queue(void)
{
	struct lea_entry *entries;
	size_t count;

	ck_assert_int_eq(lea_queue_take(batch_options.event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	pass(entries, count);
	ck_assert_int_eq(lea_queue_done(batch_options.event_fd, &entries[0]), 0);
	free(entries);
	return activated;
}

TEST(a_vg_renamed_while_it_is_read_is_activated)
{
	read_while_it_is_renamed();
	rename_vg_on("stripe-a", "sda");
	ck_assert_str_eq(pass_of_queue(), "vg-new.pvs ");
	ck_assert_uint_eq(summary.vgs_active, 1);
}

/* The disk that was absent keeps the old name: reported once, without endless retries. */
TEST(a_vg_with_two_names_fails_once)
{
	read_while_it_is_renamed();
	ck_assert_str_eq(pass_of_queue(), "");
	ck_assert_uint_eq(summary.vgs_failed, 1);
	ck_assert_msg(strstr(machine.err, "different names") != NULL, "%s", machine.err);
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
	ck_assert_str_eq(came("sdb", 32, 3, PVID_B), "");
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
}

/* The memory of the boot takes it from the claim. */
TEST_TIMES(a_claim_says_whether_a_needed_tag_names_its_vg, 2)
{
	static const char *const settings[] = {"@vgtag", "@other"};
	struct lea_claim claim;
	struct sample sample;
	char text[128], vg_id[33] = "", pvid[33] = "";

	snprintf(text, sizeof(text), "event { needed = [ \"%s\" ] }\n", settings[_i]);
	tree_put(&machine.tree, "/etc/lvm/lvmevent.conf", text);
	read_settings();
	machine_plug("flags", "sdd", 64, 4);
	sample_load(&sample, "flags");
	memcpy(vg_id, sample_value(&sample, "vg.id"), 32);
	memcpy(pvid, sample_value(&sample, "label.pvid"), 32);
	sample_done(&sample);
	came("sdd", 64, 4, pvid);
	ck_assert_int_eq(claim_of(vg_id, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_DONE);
	ck_assert(claim.is_tagged == (_i == 0));
	lea_claim_done(&claim);
}
