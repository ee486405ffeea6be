/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What explain, plan, doctor and status say of outdated metadata, and that no next step harms. */
#include "flow/causes_machine.h"
#include "flow/outdated_scratch.h"

#include <unistd.h>

#define AGE	   "seqno 5 of VG vg_one, newest is 6 on /dev/sdb"
#define SAYS_PV	   "PV /dev/sda of VG vg_one: found: outdated\n"
#define NEXT	   "next: pvck --dump metadata /dev/sda\n"
#define MOVED	   "PV " UUID_A " on /dev/sda is in VG vg_one now"
#define TAKEN_FROM "VG vg-two.pvs: inactive: outdated\n"

static void copy_was_changed(void)
{
	plug_changed();
}

static void taken_into_another_vg(void)
{
	rewrite("one-pv", "sda", "seqno = 5", UUID_A);
	machine_plug("stripe-b", "sdb", 32, 2);
}

/* A copy whose PV got another id, and its VG none. */
static void copied_vg_id(void)
{
	machine_plug("one-pv", "sdb", 32, 2);
	rewrite("one-pv", "sdb", "seqno = 5", UUID_CHANGED);
}

static void shrunk(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/dev/sda", machine.tree.root);
	ck_assert_int_eq(truncate(path, 4 << 20), 0);
}

static const struct cause_row rows[] = {
	{"a VG id on two sets of disks", copied_vg_id, "", "VG vg_one: inactive: vg-id-taken\n",
	 "other disks have a VG with its id GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21: PV ",
	 "next: pvs -o name,uuid,vg_name,vg_uuid,vg_seqno\n"},
	{"a device that is smaller than its PV", shrunk, "",
	 "PV /dev/sda of VG vg_one: found: shrunk\n",
	 "the device is smaller than the PV on it: its extents end at sector ",
	 "next: pvs -o name,dev_size,pv_size,pe_start /dev/sda\n"},
	{"the original of a copy that was changed", copy_was_changed, "", SAYS_PV, AGE, NEXT},
	{"... by its device", copy_was_changed, "/dev/sda", SAYS_PV, AGE, NEXT},
	{"a VG of which a PV is in another", taken_into_another_vg, "", TAKEN_FROM, MOVED,
	 "next: pvs -o name,uuid,vg_name,vg_uuid,vg_seqno\n"},
	{"... by its name", taken_into_another_vg, "vg-two.pvs", TAKEN_FROM, MOVED, NULL},
	{"... by its other PV", taken_into_another_vg, "/dev/sdb",
	 "PV /dev/sdb of VG vg-two.pvs: found: outdated\n", MOVED,
	 "next: pvck --dump metadata /dev/sdb\n"},
};

TEST_EACH(each_cause_is_named_with_its_evidence, rows)
{
	compare_answer(&rows[_i]);
	ck_assert_msg(!has("vgchange -ay --activationmode") && !has("vgck"), "%s", machine.out);
	ck_assert_msg(!has("vgchange -aay vg-two"), "%s", machine.out);
}

TEST(a_plan_leaves_them_alone)
{
	taken_into_another_vg();
	ck_assert_int_eq(explain("plan"), 0);
	ck_assert_msg(has("VG vg-two.pvs: left alone: outdated: its metadata are out of date: "),
		      "%s", machine.out);
	ck_assert_msg(has("VG vg_one: activated\n"), "%s", machine.out);
}

TEST(a_plan_names_the_outdated_pv)
{
	copy_was_changed();
	ck_assert_int_eq(explain("plan"), 0);
	ck_assert_msg(has("PV /dev/sda of VG vg_one: found: outdated: "), "%s", machine.out);
	ck_assert_msg(has("VG vg_one: activated\n"), "%s", machine.out);
}

TEST(doctor_finds_them)
{
	copy_was_changed();
	explain("doctor --only D14");
	ck_assert_msg(has("its metadata are outdated: " AGE), "%s%s", machine.out, machine.err);
}

TEST(doctor_finds_a_vg_that_lost_a_pv)
{
	taken_into_another_vg();
	explain("doctor --only D14");
	ck_assert_msg(has(MOVED), "%s%s", machine.out, machine.err);
}

#define INVENTORY "PV /dev/sda: problem: its metadata are outdated: " AGE "\n"

TEST(inventory_calls_it_a_problem)
{
	copy_was_changed();
	ck_assert_int_eq(explain("inventory"), 0);
	ck_assert_msg(has(INVENTORY) && !has("PV /dev/sdb: problem"), "%s", machine.out);
	ck_assert_int_eq(explain("inventory --json"), 0);
	ck_assert_msg(has("\"problem\": \"its metadata are outdated: " AGE "\""), "%s",
		      machine.out);
}

/* Where lvm2 is in charge nothing is noted. Rows: without records, with those of lvm2. */
TEST_TIMES(status_lists_what_no_event_has_met, 2)
{
	copy_was_changed();
	if (_i) {
		machine_record(PVID_ONE, "vg_one", "sda", 16);
		machine_record(PVID_CHANGED, "vg_one", "sdb", 32);
	}
	ck_assert_int_eq(explain("status -x"), 1);
	ck_assert_msg(has("problem: PV /dev/sda: its metadata are outdated: " AGE "\n"), "%s",
		      machine.out);
}

/* By run files alone. */
TEST(status_lists_them)
{
	copy_was_changed();
	tree_mkdir(&machine.tree, "/run/lvm/event");
	ck_assert_int_eq(explain("pvscan --cache 8:16"), 0);
	ck_assert_int_eq(explain("pvscan --cache 8:32"), 0);
	ck_assert_int_eq(explain("status"), 0);
	ck_assert_msg(has("outdated: PV " UUID_ONE
			  " on /dev/sda: its metadata of VG vg_one are older "
			  "than seqno 6 on /dev/sdb; see: lvmevent explain /dev/sda\n"),
		      "%s", machine.out);
	ck_assert_msg(!has("problem: PV"), "twice: %s", machine.out);
	ck_assert_int_eq(explain("status --json"), 0);
	ck_assert_msg(has("\"outdated\": [ { \"pv\": \"" UUID_ONE "\", \"device\": \"/dev/sda\", "
			  "\"vg\": \"vg_one\", \"newest_seqno\": 6, \"newest_device\": "
			  "\"/dev/sdb\" } ]"),
		      "%s", machine.out);
}

/* Then the other one counts, when it is added. */
TEST(status_does_not_list_what_no_pv_outdates)
{
	copy_was_changed();
	tree_mkdir(&machine.tree, "/run/lvm/event");
	ck_assert_int_eq(explain("pvscan --cache 8:32"), 0);
	ck_assert_int_eq(explain("pvscan --cache 8:16"), 0);
	machine_unplug("sdb", 32);
	ck_assert_int_eq(explain("status"), 0);
	ck_assert_msg(!has("outdated: PV"), "%s", machine.out);
}
