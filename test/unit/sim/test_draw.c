/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Histories are those of their seed, are made of steps that have words, and leave no op out. */
#include "sim/draw.c"
#include "sim/words.c"

#include "unit/suite.h"

TEST(seed_determines_the_history)
{
	struct sim_history a, b;

	for (uint64_t seed = 0; seed < 50; seed++) {
		sim_history_draw(seed, &a);
		sim_history_draw(seed, &b);
		ck_assert(!memcmp(&a, &b, sizeof(a)));
	}
	sim_history_draw(50, &a);
	ck_assert(memcmp(a.step, b.step, sizeof(a.step)) != 0);
}

TEST(histories_are_short_and_of_each_op)
{
	struct sim_history history;
	unsigned count[SIM_OPS] = {0};
	uint64_t steps = 0;

	for (uint64_t seed = 0; seed < 3000; seed++) {
		sim_history_draw(seed, &history);
		ck_assert_uint_ge(history.count, 6);
		ck_assert_uint_le(history.count, 65 + SIM_DISKS);
		steps += history.count;
		for (uint32_t i = 0; i < history.count; i++)
			count[history.step[i].op]++;
	}
	ck_assert_uint_lt(steps / 3000, 25);
	for (unsigned op = 0; op < SIM_OPS; op++)
		ck_assert_msg(count[op] > 10, "op %u: %u", op, count[op]);
}

/* Half as much again of a number that stands for disks would be a disk that nobody has. */
TEST(mutations_change_only_what_is_a_number)
{
	const struct sim_history lists = {.count = 1,
					  .step = {{.op = SIM_LIST, .n = (1U << SIM_DISKS) - 1}}};
	struct sim_history next;

	for (uint64_t seed = 0; seed < 3000; seed++)
		sim_history_mutate(seed, &lists, &next);
	ck_assert(sim_words_have_number(SIM_WAIT));
	ck_assert(!sim_words_have_number(SIM_LIST));
}

TEST(mutations_of_mutations_stay_histories)
{
	struct sim_history history, next;
	struct sim_step step;

	sim_history_draw(7, &history);
	for (uint64_t seed = 0; seed < 3000; seed++) {
		sim_history_mutate(seed, &history, &next);
		ck_assert_uint_le(next.count, 80);
		for (uint32_t i = 0; i < next.count; i++) {
			step = next.step[i];
			sim_words_keep(&step);
			ck_assert(!memcmp(&step, &next.step[i], sizeof(step)));
		}
		history = next;
		if (!history.count)
			sim_history_draw(seed, &history);
	}
}
