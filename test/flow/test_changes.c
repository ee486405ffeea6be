/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What entries may lead to by their kind, and what comes up again that was taken down. */
#include "flow/batch_scratch.h"
#include "flow/mark.h"
#include "unit/suite.h"

#define PVID_EXPORTED "6tJnDl0dkQnzpB2R76ZpTlEbO0cHezA0"
#define PVID_ORPHAN   "tRLdYEWeFftEefJEUKV3lyKKGIb8QKZS"

static const char *told(enum lea_entry_kind kind, const char *name, uint32_t minor,
			uint64_t diskseq, const char *pvid)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, false);

	entry.kind = kind;
	return pass(&entry, 1);
}

static const char *added(void)
{
	return told(LEA_ENTRY_ADD, "sda", 16, 7, PVID_ONE);
}

static const char *missed(void)
{
	return told(LEA_ENTRY_MISSED, "sda", 16, 7, PVID_ONE);
}

static const char *changed(void)
{
	return told(LEA_ENTRY_CHANGE, "sda", 16, 7, PVID_ONE);
}

static void take_down(const char *vg)
{
	ck_assert_int_eq(lea_vg_online_drop(lea_world_run(machine.world), vg), 0);
}

static enum lea_claim_state state_of(const char *vg_id, uint32_t *ret_pvs)
{
	enum lea_claim_state state;
	struct lea_claim claim;

	ck_assert_int_eq(claim_of(vg_id, &claim), 0);
	state = claim.state;
	*ret_pvs = claim.pv_count;
	lea_claim_done(&claim);
	return state;
}

/* lvm2's vgchange -an removes vgs_online/VG, and stock activates at the next add. */
START_TEST(added_after_vgchange_an_comes_up)
{
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	ck_assert_str_eq(added(), "");
	take_down("vg_one");
	ck_assert_str_eq(added(), "vg_one ");
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_str_eq(added(), "");
}
END_TEST

START_TEST(nothing_but_an_add_undoes_vgchange_an)
{
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	take_down("vg_one");
	ck_assert_str_eq(missed(), "");
	ck_assert_str_eq(changed(), "");
	ck_assert_msg(!machine_has("/run/lvm/vgs_online/vg_one"),
		      "a mark without an activation keeps every pvscan away");
}
END_TEST

/* repartition, partprobe: the number of the disk is the same. */
START_TEST(partition_removed_and_added_again_comes_up)
{
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	take_down("vg_one");
	machine_unplug("sda", 16);
	went("sda", 16, 7, PVID_ONE);
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
}
END_TEST

START_TEST(emptied_run_files_leave_it_to_the_next_add)
{
	const int run_fd = lea_world_run(machine.world);

	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	ck_assert_int_eq(unlinkat(run_fd, "pvs_online/" PVID_ONE, 0), 0);
	ck_assert_int_eq(unlinkat(run_fd, "vgs_online/vg_one", 0), 0);
	ck_assert_str_eq(missed(), "");
	ck_assert_str_eq(changed(), "");
	ck_assert_str_eq(added(), "vg_one ");
}
END_TEST

/* vgimportclone, vgcreate: it stays as its administrator leaves it, until a device is added. */
START_TEST(vg_made_by_a_change_is_not_activated)
{
	uint32_t pvs;

	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(changed(), "");
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_ONE));
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_int_eq(state_of(VG_ONE_ID, &pvs), LEA_CLAIM_DONE);
	ck_assert_str_eq(missed(), "");
	ck_assert_str_eq(added(), "vg_one ");
}
END_TEST

/* vgextend beside a VG of which LVs were taken down. */
START_TEST(vg_extended_by_a_change_keeps_its_claim)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .major = 8, .minor = 32, .diskseq = 2};
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};
	const struct lea_claim claim = {
		.state = LEA_CLAIM_DONE, .vg_name = "vg-two.pvs", .pv = &pv, .pv_count = 1};
	uint32_t pvs;

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_TWO_ID, &claim), 0);
	ck_assert_str_eq(told(LEA_ENTRY_MISSED, "sdb", 32, 2, PVID_A), "");
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B), "");
	ck_assert_int_eq(state_of(VG_TWO_ID, &pvs), LEA_CLAIM_DONE);
	ck_assert_uint_eq(pvs, 2);
	ck_assert_str_eq(told(LEA_ENTRY_MISSED, "sdc", 48, 3, PVID_B), "");
	machine_unplug("sdc", 48);
	machine_plug("stripe-b", "sdc", 48, 4);
	ck_assert_msg(!strcmp(told(LEA_ENTRY_MISSED, "sdc", 48, 4, PVID_B), "vg-two.pvs "),
		      "another disk is no change of this one");
}
END_TEST

/* An event of a disk beside a vgextend in one pass. */
START_TEST(add_beside_a_change_is_judged_by_itself)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .major = 8, .minor = 32, .diskseq = 2};
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};
	const struct lea_claim claim = {
		.state = LEA_CLAIM_DONE, .vg_name = "vg-two.pvs", .pv = &pv, .pv_count = 1};
	struct lea_entry entries[2];

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), "vg-two.pvs"), 0);
	entries[0] = event("sdb", 32, 2, PVID_A, false);
	entries[1] = event("sdc", 48, 3, PVID_B, false);
	entries[1].kind = LEA_ENTRY_CHANGE;
	ck_assert_str_eq(pass(entries, 2), "");
}
END_TEST

/* Rows: what was there at the add, and what an administrator made of it since. */
static const struct {
	const char *claim, *before, *pvid_before, *after, *pvid_after, *vg;
} refused[] = {
	{"a PV of no VG that vgcreate or vgextend took", "orphan", PVID_ORPHAN, "one-pv", PVID_ONE,
	 "vg_one "},
	{"an exported VG that vgimport took", "exported", PVID_EXPORTED, "exported", PVID_EXPORTED,
	 "vg_exp "},
	{"a VG of another host", "foreign", "", "one-pv", PVID_ONE, "vg_one "},
};

static void import(const char *name)
{
	struct sample sample;
	char path[128];

	sample_load(&sample, "exported");
	sample_change_text(&sample, "[\"EXPORTED\", \"RESI", "[            \"RESI");
	sample_change_text(&sample, ", \"EXPORTED\"]", "            ]");
	snprintf(path, sizeof(path), "%s/dev/%s", machine.tree.root, name);
	sample_write(&sample, path);
	sample_done(&sample);
}

START_TEST(what_was_refused_and_changed_waits_for_an_add)
{
	const char *pvid = refused[_i].pvid_after;

	machine_plug(refused[_i].before, "sda", 16, 7);
	told(LEA_ENTRY_ADD, "sda", 16, 7, refused[_i].pvid_before);
	ck_assert_str_eq(activated, "");
	ck_assert_msg(lea_refused_is_set(how.event_fd, "8:16-7"), "%s", refused[_i].claim);
	machine_unplug("sda", 16);
	machine_plug(refused[_i].after, "sda", 16, 7);
	if (!strcmp(refused[_i].before, refused[_i].after))
		import("sda");
	told(LEA_ENTRY_MISSED, "sda", 16, 7, pvid);
	ck_assert_msg(!activated[0], "%s: its change", refused[_i].claim);
	told(LEA_ENTRY_ADD, "sda", 16, 7, pvid);
	ck_assert_msg(!strcmp(activated, refused[_i].vg), "%s: its add", refused[_i].claim);
	ck_assert_msg(!lea_refused_is_set(how.event_fd, "8:16-7"), "%s", refused[_i].claim);
}
END_TEST

/* Rows: how an activation ended, and who tries again. */
static const struct {
	const char *claim;
	int shortage;
	bool by_comparison;
} failures[] = {
	{"a failure for good", 0, false},
	{"a shortage of the machine", -EAGAIN, true},
	{"one that passes", LEA_NOT_NOW, true},
};

START_TEST(failure_is_tried_again_by_its_class)
{
	struct lea_entry entry;
	int r;

	machine_plug("one-pv", "sda", 16, 7);
	outcome = LEA_ACTIVATE_FAILED;
	shortage = failures[_i].shortage;
	entry = event("sda", 16, 7, PVID_ONE, false);
	r = lea_batch_run(&how, &entry, 1, &summary);
	lea_device_done(&entry.device);
	ck_assert_int_eq(r, lea_is_shortage(shortage) ? shortage : 0);
	ck_assert_uint_eq(summary.vgs_again, shortage == LEA_NOT_NOW);
	outcome = shortage = 0;
	ck_assert_msg(!strcmp(missed(), failures[_i].by_comparison ? "vg_one " : ""), "%s",
		      failures[_i].claim);
	ck_assert_str_eq(changed(), "");
	ck_assert_msg(!strcmp(added(), failures[_i].by_comparison ? "" : "vg_one "), "%s",
		      failures[_i].claim);
}
END_TEST

#define VG_TWIN_ID "TWINo2z8DLr9uB4DSmt7k8IRGz3GndTH"

/* Rows: what lvm2's mark and another VG's claim say, and whether the VG comes up. */
static const struct {
	const char *claim, *name;
	int state; /* -1: no other VG */
	bool is_marked;
	const char *activated;
} twins[] = {
	{"a VG of this name is active", "vg_one", LEA_CLAIM_DONE, true, ""},
	{"it is active no more", "vg_one", LEA_CLAIM_DONE, false, "vg_one "},
	{"it has failed", "vg_one", LEA_CLAIM_FAILED, true, "vg_one "},
	{"a VG of another name is active", "vg_two", LEA_CLAIM_DONE, true, "vg_one "},
	{"who made the mark has died before the claim", "", -1, true, "vg_one "},
};

START_TEST(second_vg_of_a_name_stays_down)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .major = 8, .minor = 32, .diskseq = 2};
	const int run_fd = lea_world_run(machine.world);
	const struct lea_claims claims = {.run_fd = run_fd,
					  .proc_fd = lea_world_proc(machine.world)};
	struct lea_claim claim = {.pv = &pv, .pv_count = 1};

	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_int_eq(lea_online_ensure(run_fd), 0);
	if (twins[_i].is_marked)
		ck_assert_int_eq(lea_vg_online_claim(run_fd, "vg_one"), 0);
	if (twins[_i].state >= 0) {
		claim.state = (enum lea_claim_state)twins[_i].state;
		snprintf(claim.vg_name, sizeof(claim.vg_name), "%s", twins[_i].name);
		ck_assert_int_eq(lea_claim_finish(&claims, VG_TWIN_ID, &claim), 0);
	}
	ck_assert_msg(!strcmp(added(), twins[_i].activated), "%s", twins[_i].claim);
	ck_assert_msg(machine_has("/run/lvm/vgs_online/vg_one"), "%s: its mark", twins[_i].claim);
}
END_TEST

/* dmeventd was not there when it was activated; an LV may have been taken down since. */
START_TEST(telling_dmeventd_activates_nothing)
{
	uint32_t pvs;

	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(told(LEA_ENTRY_WATCH, "sda", 16, 7, PVID_ONE), "");
	ck_assert_str_eq(added(), "vg_one ");
	take_down("vg_one");
	outcome = LEA_ACTIVATE_FAILED;
	ck_assert_str_eq(told(LEA_ENTRY_WATCH, "sda", 16, 7, PVID_ONE), "vg_one(watch) ");
	ck_assert_msg(state_of(VG_ONE_ID, &pvs) == LEA_CLAIM_DONE, "its failure is not the VG's");
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("changes");
	TCase *tcase = tcase_create("changes");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, added_after_vgchange_an_comes_up);
	tcase_add_test(tcase, nothing_but_an_add_undoes_vgchange_an);
	tcase_add_test(tcase, partition_removed_and_added_again_comes_up);
	tcase_add_test(tcase, emptied_run_files_leave_it_to_the_next_add);
	tcase_add_test(tcase, vg_made_by_a_change_is_not_activated);
	tcase_add_test(tcase, vg_extended_by_a_change_keeps_its_claim);
	tcase_add_test(tcase, add_beside_a_change_is_judged_by_itself);
	tcase_add_loop_test(tcase, what_was_refused_and_changed_waits_for_an_add, 0,
			    ARRAY_SIZE(refused));
	tcase_add_loop_test(tcase, failure_is_tried_again_by_its_class, 0, ARRAY_SIZE(failures));
	tcase_add_loop_test(tcase, second_vg_of_a_name_stays_down, 0, ARRAY_SIZE(twins));
	tcase_add_test(tcase, telling_dmeventd_activates_nothing);
	suite_add_tcase(suite, tcase);
	return suite;
}
