/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The oracle, on states that are made up here: what it finds, and what it must not find. */
#include "unit/sim/oracle_scratch.h"

TEST(vg_that_was_taken_down_stays_down)
{
	begin(2);
	take_down(1000);
	activate(true);
	expect(TAKEN_DOWN);
}

TEST(vg_comes_back_with_an_add)
{
	begin(2);
	take_down(1000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 1}, 1000);
	activate(true);
	expect(NULL);
}

TEST(vg_must_come_back_with_an_add)
{
	begin(2);
	take_down(1000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 1}, 1000);
	expect("a VG must be active and is not");
}

/* A command had its lock, and vgchange -an waited for that when the disk came. */
TEST_TIMES(vg_that_is_going_down_may_stay_so, 2)
{
	begin(2);
	take_down(1000);
	unplug(0, 1000);
	state.pending_commands = _i;
	take_down(1000);
	plug(0, 1000);
	state.pending_commands = 0;
	expect(_i ? NULL : "a VG must be active and is not");
}

TEST(change_asks_for_nothing)
{
	begin(2);
	take_down(1000);
	step((struct sim_step){.op = SIM_CHANGE, .a = 1}, 1000);
	step((struct sim_step){.op = SIM_TOUCH}, 1000);
	expect(NULL);
}

TEST(add_under_way_may_come_after_the_command)
{
	begin(2);
	step((struct sim_step){.op = SIM_REPEAT, .a = 1}, 1000);
	take_down(1000);
	activate(true);
	expect(NULL);
}

TEST(slow_answer_to_a_change_activates_nothing)
{
	begin(2);
	take_down(1000);
	state.disk[1].slow_ms = 4000;
	step((struct sim_step){.op = SIM_SLOW, .a = 1, .n = 4000}, 1000);
	step((struct sim_step){.op = SIM_CHANGE, .a = 1}, 20000);
	activate(true);
	expect(TAKEN_DOWN);
}

TEST(vg_without_a_pv_is_not_activated)
{
	begin(2);
	take_down(1000);
	unplug(0, 200000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 1}, 1000);
	activate(true);
	expect("a VG was activated although one of its PVs is not there");
}

TEST_TIMES(copy_forbids_and_a_path_does_not, 2)
{
	begin(1);
	take_down(1000);
	copy(0, 5, _i);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].disks = 1U << 5; /* nothing is remembered of it */
	expect(_i ? NULL : "a VG was activated although one of its PVs is on two disks");
}

/* The memory of the boot knows it, the other one was never there alone. */
TEST(what_was_there_first_may_be_remembered)
{
	begin(1);
	take_down(1000);
	copy(0, 5, false);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	ck_assert_uint_eq(findings.count, 0);
	take_down(1000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].disks = 1U << 5;
	expect("a VG was activated although one of its PVs is on two disks");
}

/* Before the last step only the copy was wrong, which was never there alone. */
TEST_TIMES(activation_may_be_right_by_the_state_before, 2)
{
	begin(2);
	take_down(1000);
	copy(0, 5, false);
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].disks = _i ? 1 : 1U << 5;
	state.disk[1].is_rejected = state.disk[5].is_rejected = true;
	step((struct sim_step){.op = SIM_LIST}, 1000);
	ck_assert_int_eq(findings.count > 0, !_i);
}

/* Another path of the disk that was there first comes beside a copy, or another copy does. */
TEST_TIMES(path_of_what_was_there_first_is_as_good, 2)
{
	begin(1);
	take_down(1000);
	copy(0, 5, false);
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	copy(0, 4, _i);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].disks = 1U << 4;
	expect(_i ? NULL : "a VG was activated although one of its PVs is on two disks");
}

/* It comes in place of the disk, after the VG was taken down. */
TEST_TIMES(path_that_comes_back_beside_a_copy_asks_for_the_vg, 2)
{
	begin(1);
	copy(0, 5, false);
	strcpy(state.disk[5].wwid, "naa.other");
	take_down(100000);
	unplug(0, 1000);
	copy(0, 4, _i);
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	activate(true);
	state.active[0].disks = 1U << 4;
	expect(_i ? NULL : "a VG was activated although one of its PVs is on two disks");
}

TEST(copy_that_goes_brings_nothing_up)
{
	begin(1);
	take_down(1000);
	copy(0, 5, false);
	unplug(5, 1000);
	activate(true);
	expect(TAKEN_DOWN);
}

/* The disk asked for the VG, and was refused for the copy. */
TEST(copy_that_is_left_when_the_disk_was_added_comes_up)
{
	begin(1);
	copy(0, 5, false);
	take_down(100000);
	unplug(0, 1000);
	plug(0, 1000);
	unplug(0, 100000);
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	activate(true);
	state.active[0].disks = 1U << 5;
	expect(NULL);
}

/* A devices file may say which of the two is the PV. */
TEST_TIMES(copy_that_is_listed_worse_does_not_count, 2)
{
	begin(1);
	take_down(100000);
	copy(0, 5, false);
	state.disk[0].listing = _i ? 2 : 1;
	state.disk[5].listing = 1;
	step((struct sim_step){.op = SIM_LIST}, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].disks = 1U << 5;
	expect(_i ? NULL : "a VG was activated although one of its PVs is on two disks");
}

/* vgremove has removed the record of the disk, or it had none while the VG was not this host's: so
 * without links nobody knows of it. */
TEST_TIMES(copy_of_a_pv_without_record_is_found_by_links, 6)
{
	static const enum sim_op without[] = {SIM_REMOVE, SIM_FOREIGN, SIM_EXPORT};

	history.conf = _i % 2 ? SIM_CONF_NO_LINKS : 0;
	history.step[history.count++].op = without[_i / 2];
	begin(1);
	take_down(100000);
	copy(0, 5, false);
	activate(true);
	state.active[0].disks = 1U << 5;
	rest();
	ck_assert_int_eq(findings.count > 0, _i % 2 == 0);
}

/*
 * A disk and a copy of it, on which the VG is activated. What the disk shows meanwhile counts from
 * when it was read. Rows: what it becomes, and before or after that it is copied; whether it is
 * slow or fails; what happens last; and how long these two steps take.
 */
static const struct {
	const char *claim;
	enum sim_op becomes;
	bool is_copied_later, fails;
	uint32_t slow_ms;
	uint64_t becomes_ms;
	enum sim_op last;
	uint64_t last_ms;
	const char *kind;
} unread[] = {
	{"another host's, read in the boot", SIM_FOREIGN, false, false, 0, 100000, SIM_REBOOT,
	 100000, "a VG was activated although it belongs to another host"},
	{"another host's, not read yet in the boot", SIM_FOREIGN, false, false, 0, 100000,
	 SIM_REBOOT, 50, NULL},
	{"another host's, slow, but read in the boot", SIM_FOREIGN, false, false, 4000, 100000,
	 SIM_REBOOT, 100000, "a VG was activated although it belongs to another host"},
	{"another host's, slow in the boot", SIM_FOREIGN, false, false, 4000, 100000, SIM_REBOOT,
	 1000, NULL},
	{"another host's, and it can be read", SIM_FOREIGN, false, false, 0, 1, SIM_WAIT, 100000,
	 "a VG was activated although it belongs to another host"},
	{"another host's, and it fails before it is read", SIM_FOREIGN, false, true, 0, 1, SIM_FAIL,
	 100000, NULL},
	{"another PV, read", SIM_NEW_ID, false, false, 4000, 100000, SIM_WAIT, 1000,
	 "a VG was activated from outdated metadata"},
	{"another PV, not told of yet", SIM_NEW_ID, false, false, 4000, 1000, SIM_WAIT, 1000, NULL},
	{"another PV, read before the copy came", SIM_NEW_ID, true, false, 4000, 100000, SIM_WAIT,
	 1000, "a VG was activated although one of its PVs is on two disks"},
	{"another PV, and the copy told of first", SIM_NEW_ID, true, false, 4000, 1000, SIM_WAIT,
	 1000, NULL},
	{"the same, and the copy is another PV at last", SIM_NEW_ID, true, false, 4000, 1000,
	 SIM_CLONE, 1000, NULL},
};

static void become(enum sim_op op, uint64_t ms)
{
	state.disk[0].is_foreign = op == SIM_FOREIGN;
	state.disk[0].seqno = 2;
	if (op == SIM_NEW_ID) {
		strcpy(state.disk[0].pvid, "new");
		write_vg(1, 2);
	}
	step((struct sim_step){.op = op, .a = 0}, ms);
}

TEST_EACH(what_nobody_has_read_of_a_disk_does_not_count, unread)
{
	begin(1);
	take_down(100000);
	if (!unread[_i].is_copied_later)
		copy(0, 5, false);
	state.disk[0].slow_ms = unread[_i].slow_ms;
	if (unread[_i].slow_ms)
		step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = unread[_i].slow_ms}, 1000);
	become(unread[_i].becomes, unread[_i].becomes_ms);
	if (unread[_i].is_copied_later)
		copy(0, 5, false);
	state.disk[0].fails = unread[_i].fails;
	if (unread[_i].last != SIM_CLONE)
		step((struct sim_step){.op = unread[_i].last, .a = 0}, unread[_i].last_ms);
	activate(true);
	state.active[0].disks = 1U << 5;
	state.active[0].seqno = state.disk[5].seqno;
	if (unread[_i].last == SIM_CLONE) {
		strcpy(state.disk[5].pvid, "clone");
		strcpy(state.disk[5].vg_id, "vg1-id");
		step((struct sim_step){.op = SIM_CLONE, .a = 5}, unread[_i].last_ms);
	}
	expect(unread[_i].kind);
}

TEST_TIMES(add_of_a_slow_disk_takes_no_longer_if_the_reader_is_killed, 2)
{
	begin(1);
	take_down(100000);
	unplug(0, 1000);
	state.disk[0].slow_ms = 4000;
	plug(0, 1000);
	step((struct sim_step){.op = _i ? SIM_KILL_READER : SIM_SWEEP}, 1000);
	activate(false);
	step((struct sim_step){.op = SIM_UP}, 1000);
	take_down(200000);
	step((struct sim_step){.op = SIM_WAIT}, 300000);
	activate(true);
	expect(TAKEN_DOWN);
}

TEST_TIMES(disk_whose_pvid_is_listed_may_be_used_if_it_is_alone, 2)
{
	begin(2);
	take_down(100000);
	unplug(1, 100000);
	state.disk[1].is_rejected = true;
	state.disk[1].is_listed_by_pvid = _i;
	plug(1, 100000);
	activate(true);
	expect(_i ? NULL : "a VG was activated although one of its PVs is not there");
}

TEST_TIMES(disk_whose_pvid_is_listed_may_be_all_of_its_vg, 2)
{
	begin(1);
	take_down(100000);
	unplug(0, 100000);
	state.disk[0].is_rejected = true;
	state.disk[0].is_listed_by_pvid = _i;
	plug(0, 100000);
	activate(true);
	expect(_i ? NULL : "a VG was activated although none of its PVs is there");
}

/* A PV was away when the VG was reduced. Rows: does it come back? */
TEST_TIMES(add_with_older_metadata_may_bring_up_a_vg_that_is_whole, 2)
{
	begin(2);
	take_down(100000);
	unplug(1, 100000);
	write_vg(1, 2);
	step((struct sim_step){.op = SIM_REDUCE_MISSING}, 100000);
	if (_i)
		plug(1, 100);
	activate(true);
	expect(_i ? NULL : "a VG was activated although only a change made it complete");
}

TEST_TIMES(pv_of_no_vg_is_that_of_the_metadata, 2)
{
	begin(2);
	take_down(100000);
	strcpy(state.disk[1].vg_id, _i ? "vg1-id" : "");
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 100000);
	activate(true);
	state.active[0].disks = 3;
	expect(_i ? "a VG was activated on a disk of another VG" : NULL);
}

TEST(outdated_metadata_are_not_used)
{
	begin(2);
	take_down(1000);
	state.disk[1].seqno = 2;
	step((struct sim_step){.op = SIM_ACT_ELSEWHERE, .a = 2}, 200000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 1}, 1000);
	activate(true);
	expect("a VG was activated from outdated metadata");
}

TEST(deactivation_is_a_person_s)
{
	begin(1);
	state.active_count = 0;
	step((struct sim_step){.op = SIM_SWEEP}, 1000);
	expect("a VG was deactivated and nobody asked for that");
}

TEST(tables_lie_on_the_disks_that_are_there)
{
	begin(1);
	take_down(100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 100000);
	activate(true);
	state.active[0].lost_disks = 1;
	expect("a VG was activated on a device that is gone");
}

TEST_TIMES(part_is_not_activated_while_the_rest_is_slow, 2)
{
	history.conf = SIM_CONF_PARTIAL;
	begin(2);
	take_down(1000);
	unplug(1, 100000);
	if (_i) {
		state.disk[1].slow_ms = 4000;
		plug(1, 30000);
	}
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].has_error_target = true;
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	ck_assert_uint_eq(findings.count, _i);
	if (_i)
		expect("a VG was activated in part although the disk is there");
}

/* vgremove removes the record, and nothing leads to the disk where udev does not link it. */
TEST_TIMES(part_is_activated_if_nothing_leads_to_the_rest, 2)
{
	history.conf = SIM_CONF_PARTIAL | (_i ? SIM_CONF_NO_LINKS : 0);
	history.step[history.count++].op = SIM_REMOVE;
	begin(2);
	take_down(200000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].has_error_target = true;
	expect(_i ? NULL : "a VG was activated in part although the disk is there");
}

/* Rows: another disk hangs; this one was slow; neither. */
static const struct {
	bool hangs;
	uint32_t slow_ms, took_ms;
	const char *kind;
} waits[] = {
	{true, 0, 14000, "a VG on healthy disks waited for others"},
	{true, 0, 9000, NULL},
	{true, 4000, 14000, NULL},
	{false, 0, 14000, NULL},
};

TEST_EACH(vg_on_healthy_disks_waits_for_no_others, waits)
{
	begin(1);
	take_down(100000);
	unplug(0, 1000);
	plug(4, 1000);
	state.disk[4].hangs = waits[_i].hangs;
	step((struct sim_step){.op = waits[_i].hangs ? SIM_HANG : SIM_WAIT, .a = 4}, 1000);
	state.disk[0].slow_ms = waits[_i].slow_ms;
	plug(0, waits[_i].took_ms);
	activate(true);
	expect(waits[_i].kind);
}

/* Rows: a healthy disk; another path to it is slow, and goes; vgremove has removed its record. */
TEST_TIMES(vg_waits_for_what_its_own_disks_were, 3)
{
	begin(2);
	take_down(100000);
	if (_i == 1) {
		copy(0, 5, true);
		state.disk[5].slow_ms = 4000;
		step((struct sim_step){.op = SIM_SLOW, .a = 5}, 1000);
		unplug(5, 1000);
	} else if (_i == 2) {
		state.disk[0].vg_id[0] = '\0';
		step((struct sim_step){.op = SIM_REMOVE}, 1000);
		write_vg(2, 2);
		step((struct sim_step){.op = SIM_CREATE}, 1000);
	}
	plug(4, 1000);
	state.disk[4].hangs = true;
	step((struct sim_step){.op = SIM_HANG, .a = 4}, 1000);
	unplug(1, 1000);
	plug(1, 14000);
	activate(true);
	expect(_i ? NULL : "a VG on healthy disks waited for others");
}

/* Rows: is its PV on a copy, which the last good boot did not have? */
TEST_TIMES(boot_waits_for_udev_before_it_takes_another_disk, 2)
{
	begin(1);
	take_down(100000);
	state.disk[4].hangs = true;
	plug(4, 1000);
	if (_i) {
		copy(0, 5, false);
		unplug(0, 1000);
	}
	step((struct sim_step){.op = SIM_SOFT_REBOOT}, 14000);
	activate(true);
	state.active[0].disks = _i ? 1U << 5 : 1;
	expect(_i ? NULL : "a VG on healthy disks waited for others");
}

/* Rows: does it have a slow disk, which a filter rejects by the time of the next look? */
TEST_TIMES(vg_waited_for_its_disk_that_is_rejected_since, 2)
{
	begin(2);
	take_down(100000);
	state.disk[1].slow_ms = _i ? 4000 : 0;
	step((struct sim_step){.op = SIM_SLOW, .a = 1}, 1000);
	plug(4, 1000);
	state.disk[4].hangs = true;
	step((struct sim_step){.op = SIM_HANG, .a = 4}, 1000);
	unplug(0, 1000);
	plug(0, 14000);
	activate(true);
	state.disk[1].is_rejected = _i;
	step((struct sim_step){.op = _i ? SIM_REJECT : SIM_WAIT, .a = 1}, 1000);
	expect(_i ? NULL : "a VG on healthy disks waited for others");
}

/* Rows: udev has read the slow disk by then, or not. */
TEST_TIMES(disk_that_hangs_before_udev_has_read_it_may_be_done_without, 2)
{
	history.conf = SIM_CONF_PARTIAL;
	begin(2);
	take_down(100000);
	unplug(1, 1000);
	state.disk[1].slow_ms = 20000;
	plug(1, 5000);
	state.disk[1].slow_ms = 0;
	step((struct sim_step){.op = SIM_HEAL, .a = 1}, _i ? 1000 : 900000);
	state.disk[1].hangs = true;
	step((struct sim_step){.op = SIM_HANG, .a = 1}, 100000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 10000);
	activate(true);
	state.active[0].has_error_target = true;
	expect(_i ? NULL : "a VG was activated in part although the disk is there");
}

/* A killed worker left a component. Rows: is its disk still there? */
TEST_TIMES(component_on_a_disk_that_is_gone_is_left_to_a_person, 2)
{
	begin(1);
	take_down(100000);
	unplug(0, 1000);
	plug(0, 400000);
	activate(true);
	state.active[0].lvs = 0;
	state.active[0].disks = !_i;
	state.active[0].lost_disks = (uint32_t)_i;
	expect(_i ? NULL : "a VG must be active and is not");
}

/* It was activated, and is gone by the time of the next look. */
TEST(vg_that_is_gone_waited_for_nobody)
{
	begin(1);
	take_down(1000);
	unplug(0, 1000);
	plug(4, 1000);
	state.disk[4].hangs = true;
	step((struct sim_step){.op = SIM_HANG, .a = 4}, 1000);
	plug(0, 14000);
	activate(true);
	state.disk[0].is_there = false;
	state.active[0].disks = 0;
	state.active[0].lost_disks = 1;
	expect(NULL);
}

/* All disks come once more, and each may have a second path by now. */
TEST_TIMES(wait_begins_with_the_boot, 2)
{
	begin(1);
	take_down(100000);
	unplug(0, 1000);
	plug(0, 40000);
	state.disk[4].hangs = true;
	plug(4, 1000);
	copy(0, 5, true);
	step((struct sim_step){.op = SIM_SOFT_REBOOT}, _i ? 9000 : 14000);
	activate(true);
	expect(_i ? NULL : "a VG on healthy disks waited for others");
}

static const enum sim_op no_excuse[] = {SIM_WAIT, SIM_SWEEP, SIM_RESTART, SIM_CHANGE, SIM_KILL};

TEST_EACH(vg_of_a_disk_that_comes_must_be_active_whatever_else_happens, no_excuse)
{
	begin(1);
	take_down(1000);
	unplug(0, 1000);
	plug(0, 1000);
	step((struct sim_step){.op = no_excuse[_i]}, 1000);
	expect("a VG must be active and is not");
}

/* Each row makes the expectation unsure. */
static const enum sim_op excuse[] = {SIM_FULL, SIM_HANG, SIM_FAIL, SIM_REJECT, SIM_DOWN};

TEST_EACH(vg_need_not_be_active_then, excuse)
{
	begin(1);
	take_down(1000);
	unplug(0, 1000);
	plug(0, 1000);
	state.disk[0].hangs = excuse[_i] == SIM_HANG;
	state.disk[0].fails = excuse[_i] == SIM_FAIL;
	state.disk[0].is_rejected = excuse[_i] == SIM_REJECT;
	step((struct sim_step){.op = excuse[_i]}, 1000);
	expect(NULL);
}

TEST(vg_whose_worker_was_killed_twice_is_tried_again)
{
	begin(1);
	take_down(1000);
	unplug(0, 1000);
	plug(0, 1000);
	for (int i = 0; i < 2; i++)
		step((struct sim_step){.op = SIM_KILL_WORKER}, 1000);
	expect("a VG must be active and is not");
}

/* A VG that was imported under another id while it was active, for example. */
TEST_TIMES(names_may_be_those_of_a_vg_that_is_active, 2)
{
	begin(1);
	take_down(1000);
	strcpy(state.disk[1].vg_id, "other-id");
	strcpy(state.disk[1].vg_name, _i ? "vg0" : "vg1");
	state.disk[1].is_pv = true;
	plug(1, 1000);
	state.disk[1].is_pv = false;
	strcpy(state.disk[1].vg_id, "");
	unplug(0, 1000);
	plug(0, 1000);
	activate(false);
	strcpy(state.active[0].vg_id, "other-id");
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	expect(_i ? NULL : "a VG must be active and is not");
}

/* Another host changed one disk of it and renamed the VG on the other one. Rows: is that as new? */
TEST_TIMES(vg_with_two_names_of_one_age_need_not_be_active, 2)
{
	begin(2);
	take_down(1000);
	strcpy(state.disk[1].vg_name, _i ? "vg1" : "vg0");
	unplug(0, 1000);
	plug(0, 1000);
	expect(_i ? NULL : "a VG must be active and is not");
}

static void wipe_original(uint32_t slow_ms, bool is_suspended)
{
	state.disk[0].slow_ms = slow_ms;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = slow_ms}, 1000);
	state.disk[0].is_pv = false;
	state.disk[0].pvid[0] = state.disk[0].vg_id[0] = '\0';
	step((struct sim_step){.op = SIM_WIPE, .a = 0}, 1000);
	state.disk[0].is_suspended = is_suspended;
	step((struct sim_step){.op = is_suspended ? SIM_SUSPEND : SIM_WAIT, .a = 0}, 1000);
}

/* What a disk was counts until it has been read. Rows: how slow it is. */
static const struct {
	uint32_t slow_ms;
	uint32_t conf;
	const char *kind;
} wiped[] = {
	{1000, 0, "a VG on healthy disks waited for others"},
	{14000, 0, NULL},
	{1000, SIM_CONF_PROBE, NULL},
	{100, SIM_CONF_PROBE, "a VG on healthy disks waited for others"},
};

TEST_EACH(vg_waits_until_it_is_known_that_the_original_was_wiped, wiped)
{
	history.conf = wiped[_i].conf;
	begin(1);
	take_down(100000);
	copy(0, 5, false);
	unplug(5, 1000);
	wipe_original(wiped[_i].slow_ms, false);
	plug(5, 30000);
	activate(true);
	state.active[0].disks = 1U << 5;
	expect(wiped[_i].kind);
}

TEST_TIMES(vg_may_wait_for_ever_if_the_original_is_not_read_again, 2)
{
	begin(1);
	take_down(100000);
	copy(0, 5, false);
	unplug(5, 1000);
	wipe_original(1000, _i);
	plug(5, 900000);
	expect(_i ? NULL : "a VG must be active and is not");
}

/* It gets slow while the copy's add is under way (0), or when that was dealt with (1). */
TEST_TIMES(vg_may_stay_down_beside_a_wiped_disk_that_gets_slow, 2)
{
	begin(1);
	take_down(100000);
	copy(0, 5, false);
	unplug(5, 1000);
	wipe_original(0, false);
	plug(5, _i ? 900000 : 20);
	state.disk[0].slow_ms = 25000;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = 25000}, 900000);
	expect(_i ? "a VG must be active and is not" : NULL);
}

/* Rows: an event that is under way in a shortage comes with the reconcile after that, or there was
 * none; how much later the VG is activated. */
static const struct {
	bool is_under_way;
	uint64_t after_ms;
	const char *kind;
} shortages[] = {
	{true, 500000, NULL},
	{true, 900000, TAKEN_DOWN},
	{false, 500000, TAKEN_DOWN},
};

TEST_EACH(what_a_shortage_delays_comes_with_a_reconcile, shortages)
{
	begin(1);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0},
	     shortages[_i].is_under_way ? 1000 : 200000);
	take_down(1000);
	step((struct sim_step){.op = SIM_SHORT, .n = 7}, 100000);
	step((struct sim_step){.op = SIM_ROOM}, shortages[_i].after_ms);
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	activate(true);
	expect(shortages[_i].kind);
}

/* The disk is the same instance, so a reconcile does not find its add. Row 1: udev was at it. */
TEST_TIMES(add_of_a_soft_reboot_may_be_lost_in_a_shortage, 2)
{
	begin(1);
	take_down(100000);
	state.disk[0].slow_ms = 1500;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = 1500}, 1000);
	step((struct sim_step){.op = SIM_SOFT_REBOOT}, _i ? 4000 : 10000);
	step((struct sim_step){.op = SIM_SHORT, .n = 1}, 100);
	step((struct sim_step){.op = SIM_ROOM}, 900000);
	expect(_i ? NULL : "a VG on a slow disk must be active and is not");
}

/* A step within the same millisecond adds nothing to it. */
TEST(second_announcement_in_a_boot_means_nothing)
{
	history.boot = 1;
	begin(1);
	step((struct sim_step){.op = SIM_SOFT_REBOOT}, 1000);
	take_down(1000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 0);
	step((struct sim_step){.op = SIM_COPY, .a = 3, .b = 6}, 900000);
	expect(NULL);
}

/* A PV of two is away. Its disk comes, and with it a copy of the other one. Rows: the copy's event is
 * still under way when the VG comes up; it has been there for long. */
TEST_TIMES(a_copy_that_comes_with_the_last_pv_may_be_unread, 2)
{
	begin(2);
	take_down(100000);
	unplug(1, 100000);
	copy(0, 5, false);
	unplug(5, 100000);
	plug(5, _i ? 100000 : 1);
	plug(1, 1);
	activate(true);
	state.active[0].disks = 1U << 5 | 1U << 1;
	expect(_i ? "a VG was activated although one of its PVs is on two disks" : NULL);
}

/* One of three PVs comes while another one, on which no LV lies, is read. Rows: is that slow? */
TEST_TIMES(pv_that_comes_while_another_is_read_may_be_done_without, 2)
{
	history.conf = SIM_CONF_PARTIAL;
	begin(3);
	take_down(100000);
	unplug(1, 100000);
	state.disk[2].slow_ms = _i ? 8000 : 0;
	step((struct sim_step){.op = SIM_SLOW, .a = 2}, 100000);
	plug(1, 25000);
	activate(true);
	state.active[0].disks = 1;
	state.active[0].has_error_target = true;
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	expect(_i ? NULL : "a VG was activated in part although the disk is there");
}

/* Its copy has the name that it had, and is whole by that. Rows: has it? */
TEST_TIMES(a_copy_by_another_name_is_a_vg_of_its_own, 2)
{
	begin(2);
	take_down(1000);
	state.disk[1].seqno = 2;
	if (_i)
		strcpy(state.disk[0].vg_name, "old");
	step((struct sim_step){.op = SIM_ACT_ELSEWHERE, .a = 2}, 200000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 1}, 1000);
	activate(true);
	expect(_i ? NULL : "a VG was activated from outdated metadata");
}
