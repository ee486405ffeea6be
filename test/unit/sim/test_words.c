/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history in words is read back as it was. */
#include "sim/words.c"

#include "sim/random.h"
#include "unit/suite.h"

/* A step with numbers that its op allows. */
static struct sim_step draw(struct sim_random *random, enum sim_op op)
{
	struct sim_step step = {.op = op,
				.v = (uint8_t)sim_random_below(random, SIM_VGS),
				.a = (uint8_t)sim_random_below(random, SIM_DISKS),
				.b = (uint8_t)sim_random_below(random, SIM_TYPES),
				.n = sim_random_below(random, 2)};

	sim_words_keep(&step);
	return step;
}

static bool is_same(const struct sim_step *a, const struct sim_step *b)
{
	return a->op == b->op && a->v == b->v && a->a == b->a && a->b == b->b && a->n == b->n;
}

TEST_TIMES(each_step_is_read_back, SIM_OPS)
{
	struct sim_random random = {(uint64_t)_i};
	struct sim_step step, again;
	char words[SIM_WORDS_BYTES];

	for (unsigned i = 0; i < 200; i++) {
		step = draw(&random, (enum sim_op)_i);
		sim_words_of(&step, words);
		ck_assert_msg(!sim_words_step(words, &again), "%s", words);
		ck_assert_msg(is_same(&step, &again), "%s", words);
	}
}

static const struct {
	const char *words;
	struct sim_step step;
} known[] = {
	{"disk 1 is plugged in", {.op = SIM_PLUG, .a = 1}},
	{"disk 1 is plugged in with the number it had", {.op = SIM_PLUG, .a = 1, .n = 1}},
	{"vg 0 is deactivated by vgchange -an", {.op = SIM_DOWN}},
	{"vg 3 is created on disks 0,2,7 with raid1 LVs by vgcreate of lvm2 2.03.31",
	 {.op = SIM_CREATE, .v = 3, .a = 0x85, .b = SIM_RAID1, .n = 1}},
	{"the devices file lists disks none, by name disks 1", {.op = SIM_LIST, .n = 2}},
	{"vg 2 gets the system ID of another host", {.op = SIM_FOREIGN, .v = 2, .n = 1}},
};

TEST_EACH(words_mean_the_step, known)
{
	struct sim_step step;
	char words[SIM_WORDS_BYTES];

	ck_assert(!sim_words_step(known[_i].words, &step));
	ck_assert(is_same(&step, &known[_i].step));
	sim_words_of(&step, words);
	ck_assert_str_eq(words, known[_i].words);
}

static const char *const wrong[] = {
	"",
	"disk 8 is plugged in",
	"disk 1 is plugged in ",
	"disk is plugged in",
	"disk -1 is plugged in",
	"disk 1 is plugged",
	"vg 4 is deactivated by vgchange -an",
	"vg 0 is deactivated by vgchange -an of lvm2 2.03.32",
	"vg 0 is created on disks 0,,1 with thin LVs by vgcreate",
	"4294967295 ms pass",
};

TEST_EACH(other_words_are_refused, wrong)
{
	struct sim_step step;

	ck_assert_int_eq(sim_words_step(wrong[_i], &step), -EINVAL);
}

TEST(history_is_read_back)
{
	struct sim_history history = {.seed = UINT64_MAX, .boot = 1, .conf = 31}, again;
	struct sim_random random = {1};
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	for (unsigned i = 0; i < SIM_STEPS; i++)
		history.step[history.count++] = draw(&random, (enum sim_op)(i % SIM_OPS));
	fputs("# why\n\n", f);
	sim_words_print(&history, f);
	fclose(f);
	f = fmemopen(text, bytes, "r");
	ck_assert(!sim_words_read(f, &again, NULL));
	fclose(f);
	free(text);
	ck_assert(again.seed == history.seed && again.boot && again.conf == history.conf);
	ck_assert_uint_eq(again.count, history.count);
	for (unsigned i = 0; i < SIM_STEPS; i++)
		ck_assert(is_same(&history.step[i], &again.step[i]));
}

TEST(line_at_fault_is_named)
{
	static const char text[] = "seed 1\ndisk 1 is plugged in\ndisk 1 burns\n";
	FILE *f = fmemopen((void *)(uintptr_t)text, sizeof(text) - 1, "r");
	struct sim_history history;
	unsigned line;

	ck_assert_int_eq(sim_words_read(f, &history, &line), -EINVAL);
	ck_assert_uint_eq(line, 3);
	fclose(f);
}
