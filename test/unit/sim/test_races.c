/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The oracle, where a command meets an activation that is under way, or what nobody has read: both
 * ends are right. */
#include "unit/sim/oracle_scratch.h"

/* Another disk of the VG delays it: it fails and is well again, or becomes slow. */
static const struct {
	const char *claim;
	uint64_t added_before_ms;
	uint32_t slow_ms;
	const char *kind;
} delays[] = {
	{"an add is under way, and is tried again", 1000, 0, NULL},
	{"an add is under way, and waits for the slow disk", 1000, 25000, NULL},
	{"the add was long ago", 300000, 0,
	 "a VG was activated although it was taken down and no disk of it was added since"},
	{"the add was long ago, and a disk is slow", 300000, 25000,
	 "a VG was activated although it was taken down and no disk of it was added since"},
};

TEST_EACH(add_under_way_takes_as_long_as_any_disk_of_the_vg, delays)
{
	begin(2);
	step((struct sim_step){.op = SIM_REPEAT, .a = 1}, delays[_i].added_before_ms);
	take_down(1);
	state.disk[0].slow_ms = delays[_i].slow_ms;
	state.disk[0].fails = !delays[_i].slow_ms;
	step((struct sim_step){.op = delays[_i].slow_ms ? SIM_SLOW : SIM_FAIL, .a = 0}, 130000);
	state.disk[0].fails = false;
	step((struct sim_step){.op = delays[_i].slow_ms ? SIM_WAIT : SIM_HEAL, .a = 0}, 50000);
	activate(true);
	expect(delays[_i].kind);
}

/* An add that nobody had read when a person's command came may be read as one after it, and then it
 * waits until all PVs are recorded, however late. */
TEST_TIMES(add_that_nobody_has_read_may_count_after_the_command, 2)
{
	begin(2);
	take_down(100000);
	state.disk[0].is_foreign = state.disk[1].is_foreign = true;
	step((struct sim_step){.op = SIM_FOREIGN}, 100000);
	unplug(1, 1000);
	plug(1, _i ? 10 : 100000);
	state.disk[0].is_foreign = state.disk[1].is_foreign = false;
	step((struct sim_step){.op = SIM_FOREIGN}, 300000);
	step((struct sim_step){.op = SIM_TOUCH}, 1000);
	activate(true);
	expect(_i ? NULL : "a VG was activated although only a change made it complete");
}

/* A disk that has just been added becomes a PV of the VG. Rows: has udev read it by then? */
TEST_TIMES(add_that_is_read_when_the_disk_is_a_pv_is_one_of_the_vg, 2)
{
	begin(1);
	plug(1, 100);
	take_down(_i ? 900 : 100000);
	write_vg(2, 2);
	step((struct sim_step){.op = SIM_EXTEND, .a = 1}, 100000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* The command waited for the lock, and who is first is not known. */
TEST_TIMES(add_may_come_before_a_command_that_waits, 2)
{
	begin(2);
	state.pending_commands = _i;
	step((struct sim_step){.op = SIM_DOWN}, 1000);
	unplug(1, 1000);
	plug(1, 1000);
	state.pending_commands = 0;
	state.active_count = 0;
	strcpy(state.taken_down[0], ID);
	state.taken_down_count = 1;
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	state.taken_down_count = 0;
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	activate(true);
	expect(_i ? NULL
		  : "a VG was activated although it was taken down and no disk of it was added "
		    "since");
}

/* The disk is slow, and has become another PV: of the two its copy may be read first. It asks for
 * the VG then, and is refused when the disk has been read. */
TEST_TIMES(disk_that_is_left_when_its_copy_was_told_of_first_comes_up, 2)
{
	begin(1);
	take_down(100000);
	state.disk[0].slow_ms = 4000;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = 4000}, 1000);
	strcpy(state.disk[0].pvid, "new");
	write_vg(1, 2);
	step((struct sim_step){.op = SIM_NEW_ID, .a = 0}, _i ? 1000 : 100000);
	copy(0, 5, false);
	unplug(5, 100000);
	activate(true);
	expect(_i ? NULL
		  : "a VG was activated although it was taken down and no disk of it was added "
		    "since");
}

/* The event of the disk came while there was a shortage, and a reconcile finds it. */
TEST_TIMES(add_that_a_shortage_lost_is_found_later, 2)
{
	begin(2);
	step((struct sim_step){.op = SIM_SHORT, .n = 1}, 100000);
	if (_i)
		step((struct sim_step){.op = SIM_REPEAT, .a = 1}, 1000);
	step((struct sim_step){.op = SIM_ROOM}, 100000);
	take_down(100000);
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	activate(true);
	expect(_i ? NULL
		  : "a VG was activated although it was taken down and no disk of it was added "
		    "since");
}

/* In a shortage two disks swap their numbers, and nobody hears of it. Rows: instances have numbers;
 * they have none; nor have they, and there is no shortage. */
TEST_TIMES(disk_under_the_number_of_another_is_found_by_its_instance, 3)
{
	uint32_t minor;

	history.conf = _i ? SIM_CONF_NO_DISKSEQ : 0;
	begin(1);
	plug(1, 100000);
	take_down(100000);
	if (_i < 2)
		step((struct sim_step){.op = SIM_SHORT, .n = 4}, 1000);
	minor = state.disk[0].minor;
	state.disk[0].minor = state.disk[1].minor;
	state.disk[1].minor = minor;
	state.disk[0].diskseq += 50;
	state.disk[1].diskseq += 50;
	step((struct sim_step){.op = SIM_SWAP, .a = 0, .b = 1}, 1000);
	step((struct sim_step){.op = SIM_ROOM}, 2000000);
	expect(_i == 1 ? NULL : "a VG must be active and is not");
}

/* A disk goes, udev ends in a soft reboot, another disk gets the number, and its add is lost. Rows: had
 * udev the time to hear that the first one went; it has not, and that one came and went once more under
 * another number. */
TEST_TIMES(disk_whose_add_is_lost_may_be_known_as_the_one_before, 3)
{
	begin(1);
	take_down(100000);
	unplug(0, _i ? 1 : 100000);
	step((struct sim_step){.op = SIM_SOFT_REBOOT}, 1000);
	if (_i == 2) {
		state.disk[0].minor = 64;
		plug(0, 100000);
		unplug(0, 100000);
		state.disk[0].minor = 0;
	}
	step((struct sim_step){.op = SIM_LOSE, .a = 0}, 1000);
	plug(0, 2000000);
	expect(_i ? NULL : "a VG must be active and is not");
}

/* An activation that holds the VG's lock has read the disk when wipefs and vgcreate, which do not wait
 * for that, make another VG of it. Rows: how slow is the disk, and how long ago was that? */
static const struct {
	uint32_t slow_ms, ago_ms;
	bool is_found;
} wipes[] = {
	{1500, 2000, false},
	{1500, 100000, true},
	{0, 2000, true},
};

TEST_EACH(disk_may_become_another_vg_while_it_is_read, wipes)
{
	begin(2);
	take_down(100000);
	state.disk[1].slow_ms = wipes[_i].slow_ms;
	step((struct sim_step){.op = SIM_SLOW, .a = 1}, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	state.disk[1].vg_id[0] = '\0';
	step((struct sim_step){.op = SIM_WIPE, .a = 1}, 1);
	strcpy(state.disk[1].vg_id, "vg1-id");
	step((struct sim_step){.op = SIM_CREATE, .a = 1}, wipes[_i].ago_ms);
	activate(true);
	state.active[0].disks = 1U << 5 | 1U << 1;
	rest();
	ck_assert(sim_findings_have(&findings, "a VG was activated on a disk of another VG") ==
		  wipes[_i].is_found);
}

/* vgcreate took a slow disk and one that comes again before the slow one has been read: until then
 * the VG lacks a PV. Rows: is it slow, and had it time? The last: udev was perhaps still reading it for its
 * add. */
TEST_TIMES(vg_whose_slow_disk_is_not_read_yet_may_stay_down, 4)
{
	plug(1, 100000);
	plug(0, _i == 3 ? 500 : 100000);
	state.disk[0].slow_ms = _i ? 2500 : 0;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = 2500}, _i == 3 ? 500 : 100000);
	write_vg(2, 3);
	step((struct sim_step){.op = SIM_CREATE}, _i == 2 ? 100000 : 1000);
	take_down(1000);
	unplug(1, 1);
	plug(1, 1);
	step((struct sim_step){.op = SIM_WAIT}, 2000000);
	expect(!_i	 ? "a VG must be active and is not"
	       : _i != 2 ? NULL
			 : "a VG on a slow disk must be active and is not");
}

/* A person takes a VG down that lacks a PV. Rows: nothing is activated in part; it is, but the VG is
 * complete; it lacks one. */
TEST_TIMES(wait_to_be_activated_in_part_is_ended_by_no_command, 3)
{
	history.conf = _i ? SIM_CONF_PARTIAL : 0;
	begin(2);
	if (_i == 2)
		unplug(1, 100000);
	take_down(100000);
	activate(true);
	expect(_i == 2 ? NULL : TAKEN_DOWN);
}

/* Rows: one reader is killed, as for lack of memory; two are; the runner is, too, or is restarted. */
static const enum sim_op with_reader[] = {SIM_WAIT, SIM_KILL_READER, SIM_KILL, SIM_RESTART};

TEST_EACH(repeated_add_that_two_processes_died_of_may_be_lost, with_reader)
{
	begin(1);
	take_down(100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1);
	step((struct sim_step){.op = SIM_KILL_READER, .n = 3}, 1);
	step((struct sim_step){.op = with_reader[_i], .n = 3}, 1);
	step((struct sim_step){.op = SIM_WAIT}, 2000000);
	expect(_i ? NULL : "a VG must be active and is not");
}

/* Another host changes the VG without one of its disks, and a command here with it. Rows: no add came
 * since the VG was taken down; one did. */
TEST_TIMES(add_waits_for_a_disk_with_outdated_metadata, 2)
{
	begin(2);
	take_down(100000);
	if (_i)
		step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1);
	state.disk[0].seqno = 2;
	step((struct sim_step){.op = SIM_ACT_ELSEWHERE}, 100000);
	write_vg(2, 3);
	step((struct sim_step){.op = SIM_TOUCH}, 1000);
	activate(true);
	expect(_i ? NULL : "a VG was activated although only a change made it complete");
}

/* A disk was wiped, and a copy of it is added. Rows: does it answer at once? */
TEST_TIMES(copy_of_a_slow_disk_that_was_wiped_is_a_change, 2)
{
	begin(1);
	take_down(100000);
	state.disk[0].slow_ms = _i ? 12000 : 0;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = 12000}, 1000000);
	copy(0, 5, false);
	unplug(5, 1000000);
	state.disk[0].is_pv = false;
	state.disk[0].pvid[0] = state.disk[0].vg_id[0] = '\0';
	step((struct sim_step){.op = SIM_WIPE, .a = 0}, 1);
	plug(5, 2000000);
	expect(_i ? NULL : "a VG must be active and is not");
}

/* It went before anybody had read that it was wiped, or after. */
TEST_TIMES(copy_of_a_wiped_disk_that_goes_unread_may_stay_down, 2)
{
	begin(1);
	take_down(100000);
	copy(0, 5, false);
	unplug(5, 1000);
	state.disk[0].slow_ms = 4000;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = 4000}, 1000000);
	state.disk[0].is_pv = false;
	state.disk[0].pvid[0] = state.disk[0].vg_id[0] = '\0';
	step((struct sim_step){.op = SIM_WIPE, .a = 0}, 1);
	plug(5, _i ? 2000 : 1000000);
	unplug(0, 2000000);
	expect(_i ? NULL : "a VG must be active and is not");
}

/* udev gave up on the disk, and asks for it again after a reconcile. Rows: it hung for its add or
 * did not. */
TEST_TIMES(disk_that_hung_for_its_add_is_added_by_a_reconcile, 2)
{
	begin(1);
	unplug(0, 1000000);
	plug(0, 1000);
	state.disk[0].hangs = _i;
	step((struct sim_step){.op = _i ? SIM_HANG : SIM_WAIT, .a = 0}, 1000);
	take_down(1000);
	state.disk[0].hangs = false;
	step((struct sim_step){.op = SIM_HEAL, .a = 0}, 700000);
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* A command made it a PV in a shortage, or while there was none: its copy may be read first. */
TEST_TIMES(copy_of_what_a_shortage_hid_is_no_copy, 2)
{
	begin(1);
	if (_i)
		step((struct sim_step){.op = SIM_SHORT, .n = 1}, 100000);
	strcpy(state.disk[0].pvid, "new");
	write_vg(1, 2);
	step((struct sim_step){.op = SIM_NEW_ID, .a = 0}, 1000);
	step((struct sim_step){.op = SIM_ROOM}, 100000);
	take_down(100000);
	copy(0, 5, false);
	unplug(5, 100000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* The event of the disk was lost for a shortage, and no link leads to it. */
TEST_TIMES(part_is_activated_if_a_shortage_lost_the_rest, 2)
{
	history.conf = SIM_CONF_PARTIAL | SIM_CONF_NO_LINKS;
	begin(2);
	take_down(1000);
	unplug(1, 100000);
	plug(1, 1);
	step((struct sim_step){.op = _i ? SIM_SHORT : SIM_WAIT, .n = 1}, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].has_error_target = true;
	expect(_i ? NULL : "a VG was activated in part although the disk is there");
}

/* Of the slow disk nobody knows until udev has read it: rows: it may still be at it, or is not. */
TEST_TIMES(part_is_activated_before_udev_has_read_the_rest, 2)
{
	history.conf = SIM_CONF_PARTIAL;
	begin(2);
	take_down(1000);
	unplug(1, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 10000);
	state.disk[1].slow_ms = 12000;
	plug(1, _i ? 11000 : 20000);
	activate(true);
	state.active[0].has_error_target = true;
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	ck_assert_int_eq(findings.count > 0, !_i);
}

/* The activation that an add began waits for another, slow disk of the VG as well. */
TEST_TIMES(add_beside_a_slow_disk_takes_longer, 2)
{
	begin(2);
	state.disk[1].slow_ms = _i ? 12000 : 0;
	step((struct sim_step){.op = SIM_SLOW, .a = 1}, 200000);
	unplug(0, 1000);
	plug(0, 1000);
	take_down(100000);
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* A worker or a reader is killed at a slow disk: what it did begins anew. */
TEST_TIMES(killed_process_begins_anew_at_a_slow_disk, 2)
{
	begin(1);
	unplug(0, 1000);
	state.disk[0].slow_ms = 12000;
	plug(0, 484000);
	step((struct sim_step){.op = _i ? SIM_KILL_WORKER : SIM_WAIT}, 1000);
	take_down(80000);
	step((struct sim_step){.op = SIM_WAIT}, 20000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* udev could not read the disk for its add, which a reconcile finds; that it is slow is no sooner
 * end. */
TEST_TIMES(add_that_could_not_be_read_is_found_later, 2)
{
	begin(1);
	unplug(0, 1000);
	plug(0, 1);
	state.disk[0].fails = _i;
	step((struct sim_step){.op = _i ? SIM_FAIL : SIM_WAIT, .a = 0}, 1000);
	state.disk[0].fails = false;
	step((struct sim_step){.op = _i ? SIM_HEAL : SIM_WAIT, .a = 0}, 1000);
	state.disk[0].slow_ms = 1;
	step((struct sim_step){.op = SIM_SLOW, .a = 0}, 1000);
	take_down(100000);
	step((struct sim_step){.op = SIM_WAIT}, 500000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* The slow disk got a new PV UUID, which nobody knows until udev has read it. */
TEST_TIMES(part_is_activated_before_udev_has_read_a_new_uuid, 2)
{
	history.conf = SIM_CONF_PARTIAL;
	begin(2);
	take_down(100000);
	state.disk[1].slow_ms = 4000;
	step((struct sim_step){.op = SIM_SLOW, .a = 1}, 100000);
	strcpy(state.disk[1].pvid, "new");
	write_vg(2, 2);
	step((struct sim_step){.op = SIM_NEW_ID, .a = 1}, _i ? 1000 : 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].has_error_target = true;
	expect(_i ? NULL : "a VG was activated in part although the disk is there");
}

/* Rows: the slow disk was read for its add before it goes, udev has not read it, or we have not; another
 * path of it is left. */
TEST_TIMES(add_of_a_disk_that_goes_unread_is_none, 3)
{
	static const uint32_t after_ms[] = {600000, 10, 8000};

	begin(1);
	take_down(100000);
	state.disk[0].slow_ms = 5000;
	step((struct sim_step){.op = SIM_SLOW, .a = 0}, 1000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 10);
	state.disk[5] = state.disk[0];
	state.disk[5].is_there = false;
	state.disk[5].slow_ms = 0;
	state.disk[5].of = 0;
	plug(5, after_ms[_i]);
	unplug(0, 900000);
	expect(_i ? NULL : "a VG must be active and is not");
}

/* The coldplug of a soft reboot comes after it. Rows: udev loses a later event, or that of the
 * coldplug. */
TEST_TIMES(coldplug_may_be_lost, 2)
{
	begin(1);
	take_down(100000);
	step((struct sim_step){.op = SIM_SOFT_REBOOT}, _i ? 10 : 100000);
	step((struct sim_step){.op = SIM_LOSE, .a = 0}, 900000);
	expect(_i ? NULL : "a VG must be active and is not");
}

/* The disk was made another PV, which a boot learns when it has read it: it remembers the PV, which
 * is on a copy now. Rows: the disk is healthy, or slow; another one hangs. */
TEST_TIMES(boot_waits_for_the_disk_that_it_remembers, 2)
{
	plug(4, 1000);
	begin(1);
	copy(0, 5, false);
	state.disk[4].hangs = true;
	step((struct sim_step){.op = SIM_HANG, .a = 4}, 1000);
	state.disk[0].slow_ms = _i ? 5000 : 0;
	strcpy(state.disk[0].pvid, "new");
	strcpy(state.disk[0].pv[0], "new");
	strcpy(state.disk[0].vg_id, "vg1-id");
	strcpy(state.disk[0].vg_name, "vg1");
	step((struct sim_step){.op = SIM_CLONE, .a = 0}, 100000);
	state.active_count = 0;
	for (unsigned i = 0; i < SIM_DISKS; i++)
		state.disk[i].diskseq += 50;
	step((struct sim_step){.op = SIM_REBOOT}, 14000);
	activate(true);
	state.active[0].disks = 1U << 5;
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	check_findings(_i ? NULL : "a VG on healthy disks waited for others");
}

/* vgremove has removed the records of its PVs. Rows: do links lead to them? */
TEST_TIMES(vg_that_was_made_of_removed_pvs_may_lack_one, 2)
{
	history.conf = SIM_CONF_PARTIAL | (_i ? SIM_CONF_NO_LINKS : 0);
	begin(2);
	for (unsigned i = 0; i < 2; i++)
		state.disk[i].vg_id[0] = '\0';
	step((struct sim_step){.op = SIM_REMOVE}, 1000);
	write_vg(2, 2);
	step((struct sim_step){.op = SIM_CREATE}, 100000);
	take_down(100000);
	unplug(1, 1000);
	plug(1, 700000);
	expect(_i ? NULL : "a VG must be active and is not");
}

/* Rows: do links lead to them? Has a reconcile found them by the time that the VG is taken down? */
TEST_TIMES(vg_of_a_removed_pv_is_not_dealt_with_before_a_reconcile, 3)
{
	history.conf = _i ? SIM_CONF_NO_LINKS : 0;
	begin(2);
	state.disk[1].vg_id[0] = '\0';
	step((struct sim_step){.op = SIM_REDUCE, .a = 1}, 1000);
	write_vg(2, 3);
	step((struct sim_step){.op = SIM_EXTEND, .a = 1}, _i == 2 ? 700000 : 100000);
	take_down(700000);
	activate(true);
	expect(_i == 1 ? NULL : TAKEN_DOWN);
}

/* udev hears of no change of a disk through another path of it, so its PV counts as one whose event
 * was lost. */
TEST_TIMES(pv_that_was_made_through_another_path_is_found_later, 2)
{
	plug(0, 1000);
	state.disk[1] = state.disk[0];
	if (!_i)
		strcpy(state.disk[1].wwid, "naa.copy");
	state.disk[1].is_there = false;
	state.disk[1].of = 0;
	plug(1, 100000);
	strcpy(state.disk[0].pvid, "new");
	strcpy(state.disk[1].pvid, "new");
	write_vg(1, 1);
	state.disk[1].is_pv = true;
	state.disk[1].seqno = state.disk[1].pv_count = 1;
	strcpy(state.disk[1].vg_id, ID);
	strcpy(state.disk[1].vg_name, "vg0");
	strcpy(state.disk[1].pv[0], "new");
	activate(false);
	step((struct sim_step){.op = SIM_CREATE}, 200000);
	take_down(100000);
	unplug(0, 100000);
	activate(true);
	state.active[0].disks = 1U << 1;
	expect(_i ? NULL
		  : "a VG was activated although it was taken down and no disk of it was added "
		    "since");
}

/* The memory of the boot tells the disk from its copy. A command that rejects another disk of the
 * VG comes while it is activated, or long after. */
TEST_TIMES(activation_by_memory_may_end_after_another_disk_is_rejected, 2)
{
	begin(2);
	take_down(1000);
	copy(0, 5, false);
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 10);
	state.disk[1].is_rejected = state.disk[5].is_rejected = true;
	step((struct sim_step){.op = SIM_LIST}, _i ? 10 : 200000);
	step((struct sim_step){.op = SIM_WAIT}, 10);
	activate(true);
	expect(_i ? NULL : "a VG was activated although one of its PVs is not there");
}

/* Nobody has read yet that the copy became a PV of another VG when it goes. Rows: this was read;
 * it was not; it is another path of the disk, of whose change udev does not hear. */
TEST_TIMES(copy_that_went_before_its_change_was_read_went_as_a_copy, 3)
{
	begin(1);
	take_down(100000);
	copy(0, 5, false);
	strcpy(state.disk[5].wwid, "naa.first");
	copy(5, 4, _i == 2);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 100000);
	for (unsigned i = 4; i <= 5; i++) {
		strcpy(state.disk[i].pvid, "new");
		strcpy(state.disk[i].vg_id, "vg1-id");
		strcpy(state.disk[i].vg_name, "vg1");
		strcpy(state.disk[i].pv[0], "new");
	}
	step((struct sim_step){.op = SIM_CLONE, .a = 4}, _i == 1 ? 10 : 100000);
	unplug(5, 1000);
	activate(true);
	expect(_i ? NULL
		  : "a VG was activated although vgimportclone made it and no disk of it was "
		    "added since");
}

/* Rows: what begins the reconcile, and how fast is the disk, which had no PV then? */
static const struct {
	enum sim_op op;
	uint32_t slow_ms;
	const char *kind;
} probes[] = {
	{SIM_OVERFLOW, 1000, NULL},
	{SIM_SWEEP, 1000, NULL},
	{SIM_SWEEP, 0, TAKEN_DOWN},
	{SIM_WAIT, 1000, TAKEN_DOWN},
};

TEST_EACH(pv_that_is_made_while_a_reconcile_reads_the_disk_was_missed, probes)
{
	plug(0, 200000);
	state.disk[0].slow_ms = probes[_i].slow_ms;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = probes[_i].slow_ms}, 200000);
	step((struct sim_step){.op = probes[_i].op}, 20);
	write_vg(1, 1);
	activate(false);
	step((struct sim_step){.op = SIM_CREATE, .a = 1}, 300);
	take_down(500);
	activate(true);
	expect(probes[_i].kind);
}

/* A worker has read the disk before it is wiped, and waits for the other. Row 1: long before. */
TEST_TIMES(activation_may_end_after_a_disk_of_it_was_wiped, 2)
{
	begin(2);
	take_down(100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, _i ? 200000 : 5000);
	state.disk[0].is_pv = false;
	state.disk[0].vg_id[0] = '\0';
	step((struct sim_step){.op = SIM_WIPE, .a = 0}, 1);
	step((struct sim_step){.op = SIM_WAIT}, 2000);
	activate(true);
	expect(_i ? "a VG was activated although one of its PVs is not there" : NULL);
}

/* The disk comes back beside its copy, then the rest of the VG, before anybody was told of the
 * disk.
 */
TEST(copy_counts_until_udev_has_told_of_the_disk)
{
	begin(2);
	copy(1, 5, false);
	take_down(100000);
	unplug(0, 1000);
	unplug(1, 100000);
	plug(1, 20);
	plug(0, 20);
	activate(true);
	state.active[0].disks = 1U | 1U << 5;
	expect(NULL);
}

/*
 * The memory names only where it may have found the PV. Rows: the copy was alone for a while,
 * before a reboot or not; then the disk was used alone for so long that the memory has been
 * renewed; the copy was never alone, also not before a reboot; it was, as another PV; it has no id.
 */
TEST_TIMES(copy_may_be_remembered_where_it_was_found, 7)
{
	const bool was_alone = _i < 3 || _i == 6, is_rebooted = _i == 1 || _i == 4;

	begin(1);
	take_down(100000);
	if (was_alone)
		unplug(0, 1000);
	if (_i == 5)
		strcpy(state.disk[0].pvid, "pv-of-before");
	copy(0, 5, false);
	if (_i == 6)
		state.disk[5].wwid[0] = '\0';
	if (was_alone) {
		step((struct sim_step){.op = SIM_WAIT}, 100000);
		unplug(5, 1000);
		plug(0, 100000);
		activate(true);
		step((struct sim_step){.op = SIM_WAIT}, _i == 2 ? 700000 : 100000);
		plug(5, 1000);
	} else if (_i == 5) {
		step((struct sim_step){.op = SIM_WAIT}, 100000);
		strcpy(state.disk[0].pvid, "pv0");
		strcpy(state.disk[5].pvid, "pv0");
	}
	take_down(100000);
	if (is_rebooted)
		step((struct sim_step){.op = SIM_REBOOT}, 100000);
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].disks = 1U << 5;
	expect(_i < 2 ? NULL : "a VG was activated although one of its PVs is on two disks");
}

/* udev loses an event of a disk that is away: its next one, however long it is away. Rows: at once,
 * later, or the event was lost before it went. */
TEST_TIMES(the_next_event_of_a_disk_that_is_away_is_lost, 3)
{
	const struct sim_step lose = {.op = SIM_LOSE};

	begin(1);
	if (_i == 2)
		step(lose, 1000);
	unplug(0, 1000);
	if (_i < 2)
		step(lose, 1000);
	if (_i == 1)
		step((struct sim_step){.op = SIM_WAIT}, 1000);
	plug(0, 100000);
	take_down(600000);
	activate(true);
	expect(_i < 2 ? NULL : TAKEN_DOWN);
}

/* The VG is taken down before or after anybody could read the disk, whose add is refused for a
 * copy. Then the copy goes. */
TEST_TIMES(add_that_was_unread_when_the_vg_went_down_may_be_refused_later, 2)
{
	begin(1);
	copy(0, 5, false);
	unplug(0, 1000);
	state.disk[0].slow_ms = 20000;
	step((struct sim_step){.op = SIM_SLOW, .n = 20000}, 1000);
	plug(0, _i ? 1000 : 1000000);
	take_down(1000000);
	unplug(5, 1000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* The same if another disk of the VG is slow, and is read for the add. */
TEST_TIMES(add_that_waited_for_a_slow_disk_may_be_refused_later, 2)
{
	begin(2);
	copy(0, 5, false);
	state.disk[1].slow_ms = _i ? 1000 : 0;
	step((struct sim_step){.op = SIM_SLOW, .a = 1, .n = 1000}, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 4000);
	take_down(1000000);
	unplug(5, 1000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* vgremove has removed the record of a disk, so the add of the VG's other disk waits until the
 * runner finds it: when udev is idle, which a disk that hangs delays. Rows: none hangs; one has
 * hung before; one hangs since. */
TEST_TIMES(add_beside_a_disk_without_record_waits_for_udev, 3)
{
	plug(0, 1000);
	plug(1, 1000);
	write_vg(1, 1);
	strcpy(state.disk[0].vg_id, "vg-before");
	step((struct sim_step){.op = SIM_CREATE}, 200000);
	write_vg(2, 1);
	activate(false);
	step((struct sim_step){.op = SIM_CREATE, .a = 3}, 200000);
	state.disk[5].hangs = true;
	unplug(1, 1000);
	if (_i == 1)
		plug(5, 1000);
	plug(1, 10000);
	if (_i == 2)
		plug(5, 1000);
	step((struct sim_step){.op = SIM_WAIT}, 60000);
	take_down(100000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* udev had begun to read the disk, and goes on as slowly after it has hung: until then its copy
 * counts. Rows: it was slow before it hung; it was not. */
TEST_TIMES(a_read_that_hung_goes_on_as_slowly_as_it_began, 2)
{
	begin(1);
	unplug(0, 1000);
	state.disk[0].slow_ms = _i ? 0 : 8000;
	plug(0, 50);
	state.disk[0].hangs = true;
	step((struct sim_step){.op = SIM_HANG}, 1000);
	ck_assert_uint_eq(oracle.course.told_ms[0], SIM_EVER);
	state.disk[0].hangs = false;
	state.disk[0].slow_ms = 0;
	step((struct sim_step){.op = SIM_HEAL}, 1000);
	ck_assert_int_eq(oracle.course.told_ms[0] > state.now_ms, !_i);
	ck_assert_uint_lt(oracle.course.told_ms[0], SIM_EVER);
}

/* An add of the disk came while it gave only errors: so nobody knows of it when it is well again,
 * and its copy is the PV. Rows: that add; none; that and another one since; it fails while udev
 * reads it. */
TEST_TIMES(disk_that_failed_in_its_add_is_not_told, 4)
{
	const struct sim_step add = {.op = SIM_REPEAT};

	begin(1);
	copy(0, 5, false);
	take_down(100000);
	if (_i == 3)
		step(add, 10);
	state.disk[0].fails = true;
	step((struct sim_step){.op = SIM_FAIL}, 1000);
	if (_i == 0 || _i == 2)
		step(add, 1000);
	step((struct sim_step){.op = SIM_WAIT}, 700000);
	state.disk[0].fails = false;
	step((struct sim_step){.op = SIM_HEAL}, 1000);
	ck_assert_int_eq(oracle.course.told_ms[0] == SIM_EVER, _i != 1);
	if (_i == 2)
		step(add, 1000);
	ck_assert_int_eq(oracle.course.told_ms[0] == SIM_EVER, _i == 0 || _i == 3);
}
