/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two VGs of one name, and one VG with two names. */
#include "flow/batch_scratch.h"
#include "flow/kept_reader.h"
#include "flow/slow_scratch.h"
#include "scan/reader.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <unistd.h>

#define VG_ONE_TEXT "GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21"
#define VG_TWO_TEXT "VqoF2z-8DLr-9uB4-DSmt-7k8I-RGz3-GndTHh"

const struct fixture fixture = {setup, teardown};

static enum lea_claim_state state_of(const char *vg_id)
{
	enum lea_claim_state state;
	struct lea_claim claim;

	ck_assert_int_eq(claim_of(vg_id, &claim), 0);
	state = claim.state;
	lea_claim_done(&claim);
	return state;
}

static void plug_one(void)
{
	machine_plug("one-pv", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "vg_one ");
}

/* Another VG of the name vg_one comes, but for its last PV. */
static void plug_twin(char vg_id[static 33], char pvid[static 33])
{
	static const char *const pairs[] = {"vg_ign {", "vg_one {", NULL};
	struct sample sample;

	machine_plug("ignored-a", "sdb", 32, 2);
	machine_plug("ignored-b", "sdc", 48, 3);
	machine_change("ignored-b", "sdc", pairs);
	sample_load(&sample, "ignored-a");
	ck_assert_str_eq(came("sdb", 32, 2, sample_value(&sample, "label.pvid")), "");
	sample_done(&sample);
	sample_load(&sample, "ignored-b");
	snprintf(vg_id, 33, "%s", sample_value(&sample, "vg.id"));
	snprintf(pvid, 33, "%s", sample_value(&sample, "label.pvid"));
	sample_done(&sample);
}

/* Not even when it comes again: its claim says that it failed, not that vgs_online is its own. */
TEST(of_two_vgs_of_one_name_the_second_is_refused_each_time)
{
	char vg_id[33], pvid[33];

	plug_one();
	plug_twin(vg_id, pvid);
	for (int i = 0; i < 3; i++) {
		ck_assert_str_eq(came("sdc", 48, 3, pvid), "");
		ck_assert_int_eq(state_of(vg_id), LEA_CLAIM_FAILED);
		ck_assert_uint_eq(summary.vgs_failed, (uint32_t)i + 1);
	}
	ck_assert_msg(strstr(machine.err,
			     "another VG has this name; one of them needs another, this one is ") !=
			      NULL,
		      "%s", machine.err);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_int_eq(state_of(VG_ONE_ID), LEA_CLAIM_DONE);
}

/* vgremove leaves its claim until a reconcile. The vgs_online file that the second VG's retry meets is its
 * own. Rows: the first VG has come up anew meanwhile. */
TEST_TIMES(a_vg_that_failed_for_now_meets_its_own_vgs_online, 2)
{
	struct lea_entry entry;
	char vg_id[33], pvid[33];

	plug_one();
	tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one");
	machine_unplug("sda", 16);
	machine_plug("orphan", "sda", 16, 1);
	plug_twin(vg_id, pvid);
	outcome = LEA_ACTIVATE_FAILED;
	shortage = LEA_NOT_NOW;
	came("sdc", 48, 3, pvid);
	outcome = shortage = 0;
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	if (_i) {
		machine_unplug("sda", 16);
		machine_plug("one-pv", "sda", 16, 9);
		ck_assert_str_eq(came("sda", 16, 9, PVID_ONE), "vg_one ");
	}
	entry = event("sdc", 48, 3, pvid, false);
	entry.kind = LEA_ENTRY_MISSED;
	ck_assert_str_eq(pass(&entry, 1), _i ? "" : "vg_one ");
}

/* vgrename: its change started no process, as of each PV that has its record. */
TEST(a_vg_that_was_renamed_holds_its_name_no_more)
{
	const char *const pairs[] = {"vg_one {", "vg_new {", NULL};
	char vg_id[33], pvid[33];

	plug_one();
	machine_change("one-pv", "sda", pairs);
	plug_twin(vg_id, pvid);
	ck_assert_str_eq(came("sdc", 48, 3, pvid), "vg_one ");
}

/* vgremove and a disk that gives no answer: that the other VG of the name is there is not known. */
TEST(a_vg_whose_disk_gives_no_answer_holds_its_name_for_now)
{
	struct lea_claim claim;
	char vg_id[33], pvid[33];

	plug_one();
	conf->probe_deadline_ms = 300;
	slow_disk = "sda";
	machine.world->open_device = open_slow;
	begin_reader();
	tree_put(&machine.tree, SLOW, "");
	ck_assert_str_eq(came("sda", 16, 1, PVID_ONE), "");
	plug_twin(vg_id, pvid);
	ck_assert_str_eq(came("sdc", 48, 3, pvid), "");
	ck_assert_int_eq(claim_of(vg_id, &claim), 0);
	ck_assert(claim.state == LEA_CLAIM_FAILED && claim.is_transient);
	lea_claim_done(&claim);
	end_reader();
}

/* vgremove left its claim, and its disk came back as a PV of another VG. */
TEST(a_vg_whose_disks_are_gone_holds_no_name)
{
	char vg_id[33], pvid[33];

	plug_one();
	machine_unplug("sda", 16);
	plug_twin(vg_id, pvid);
	ck_assert_str_eq(came("sdc", 48, 3, pvid), "vg_one ");
	ck_assert_int_eq(state_of(vg_id), LEA_CLAIM_DONE);
}

/* A VG fails for now, is taken down, and gets another name: the retry finds what vgrename has left of
 * it. Rows: was it taken down? */
TEST_TIMES(a_vg_that_was_taken_down_stays_so_by_another_name, 2)
{
	const char *const pairs[] = {"vg_one {", "vg_new {", NULL};
	struct lea_entry entry;

	machine_plug("one-pv", "sda", 16, 1);
	outcome = LEA_ACTIVATE_FAILED;
	shortage = LEA_NOT_NOW;
	came("sda", 16, 1, PVID_ONE);
	outcome = shortage = 0;
	if (_i)
		tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	machine_change("one-pv", "sda", pairs);
	entry = event("sda", 16, 1, PVID_ONE, false);
	entry.kind = LEA_ENTRY_MISSED;
	ck_assert_str_eq(pass(&entry, 1), _i ? "" : "vg_new ");
}

/* vgremove and vgcreate: the VG that failed for now, and keeps vgs_online, has none of its PVs any
 * more, and another one has its name and the file. Rows: the file is there when its turn comes. */
TEST_TIMES(vgs_online_stays_when_the_vg_before_is_forgotten, 2)
{
	const char *const pairs[] = {VG_ONE_TEXT, VG_TWO_TEXT, NULL};
	struct lea_claim claim;

	machine_plug("one-pv", "sda", 16, 1);
	outcome = LEA_ACTIVATE_FAILED;
	shortage = LEA_NOT_NOW;
	came("sda", 16, 1, PVID_ONE);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	if (_i)
		tree_remove(&machine.tree, "/run/lvm/vgs_online/vg_one"); /* vgchange -an */
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE);
	machine_change("one-pv", "sda", pairs);
	came("sda", 16, 1, PVID_ONE);
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), LEA_CLAIM_ABSENT);
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert(claim.is_transient && claim.is_online);
	lea_claim_done(&claim);
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
}

/* The disk sda has a VG vg_one with the id of vg-two.pvs. */
static void plug_renamed(const char *seqno)
{
	const char *const pairs[] = {VG_ONE_TEXT, VG_TWO_TEXT, "seqno = 5", seqno, NULL};

	machine_plug("one-pv", "sda", 16, 1);
	machine_change("one-pv", "sda", pairs);
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
}

static const char *all_come(void)
{
	struct lea_entry entries[] = {event("sdb", 32, 2, PVID_A, false),
				      event("sda", 16, 1, PVID_ONE, false),
				      event("sdc", 48, 3, PVID_B, false)};

	return pass(entries, ARRAY_SIZE(entries));
}

static const char *const seqnos[] = {"seqno = 9", "seqno = 1"};

/* As with lvm2: a disk with a copy of the id keeps no VG down that is whole. */
TEST_EACH(vgs_that_are_whole_by_different_names_come_up, seqnos)
{
	plug_renamed(seqnos[_i]);
	ck_assert_str_eq(all_come(), "vg-two.pvs vg_one ");
	ck_assert_int_eq(state_of(VG_TWO_ID), LEA_CLAIM_DONE);
	ck_assert_uint_eq(summary.vgs_active, 2);
}

/* The rest of a VG that is whole by another name. */
TEST_EACH(parts_by_another_name_change_nothing, seqnos)
{
	plug_renamed(seqnos[_i]);
	machine_unplug("sdc", 48);
	machine_record(PVID_B, "vg-two.pvs", "sdc", 48);
	ck_assert_str_eq(all_come(), "vg_one ");
	ck_assert_int_eq(state_of(VG_TWO_ID), LEA_CLAIM_DONE);
	ck_assert_uint_eq(summary.vgs_failed, 0);
	ck_assert(!lea_queue_has_pending(batch_options.event_fd));
}

/* Rows: lvm2's mark and another VG's claim, and whether the VG is activated. */
static const struct {
	const char *claim, *name, *pvid; /* pvid NULL: its own */
	int state; /* -1: no other VG */
	bool is_marked, has_gone;
	const char *activated;
} twins[] = {
	{"a VG of this name is active", "vg_one", NULL, LEA_CLAIM_DONE, true, false, ""},
	{"each disk of it has gone", "vg_one", NULL, LEA_CLAIM_DONE, true, true, "vg_one "},
	{"it is active no more", "vg_one", NULL, LEA_CLAIM_DONE, false, false, "vg_one "},
	{"it has failed", "vg_one", NULL, LEA_CLAIM_FAILED, true, false, "vg_one "},
	{"it was removed, and this VG has its PV", "vg_one", PVID_ONE, LEA_CLAIM_DONE, true,
	 false, "vg_one "},
	{"a VG of another name is active", "vg_two", NULL, LEA_CLAIM_DONE, true, false,
	 "vg_one "},
	{"the process that made the mark died before the claim", "", NULL, -1, true, false,
	 "vg_one "},
};

TEST_EACH(second_vg_of_a_name_stays_down, twins)
{
	struct lea_claim_pv pv = {.id = {8, 32, 2}};
	const int run_fd = lea_world_run(machine.world);
	const struct lea_claims claims = machine_claims();
	const char *const pairs[] = {"vg_ign {", "vg_one {", NULL};
	struct lea_claim claim = {.pv = &pv, .pv_count = 1};
	struct sample sample;

	sample_load(&sample, "ignored-b");
	snprintf(pv.pvid, sizeof(pv.pvid), "%s",
		 twins[_i].pvid ? twins[_i].pvid : sample_value(&sample, "label.pvid"));
	machine_plug("one-pv", "sda", 16, 7);
	machine_plug("ignored-b", "sdb", 32, 2);
	machine_change("ignored-b", "sdb", pairs);
	if (twins[_i].has_gone)
		machine_unplug("sdb", 32);
	ck_assert_int_eq(lea_online_ensure(run_fd), 0);
	if (twins[_i].is_marked)
		ck_assert_int_eq(lea_vg_online_claim(run_fd, "vg_one"), 0);
	if (twins[_i].state >= 0) {
		claim.state = (enum lea_claim_state)twins[_i].state;
		snprintf(claim.vg_name, sizeof(claim.vg_name), "%s", twins[_i].name);
		ck_assert_int_eq(lea_claim_finish(&claims, sample_value(&sample, "vg.id"), &claim),
				 0);
	}
	sample_done(&sample);
	ck_assert_msg(!strcmp(came("sda", 16, 7, PVID_ONE), twins[_i].activated), "%s", twins[_i].claim);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg_one"), "%s: its mark", twins[_i].claim);
}
