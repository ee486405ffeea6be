/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records to phases: what a VG waited for, and that odd records do no harm. */
#include "timeline/view.h"

#include "unit/suite.h"

#include <stdlib.h>
#include <string.h>

#define VG(n)	 lea_ring_vg(#n "bcdefgh")
#define DISK(n)	 lea_ring_device(8, n)
#define MS	 1000U
#define PARENT	 1U
#define WORKER	 2U
#define WORKER_B 3U
#define MOST	 64U

static struct lea_arena *arena;
static struct lea_ring_record record[MOST];
static struct lea_ring_records records;
static struct lea_timeline_view view;

static void setup(void)
{
	arena = lea_arena_new(4 * LEA_TIMELINE_ARENA_BYTES);
	records = (struct lea_ring_records){.record = record};
	memset(record, 0, sizeof(record));
}

static void teardown(void)
{
	lea_arena_free(arena);
}

const struct fixture fixture = {setup, teardown};

/* Adds a record; returns it, so that a test can add to it. */
static struct lea_ring_record *note(uint64_t at_ms, enum lea_ring_kind kind, uint64_t vg)
{
	struct lea_ring_record *to = &record[records.count++];

	ck_assert_uint_le(records.count, MOST);
	*to = (struct lea_ring_record){
		.time_us = at_ms * MS, .kind = (uint16_t)kind, .value = vg, .pid = PARENT};
	records.written = records.count;
	return to;
}

static void note_disk(uint64_t at_ms, enum lea_ring_kind kind, uint64_t value, uint32_t disk)
{
	note(at_ms, kind, value)->device = disk;
}

static void note_text(uint64_t at_ms, enum lea_ring_kind kind, uint64_t value, const char *text)
{
	memcpy(note(at_ms, kind, value)->text, text, strnlen(text, LEA_RING_TEXT_BYTES));
}

static void note_worker(uint64_t at_ms, enum lea_ring_kind kind, uint64_t vg, uint32_t pid)
{
	note(at_ms, kind, vg)->pid = pid;
}

static void decide(void)
{
	ck_assert_int_eq(lea_timeline_decide(arena, &records, &view), 0);
}

static uint64_t ms(const struct lea_turn *turn, enum lea_phase phase)
{
	return turn->took_us[phase] / MS;
}

/* A disk at @at_ms: seen, read in 5 ms, recorded. */
static void plug(uint64_t at_ms, uint64_t vg, uint32_t disk, const char *name)
{
	note_disk(at_ms, LEA_RING_SEEN, 0, disk);
	note_text(at_ms + 7, LEA_RING_READ, 5 * MS, name);
	record[records.count - 1].device = disk;
	note_text(at_ms + 10, LEA_RING_RECORDED, vg, "data");
	record[records.count - 1].device = disk;
}

/* From a complete VG to an active one, with a second for each phase. */
static void work(uint64_t at_ms, uint64_t vg)
{
	note_text(at_ms, LEA_RING_CLAIMED, vg, "data");
	note_worker(at_ms + 1000, LEA_RING_BEGUN, vg, WORKER);
	note_worker(at_ms + 2000, LEA_RING_LOCKED, vg, WORKER);
	note_worker(at_ms + 3000, LEA_RING_REREAD, vg, WORKER);
	note_worker(at_ms + 3200, LEA_RING_CHECK, vg, WORKER);
	note_worker(at_ms + 3600, LEA_RING_CHECKED, vg, WORKER);
	note_worker(at_ms + 3700, LEA_RING_NODE, vg, WORKER);
	note_worker(at_ms + 4000, LEA_RING_WORKED, vg, WORKER);
	note_worker(at_ms + 5000, LEA_RING_WAIT, 0, WORKER);
	note_worker(at_ms + 6500, LEA_RING_WAITED, 0, WORKER);
	note(at_ms + 7000, LEA_RING_DONE, vg);
}

TEST(a_turn_is_cut_into_its_phases)
{
	const struct lea_turn *turn;

	plug(1000, VG(a), DISK(16), "sda");
	plug(3000, VG(a), DISK(32), "sdb");
	note_disk(3010, LEA_RING_COMPLETE, VG(a), DISK(32));
	work(3010, VG(a));
	decide();
	ck_assert_uint_eq(view.turn_count, 1);
	turn = &view.turn[0];
	ck_assert_str_eq(turn->name, "data");
	ck_assert_int_eq(turn->state, LEA_TURN_ACTIVE);
	ck_assert_uint_eq(turn->start_us, 1000 * MS);
	ck_assert_uint_eq(turn->end_us, 10010 * MS);
	ck_assert_uint_eq(ms(turn, LEA_PHASE_DISKS), 2010);
	ck_assert_uint_eq(ms(turn, LEA_PHASE_QUEUE), 1000);
	ck_assert_uint_eq(ms(turn, LEA_PHASE_LOCK), 1000);
	ck_assert_uint_eq(ms(turn, LEA_PHASE_READ), 1000);
	ck_assert_uint_eq(ms(turn, LEA_PHASE_NODES), 600);
	ck_assert_uint_eq(ms(turn, LEA_PHASE_CHECK), 400);
	ck_assert_uint_eq(ms(turn, LEA_PHASE_BATCH), 1000);
	ck_assert_uint_eq(ms(turn, LEA_PHASE_UDEV), 1500);
	ck_assert_uint_eq(ms(turn, LEA_PHASE_END), 500);
	ck_assert_int_eq(turn->longest, LEA_PHASE_DISKS);
	ck_assert_uint_eq(turn->pvs, 2);
	ck_assert_uint_eq(turn->nodes, 1);
	ck_assert_str_eq(view.disk[turn->last_disk].name, "sdb");
	ck_assert_ptr_eq(lea_timeline_last(&view), turn);
	ck_assert_uint_eq(view.disk_count, 2);
	ck_assert_uint_eq(view.disk[0].took_us, 5 * MS);
	ck_assert_str_eq(view.disk[1].vg, "data");
}

/* The PV that came last may hold no metadata: it knows its VG by name only. */
TEST(the_last_disk_may_have_no_metadata)
{
	plug(1000, VG(a), DISK(16), "sda");
	plug(3000, 0, DISK(32), "sdb");
	note_text(3010, LEA_RING_COMPLETE, 0, "data");
	record[records.count - 1].device = DISK(32);
	work(3010, VG(a));
	decide();
	ck_assert_uint_eq(view.turn_count, 1);
	ck_assert_str_eq(view.disk[view.turn[0].last_disk].name, "sdb");
	ck_assert_uint_eq(ms(&view.turn[0], LEA_PHASE_DISKS), 2010);
}

TEST(vgs_of_one_transaction_wait_for_udev_together)
{
	note_worker(100, LEA_RING_BEGUN, VG(a), WORKER);
	note_worker(200, LEA_RING_WORKED, VG(a), WORKER);
	note_worker(200, LEA_RING_BEGUN, VG(b), WORKER);
	note_worker(250, LEA_RING_WORKED, VG(c), WORKER_B);
	note_worker(300, LEA_RING_WORKED, VG(b), WORKER);
	note_worker(300, LEA_RING_WAIT, 0, WORKER);
	note_worker(900, LEA_RING_WAITED, 0, WORKER);
	note_worker(1000, LEA_RING_WAIT, 0, WORKER);
	note_worker(1900, LEA_RING_WAITED, 0, WORKER);
	decide();
	ck_assert_uint_eq(view.turn_count, 3);
	ck_assert_uint_eq(ms(&view.turn[0], LEA_PHASE_BATCH), 100);
	ck_assert_uint_eq(ms(&view.turn[0], LEA_PHASE_UDEV), 600);
	ck_assert_uint_eq(ms(&view.turn[1], LEA_PHASE_BATCH), 0);
	ck_assert_uint_eq(ms(&view.turn[1], LEA_PHASE_UDEV), 600);
	ck_assert_int_eq(view.turn[0].state, LEA_TURN_ACTIVE);
	/* the other worker's still waits for its transaction */
	ck_assert_int_eq(view.turn[2].state, LEA_TURN_OPEN);
}

TEST(a_busy_lock_is_waited_for_from_the_first_try_on)
{
	note(1000, LEA_RING_CLAIMED, VG(a));
	note(1100, LEA_RING_BEGUN, VG(a));
	note(1100, LEA_RING_BUSY, VG(a));
	note(5000, LEA_RING_BEGUN, VG(a));
	note(5100, LEA_RING_LOCKED, VG(a));
	note(5200, LEA_RING_DONE, VG(a));
	decide();
	ck_assert_uint_eq(view.turn[0].busy_count, 1);
	ck_assert_uint_eq(ms(&view.turn[0], LEA_PHASE_QUEUE), 100);
	ck_assert_uint_eq(ms(&view.turn[0], LEA_PHASE_LOCK), 4000);
	ck_assert_int_eq(view.turn[0].longest, LEA_PHASE_LOCK);
}

TEST(a_worker_that_was_given_up_begins_no_turn)
{
	note(1000, LEA_RING_CLAIMED, VG(a));
	note_worker(1100, LEA_RING_BEGUN, VG(a), WORKER);
	note(5000, LEA_RING_HUNG, VG(a));
	note_worker(6000, LEA_RING_LOCKED, VG(a), WORKER);
	note_worker(7000, LEA_RING_WORKED, VG(a), WORKER);
	note(8000, LEA_RING_CLAIMED, VG(a));
	note(9000, LEA_RING_DONE, VG(a));
	decide();
	ck_assert_uint_eq(view.turn_count, 2);
	ck_assert_int_eq(view.turn[0].state, LEA_TURN_HUNG);
	ck_assert_int_eq(view.turn[1].state, LEA_TURN_ACTIVE);
	ck_assert_uint_eq(view.turn[1].start_us / MS, 8000);
}

/* As the boot's early wave does, which does not wait for a lock. */
TEST(a_busy_lock_ends_a_turn_without_a_claim)
{
	note(1000, LEA_RING_BEGUN, VG(a));
	note(1100, LEA_RING_BUSY, VG(a));
	note(2000, LEA_RING_CLAIMED, VG(a));
	note(3000, LEA_RING_DONE, VG(a));
	decide();
	ck_assert_uint_eq(view.turn_count, 2);
	ck_assert_int_eq(view.turn[0].state, LEA_TURN_LEFT);
	ck_assert_int_eq(view.turn[1].state, LEA_TURN_ACTIVE);
}

TEST(a_wait_within_a_vg_is_udevs_time)
{
	note(1000, LEA_RING_CLAIMED, VG(a));
	note(1000, LEA_RING_REREAD, VG(a));
	note(1100, LEA_RING_WAIT, VG(a));
	note(1600, LEA_RING_WAITED, VG(a));
	note(2000, LEA_RING_WORKED, VG(a));
	note(2000, LEA_RING_DONE, VG(a));
	decide();
	ck_assert_uint_eq(ms(&view.turn[0], LEA_PHASE_NODES), 500);
	ck_assert_uint_eq(ms(&view.turn[0], LEA_PHASE_UDEV), 500);
}

TEST(the_real_lvm_is_a_phase_of_its_own)
{
	note(1000, LEA_RING_CLAIMED, VG(a));
	note(1500, LEA_RING_DELEGATED, VG(a));
	note(3500, LEA_RING_DONE, VG(a));
	decide();
	ck_assert_uint_eq(ms(&view.turn[0], LEA_PHASE_QUEUE), 500);
	ck_assert_uint_eq(ms(&view.turn[0], LEA_PHASE_LVM), 2000);
	ck_assert_int_eq(view.turn[0].longest, LEA_PHASE_LVM);
}

/* How a VG without an end is shown when the timeline ends at 9 s. */
static const struct {
	const char *claim;
	enum lea_ring_kind kind[4]; /* at 1 s, 2 s ... */
	enum lea_turn_state state;
	enum lea_phase last;
} unfinished[] = {
	{"waits for PVs", {LEA_RING_SEEN, LEA_RING_RECORDED}, LEA_TURN_INCOMPLETE, LEA_PHASE_DISKS},
	{"waits for a worker", {LEA_RING_CLAIMED}, LEA_TURN_OPEN, LEA_PHASE_QUEUE},
	{"waits for its lock", {LEA_RING_CLAIMED, LEA_RING_BEGUN}, LEA_TURN_OPEN, LEA_PHASE_LOCK},
	{"is checked",
	 {LEA_RING_LOCKED, LEA_RING_REREAD, LEA_RING_CHECK},
	 LEA_TURN_OPEN,
	 LEA_PHASE_CHECK},
	{"waits for udev",
	 {LEA_RING_CLAIMED, LEA_RING_LOCKED, LEA_RING_WORKED, LEA_RING_WAIT},
	 LEA_TURN_OPEN,
	 LEA_PHASE_UDEV},
};

TEST_EACH(a_vg_that_has_not_ended_is_in_its_last_phase, unfinished)
{
	uint64_t last_ms = 0;

	for (size_t i = 0; i < 4 && unfinished[_i].kind[i]; i++) {
		const bool is_of_vg = unfinished[_i].kind[i] != LEA_RING_WAIT &&
				      unfinished[_i].kind[i] != LEA_RING_SEEN;

		last_ms = 1000 * (i + 1);
		note_disk(last_ms, unfinished[_i].kind[i], is_of_vg ? VG(a) : 0, DISK(16));
	}
	note(9000, LEA_RING_GATE_OPEN, 0);
	decide();
	ck_assert_uint_eq(view.turn_count, 1);
	ck_assert_msg(view.turn[0].state == unfinished[_i].state, "%s", unfinished[_i].claim);
	ck_assert_msg(view.turn[0].last == unfinished[_i].last, "%s", unfinished[_i].claim);
	ck_assert_uint_eq(view.turn[0].end_us, 9000 * MS);
	ck_assert_ptr_null(lea_timeline_last(&view));
}

static const struct {
	enum lea_ring_kind kind;
	uint16_t code;
	enum lea_turn_state state;
} ends[] = {
	{LEA_RING_DONE, 0, LEA_TURN_ACTIVE},
	{LEA_RING_DONE, 3, LEA_TURN_LEFT},
	{LEA_RING_FAILED, 5, LEA_TURN_FAILED},
	{LEA_RING_HUNG, 1, LEA_TURN_HUNG},
};

TEST_EACH(the_result_is_the_state, ends)
{
	note(1000, LEA_RING_CLAIMED, VG(a));
	note(2000, ends[_i].kind, VG(a))->code = ends[_i].code;
	decide();
	ck_assert_int_eq(view.turn[0].state, ends[_i].state);
	ck_assert_uint_eq(view.state_count[ends[_i].state], 1);
}

/* Later events of an active VG are no turn; a second activation is one. */
TEST(only_activations_are_turns)
{
	plug(1000, VG(a), DISK(16), "sda");
	work(2000, VG(a));
	plug(20000, VG(a), DISK(16), "sda");
	note(20020, LEA_RING_COMPLETE, VG(a));
	plug(30000, VG(b), DISK(32), "sdb");
	note(30020, LEA_RING_COMPLETE, VG(b));
	decide();
	ck_assert_uint_eq(view.turn_count, 1);
	work(40000, VG(a));
	decide();
	ck_assert_uint_eq(view.turn_count, 2);
	ck_assert_uint_eq(view.turn[1].start_us, 20000 * MS);
}

TEST(a_long_name_comes_in_parts)
{
	static const char part[] = "0123456789abcdef";

	note_text(1000, LEA_RING_CLAIMED, VG(a), part);
	for (uint16_t at = 16; at < 128; at = (uint16_t)(at + 16)) {
		note_text(1000, LEA_RING_NAME, VG(a), part);
		record[records.count - 1].code = at;
	}
	decide();
	ck_assert_uint_eq(strlen(view.turn[0].name), 127);
	ck_assert_str_eq(view.turn[0].name + 112, "0123456789abcde");
}

/* Offsets that nobody wrote, and a VG of which nothing else is known. */
TEST(a_wrong_part_of_a_name_is_left_out)
{
	static const uint16_t wrong[] = {1, 15, 17, 32, 112, 128, 65535};

	note_text(1000, LEA_RING_CLAIMED, VG(a), "x");
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		note_text(1000, LEA_RING_NAME, VG(a), "0123456789abcdef");
		record[records.count - 1].code = wrong[i];
	}
	note_text(1000, LEA_RING_NAME, VG(b), "y");
	decide();
	ck_assert_uint_eq(view.turn_count, 1);
	ck_assert_str_eq(view.turn[0].name, "x");
}

TEST(time_does_not_run_backwards)
{
	note(9000, LEA_RING_CLAIMED, VG(a));
	note(8000, LEA_RING_BEGUN, VG(a));
	note(7000, LEA_RING_CHECK, VG(a));
	note(6000, LEA_RING_CHECKED, VG(a));
	note(5000, LEA_RING_DONE, VG(a));
	note_text(100, LEA_RING_READ, UINT64_MAX, "sda");
	record[records.count - 1].device = DISK(16);
	note_disk(200, LEA_RING_READ, UINT64_MAX, DISK(16));
	decide();
	ck_assert_uint_eq(view.turn_count, 1);
	ck_assert_uint_ge(view.turn[0].end_us, view.turn[0].start_us);
	for (size_t i = 0; i < LEA_PHASES; i++)
		ck_assert_uint_le(view.turn[0].took_us[i], 9000 * MS);
}

TEST(a_deadline_after_the_boot_scan_is_ready_is_none)
{
	note(1000, LEA_RING_GATE_CLOSED, 0);
	note(2000, LEA_RING_DEADLINE, 0);
	decide();
	ck_assert_uint_eq(view.deadline_us, 2000 * MS);
	note(3000, LEA_RING_READY, 0);
	note(4000, LEA_RING_GATE_OPEN, 0);
	note(5000, LEA_RING_DEADLINE, 0);
	decide();
	ck_assert_uint_eq(view.deadline_us, 0);
	ck_assert_uint_eq(view.closed_us, 1000 * MS);
	ck_assert_uint_eq(view.ready_us, 3000 * MS);
	ck_assert_uint_eq(view.open_us, 4000 * MS);
}

TEST(two_boots_are_compared_by_name)
{
	struct lea_timeline_view before;
	struct lea_turn_change *change;
	size_t count;

	note_text(1000, LEA_RING_CLAIMED, VG(a), "data");
	note(2000, LEA_RING_BEGUN, VG(a));
	note(3000, LEA_RING_DONE, VG(a));
	note_text(1000, LEA_RING_CLAIMED, VG(b), "gone");
	note(1001, LEA_RING_DONE, VG(b));
	note_text(1000, LEA_RING_CLAIMED, VG(c), "same");
	note(1500, LEA_RING_DONE, VG(c));
	decide();
	before = view;
	records = (struct lea_ring_records){.record = record};
	note_text(1000, LEA_RING_CLAIMED, VG(c), "same");
	note(1500, LEA_RING_DONE, VG(c));
	note_text(1000, LEA_RING_CLAIMED, VG(d), "data");
	note(2000, LEA_RING_BEGUN, VG(d));
	note(9000, LEA_RING_DONE, VG(d));
	decide();
	ck_assert_int_eq(lea_timeline_compare(arena, &before, &view, &change, &count), 0);
	ck_assert_uint_eq(count, 3);
	ck_assert_str_eq(change[0].after->name, "data");
	ck_assert_int_eq(change[0].took_us, 6000 * MS);
	ck_assert_int_eq(change[0].phase, LEA_PHASE_LOCK);
	ck_assert_int_eq(change[1].took_us, 0);
	ck_assert_int_eq(change[2].took_us, 0);
	ck_assert_ptr_null(change[change[1].after ? 2 : 1].after);
}

TEST(no_records_are_no_boot)
{
	decide();
	ck_assert_uint_eq(view.turn_count, 0);
	ck_assert_uint_eq(view.disk_count, 0);
	ck_assert_ptr_null(lea_timeline_last(&view));
}
