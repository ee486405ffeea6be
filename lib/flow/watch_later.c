/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/watch_later.h"

#include "flow/look_again.h"
#include "state/unwatched.h"
#include "world/dmeventd.h"

#define LOOK_MS 500
#define MOST_MS 60000U

struct step {
	const struct lea_batch_how *how;
	int run_fd;
	bool keeps_asked; /* asked by a process that may have died of it */
	uint32_t count;
};

static int count_one(void *arg, const char *vg_id, bool is_asked)
{
	struct step *step = arg;

	/* Whatever was in the way was said by who told, or who could not activate it. */
	if (is_asked && !step->keeps_asked)
		return lea_unwatched_drop(step->run_fd, vg_id);
	step->count++;
	return 0;
}

static int ask_for_one(void *arg, const char *vg_id, bool is_asked)
{
	struct step *step = arg;
	int r;

	(void)is_asked;
	r = lea_look_again_watch(step->how, vg_id);
	if (r == LEA_LOOK_AGAIN_NONE)
		return lea_unwatched_drop(step->run_fd, vg_id);
	return r ? r : lea_unwatched_set_asked(step->run_fd, vg_id);
}

static bool waits(struct lea_watch_later *later, struct lea_world *world)
{
	const uint64_t now = world->clock->now_ms(world->clock);

	if (lea_dmeventd_lives(world))
		return false;
	if (!later->began_ms) {
		later->began_ms = now;
		return lea_dmeventd_start(world);
	}
	return now - later->began_ms < MOST_MS;
}

int lea_watch_later_step(struct lea_watch_later *later, const struct lea_batch_how *how,
			 int *ret_wait_ms)
{
	struct step step = {
		.how = how, .run_fd = lea_world_run(how->world), .keeps_asked = !later->is_begun};
	int r;

	*ret_wait_ms = -1;
	if (step.run_fd < 0)
		return step.run_fd;
	/* While it waits, those that it waits for are not counted again and again. */
	if (!later->began_ms) {
		r = lea_unwatched_each(step.run_fd, count_one, &step);
		later->is_begun = true;
		if (r || !step.count)
			return r;
	}
	if (waits(later, how->world)) {
		*ret_wait_ms = LOOK_MS;
		return 0;
	}
	later->began_ms = 0;
	r = lea_unwatched_each(step.run_fd, ask_for_one, &step);
	return r ? r : LEA_WATCH_LATER_QUEUED;
}
