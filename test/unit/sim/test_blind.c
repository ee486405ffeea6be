/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The oracle: what nobody can know of disks, and what may take long. */
#include "unit/sim/oracle_scratch.h"

/* A VG is activated on the number of its disk, which a disk of another VG has taken. Rows: are
 * instances numbered, how long ago was that, and how slow is another disk of the VG? */
static const struct {
	bool is_blind;
	uint32_t ago_ms, slow_ms;
	bool is_found;
} takings[] = {
	{true, 3, 0, false},	 {false, 3, 0, true},	    {true, 100000, 0, true},
	{true, 3000, 4000, false}, {false, 3000, 4000, true},
};

TEST_EACH(number_may_be_taken_during_an_activation, takings)
{
	begin(2);
	plug(5, 100000);
	state.disk[5].is_pv = true;
	strcpy(state.disk[5].vg_id, "vg1-id");
	step((struct sim_step){.op = SIM_CREATE, .a = 1}, 100000);
	take_down(100000);
	oracle.course.is_blind = takings[_i].is_blind;
	state.disk[0].slow_ms = takings[_i].slow_ms;
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1);
	state.disk[5].minor++;
	state.disk[5].diskseq++;
	step((struct sim_step){.op = SIM_SWAP, .a = 1, .b = 5}, takings[_i].ago_ms);
	activate(true);
	state.active[0].disks = 1U << 5 | 1U << 0;
	rest();
	ck_assert(sim_findings_have(&findings, "a VG was activated on a disk of another VG") ==
		  takings[_i].is_found);
}

/* A disk goes, and comes back under another number. Rows: does it go in a soft reboot, and is what has
 * its number silent? */
static const struct {
	bool is_rebooting, is_silent, is_found;
} heirs[] = {
	{true, true, false},
	{true, false, true},
	{false, true, true},
};

TEST_EACH(what_udev_knows_of_a_number_may_be_old, heirs)
{
	begin(1);
	take_down(2000000);
	if (heirs[_i].is_rebooting)
		step((struct sim_step){.op = SIM_SOFT_REBOOT}, 0);
	unplug(0, 1);
	state.disk[5].hangs = heirs[_i].is_silent;
	plug(5, 1);
	state.disk[0].minor = 9;
	plug(0, 2000000);
	expect(heirs[_i].is_found ? "a VG must be active and is not" : NULL);
}

/* vgextend takes in a disk that was added before the VG was taken down. Row 1: it is slow, and still
 * being read for that add. */
TEST_TIMES(disk_may_be_read_for_its_add_when_it_comes_to_a_vg, 2)
{
	begin(1);
	state.disk[1].slow_ms = _i ? 30000 : 0;
	step((struct sim_step){.op = SIM_SLOW, .a = 1, .n = 30000}, 1);
	plug(1, 100000);
	take_down(1000);
	write_vg(2, 2);
	step((struct sim_step){.op = SIM_EXTEND, .a = 1}, 60000);
	activate(true);
	expect(_i ? NULL : TAKEN_DOWN);
}

/* A second copy comes while a worker reads the disk that the memory names; nobody can tell the copy apart,
 * as it has no wwid. Rows: the disk is slow; and has gone by now. */
TEST_TIMES(copy_may_come_while_a_worker_reads, 3)
{
	begin(1);
	activate(true);
	step((struct sim_step){.op = SIM_WAIT}, 700000);
	state.disk[1] = state.disk[0];
	state.disk[1].of = 0;
	state.disk[1].is_there = false;
	strcpy(state.disk[1].wwid, "naa.1");
	plug(1, 100000);
	take_down(100000);
	state.disk[_i == 2].slow_ms = _i ? 500 : 0;
	step((struct sim_step){.op = SIM_SLOW, .a = _i == 2, .n = 500}, 100000);
	step((struct sim_step){.op = SIM_SOFT_REBOOT}, 9000);
	state.disk[7] = state.disk[0];
	state.disk[7].of = 0;
	state.disk[7].slow_ms = 0;
	state.disk[7].is_there = false;
	state.disk[7].wwid[0] = '\0';
	plug(7, 1000);
	if (_i == 2)
		unplug(1, 1);
	activate(true);
	expect(_i ? NULL : "a VG was activated although one of its PVs is on two disks");
}

/* A copy comes while a worker checks a pool. Row 0: there is none. */
TEST_TIMES(copy_may_come_while_a_pool_is_checked, 2)
{
	begin(1);
	state.disk[0].type = _i ? SIM_THIN : SIM_LINEAR;
	take_down(100000);
	state.disk[3] = state.disk[0];
	state.disk[3].of = 0;
	state.disk[3].is_there = false;
	state.disk[3].wwid[0] = '\0'; /* nobody can tell it apart */
	plug(3, 1);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 1000);
	activate(true);
	state.active[0].at_ms += 18000;
	state.now_ms += 18000;
	expect(_i ? NULL : "a VG was activated although one of its PVs is on two disks");
}

/* In the boot before the VG was on a copy alone when a look came: its disk was slow. Row 1: it was read
 * in time. */
TEST_TIMES(memory_may_name_a_copy_that_was_alone, 2)
{
	begin(1);
	state.disk[0].slow_ms = _i ? 0 : 1000;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = 1000}, 1000);
	state.disk[3] = state.disk[0];
	state.disk[3].of = 0;
	state.disk[3].is_there = false;
	strcpy(state.disk[3].wwid, "naa.3");
	state.disk[3].slow_ms = 0;
	plug(3, 1000);
	step((struct sim_step){.op = SIM_REBOOT}, 50);
	activate(true);
	state.active[0].disks = 1U << 3;
	step((struct sim_step){.op = SIM_WAIT}, 200000);
	take_down(100000);
	step((struct sim_step){.op = SIM_SOFT_REBOOT}, 10000);
	activate(true);
	state.active[0].disks = 1U << 3;
	expect(_i ? "a VG was activated although one of its PVs is on two disks" : NULL);
}

/* A copy with the metadata of before pvchange -u does not list the other disk by its new id. Row 1: these
 * are the newest metadata. */
TEST_TIMES(part_by_metadata_of_before_a_new_id_lacks_the_disk, 2)
{
	history.conf = SIM_CONF_PARTIAL;
	oracle.course.goes_in_part = true;
	begin(2);
	take_down(100000);
	strcpy(state.disk[0].pvid, "new");
	write_vg(2, 2);
	step((struct sim_step){.op = SIM_NEW_ID, .a = 0}, 100000);
	if (!_i)
		state.disk[1].seqno = 1;
	step((struct sim_step){.op = SIM_REPEAT, .a = 1}, 100000);
	activate(true);
	state.active[0].disks = 1U << 1;
	state.active[0].has_error_target = true;
	state.active[0].seqno = state.disk[1].seqno;
	rest();
	ck_assert(sim_findings_have(&findings,
				    "a VG was activated in part although the disk is there") == _i);
}

/* A disk is announced again while another one hangs. Row 1: and a pool is checked. */
TEST_TIMES(repeated_add_may_wait_for_the_check_of_a_pool, 2)
{
	begin(1);
	take_down(100000);
	plug(3, 1000);
	plug(4, 1000);
	state.disk[3].is_pv = true;
	state.disk[3].type = _i ? SIM_THIN : SIM_LINEAR;
	strcpy(state.disk[3].vg_id, "vg1-id");
	state.disk[4].hangs = true;
	step((struct sim_step){.op = SIM_HANG, .a = 4}, 1000);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, 14000);
	activate(true);
	expect(_i ? NULL : "a VG on healthy disks waited for others");
}

/* Reader and runner die, and udev has read the disk. Rows: our program has, too; it is slow, and they die while that
 * is read, or later. */
static const struct {
	uint32_t slow_ms, after_ms;
	bool is_found;
} reads[] = {{0, 12000, true}, {8000, 12000, false}, {8000, 200000, true}};

TEST_EACH(repeated_add_may_be_lost_while_it_is_read, reads)
{
	begin(1);
	take_down(100000);
	state.disk[0].slow_ms = reads[_i].slow_ms;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = reads[_i].slow_ms}, 1);
	step((struct sim_step){.op = SIM_REPEAT, .a = 0}, reads[_i].after_ms);
	step((struct sim_step){.op = SIM_KILL_READER, .n = 3}, 1);
	step((struct sim_step){.op = SIM_KILL, .n = 3}, 1);
	step((struct sim_step){.op = SIM_WAIT}, 2000000);
	rest();
	ck_assert_int_eq(findings.count > 0, reads[_i].is_found);
}

/* The VG is taken down while its disks are announced once more, and a copy comes. Row 1: it comes later. */
TEST_TIMES(what_was_under_way_may_be_refused_and_come_later, 2)
{
	begin(1);
	activate(false);
	step((struct sim_step){.op = SIM_SOFT_REBOOT}, 100);
	take_down(_i ? 200000 : 100);
	copy(0, 5, false);
	step((struct sim_step){.op = SIM_WAIT}, 130000);
	unplug(5, 1000);
	activate(true);
	expect(_i ? TAKEN_DOWN : NULL);
}

/* A disk comes back, the reader is killed, and a person takes the VG down before a reconcile. Rows: it is
 * killed then, and the runner ends; when the disk had been read; long before the command; and the runner
 * goes on. */
static const struct {
	uint32_t kill_ms, down_ms;
	enum sim_op then;
	bool is_found;
} unread[] = {
	{1, 100000, SIM_RESTART, false},     {1, 100000, SIM_KILL, false},
	{1, 100000, SIM_KILL_READER, false}, {100000, 100000, SIM_RESTART, true},
	{1, 900000, SIM_RESTART, true},	     {1, 100000, SIM_WAIT, true},
};

TEST_EACH(add_that_a_killed_reader_lost_is_found_later, unread)
{
	begin(1);
	unplug(0, 1000);
	plug(0, unread[_i].kill_ms);
	step((struct sim_step){.op = SIM_KILL_READER}, 1);
	step((struct sim_step){.op = unread[_i].then}, unread[_i].down_ms);
	take_down(700000);
	activate(true);
	expect(unread[_i].is_found ? TAKEN_DOWN : NULL);
}

/* A clone that has another PV id by now is exported. Row 1: later than the original was changed last. */
TEST_TIMES(original_may_be_as_new_as_its_exported_clone, 2)
{
	begin(1);
	take_down(100000);
	unplug(0, 1000);
	state.disk[1] = state.disk[0];
	strcpy(state.disk[1].pvid, "pv1");
	strcpy(state.disk[1].pv[0], "pv1");
	state.disk[1].is_exported = true;
	state.disk[1].seqno += (uint32_t)_i;
	/* The clone is the first that is looked at. */
	state.disk[2] = state.disk[0];
	state.disk[0].is_pv = false;
	plug(1, 1000);
	plug(2, 1000);
	activate(true);
	state.active[0].disks = 1U << 2;
	expect(_i ? "a VG was activated although it is exported" : NULL);
}

/* A copy is added beside a slow disk that was wiped, a person takes the VG down before that answers, and the
 * copy is the PV then. Row 1: the disk is not slow. */
TEST_TIMES(copy_may_wait_for_a_wiped_disk_as_the_vg_is_taken_down, 2)
{
	begin(1);
	copy(0, 3, false);
	state.disk[0].is_pv = false;
	state.disk[0].vg_id[0] = state.disk[0].pvid[0] = '\0';
	state.disk[0].slow_ms = _i ? 0 : 30000;
	step((struct sim_step){.op = SIM_WIPE, .a = 0}, 1000);
	plug(3, 50);
	take_down(60000);
	step((struct sim_step){.op = SIM_WAIT}, 30000);
	activate(true);
	state.active[0].disks = 1U << 3;
	expect(_i ? TAKEN_DOWN : NULL);
}

/* A person takes the VG down while the next runner takes up what a killed one has left. Row 1: long after. */
TEST_TIMES(what_a_killed_runner_leaves_is_taken_up_later, 2)
{
	begin(1);
	step((struct sim_step){.op = SIM_WAIT}, 700000);
	state.killed_ms = state.now_ms - (_i ? 100000 : 1000);
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	take_down(5000);
	activate(true);
	expect(_i ? TAKEN_DOWN : NULL);
}

/* A VG is active on a disk that has gone, or a killed worker has left a node of it; a copy of it and the disk come,
 * and are refused. A person takes down what is left, and the copy goes. Rows: it was active on the disk; there was
 * but the node. */
TEST_TIMES(remains_may_be_taken_down_beside_a_refused_add, 3)
{
	begin(1);
	if (_i == 2)
		take_down(100000);
	unplug(0, 100000);
	state.active[0].lost_disks = _i ? 0 : 1;
	state.active[0].disks = (uint32_t)!!_i;
	copy(0, 3, false);
	plug(0, 100000);
	strcpy(state.taken_down[0], ID);
	state.taken_down_count = 1;
	take_down(100000);
	state.taken_down_count = 0;
	unplug(3, 1000);
	activate(true);
	expect(_i == 1 ? TAKEN_DOWN : NULL);
}
