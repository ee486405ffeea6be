/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shrinking keeps what is needed and nothing else; coverage knows what is new. */
#include "sim/cover.c"
#include "sim/draw.c"
#include "sim/shrink.c"
#include "sim/words.c"

#include "unit/suite.h"

/* A plug of disk 3 after a slow one of more than 3,000 ms, with links: the fault. */
static bool shows(void *arg, const struct sim_history *history)
{
	bool was_slow = false;

	(*(unsigned *)arg)++;
	for (uint32_t i = 0; i < history->count; i++) {
		was_slow |= history->step[i].op == SIM_SLOW && history->step[i].n > 3000;
		if (was_slow && history->step[i].op == SIM_PLUG && history->step[i].a == 3)
			return history->conf & SIM_CONF_NO_LINKS;
	}
	return false;
}

TEST(what_is_needed_stays_and_nothing_else)
{
	struct sim_history history = {.seed = 5, .boot = 1, .conf = 31};
	unsigned trials = 0;

	for (unsigned i = 0; i < 100; i++)
		history.step[history.count++] = (struct sim_step){.op = SIM_WAIT, .n = i};
	history.step[20] = (struct sim_step){.op = SIM_SLOW, .a = 1, .n = 40000};
	history.step[70] = (struct sim_step){.op = SIM_PLUG, .a = 3};
	ck_assert(shows(&trials, &history));
	sim_shrink(&history, shows, &trials, 1000);
	ck_assert_uint_eq(history.count, 2);
	ck_assert_uint_eq(history.conf, SIM_CONF_NO_LINKS);
	ck_assert_uint_eq(history.boot, 0);
	ck_assert_uint_eq(history.step[0].n, 5000);
	ck_assert(shows(&trials, &history));
}

TEST(trials_have_an_end)
{
	struct sim_history history = {.conf = 31};
	unsigned trials = 0;

	for (unsigned i = 0; i < 100; i++)
		history.step[history.count++] = (struct sim_step){.op = SIM_WAIT, .n = i};
	history.step[98] = (struct sim_step){.op = SIM_SLOW, .a = 1, .n = 40000};
	history.step[99] = (struct sim_step){.op = SIM_PLUG, .a = 3};
	sim_shrink(&history, shows, &trials, 30);
	ck_assert_uint_eq(trials, 30);
	ck_assert(shows(&trials, &history));
}

TEST(each_place_is_new_once)
{
	struct sim_cover cover = {0};
	char place[16];

	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < 3000; i++) {
			snprintf(place, sizeof(place), "place %u", i * 7919 % 3000);
			ck_assert(sim_cover_place(&cover, place) == !round);
			ck_assert(sim_cover_pair(&cover, place, SIM_PLUG) == !round);
			ck_assert(sim_cover_pair(&cover, place, SIM_DOWN) == !round);
		}
	ck_assert_uint_eq(cover.count, 3000);
	ck_assert_uint_eq(cover.pair_count, 6000);
	sim_cover_done(&cover);
}
