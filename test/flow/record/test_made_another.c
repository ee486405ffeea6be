/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A disk that was made another PV, as by vgimportclone and pvchange -u: what is kept of it as the PV
 * that it was ends as soon as it is read. */
#include "fake/no_descriptor.h"
#include "flow/duplicates_scratch.h"
#include "flow/outdated_scratch.h"
#include "state/mark.h"

#define QUEUE	    "/run/lvm/event/queue/"
#define MARKER	    "/run/lvm/event/known/8:32-2-" UUID_ONE
#define MARKER_A    "/run/lvm/event/known/8:32-2-I8XE83-WSfi-GJNR-zXtm-H0pZ-KGjn-lfNZDA"
#define RECORD	    "/run/lvm/pvs_online/" PVID_ONE
#define IN_USE	    "/run/lvm/vgs_online/vg_one"
#define SUSPENDED   "/sys/dev/block/8:32/dm/suspended"
#define HOLDER	    "/sys/dev/block/8:32/holders/dm-0/dm/uuid"
#define CARRIED_SDB "/run/lvm/event/carried/8:32-2"

const struct fixture fixture = {setup, teardown};

static const char *tell(enum lea_entry_kind kind, const char *name, uint32_t minor,
			uint64_t diskseq, const char *pvid)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, false);

	entry.kind = kind;
	return pass(&entry, 1);
}

static void make_another(const char *name, uint32_t minor, uint64_t diskseq)
{
	machine_unplug(name, minor);
	machine_plug("stripe-a", name, minor, (uint32_t)diskseq);
}

/* Rows: which of the two has the record. */
TEST_TIMES(the_note_on_a_copy_ends_with_its_change, 2)
{
	const char *name = _i ? "sda" : "sdb";
	const uint32_t minor = _i ? 16 : 32;
	const uint64_t diskseq = _i ? 1 : 2;

	both();
	make_another(name, minor, diskseq);
	ck_assert_str_eq(tell(LEA_ENTRY_CHANGE, name, minor, diskseq, PVID_A), "");
	ck_assert(!machine_has(DUPLICATES) || _i);
	ck_assert_msg(!*drain(), "a change activates nothing");
	ck_assert(!machine_has(DUPLICATES));
	ck_assert_str_eq(_i ? came("sdb", 32, 2, PVID_ONE) : came("sda", 16, 1, PVID_ONE),
			 "vg_one ");
}

/* vgs_online stays, as with lvm2. If the disk becomes the PV again, udev's rule must not skip that. */
TEST(the_record_and_the_marker_end_with_the_change)
{
	machine_plug("one-pv", "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_ONE), "vg_one ");
	ck_assert(machine_has(MARKER));
	make_another("sdb", 32, 2);
	ck_assert_str_eq(tell(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_A), "");
	ck_assert(!machine_has(RECORD) && !machine_has(MARKER));
	ck_assert(machine_has(IN_USE));
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_A));
}

/* One of a VG that is not to be used gets no record as the new PV. */
TEST(nothing_stays_of_a_disk_that_is_no_pv_of_ours_now)
{
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	machine_unplug("sdb", 32);
	machine_plug("orphan", "sdb", 32, 2);
	ck_assert_str_eq(tell(LEA_ENTRY_CHANGE, "sdb", 32, 2, ""), "");
	ck_assert(!machine_has(RECORD) && !machine_has(MARKER) && !machine_has(CARRIED_SDB));
}

TEST(a_disk_that_gives_no_answer_or_is_not_asked_keeps_all)
{
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	tree_put(&machine.tree, SUSPENDED, "1\n");
	tell(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_A);
	ck_assert(machine_has(RECORD) && machine_has(MARKER) && machine_has(CARRIED_SDB));
	tree_put(&machine.tree, SUSPENDED, "0\n");
	new_conf("filter = [ \"r|sdb|\" ]");
	tell(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_A);
	ck_assert(machine_has(RECORD) && machine_has(CARRIED_SDB));
}

/* The removal takes the place of the change in the queue, and udev names the PV that it became. */
TEST(a_copy_that_went_before_its_change_was_read_leaves_nothing)
{
	both();
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_A);
	ck_assert(!machine_has(DUPLICATES) && !machine_has(CARRIED_SDB));
	ck_assert_str_eq(drain(), "vg_one ");
}

TEST(a_pv_that_went_before_its_change_was_read_leaves_no_record)
{
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	machine_unplug("sdb", 32);
	went("sdb", 32, 2, PVID_A);
	ck_assert(!machine_has(RECORD) && !machine_has(IN_USE) && !machine_has(MARKER));
}

/* It was read as its number was taken by the next disk, whose PV it showed. */
TEST(a_disk_that_went_takes_nothing_from_the_next_one_with_its_number)
{
	machine.properties = "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n";
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	tree_link(&machine.tree, "/run/lvm/event/carried/8:32-1", PVID_ONE);
	went("sdb", 32, 1, PVID_A);
	ck_assert(machine_has(IN_USE));
}

/* Rows: sdb gave no answer when sda was added, so that nobody knows which came first; it answered,
 * and was still the PV; sda is only there by a change. */
static const struct {
	const char *claim;
	bool is_silent, answers;
	bool by_event; /* it answers to an event of its own, else to that of sda */
	enum lea_entry_kind kind;
	const char *becomes, *vgs;
	bool keeps_claim; /* a command took the VG down; else a soft reboot did */
	const char *uuid; /* of an LV on sdb at the add; NULL: none */
} adds[] = {
	{"no answer at the add: it is not lost", true, false, false, LEA_ENTRY_ADD, "stripe-a",
	 "vg_one ", false, NULL},
	{"the change comes after the add", false, false, false, LEA_ENTRY_ADD, "stripe-a", "",
	 false, NULL},
	{"so it does if the copy has answered since", true, true, false, LEA_ENTRY_ADD, "stripe-a",
	 "", false, NULL},
	{"or has done so to an event of its own", true, true, true, LEA_ENTRY_ADD, "stripe-a", "",
	 false, NULL},
	{"no add waits", true, false, false, LEA_ENTRY_CHANGE, "stripe-a", "", false, NULL},
	{"it was wiped", true, false, false, LEA_ENTRY_ADD, "orphan", "vg_one ", false, NULL},
	{"it was wiped after the add", false, false, false, LEA_ENTRY_ADD, "orphan", "", false, NULL},
	{"it was wiped, and its VG was up before", true, false, false, LEA_ENTRY_ADD, "orphan",
	 "vg_one ", true, NULL},
	{"the same after the add", false, false, false, LEA_ENTRY_ADD, "orphan", "", true, NULL},
	{"no answer, and its VG uses it", true, false, false, LEA_ENTRY_ADD, "stripe-a", "", false,
	 "LVM-" VG_ONE_ID "\n"},
	{"no answer, and another VG uses it", true, false, false, LEA_ENTRY_ADD, "stripe-a",
	 "vg_one ", false, "LVM-" PVID_A "\n"},
};

TEST_EACH(an_add_that_a_silent_record_has_refused_is_not_lost, adds)
{
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	tree_remove(&machine.tree, IN_USE);
	if (!adds[_i].keeps_claim)
		tree_remove(&machine.tree, "/run/lvm/event/claims/" VG_ONE_ID);
	machine_plug("one-pv", "sda", 16, 1);
	if (adds[_i].uuid)
		tree_put(&machine.tree, HOLDER, adds[_i].uuid);
	tree_put(&machine.tree, SUSPENDED, adds[_i].is_silent ? "1\n" : "0\n");
	ck_assert_str_eq(tell(adds[_i].kind, "sda", 16, 1, PVID_ONE), "");
	ck_assert_msg(machine_has(DUPLICATES), "%s", adds[_i].claim);
	tree_put(&machine.tree, SUSPENDED, "0\n");
	if (adds[_i].answers && adds[_i].by_event)
		ck_assert_str_eq(tell(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_ONE), "");
	else if (adds[_i].answers)
		ck_assert_str_eq(tell(LEA_ENTRY_MISSED, "sda", 16, 1, PVID_ONE), "");
	tree_remove(&machine.tree, SUSPENDED);
	tree_remove(&machine.tree, "/sys/dev/block/8:32/dm");
	if (adds[_i].uuid) {
		tree_remove(&machine.tree, HOLDER);
		tree_remove(&machine.tree, "/sys/dev/block/8:32/holders/dm-0/dm");
		tree_remove(&machine.tree, "/sys/dev/block/8:32/holders/dm-0");
		tree_remove(&machine.tree, "/sys/dev/block/8:32/holders");
	}
	machine_unplug("sdb", 32);
	machine_plug(adds[_i].becomes, "sdb", 32, 2);
	ck_assert_str_eq(tell(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_A), "");
	ck_assert_msg(!strcmp(drain(), adds[_i].vgs), "%s: %s", adds[_i].claim, activated);
	ck_assert_msg(!machine_has(DUPLICATES), "%s", adds[_i].claim);
}

/* Its change was lost, and it is read for another PV's sake. Row 1: it is another disk, whose add was lost, and a
 * reconcile finds that. */
TEST_TIMES(a_member_that_is_another_pv_is_recorded_as_that, 2)
{
	const uint32_t diskseq = _i ? 9 : 2;

	machine_plug("stripe-b", "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_B), "");
	machine_unplug("sdb", 32);
	machine_plug("one-pv", "sdb", 32, diskseq);
	machine_plug("stripe-a", "sda", 16, 1);
	ck_assert_str_eq(came("sda", 16, 1, PVID_A), "");
	ck_assert_str_eq(drain(), "");
	ck_assert(machine_has(RECORD) == !_i && (_i || !machine_has("/run/lvm/pvs_online/" PVID_B)));
	if (_i)
		ck_assert_str_eq(tell(LEA_ENTRY_MISSED, "sdb", 32, diskseq, PVID_ONE), "vg_one ");
}

/* The same, and it shows a PV that comes in the same pass. Row 1: as another path of that one's disk, and
 * not as a copy. */
TEST_TIMES(a_member_that_is_a_path_now_is_no_second_device, 2)
{
	struct lea_entry entries[] = {event("sda", 16, 1, PVID_ONE, false),
				      event("sdc", 48, 3, PVID_A, false)};

	machine_plug("stripe-b", "sdb", 32, 2);
	ck_assert_str_eq(came("sdb", 32, 2, PVID_B), "");
	machine_unplug("sdb", 32);
	machine_plug("one-pv", "sdb", 32, 4);
	machine_plug("one-pv", "sda", 16, 1);
	machine_plug("stripe-a", "sdc", 48, 3);
	tree_put(&machine.tree, "/sys/dev/block/8:16/device/wwid", "naa.1\n");
	tree_put(&machine.tree, "/sys/dev/block/8:32/device/wwid", _i ? "naa.1\n" : "naa.2\n");
	ck_assert_str_eq(pass(entries, ARRAY_SIZE(entries)), _i ? "vg_one " : "");
	ck_assert_str_eq(drain(), "");
}

/* Nor does the marker of the PV that it is now hide it. */
TEST(what_is_kept_goes_though_the_new_pv_is_marked)
{
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	make_another("sdb", 32, 2);
	tree_put(&machine.tree, MARKER_A, "");
	ck_assert_str_eq(tell(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_A), "");
	ck_assert(!machine_has(RECORD) && !machine_has(MARKER));
}

/* For one call no file can be opened: the record that cannot be read then goes later. */
TEST(a_record_that_could_not_be_read_when_its_disk_went_is_not_forgotten)
{
	struct lea_entry entry = event("sdb", 32, 2, PVID_A, true);

	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	machine_unplug("sdb", 32);
	end_until_fault = "pvs_online/" PVID_ONE;
	run_pass(&entry, 1);
	ck_assert_ptr_null(end_until_fault);
	entry = event("sdb", 32, 2, PVID_A, true);
	run_pass(&entry, 1);
	ck_assert(!machine_has(RECORD) && !machine_has(IN_USE) && !machine_has(CARRIED_SDB));
}

/* For one call no file can be opened, when only the mark was left to be replaced. */
TEST(a_change_activates_nothing_though_it_is_heeded_twice)
{
	struct lea_entry entry = event("sda", 16, 1, PVID_A, false);

	both();
	make_another("sda", 16, 1);
	entry.kind = LEA_ENTRY_CHANGE;
	end_until_fault = "carried";
	run_pass(&entry, 1);
	ck_assert_ptr_null(end_until_fault);
	tell(LEA_ENTRY_CHANGE, "sda", 16, 1, PVID_A);
	ck_assert_msg(!*drain(), "%s", activated);
}

/* The command has removed the record, and a reconcile is there before the change is. Rows: the disk went
 * instead. */
TEST_TIMES(a_reconcile_activates_nothing_for_a_disk_that_was_made_another, 2)
{
	both();
	tree_remove(&machine.tree, RECORD);
	claim_link("", 32);
	machine_unplug("sda", 16);
	if (!_i)
		machine_plug("stripe-a", "sda", 16, 1);
	ck_assert_uint_gt(lea_duplicates_reconcile(machine.world, conf, NULL, batch_options.event_fd),
			  0);
	ck_assert_str_eq(drain(), _i ? "vg_one " : "");
}

/* pvchange -u of a VG that has failed for now, and that a person has taken down: its claim has not met
 * the PV. Rows: was it taken down? */
TEST_TIMES(a_vg_that_failed_for_now_meets_a_pv_that_was_made_another, 2)
{
	machine_plug("one-pv", "sdb", 32, 2);
	outcome = LEA_ACTIVATE_FAILED;
	shortage = LEA_NOT_NOW;
	came("sdb", 32, 2, PVID_ONE);
	outcome = shortage = 0;
	ck_assert(machine_has(IN_USE));
	if (_i)
		tree_remove(&machine.tree, IN_USE);
	rewrite("one-pv", "sdb", "seqno = 6", UUID_CHANGED);
	/* The add waits. */
	ck_assert_str_eq(tell(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_CHANGED),
			 _i ? "" : "vg_one ");
	if (_i)
		ck_assert_str_eq(tell(LEA_ENTRY_MISSED, "sdb", 32, 2, PVID_CHANGED), "");
}

/* Rows: the recorded disk gives only errors by now; it is excluded. Neither says what it is, so the add
 * of the copy still waits, and nothing is activated for it. */
TEST_TIMES(a_disk_that_does_not_say_what_it_is_answers_no_add, 2)
{
	machine_plug("one-pv", "sdb", 32, 2);
	came("sdb", 32, 2, PVID_ONE);
	tree_remove(&machine.tree, IN_USE);
	tree_remove(&machine.tree, "/run/lvm/event/claims/" VG_ONE_ID);
	machine_plug("one-pv", "sda", 16, 1);
	tree_put(&machine.tree, SUSPENDED, "1\n");
	ck_assert_str_eq(tell(LEA_ENTRY_ADD, "sda", 16, 1, PVID_ONE), "");
	tree_remove(&machine.tree, SUSPENDED);
	tree_remove(&machine.tree, "/sys/dev/block/8:32/dm");
	if (_i)
		new_conf("filter = [ \"r|sdb|\" ]");
	else
		tree_remove(&machine.tree, "/dev/sdb");
	tell(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_ONE);
	ck_assert_str_eq(drain(), "");
}
