/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reconcile makes of claims and marks that are no longer true: the disks have gone, or
 * others have removed the records. */
#include "daemon/reconcile.h"
#include "flow/batch_scratch.h"
#include "flow/outdated_scratch.h"
#include "record/duplicate_note.h"
#include "record/recorded_marker.h"
#include "state/mark.h"
#include "state/online.h"
#include "unit/suite.h"

const struct fixture fixture = {setup, teardown};

#define UUID_ONE   "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"
#define ANY_MEMBER "ID_FS_TYPE=LVM2_member\nID_FS_UUID=" UUID_ONE "\n"
#define MEMBER	   ANY_MEMBER "LVMEVENT_FIRST=" UUID_ONE "\n"
#define MADE	   ANY_MEMBER "LVMEVENT_FIRST=none\n"
#define CLAIM_ONE  "/run/lvm/event/claims/" VG_ONE_ID

static struct lea_reconcile_result result;
static bool is_boot;

static void reconcile(void)
{
	const struct lea_reconcile_options options = {.world = machine.world,
						      .conf = conf,
						      .event_fd = batch_options.event_fd,
						      .is_boot = is_boot};

	lea_marker_tidy(machine.world, batch_options.event_fd);
	ck_assert_int_eq(lea_reconcile(&options, &result), 0);
}

static void come(void)
{
	machine.properties = MEMBER;
	machine_plug("one-pv", "sda", 16, 7);
	came("sda", 16, 7, PVID_ONE);
}

static void go(void)
{
	machine_unplug("sda", 16);
	went("sda", 16, 7, PVID_ONE);
}

/* The same disk, of which the VG knows nothing any more. */
static void plug_left_over(void)
{
	static const char uuid[] = UUID_ONE, other[] = "5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Faq";
	char path[256];
	struct sample sample;

	sample_load(&sample, "one-pv");
	sample_change_text(&sample, uuid, other);
	snprintf(path, sizeof(path), "%s/dev/sda", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
}

/* ---- claims of VGs that are gone */

/* Rows: how the activation ended. */
static const struct {
	const char *claim;
	int outcome;
	bool is_detached;
	enum lea_claim_state state;
} ends[] = {
	{"active", 0, false, LEA_CLAIM_DONE},
	{"failed", LEA_ACTIVATE_FAILED, false, LEA_CLAIM_FAILED},
	{"a detached worker had it", LEA_ACTIVATE_VG_BUSY, true, LEA_CLAIM_CLAIMED},
};

TEST_EACH(a_claim_ends_when_its_disks_are_gone, ends)
{
	struct lea_claim claim;

	outcome = ends[_i].outcome;
	is_detached = ends[_i].is_detached;
	detached_why = LEA_DETACHED_DISK;
	come();
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_msg(claim.state == ends[_i].state, "%s: state %d", ends[_i].claim, claim.state);
	lea_claim_done(&claim);
	for (int i = 0; i < 3; i++)
		reconcile();
	ck_assert_msg(machine_has(CLAIM_ONE), "%s: its disk is there", ends[_i].claim);
	go();
	reconcile();
	ck_assert_msg(machine_has(CLAIM_ONE), "%s: seen once", ends[_i].claim);
	reconcile();
	ck_assert_msg(!machine_has(CLAIM_ONE), "%s: seen twice", ends[_i].claim);
}

/* As after vgexport: the entry that the dead runner had taken makes no claim any more. */
TEST(a_claim_ends_whose_owner_has_died)
{
	struct lea_claim claim;

	is_detached = true;
	outcome = LEA_ACTIVATE_VG_BUSY;
	detached_why = LEA_DETACHED_DISK;
	come();
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_CLAIMED);
	lea_claim_done(&claim);
	tree_put_process(&machine.tree, getpid(), "test", 'S', 4243);
	reconcile();
	ck_assert(machine_has(CLAIM_ONE));
	reconcile();
	ck_assert(!machine_has(CLAIM_ONE));
}

/* The VG was made on the disk while that was in use. An add of it has failed for now, or for good.
 */
TEST_TIMES(a_vg_that_was_made_here_is_tried_again, 2)
{
	outcome = LEA_ACTIVATE_FAILED;
	shortage = _i ? LEA_NOT_NOW : 0;
	come();
	outcome = shortage = 0;
	machine.properties = MADE;
	reconcile();
	ck_assert_uint_eq(result.enqueued, _i);
	ck_assert_str_eq(drain(), _i ? "vg_one " : "");
}

TEST(a_claim_stays_while_one_of_its_disks_is_there)
{
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	machine_plug("stripe-a", "sdb", 32, 8);
	machine_plug("stripe-b", "sdc", 48, 9);
	came("sdb", 32, 8, PVID_A);
	ck_assert_str_eq(came("sdc", 48, 9, PVID_B), "vg-two.pvs ");
	machine_unplug("sdc", 48);
	went("sdc", 48, 9, PVID_B);
	for (int i = 0; i < 3; i++)
		reconcile();
	ck_assert(machine_has("/run/lvm/event/claims/" VG_TWO_ID));
	machine_unplug("sdb", 32);
	machine_plug("stripe-a", "sdb", 32, 10); /* its number is another disk's */
	for (int i = 0; i < 2; i++)
		reconcile();
	ck_assert(!machine_has("/run/lvm/event/claims/" VG_TWO_ID));
}

/* Where the disk stays, and with it the instance. */
TEST(a_claim_of_a_vg_that_was_removed_ends)
{
	come();
	ck_assert_int_eq(unlinkat(lea_world_run(machine.world), "pvs_online/" PVID_ONE, 0), 0);
	plug_left_over();
	reconcile();
	ck_assert_str_eq(drain(), "");
	ck_assert(lea_mark_ask(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-7"));
	for (int i = 0; i < 2; i++)
		reconcile();
	ck_assert(!machine_has(CLAIM_ONE));
}

#define OTHER_PV "E:ID_FS_UUID=000000-0000-0000-0000-0000-0000-000001\n"

/* What has the number of a PV. */
static const struct {
	const char *claim;
	bool has_record; /* of the PV, on another disk */
	const char *udev; /* what udev names on the number */
	bool was_refused;
	bool stays;
} heirs[] = {
	{"no disk has the PV", false, "E:ID_FS_TYPE=LVM2_member\n" OTHER_PV, false, false},
	{"another disk has it", true, "E:ID_FS_TYPE=LVM2_member\n" OTHER_PV, false, false},
	{"so has this one, as another path", true,
	 "E:ID_FS_TYPE=LVM2_member\nE:ID_FS_UUID=" UUID_ONE "\n", false, true},
	{"nobody knows what it has", true, "", false, true},
	{"it was read, and is no PV", true, "", true, false},
};

/* Where the kernel does not number instances. Others remove the record, and the number is another
 * disk's before anybody has seen the first one go. */
TEST_EACH(a_claim_ends_when_another_disk_has_the_number_of_a_pv_without_record, heirs)
{
	const struct lea_online online = {.major = 8, .minor = 32};
	char text[128];

	machine.properties = MEMBER;
	machine_plug("one-pv", "sda", 16, 0);
	ck_assert_str_eq(came("sda", 16, 0, PVID_ONE), "vg_one ");
	for (int i = 0; i < 2; i++)
		reconcile();
	ck_assert_msg(machine_has(CLAIM_ONE), "the PV has its record");
	ck_assert_int_eq(unlinkat(lea_world_run(machine.world), "pvs_online/" PVID_ONE, 0), 0);
	machine_unplug("sda", 16);
	machine.properties = "ID_FS_TYPE=LVM2_member\n";
	machine_plug("stripe-a", "sda", 16, 0);
	came("sda", 16, 0, PVID_A);
	if (heirs[_i].has_record)
		ck_assert_int_eq(lea_online_write(lea_world_run(machine.world), PVID_ONE, &online),
				 0);
	snprintf(text, sizeof(text), "I:1\n%s", heirs[_i].udev);
	tree_put(&machine.tree, "/run/udev/data/b8:16", text);
	if (heirs[_i].was_refused)
		ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-0"),
				 0);
	for (int i = 0; i < 2; i++)
		reconcile();
	ck_assert_msg(machine_has(CLAIM_ONE) == heirs[_i].stays, "%s", heirs[_i].claim);
}

/* ---- marks of PVs whose record is gone */

static void remove_record(void)
{
	const int run_fd = lea_world_run(machine.world);

	ck_assert_int_eq(unlinkat(run_fd, "pvs_online/" PVID_ONE, 0), 0);
	ck_assert_int_eq(unlinkat(run_fd, "vgs_online/vg_one", 0), 0);
}

/* Rows: what is known of the PV, besides its mark. */
static const struct {
	const char *claim, *properties;
	bool has_claim, has_failed, was_refused;
} removed[] = {
	{"its VG is done", MEMBER, true, false, false},
	{"its VG waited for others", MEMBER, false, false, false},
	{"it was made on a disk in use", MADE, false, false, false},
	{"it was made on a disk that was read", MADE, false, false, true},
	{"the same, and its VG is done", MADE, true, false, true},
	{"the same, and its VG failed for now", MADE, true, true, false},
};

static void fail_for_now(void)
{
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};
	struct lea_claim claim;

	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	claim.state = LEA_CLAIM_FAILED;
	claim.is_transient = true;
	ck_assert_int_eq(lea_claim_finish(&claims, VG_ONE_ID, &claim), 0);
	lea_claim_done(&claim);
}

/* As vgremove of newer releases of lvm2 does, before vgcreate. */
TEST_EACH(a_record_that_others_removed_comes_back, removed)
{
	come();
	if (!removed[_i].has_claim)
		ck_assert_int_eq(
			unlinkat(lea_world_run(machine.world), "event/claims/" VG_ONE_ID, 0), 0);
	machine.properties = removed[_i].properties;
	if (removed[_i].has_failed)
		fail_for_now();
	if (removed[_i].was_refused)
		ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-7"),
				 0);
	reconcile();
	ck_assert_msg(result.enqueued == removed[_i].has_failed, "%s: it has its record",
		      removed[_i].claim);
	for (; result.enqueued; result.enqueued--)
		unlinkat(batch_options.event_fd, "queue/8:16-7", 0);
	remove_record();
	reconcile();
	ck_assert_msg(result.enqueued == 1, "%s: it lacks its record", removed[_i].claim);
	ck_assert_msg(!*drain(), "%s: nothing is activated", removed[_i].claim);
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_ONE), "%s", removed[_i].claim);
	reconcile();
	ck_assert_msg(result.enqueued == removed[_i].has_failed, "%s: once, but for a retry",
		      removed[_i].claim);
}

/* vgremove of an older release leaves the record. The PV was read as one of no VG while a worker, which
 * died later, still had the VG: its claim, left to that, lists the PV, which is of another VG now. */
TEST(the_claim_of_a_vg_that_was_removed_beside_its_worker_ends)
{
	const char *const pairs[] = {"GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21",
				     "VqoF2z-8DLr-9uB4-DSmt-7k8I-RGz3-GndTHh", NULL};

	come();
	fail_for_now();
	machine_change("one-pv", "sda", pairs);
	tree_remove(&machine.tree, "/run/lvm/event/known/8:16-7-" UUID_ONE);
	ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-7"), 0);
	reconcile();
	ck_assert_str_eq(drain(), "");
	ck_assert(!machine_has(CLAIM_ONE));
}

/* Rows: how the administrator went on after vgremove. */
static const struct {
	const char *claim;
	bool was_seen_alone; /* a reconcile has met the PV when it was of no VG */
	bool has_record;     /* older releases of lvm2 leave it */
	const char *name;
} anew[] = {
	{"a VG of another name", false, false, "vg_onf"},
	{"a VG of the same name", false, false, "vg_one"},
	{"a VG of the same name, later", true, false, "vg_one"},
	{"a VG of another name, and the record stays", false, true, "vg_onf"},
	{"a VG of another name, later, and the record stays", true, true, "vg_onf"},
};

/* The rule passes a change of it by. */
static void skip_change(void)
{
	machine.properties = MEMBER "LVMEVENT_SKIPPED=57\n";
}

/* Otherwise each turn of a script that makes and removes VGs would leave a claim. */
TEST_EACH(a_vg_made_of_the_pv_takes_the_place_of_the_one_before, anew)
{
	static const char id[] = "GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu21",
			  other[] = "GUetLO-o5Gp-19A2-XKrJ-eENX-FnMe-OFEu22";
	struct lea_online record = {0};
	char path[256];
	struct sample sample;

	come();
	if (anew[_i].has_record)
		skip_change();
	else
		remove_record();
	if (anew[_i].was_seen_alone) {
		plug_left_over();
		reconcile();
		drain();
	}
	sample_load(&sample, "one-pv");
	sample_change_text(&sample, id, other);
	sample_change_text(&sample, "vg_one {", anew[_i].name[5] == 'e' ? "vg_one {" : "vg_onf {");
	snprintf(path, sizeof(path), "%s/dev/sda", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
	if (anew[_i].was_seen_alone) {
		struct lea_entry entry = event("sda", 16, 7, PVID_ONE, false);

		entry.kind = LEA_ENTRY_CHANGE;
		ck_assert_str_eq(pass(&entry, 1), "");
	} else {
		reconcile();
		ck_assert_str_eq(drain(), "");
	}
	ck_assert_msg(machine_has("/run/lvm/event/claims/GUetLOo5Gp19A2XKrJeENXFnMeOFEu22"), "%s",
		      anew[_i].claim);
	ck_assert_msg(!machine_has(CLAIM_ONE), "%s", anew[_i].claim);
	ck_assert_int_eq(lea_online_read(lea_world_run(machine.world), PVID_ONE, &record), 0);
	ck_assert_msg(!strcmp(record.vg, anew[_i].name), "%s: %s", anew[_i].claim, record.vg);
}

/* Rows: what udev has of the last change, when, and how often the PV is queued for it. */
static const struct {
	const char *claim, *properties;
	bool is_boot;
	size_t queued;
} skipped[] = {
	{"no change", MEMBER, false, 0},
	{"a change that started no process", MEMBER "LVMEVENT_SKIPPED=57\n", false, 1},
	{"the same during boot", MEMBER "LVMEVENT_SKIPPED=57\n", true, 0},
	{"not a number", MEMBER "LVMEVENT_SKIPPED=x\n", false, 0},
};

TEST_EACH(a_pv_is_read_once_for_a_change_that_started_no_process, skipped)
{
	come();
	machine.properties = skipped[_i].properties;
	is_boot = skipped[_i].is_boot;
	reconcile();
	ck_assert_msg(result.enqueued == skipped[_i].queued, "%s", skipped[_i].claim);
	ck_assert_msg(!*drain(), "%s: nothing is activated", skipped[_i].claim);
	reconcile();
	ck_assert_msg(!result.enqueued, "%s: once", skipped[_i].claim);
	machine.properties = MEMBER "LVMEVENT_SKIPPED=58\n";
	reconcile();
	ck_assert_msg(result.enqueued == !is_boot, "%s: the next change", skipped[_i].claim);
}

/* So that the rule lets pass the change that makes it a PV of another VG. */
TEST(a_pv_that_is_of_no_vg_any_more_has_no_mark)
{
	const struct lea_device sda = {.major = 8, .minor = 16, .diskseq = 7};

	come();
	ck_assert(lea_marker_ask(batch_options.event_fd, &sda, PVID_ONE));
	remove_record();
	plug_left_over();
	reconcile();
	ck_assert_str_eq(drain(), "");
	ck_assert(!lea_marker_ask(batch_options.event_fd, &sda, PVID_ONE));
}

/* vgremove while the activation waits for the VG's lock: nobody retries what is not there. */
TEST(a_vg_that_was_removed_has_no_claim)
{
	struct lea_entry entry = event("sda", 16, 7, PVID_ONE, false);
	struct sample sample;
	char path[256];

	come();
	ck_assert(machine_has(CLAIM_ONE));
	sample_load(&sample, "orphan-after-vgremove");
	set_label(&sample, PVID_ONE);
	snprintf(path, sizeof(path), "%s/dev/sda", machine.tree.root);
	sample_write(&sample, path);
	sample_done(&sample);
	entry.kind = LEA_ENTRY_MISSED;
	ck_assert_str_eq(pass(&entry, 1), "");
	ck_assert(!machine_has(CLAIM_ONE));
}

/*
 * A copy that is ignored must not get the record of the disk that the VG is active on, unless that
 * disk went, and the copy gave no answer then, or the copy was written to since: a VG may have been
 * made of it. Rows: in which of these cases is it?
 */
enum since { NOTHING_SINCE, SILENT_SINCE, WRITTEN_SINCE, SINCES };

TEST_TIMES(a_noted_duplicate_needs_no_record, SINCES)
{
	const struct lea_duplicate copy = {
		.pvid = PVID_ONE, .id = {8, 16, 7}, .state = LEA_DUPLICATE_IGNORED};

	come();
	ck_assert_int_eq(lea_duplicate_put(machine.world, &copy), 0);
	remove_record();
	if (_i == SILENT_SINCE)
		ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_UNSETTLED, "8:16-7"),
				 0);
	if (_i == WRITTEN_SINCE)
		skip_change();
	reconcile();
	ck_assert_uint_eq(result.enqueued, (unsigned int)(_i != NOTHING_SINCE));
	ck_assert_str_eq(drain(), "");
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_ONE) == (_i != NOTHING_SINCE));
}

/* In a boot, where a marker does not say that a VG was dealt with. Rows: the states of the note. */
static const struct {
	enum lea_duplicate_state state;
	unsigned int enqueued;
} notes[] = {
	{LEA_DUPLICATE_NOTED, 1},
	{LEA_DUPLICATE_WAITING, 1},
	{LEA_DUPLICATE_SAID, 0},
	{LEA_DUPLICATE_IGNORED, 0},
};

TEST_EACH(a_duplicate_that_this_boot_has_reported_is_read_no_more, notes)
{
	const struct lea_duplicate path = {
		.pvid = PVID_ONE, .id = {8, 32, 8}, .state = notes[_i].state, .is_path = true};

	come();
	machine_plug("one-pv", "sdb", 32, 8);
	ck_assert_int_eq(lea_duplicate_put(machine.world, &path), 0);
	is_boot = true;
	reconcile();
	ck_assert_uint_eq(result.enqueued, notes[_i].enqueued);
}
