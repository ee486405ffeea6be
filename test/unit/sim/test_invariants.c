/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may be left at rest. */
#include "sim/invariants.c"

#include "unit/sim/oracle_scratch.h"

static struct sim_left left = {.path = "/run/lvm/pvs_online/pv0", .text = "8:0\nvg:vg0\n"};
static struct sim_end end = {.left = &left, .left_count = 1};

static void judge(const char *kind)
{
	sim_invariants(&history, &oracle.course, &end, &findings);
	check_findings(kind);
}

/* The upper disks have the numbers of the lower ones. */
static void number(void)
{
	for (unsigned i = 0; i < SIM_DISKS; i++) {
		state.disk[i].major = 8;
		state.disk[i].minor = i % 4;
	}
}

/* Rows: does anybody hear that the disk goes? Does the kernel number instances? A path of it stays,
 * and a copy gets the number. */
TEST_TIMES(copy_has_the_record_of_a_disk_whose_end_was_lost, 4)
{
	history.conf = _i & 2 ? SIM_CONF_NO_DISKSEQ : 0;
	number();
	begin(1);
	copy(0, 5, true);
	if (_i & 1)
		step((struct sim_step){.op = SIM_LOSE, .a = 0}, 1000);
	state.disk[5].minor = 1;
	unplug(0, 1000);
	state.disk[4] = state.disk[0];
	copy(5, 4, false);
	state.disk[4].minor = 0;
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	judge(_i == 3 ? NULL : "a copy has the record of a PV");
}

static void put_copy(unsigned disk, uint32_t minor, const char *wwid)
{
	state.disk[disk] = state.disk[0];
	state.disk[disk].of = 0;
	state.disk[disk].minor = minor;
	strcpy(state.disk[disk].wwid, wwid);
	state.disk[disk].diskseq = 100 + disk;
	plug(disk, 30000);
}

/* Rows: how long after the disk went another copy gets its number; does the kernel number instances?
 * A copy that came before stays. */
static const struct {
	uint64_t after_ms;
	uint32_t conf;
	const char *kind;
} heirs[] = {
	{0, SIM_CONF_NO_DISKSEQ, NULL},
	{100000, SIM_CONF_NO_DISKSEQ, "a copy has the record of a PV"},
	{0, 0, "a copy has the record of a PV"},
};

TEST_EACH(copy_that_gets_the_number_at_once_is_taken_for_the_disk, heirs)
{
	history.conf = heirs[_i].conf;
	oracle.course.is_blind = heirs[_i].conf != 0;
	number();
	begin(1);
	put_copy(5, 1, "naa.first");
	step((struct sim_step){.op = SIM_WAIT}, 700000);
	unplug(0, heirs[_i].after_ms);
	put_copy(4, 0, "naa.second");
	step((struct sim_step){.op = SIM_WAIT}, 100000);
	judge(heirs[_i].kind);
}

/* Rows: how long after the disk went a shortage begins; does the kernel number instances; can the
 * disk be read? */
static const struct {
	uint64_t short_after_ms;
	uint32_t conf;
	bool fails;
	const char *kind;
} ends[] = {
	{0, SIM_CONF_NO_DISKSEQ, false, NULL},
	{1, SIM_CONF_NO_DISKSEQ, false, NULL},
	{10000, SIM_CONF_NO_DISKSEQ, false, "a record stays of a PV that is gone"},
	{10000, SIM_CONF_NO_DISKSEQ, true, NULL},
	{0, 0, false, "a record stays of a PV that is gone"},
	{0, 0, true, "a record stays of a PV that is gone"},
};

TEST_EACH(record_stays_if_a_shortage_hid_the_end_of_the_disk, ends)
{
	history.conf = ends[_i].conf;
	number();
	begin(1);
	state.disk[0].fails = ends[_i].fails;
	if (ends[_i].fails)
		step((struct sim_step){.op = SIM_FAIL, .a = 0}, 1000);
	if (!ends[_i].short_after_ms)
		step((struct sim_step){.op = SIM_SHORT, .n = 1}, 1000);
	unplug(0, ends[_i].short_after_ms);
	if (ends[_i].short_after_ms)
		step((struct sim_step){.op = SIM_SHORT, .n = 1}, 1000);
	step((struct sim_step){.op = SIM_ROOM}, 1000);
	plug(4, 100000);
	judge(ends[_i].kind);
}

/* A VG was removed, and the disk hangs: then udev may give up on what the command wrote. Rows: did it
 * have the time to read that? */
TEST_TIMES(claim_stays_of_a_vg_whose_end_udev_could_not_read, 2)
{
	static struct sim_left claim = {
		.path = "/run/lvm/event/claims/vg0-id",
		.text = "lvmevent-claim 1\nstate done\npv pv0 8:0 1\n"};

	end.left = &claim;
	number();
	begin(1);
	state.disk[0].slow_ms = 2500;
	step((struct sim_step){.op = SIM_SLOW, .a = 0, .n = 2500}, 100000);
	state.disk[0].vg_id[0] = '\0';
	step((struct sim_step){.op = SIM_REMOVE, .a = 0}, _i ? 1 : 100000);
	state.disk[0].hangs = true;
	step((struct sim_step){.op = SIM_HANG, .a = 0}, 700000);
	state.disk[0].hangs = false;
	state.disk[0].slow_ms = 0;
	step((struct sim_step){.op = SIM_HEAL, .a = 0}, 100000);
	judge(_i ? NULL : "a claim stays of a VG that no disk has");
	end.left = &left;
}

/* The claim is of the epoch before. Rows: was there a shortage? */
TEST_TIMES(claim_of_an_epoch_that_has_ended_counts_no_more, 2)
{
	static struct sim_step steps[] = {{.op = SIM_SOFT_REBOOT}, {.op = SIM_SHORT_ONCE, .n = 1}};
	static struct sim_left files[] = {
		{.path = "/run/lvm/event/epoch", .text = "boot 2\n"},
		{.path = "/run/lvm/event/claims/vg0-id",
		 .text = "lvmevent-claim 1\nepoch boot-1\nstate done\npv pv0 8:0 1\n"}};

	memcpy(history.step, steps, sizeof(steps));
	history.count = _i ? 2 : 1;
	end.left = files;
	end.left_count = 2;
	number();
	begin(1);
	take_down(1000);
	unplug(0, 100000);
	judge(_i ? NULL : "a claim stays of a VG of which no disk is there");
	end.left = &left;
	end.left_count = 1;
}

/* Nobody was told that a disk went, nor which one has its number. Rows: has its own PV come back
 * under another number? */
TEST_TIMES(pv_that_got_a_number_unseen_may_have_no_record, 2)
{
	left.text = "8:1\nvg:vg0\n";
	number();
	begin(2);
	step((struct sim_step){.op = SIM_LOSE, .a = 0}, 1000);
	unplug(0, 100000);
	unplug(1, 100000);
	state.disk[1].minor = 0;
	step((struct sim_step){.op = SIM_LOSE, .a = 1}, 1000);
	plug(1, 100000);
	if (_i) {
		state.disk[0].minor = 1;
		plug(0, 100000);
	} else {
		write_vg(2, 4);
		state.disk[0].is_pv = false;
		state.disk[1].pv_count = 1;
		memcpy(state.disk[1].pv[0], state.disk[1].pvid, sizeof(state.disk[1].pv[0]));
		step((struct sim_step){.op = SIM_WAIT}, 1000);
	}
	judge(_i ? NULL : "a PV has no record");
	left.text = "8:0\nvg:vg0\n";
}

/* A command changes the disk by the name of one path, and udev hears of no change of the other,
 * also if the first one has gone when the change is seen. Rows: is the first one a path of it? */
TEST_TIMES(pv_that_was_made_through_a_path_that_went_has_no_record, 2)
{
	end.left_count = 0;
	number();
	begin(1);
	copy(0, 5, _i);
	strcpy(state.disk[0].pvid, "new");
	write_vg(1, 2);
	unplug(5, 100000);
	judge(_i ? NULL : "a PV has no record");
	end.left_count = 1;
}

/* A command that had to wait has done it since the last step. Rows: does udev lose its event? */
TEST_TIMES(pv_that_a_command_made_of_another_may_have_no_record, 2)
{
	end.left_count = 0;
	number();
	begin(1);
	step((struct sim_step){.op = _i ? SIM_LOSE : SIM_WAIT, .a = 0}, 100000);
	strcpy(state.disk[0].pvid, "new");
	write_vg(1, 4);
	rest();
	judge(_i ? NULL : "a PV has no record");
	end.left_count = 1;
}

/* A copy comes while the disk gives only errors. Row 0: it gives none. */
TEST_TIMES(copy_has_the_record_of_a_disk_that_failed, 2)
{
	number();
	begin(1);
	state.disk[4] = state.disk[0];
	state.disk[4].of = 0;
	state.disk[4].minor = 1;
	strcpy(state.disk[4].wwid, "naa.4");
	state.disk[0].fails = _i;
	if (_i)
		history.step[history.count++] = (struct sim_step){.op = SIM_FAIL, .a = 0};
	step((struct sim_step){.op = _i ? SIM_FAIL : SIM_WAIT, .a = 0}, 1);
	plug(4, 1000);
	state.disk[0].fails = false;
	step((struct sim_step){.op = SIM_HEAL, .a = 0}, 1000);
	left.text = "8:1\nvg:vg0\n";
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	judge(_i ? NULL : "a copy has the record of a PV");
	left.text = "8:0\nvg:vg0\n";
}

/* The disk comes back after both of its copies, and goes. Rows: does the kernel number instances? */
TEST_TIMES(the_first_of_two_copies_is_known_by_its_instance, 2)
{
	history.conf = _i ? SIM_CONF_NO_DISKSEQ : 0;
	number();
	begin(1);
	put_copy(5, 1, "naa.first");
	unplug(0, 100000);
	put_copy(4, 2, "naa.second");
	plug(0, 100000);
	unplug(0, 100000);
	left.text = "8:2\nvg:vg0\n";
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	judge(_i ? NULL : "a copy has the record of a PV");
	left.text = "8:0\nvg:vg0\n";
}

/* Rows: does the add of the disk meet a shortage? A copy comes before a reconcile finds the disk. */
TEST_TIMES(copy_has_the_record_of_a_disk_that_is_not_known_yet, 2)
{
	number();
	begin(1);
	unplug(0, 30000);
	plug(0, _i ? 1 : 30000);
	if (_i) {
		step((struct sim_step){.op = SIM_SHORT, .n = 1}, 1);
		step((struct sim_step){.op = SIM_ROOM}, 1000);
	}
	copy(0, 4, false);
	state.disk[4].minor = 1;
	left.text = "8:1\nvg:vg0\n";
	step((struct sim_step){.op = SIM_WAIT}, 1000);
	judge(_i ? NULL : "a copy has the record of a PV");
	left.text = "8:0\nvg:vg0\n";
}

/* vgrename. Rows: was there room for the event? Row 2: the disk hung, and udev gave it up. */
TEST_TIMES(record_has_the_old_name_if_the_change_found_no_room, 3)
{
	number();
	begin(1);
	history.step[history.count++] =
		(struct sim_step){.op = _i == 1 ? SIM_SHORT : _i ? SIM_HANG : SIM_WAIT, .n = 1};
	strcpy(state.disk[0].vg_name, "vg1");
	step((struct sim_step){.op = SIM_RENAME, .a = 0}, _i == 2 ? 1 : 100000);
	if (_i == 2) {
		state.disk[0].hangs = true;
		step((struct sim_step){.op = SIM_HANG, .a = 0}, 700000);
		state.disk[0].hangs = false;
		step((struct sim_step){.op = SIM_HEAL, .a = 0}, 700000);
	}
	judge(_i ? NULL : "a record names another VG");
}
