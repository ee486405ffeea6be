/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the boot scan does when a turn of it has failed. */
#include "boot/boot_turn.h"
#include "flow/boot_scan_scratch.h"

static unsigned int sleeps, gate_opens_in, is_corrected_in; /* sleep; 0: in none */
static uint64_t slept_ms[8];

static void note_sleep(struct lea_clock *clock, uint64_t ms)
{
	ck_assert_uint_lt(sleeps, 8);
	slept_ms[sleeps++] = ms;
	if (sleeps == gate_opens_in)
		ck_assert_int_eq(lea_gate_open(lea_world_run(machine.world)), 0);
	if (sleeps == is_corrected_in)
		tree_put(&machine.tree, "/etc/lvm/lvm.conf", "");
}

static uint64_t no_time(struct lea_clock *clock)
{
	return 0;
}

static struct lea_clock noting = {.now_ms = no_time, .sleep_ms = note_sleep};

static enum lea_boot_turn take_failed_turn(struct lea_boot_turns *turns)
{
	struct lea_session session = {.world = machine.world, .event_fd = -1};
	enum lea_boot_turn turn;

	machine.world->clock = &noting;
	turn = lea_boot_turn(&session, LEA_SESSION_FAILED, turns);
	machine.world->clock = lea_clock_kernel();
	return turn;
}

static struct lea_boot_turns begin_turns(bool has_done)
{
	struct lea_boot_turns turns = {.ready = say_ready};
	const struct lea_entry entry = {.kind = LEA_ENTRY_ADD,
					.device = {.major = 8, .minor = 16, .diskseq = 7}};

	sleeps = gate_opens_in = is_corrected_in = 0;
	if (has_done)
		ck_assert_int_eq(lea_device_queue_note(&turns.done, &entry), 0);
	return turns;
}

static const struct {
	const char *claim;
	bool has_done, is_open;
	unsigned int gate_opens_in;
	enum lea_boot_turn turn;
	unsigned int sleeps;
} failed[] = {
	{"what is done must not be done again", true, false, 0, LEA_BOOT_TURN_AGAIN, 1},
	{"the next process knows as much", false, false, 0, LEA_BOOT_TURN_FAILED, 0},
	{"the runner goes on", true, true, 0, LEA_BOOT_TURN_FAILED, 0},
	{"the runner has taken over meanwhile", true, false, 1, LEA_BOOT_TURN_FAILED, 1},
};

TEST_TIMES(it_takes_another_turn_as_long_as_it_alone_knows_what_is_done, ARRAY_SIZE(failed))
{
	struct lea_boot_turns turns = begin_turns(failed[_i].has_done);

	gate_opens_in = failed[_i].gate_opens_in;
	if (failed[_i].is_open)
		ck_assert_int_eq(lea_gate_open(lea_world_run(machine.world)), 0);
	ck_assert_msg(take_failed_turn(&turns) == failed[_i].turn, "%s", failed[_i].claim);
	ck_assert_uint_eq(sleeps, failed[_i].sleeps);
	ck_assert_uint_eq(readied, 0);
	lea_device_queue_done(&turns.done);
}

TEST(its_pauses_grow)
{
	struct lea_boot_turns turns = begin_turns(true);

	for (unsigned int i = 0; i < 8; i++)
		ck_assert_int_eq(take_failed_turn(&turns), LEA_BOOT_TURN_AGAIN);
	for (unsigned int i = 1; i < 8; i++)
		ck_assert(slept_ms[i] == LEA_RETRY_MOST_MS || slept_ms[i] > slept_ms[i - 1]);
	ck_assert_uint_eq(slept_ms[7], LEA_RETRY_MOST_MS);
	lea_device_queue_done(&turns.done);
}

static unsigned int looks;

static int look(struct lea_manager_waits *ret_waits)
{
	looks++;
	return -EHOSTDOWN;
}

/* Process 1's units must not wait for what no turn can bring. Row 1: a person corrects it. */
TEST_TIMES(a_filter_that_is_wrong_keeps_nobody_waiting, 2)
{
	static const struct lea_manager looking = {.look = look};
	struct lea_boot_turns turns = begin_turns(false);
	struct lea_session session;
	enum lea_boot_turn turn;
	int begun;

	machine.world->manager = &looking;
	looks = 0;
	tree_put(&machine.tree, "/etc/lvm/lvm.conf", "devices { filter = [ \"nothing\" ] }\n");
	begun = lea_session_begin(machine.world, &session);
	ck_assert_int_eq(begun, 0);
	gate_opens_in = _i ? 0 : 2;
	is_corrected_in = _i ? 2 : 0;
	machine.world->clock = &noting;
	turn = lea_boot_turn(&session, begun, &turns);
	machine.world->clock = lea_clock_kernel();
	ck_assert_int_eq(turn, _i ? LEA_BOOT_TURN_AGAIN : LEA_BOOT_TURN_DONE);
	ck_assert_uint_eq(readied, 1);
	ck_assert_uint_eq(sleeps, 2);
	ck_assert_uint_eq(looks, 2);
	lea_session_end(&session);
	lea_device_queue_done(&turns.done);
}

/* A unit that wants the scan starts it once more, long after the boot. Rows: without the gate, which a
 * setting may forbid, nothing says that the boot is over. */
TEST_TIMES(what_was_taken_down_since_the_boot_is_not_added, 2)
{
	struct lea_boot_turns turns = begin_turns(false);
	const struct row rows[] = {{SILENCE, NONE}, {SILENCE, NONE}, {SILENCE, NONE}, {OPEN_GATE, NONE}};
	struct lea_session session;
	int begun;

	indexed[0] = (struct row){CAME, ONE};
	ck_assert_int_eq(_i ? lea_gate_begin(lea_world_run(machine.world),
					     lea_world_proc(machine.world), LEA_GATE_NONE)
			    : lea_gate_open(lea_world_run(machine.world)),
			 0);
	begun = lea_session_begin(machine.world, &session);
	ck_assert_int_eq(begun, 0);
	script = rows;
	ck_assert_int_eq(lea_boot_turn(&session, begun, &turns), LEA_BOOT_TURN_DONE);
	ck_assert_uint_eq(readied, 1);
	ck_assert_uint_eq(enumerated, _i);
	lea_session_end(&session);
	lea_device_queue_done(&turns.done);
}

TEST(a_turn_that_ends_well_says_that_it_is_ready)
{
	struct lea_boot_turns turns = begin_turns(true);
	const struct row rows[] = {{OPEN_GATE, NONE}};
	struct lea_session session;
	const int begun = lea_session_begin(machine.world, &session);

	ck_assert_int_eq(begun, 0);
	turns.pause_ms = 1000;
	script = rows;
	ck_assert_int_eq(lea_boot_turn(&session, begun, &turns), LEA_BOOT_TURN_DONE);
	ck_assert_uint_ge(readied, 1);
	ck_assert_uint_eq(turns.pause_ms, 0);
	lea_session_end(&session);
	lea_device_queue_done(&turns.done);
}
