/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each kind of entry may cause, and what is activated again after a deactivation. */
#include "flow/batch_scratch.h"
#include "record/outdated.h"
#include "state/mark.h"
#include "state/online.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

const struct fixture fixture = {setup, teardown};

static bool is_full;

/* In place of libc's: the file system may have no room for another file. */
int mknodat(int dir_fd, const char *path, mode_t mode, dev_t device)
{
	errno = ENOSPC;
	return is_full ? -1 : (int)syscall(SYS_mknodat, dir_fd, path, mode, device);
}

#define PVID_EXPORTED  "6tJnDl0dkQnzpB2R76ZpTlEbO0cHezA0"
#define PVID_ORPHAN    "tRLdYEWeFftEefJEUKV3lyKKGIb8QKZS"
#define VG_EXPORTED_ID "7Qv3dhFoa4syh6FtOBaLy6nHG2FIalyh"

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

/* It is down, and the file is that of another VG with its name. Rows: has that failed for now? */
TEST_TIMES(file_of_another_vg_does_not_say_that_this_one_is_up, 2)
{
	const int run_fd = lea_world_run(machine.world);

	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	take_down("vg_one");
	ck_assert_int_eq(lea_vg_online_claim(run_fd, "vg_one"), 0);
	if (_i)
		ck_assert_int_eq(lea_vg_online_keep(run_fd, "vg_one"), 0);
	ck_assert_str_eq(added(), _i ? "vg_one " : "");
}

/* A worker that the runner has left in the real lvm fails when a later turn of the VG has ended, and
 * would put vgs_online back, which lvm removes. Rows: does it? A change has completed the VG, which was
 * left as it is, or it was activated, and a person has taken it down since. */
TEST_TIMES(what_a_left_worker_puts_back_takes_no_add_from_a_vg_that_is_down, 4)
{
	struct lea_claims claims;
	uint32_t pvs;

	ck_assert_int_eq(lea_claims_init(&claims, machine.world, NULL), 0);
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(_i / 2 ? added() : changed(), _i / 2 ? "vg_one " : "");
	if (_i / 2)
		take_down("vg_one");
	ck_assert_int_eq(state_of(VG_ONE_ID, &pvs), LEA_CLAIM_DONE);
	if (_i % 2)
		ck_assert_int_eq(lea_claim_keep_online(&claims, VG_ONE_ID, "vg_one", 1), 0);
	ck_assert_str_eq(added(), "vg_one ");
}

/* lvm2's vgchange -an removes vgs_online/VG, and lvm2 activates the VG at the next add event. */
TEST(added_after_vgchange_an_comes_up)
{
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	ck_assert_str_eq(added(), "");
	take_down("vg_one");
	ck_assert_str_eq(added(), "vg_one ");
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_str_eq(added(), "");
}

TEST(nothing_but_an_add_undoes_vgchange_an)
{
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	take_down("vg_one");
	ck_assert_str_eq(missed(), "");
	ck_assert_str_eq(changed(), "");
	ck_assert_msg(!machine_has("/run/lvm/vgs_online/vg_one"),
		      "a mark without an activation keeps every pvscan away");
}

/* repartition, partprobe: the disk keeps its number. */
TEST(partition_removed_and_added_again_comes_up)
{
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	take_down("vg_one");
	machine_unplug("sda", 16);
	went("sda", 16, 7, PVID_ONE);
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
}

TEST(emptied_run_files_leave_it_to_the_next_add)
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

/* vgimportclone, vgcreate: the VG stays as the user left it until a device is added. */
TEST(vg_made_by_a_change_is_not_activated)
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

/* vgextend: the VG of sdb, which was activated, has sdc now. */
static void extend(void)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .id = {8, 32, 2}};
	const struct lea_claims claims = machine_claims();
	const struct lea_claim claim = {
		.state = LEA_CLAIM_DONE, .vg_name = "vg-two.pvs", .pv = &pv, .pv_count = 1};

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_TWO_ID, &claim), 0);
}

/* vgextend of a VG with LVs that a user deactivated. */
TEST(vg_extended_by_a_change_keeps_its_claim)
{
	uint32_t pvs;

	extend();
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

/* vgimportclone of a copy on a slow disk: a reconcile asked the disk whether it is still a copy,
 * and the answer came too late, so that the disk is read again on its behalf. */
TEST(another_pv_than_was_missed_is_a_change)
{
	static const enum lea_entry_kind kinds[] = {LEA_ENTRY_MISSED, LEA_ENTRY_PARTIAL};

	machine_plug("one-pv", "sda", 16, 7);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		ck_assert_str_eq(told(kinds[i], "sda", 16, 7, PVID_A), "");
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_ONE), "it has its record");
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
	ck_assert_str_eq(added(), "vg_one ");
}

/* An add event of a disk and a vgextend in one pass. */
TEST(add_beside_a_change_is_judged_by_itself)
{
	struct lea_entry entries[2];

	extend();
	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	ck_assert_int_eq(lea_vg_online_claim(lea_world_run(machine.world), "vg-two.pvs"), 0);
	entries[0] = event("sdb", 32, 2, PVID_A, false);
	entries[1] = event("sdc", 48, 3, PVID_B, false);
	entries[1].kind = LEA_ENTRY_CHANGE;
	ck_assert_str_eq(pass(entries, 2), "");
}

#define AWAITED "/run/lvm/event/awaited/" VG_TWO_ID

/* pvchange -u, and then a disk comes, before the event of the change. */
TEST(an_add_that_meets_a_change_on_its_way_is_not_lost)
{
	uint32_t pvs;

	extend();
	take_down("vg-two.pvs");
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B), "vg-two.pvs ");
	ck_assert_int_eq(state_of(VG_TWO_ID, &pvs), LEA_CLAIM_DONE);
	ck_assert(!machine_has(AWAITED));
	take_down("vg-two.pvs");
	ck_assert_msg(!strcmp(told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B), ""), "it was once");
}

/* The event of a disk that came back was lost while the VG was incomplete, as it is while udev has
 * yet to tell of the new UUID of another PV. Rows: does a reconcile find an instance that is none of
 * the claim's? */
TEST_TIMES(an_add_that_was_lost_waits_for_a_change, 2)
{
	struct lea_entry entries[2];

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	entries[0] = event("sdb", 32, 2, PVID_A, false);
	entries[1] = event("sdc", 48, 3, PVID_B, false);
	ck_assert_str_eq(pass(entries, 2), "vg-two.pvs ");
	take_down("vg-two.pvs");
	if (_i) {
		machine_unplug("sdb", 32);
		went("sdb", 32, 2, PVID_A);
		machine_plug("stripe-a", "sdb", 32, 4);
	}
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_B);
	ck_assert_str_eq(told(LEA_ENTRY_MISSED, "sdb", 32, _i ? 4 : 2, PVID_A), "");
	ck_assert_int_eq(machine_has(AWAITED), _i);
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B), _i ? "vg-two.pvs " : "");
}

TEST(an_add_waits_as_long_as_its_vg_is_not_decided_about)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	outcome = LEA_ACTIVATE_FAILED;
	shortage = LEA_NOT_NOW;
	told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B);
	ck_assert_msg(machine_has(AWAITED), "the next try may be that of a change as well");
	outcome = shortage = 0;
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B), "vg-two.pvs ");
	ck_assert(!machine_has(AWAITED));
}

/* Rows: how a worker failed, and what a change does then, as of another path that gets the record.
 */
static const struct {
	int outcome, shortage;
	const char *vgs;
} lacks[] = {
	{LEA_ACTIVATE_INCOMPLETE, 0, "vg-two.pvs "},
	{LEA_ACTIVATE_FAILED, LEA_NOT_NOW, "vg-two.pvs "},
	{LEA_ACTIVATE_FAILED, 0, ""},
	{LEA_ACTIVATE_COPY, 0, ""},
};

TEST_EACH(an_add_that_met_a_disk_that_went_waits_for_it, lacks)
{
	struct lea_entry entries[2];

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	entries[0] = event("sdb", 32, 2, PVID_A, false);
	entries[1] = event("sdc", 48, 3, PVID_B, false);
	outcome = lacks[_i].outcome;
	shortage = lacks[_i].shortage;
	pass(entries, 2);
	ck_assert_int_eq(machine_has(AWAITED), lacks[_i].vgs[0] != '\0');
	outcome = shortage = 0;
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B), lacks[_i].vgs);
	ck_assert(!machine_has(AWAITED));
}

/* The add finds nothing to do, and what an administrator does later is not its doing. */
TEST(an_add_that_is_dealt_with_waits_no_longer)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A);
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B), "vg-two.pvs ");
	ck_assert_int_eq(lea_awaited_set(batch_options.event_fd, VG_TWO_ID, 2, false), 0);
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_A), "");
	ck_assert(!machine_has(AWAITED));
}

/* A PV was added and went, and the VG comes by changes, as of disks that came while event activation was
 * off. Rows: the PV is gone when a reconcile looks; it stays. */
TEST_TIMES(an_add_of_a_pv_that_is_gone_waits_no_longer, 2)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A);
	if (!_i) {
		machine_unplug("sdb", 32);
		went("sdb", 32, 2, PVID_A);
	}
	lea_newest_tidy(machine.world, batch_options.event_fd);
	ck_assert_int_eq(machine_has(AWAITED), _i);
	if (!_i)
		machine_plug("stripe-a", "sdb", 32, 4);
	machine_plug("stripe-b", "sdc", 48, 5);
	told(LEA_ENTRY_CHANGE, "sdb", 32, _i ? 2 : 4, PVID_A);
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdc", 48, 5, PVID_B), _i ? "vg-two.pvs " : "");
}

/* vgreduce --removemissing */
TEST(a_vg_that_is_complete_with_fewer_pvs_is_left_as_it_is)
{
	uint32_t pvs;

	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_int_eq(lea_awaited_set(batch_options.event_fd, VG_ONE_ID, 2, true), 0);
	ck_assert_str_eq(changed(), "");
	ck_assert_int_eq(state_of(VG_ONE_ID, &pvs), LEA_CLAIM_DONE);
	ck_assert(!machine_has("/run/lvm/event/awaited/" VG_ONE_ID));
}

/* Rows: the VG at the add event, and what a user made of it later. */
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

TEST_EACH(what_was_refused_and_changed_waits_for_an_add, refused)
{
	const char *pvid = refused[_i].pvid_after;

	machine_plug(refused[_i].before, "sda", 16, 7);
	told(LEA_ENTRY_ADD, "sda", 16, 7, refused[_i].pvid_before);
	ck_assert_str_eq(activated, "");
	ck_assert_msg(lea_mark_ask(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-7"), "%s",
		      refused[_i].claim);
	machine_unplug("sda", 16);
	machine_plug(refused[_i].after, "sda", 16, 7);
	if (!strcmp(refused[_i].before, refused[_i].after))
		import("sda");
	told(LEA_ENTRY_MISSED, "sda", 16, 7, pvid);
	ck_assert_msg(!activated[0], "%s: its change", refused[_i].claim);
	told(LEA_ENTRY_ADD, "sda", 16, 7, pvid);
	ck_assert_msg(!strcmp(activated, refused[_i].vg), "%s: its add", refused[_i].claim);
	ck_assert_msg(!lea_mark_ask(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-7"), "%s",
		      refused[_i].claim);
}

/* One of its PVs was added when it was incomplete. What vgimport does later is not that. */
/* Without the mark a reconcile would take what a person changes later for an add. Rows: as what the
 * device came. */
TEST_TIMES(what_cannot_be_marked_as_refused_comes_back, 2)
{
	struct lea_entry entry = event("sda", 16, 7, PVID_EXPORTED, false);

	machine_plug("exported", "sda", 16, 7);
	entry.kind = _i ? LEA_ENTRY_MISSED : LEA_ENTRY_ADD;
	is_full = true;
	ck_assert_int_eq(run_pass(&entry, 1), -ENOSPC);
	is_full = false;
	entry = event("sda", 16, 7, PVID_EXPORTED, false);
	ck_assert_int_eq(run_pass(&entry, 1), 0);
	ck_assert(machine_has("/run/lvm/event/refused/8:16-7"));
}

TEST(an_add_does_not_wait_for_an_exported_vg)
{
	ck_assert_int_eq(lea_awaited_set(batch_options.event_fd, VG_EXPORTED_ID, 1, false), 0);
	machine_plug("exported", "sda", 16, 7);
	told(LEA_ENTRY_CHANGE, "sda", 16, 7, PVID_EXPORTED);
	machine_unplug("sda", 16);
	machine_plug("exported", "sda", 16, 7);
	import("sda");
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sda", 16, 7, PVID_EXPORTED), "");
}

/* It was exported, or given to another host, when the worker got its lock. So nothing of it was
 * activated, and an add may do that as soon as it is this host's again. */
TEST(an_add_activates_what_was_refused_under_the_lock)
{
	outcome = LEA_ACTIVATE_REFUSED;
	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	ck_assert(!machine_has("/run/lvm/vgs_online/vg_one"));
	outcome = 0;
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sda", 16, 7, PVID_ONE), "");
	ck_assert_str_eq(told(LEA_ENTRY_MISSED, "sda", 16, 7, PVID_ONE), "");
	ck_assert_str_eq(added(), "vg_one ");
	ck_assert(machine_has("/run/lvm/vgs_online/vg_one"));
}

/* A PV came back when the VG was another host's, which gave it back later. A device that is read
 * once more, of a VG that is done, brings nothing up then. Rows: so it was; nobody had refused the
 * PV. */
TEST_TIMES(what_was_refused_when_it_came_is_no_news_of_a_vg_that_is_done, 2)
{
	const struct lea_online online = {8, 48, "vg-two.pvs", "/dev/sdc"};

	extend();
	if (!_i)
		ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_REFUSED, "8:48-3"),
				 0);
	ck_assert_int_eq(lea_online_write(lea_world_run(machine.world), PVID_B, &online), 0);
	ck_assert_str_eq(told(LEA_ENTRY_MISSED, "sdb", 32, 2, PVID_A), _i ? "vg-two.pvs " : "");
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B), _i ? "" : "vg-two.pvs ");
}

/* The VG has failed until a PV is added, as a filter excluded one, which is found when the filter
 * changes. Rows: it was refused when it came; it was not, so its add was lost. */
TEST_TIMES(what_a_filter_permits_brings_no_failed_vg_up, 2)
{
	struct lea_claim_pv pv = {.pvid = PVID_A, .id = {8, 32, 2}};
	const struct lea_claims claims = machine_claims();
	const struct lea_claim failed = {
		.state = LEA_CLAIM_FAILED, .vg_name = "vg-two.pvs", .pv = &pv, .pv_count = 1};
	struct lea_entry entries[] = {event("sdb", 32, 2, PVID_A, false),
				      event("sdc", 48, 3, PVID_B, false)};

	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_claim_finish(&claims, VG_TWO_ID, &failed), 0);
	if (!_i)
		ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_REFUSED, "8:48-3"),
				 0);
	entries[0].kind = entries[1].kind = LEA_ENTRY_MISSED;
	ck_assert_str_eq(pass(entries, 2), _i ? "vg-two.pvs " : "");
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B), _i ? "" : "vg-two.pvs ");
}

/* That the filter permits it some day is an administrator's change. */
TEST(an_add_does_not_wait_for_an_excluded_pv)
{
	const struct lea_online online = {8, 48, "vg-two.pvs", "/dev/sdc"};
	struct lea_claim claim;

	tree_put(&machine.tree, "/etc/lvm/lvm.conf",
		 "devices { filter = [ \"r|^/dev/sdc$|\" ] }\n");
	read_settings();
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_int_eq(lea_online_ensure(lea_world_run(machine.world)), 0);
	ck_assert_int_eq(lea_online_write(lea_world_run(machine.world), PVID_B, &online), 0);
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	ck_assert_int_eq(claim_of(VG_TWO_ID, &claim), 0);
	ck_assert_int_eq(claim.state, LEA_CLAIM_FAILED);
	lea_claim_done(&claim);
	ck_assert(!lea_awaited_ask(batch_options.event_fd, VG_TWO_ID, 2));
}

/* Nor for one that was excluded when it came into use, before or after the add: rows. The change of
 * one that has come since does end the wait. */
TEST_TIMES(an_add_does_not_wait_for_a_pv_that_was_refused, 3)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	if (_i == 1)
		told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A);
	tree_put(&machine.tree, "/etc/lvm/lvm.conf",
		 "devices { filter = [ \"r|^/dev/sdc$|\" ] }\n");
	read_settings();
	if (_i < 2)
		told(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B);
	if (_i != 1)
		ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	ck_assert(machine_has(AWAITED));
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "");
	read_settings();
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B),
			 _i == 2 ? "vg-two.pvs " : "");
	ck_assert(!machine_has(AWAITED));
	ck_assert(machine_has("/run/lvm/pvs_online/" PVID_B));
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_A), "");
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B),
			 _i == 2 ? "" : "vg-two.pvs ");
}

/* A command made a PV of what was free when it came, and may have removed the record of that, as vgremove
 * does: the add of another PV waits for it as for any. Row 1: nobody had read it as that PV. */
TEST_TIMES(an_add_waits_for_a_pv_that_was_refused_and_recorded_since, 2)
{
	machine_plug("orphan", "sdc", 48, 3);
	told(LEA_ENTRY_ADD, "sdc", 48, 3, "");
	ck_assert(lea_mark_ask(batch_options.event_fd, LEA_MARK_REFUSED, "8:48-3"));
	machine_unplug("sdc", 48);
	machine_plug("stripe-b", "sdc", 48, 3);
	if (!_i) {
		told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B);
		tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_B);
	}
	machine_plug("stripe-a", "sdb", 32, 2);
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B), "vg-two.pvs ");
}

/* Nor if another PV completes the VG, whose record was removed meanwhile, as lvm2's commands do for a
 * VG of another host. Rows: sdc was refused when it came; it was not. */
TEST_TIMES(no_change_of_another_pv_completes_what_was_refused, 2)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	ck_assert(machine_has(AWAITED));
	if (!_i)
		ck_assert_int_eq(lea_mark_set(batch_options.event_fd, LEA_MARK_REFUSED, "8:48-3"),
				 0);
	tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_A);
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdc", 48, 3, PVID_B), "");
	ck_assert_int_eq(machine_has(AWAITED), _i);
	ck_assert_str_eq(told(LEA_ENTRY_CHANGE, "sdb", 32, 2, PVID_A), _i ? "vg-two.pvs " : "");
}

/* What came while event_activation was 0 came for nobody. A reconcile finds it when the setting is 1
 * again, and a person may have brought it up and taken it down since. */
TEST(what_came_while_events_did_nothing_waits_for_an_add)
{
	machine_plug("one-pv", "sda", 16, 7);
	own_conf.event_activation = false;
	ck_assert_str_eq(added(), "");
	own_conf.event_activation = true;
	ck_assert_str_eq(missed(), "");
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_ONE), "it has its record");
	ck_assert_str_eq(missed(), "");
	ck_assert_str_eq(added(), "vg_one ");
}

/* An add that comes later brings the VG up as soon as a reconcile has found the rest. */
TEST(what_came_while_events_did_nothing_holds_up_no_add)
{
	machine_plug("stripe-a", "sdb", 32, 2);
	machine_plug("stripe-b", "sdc", 48, 3);
	own_conf.event_activation = false;
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdb", 32, 2, PVID_A), "");
	own_conf.event_activation = true;
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sdc", 48, 3, PVID_B), "");
	ck_assert_str_eq(told(LEA_ENTRY_MISSED, "sdb", 32, 2, PVID_A), "vg-two.pvs ");
}

/* Without an instance number the next disk with this number looks like the one that went. */
TEST(a_disk_that_went_while_events_did_nothing_says_nothing_of_the_next)
{
	machine_plug("one-pv", "sda", 16, 0);
	own_conf.event_activation = false;
	told(LEA_ENTRY_ADD, "sda", 16, 0, PVID_ONE);
	machine_unplug("sda", 16);
	went("sda", 16, 0, PVID_ONE);
	own_conf.event_activation = true;
	machine_plug("one-pv", "sda", 16, 0);
	ck_assert_str_eq(told(LEA_ENTRY_MISSED, "sda", 16, 0, PVID_ONE), "vg_one ");
}

/* Rows: nor does one that had been dealt with, whether or not the instances are numbered: a
 * partition has the number of its disk. */
TEST_TIMES(a_disk_that_went_while_events_did_nothing_is_brought_up_by_an_add, 2)
{
	const uint32_t diskseq = _i ? 7 : 0;

	machine_plug("one-pv", "sda", 16, diskseq);
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sda", 16, diskseq, PVID_ONE), "vg_one ");
	own_conf.event_activation = false;
	machine_unplug("sda", 16);
	went("sda", 16, diskseq, PVID_ONE);
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_ONE));
	own_conf.event_activation = true;
	machine_plug("one-pv", "sda", 16, diskseq);
	ck_assert_str_eq(told(LEA_ENTRY_ADD, "sda", 16, diskseq, PVID_ONE), "vg_one ");
}

/* Both removals were lost: that of the disk, which has another number now, and that of the PV that
 * had this number. A reconcile queues the latter as a change. */
TEST(a_removal_does_not_hide_what_has_the_number_by_now)
{
	struct lea_entry entries[2];

	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_str_eq(added(), "vg_one ");
	machine_unplug("sda", 16);
	machine_plug("one-pv", "sdb", 32, 9);
	machine_record(PVID_A, "vg-two.pvs", "sdb", 32);
	entries[0] = event("sdb", 32, 0, PVID_A, true);
	entries[0].kind = LEA_ENTRY_CHANGE;
	entries[1] = event("sdb", 32, 9, PVID_ONE, false);
	entries[1].kind = LEA_ENTRY_MISSED;
	ck_assert_str_eq(pass(entries, 2), "vg_one ");
	ck_assert(!machine_has("/run/lvm/pvs_online/" PVID_A));
}

/* A path of a disk takes over while a worker has the VG. */
TEST(a_claim_of_a_vg_that_a_worker_has_gets_what_changes_bring)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 32, 6}};
	struct lea_claim claim = {.vg_name = "vg_one", .pv = &pv, .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	machine_plug("one-pv", "sda", 16, 7);
	ck_assert_int_eq(lea_claim_take(&claims, VG_ONE_ID, &claim), 0);
	ck_assert_str_eq(changed(), "");
	ck_assert_int_eq(claim_of(VG_ONE_ID, &claim), 0);
	pv.id = (struct lea_devid){8, 16, 7};
	ck_assert_int_eq(claim.state, LEA_CLAIM_CLAIMED);
	ck_assert(claim.pv_count == 1 && lea_claim_covers(&claim, &pv, 1));
	lea_claim_done(&claim);
}

/* Rows: how an activation ended, and which entries retry it. */
static const struct {
	const char *claim;
	int shortage;
	bool by_reconcile;
} failures[] = {
	{"a failure for good", 0, false},
	{"a shortage of the machine", -EAGAIN, true},
	{"one that passes", LEA_NOT_NOW, true},
};

#define MARKER_ONE "/run/lvm/event/known/8:16-7-5ayjis-rFL7-dSSe-sEcR-Bg8P-rdlV-G05Fap"

TEST_EACH(failure_is_tried_again_by_its_class, failures)
{
	struct lea_entry entry;
	int r;

	machine_plug("one-pv", "sda", 16, 7);
	outcome = LEA_ACTIVATE_FAILED;
	shortage = failures[_i].shortage;
	entry = event("sda", 16, 7, PVID_ONE, false);
	r = run_pass(&entry, 1);
	ck_assert_int_eq(r, lea_is_shortage(shortage) ? shortage : 0);
	ck_assert_uint_eq(summary.vgs_again, shortage == LEA_NOT_NOW);
	/* What comes back was not dealt with. */
	ck_assert_int_eq(machine_has(MARKER_ONE), !lea_is_shortage(shortage));
	outcome = shortage = 0;
	ck_assert_msg(!strcmp(missed(), failures[_i].by_reconcile ? "vg_one " : ""), "%s",
		      failures[_i].claim);
	ck_assert_str_eq(changed(), "");
	ck_assert_msg(!strcmp(added(), failures[_i].by_reconcile ? "" : "vg_one "), "%s",
		      failures[_i].claim);
}

#define VG_TWIN_ID "TWINo2z8DLr9uB4DSmt7k8IRGz3GndTH"

/* vgremove has removed the record, and not our marker. The row without: nothing tells. */
TEST_TIMES(add_of_a_pv_that_lost_its_record_ends_the_claim_of_the_vg_before, 2)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 16, 7}};
	struct lea_claim left = {0}, claim = {.state = LEA_CLAIM_DONE,
					      .vg_name = "vg_before",
					      .pv = &pv,
					      .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	machine_plug("one-pv", "sda", 16, 7);
	added();
	ck_assert_int_eq(lea_claim_finish(&claims, VG_TWIN_ID, &claim), 0);
	if (_i)
		tree_remove(&machine.tree, "/run/lvm/pvs_online/" PVID_ONE);
	added();
	ck_assert_int_eq(lea_claim_read(&claims, VG_TWIN_ID, &left), _i ? LEA_CLAIM_ABSENT : 0);
	lea_claim_done(&left);
}

/* Its VG failed for now, and a person has made another one of it since, or not. */
TEST_TIMES(a_pv_of_another_vg_than_failed_is_a_change, 2)
{
	struct lea_claim_pv pv = {.pvid = PVID_ONE, .id = {8, 16, 7}};
	struct lea_claim claim = {.state = LEA_CLAIM_FAILED,
				  .is_transient = true,
				  .vg_name = "vg_before",
				  .pv = &pv,
				  .pv_count = 1};
	const struct lea_claims claims = machine_claims();

	machine_plug("one-pv", "sda", 16, 7);
	changed();
	ck_assert_int_eq(lea_claim_drop(&claims, VG_ONE_ID), 0);
	ck_assert_int_eq(lea_claim_finish(&claims, _i ? VG_TWIN_ID : VG_ONE_ID, &claim), 0);
	ck_assert_str_eq(missed(), _i ? "" : "vg_one ");
	ck_assert_str_eq(added(), _i ? "vg_one " : "");
}

/* dmeventd was not running at activation; a user may have deactivated an LV since. */
TEST(telling_dmeventd_activates_nothing)
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

#define DISK_BYTES (64 * 1024 * 1024)

/* Rows: a PV of which udev said so much when it was queued, what it says now, a signature that is
 * on the device, too, and the outcome.
 */
static const struct {
	const char *claim, *properties, *properties_now;
	off_t at;
	const char *signature;
	size_t bytes;
	enum lea_entry_kind kind;
	const char *activated;
	bool is_recorded;
} unnamed[] = {
	{"a PV that udev did not probe", "DEVTYPE=disk\n", "", 0, "", 0, LEA_ENTRY_MISSED,
	 "vg_one ", true},
	{"... when it is a change", "DEVTYPE=disk\n", "", 0, "", 0, LEA_ENTRY_CHANGE, "", true},
	{"... when udev names it by now: it was made since", "DEVTYPE=disk\n",
	 "ID_FS_TYPE=LVM2_member\n", 0, "", 0, LEA_ENTRY_MISSED, "", true},
	{"... when udev named it at once", "ID_FS_TYPE=LVM2_member\n", "ID_FS_TYPE=LVM2_member\n",
	 0, "", 0, LEA_ENTRY_MISSED, "vg_one ", true},
	{"a newer file system counts as little as for lvm2", "DEVTYPE=disk\n", "", 1024 + 56,
	 "\x53\xef", 2, LEA_ENTRY_MISSED, "vg_one ", true},
	{"half of a mirror", "DEVTYPE=disk\n", "", DISK_BYTES - 65536,
	 "\xfc\x4e\x2b\xa9\0\0\0\0\x5a\0\0\0", 12, LEA_ENTRY_MISSED, "", false},
	{"an array that begins behind the label, whatever udev says", "ID_FS_TYPE=LVM2_member\n",
	 "", 4096, "\xfc\x4e\x2b\xa9\1\0\0\0", 8, LEA_ENTRY_MISSED, "", false},
	{"half of a mirror of the firmware's", "DEVTYPE=disk\n", "", DISK_BYTES - 1024,
	 "Intel Raid ISM Cfg Sig. 1.1.00", 30, LEA_ENTRY_MISSED, "", false},
	{"... which udev calls a PV", "ID_FS_TYPE=LVM2_member\n", "", DISK_BYTES - 1024,
	 "Intel Raid ISM Cfg Sig. 1.1.00", 30, LEA_ENTRY_MISSED, "vg_one ", true},
};

TEST_EACH(what_udev_does_not_name_libblkid_does, unnamed)
{
	struct lea_entry entry = event("sda", 16, 7, "", false);
	char path[256];
	int fd;

	machine_plug("one-pv", "sda", 16, 7);
	snprintf(path, sizeof(path), "%s/dev/sda", machine.tree.root);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_eq(pwrite(fd, unnamed[_i].signature, unnamed[_i].bytes, unnamed[_i].at),
			 (ssize_t)unnamed[_i].bytes);
	close(fd);
	entry.kind = unnamed[_i].kind;
	machine.properties = unnamed[_i].properties_now;
	entry.device.properties = strdup(unnamed[_i].properties);
	ck_assert_msg(!strcmp(pass(&entry, 1), unnamed[_i].activated), "%s: %s", unnamed[_i].claim,
		      activated);
	ck_assert_msg(machine_has("/run/lvm/pvs_online/" PVID_ONE) == unnamed[_i].is_recorded, "%s",
		      unnamed[_i].claim);
	ck_assert_msg(lea_mark_ask(batch_options.event_fd, LEA_MARK_REFUSED, "8:16-7") ==
			      !unnamed[_i].is_recorded,
		      "%s", unnamed[_i].claim);
}
