/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/monitor_retry.h"

#include "batch/requeue.h"
#include "state/monitor_deferred.h"
#include "world/dmeventd.h"
#include "world/manager.h"

#define LOOK_MS 500
#define MOST_MS 60000U

struct step {
	const struct lea_batch_options *options;
	int run_fd;
	bool keeps_asked; /* an earlier process asked, and may have died of it */
	uint32_t count;
};

static int count_one(void *arg, const char *vg_id, bool is_asked)
{
	struct step *step = arg;

	/* If it was asked for and still waits, registration or activation failed, and that was
	 * logged. */
	if (is_asked && !step->keeps_asked)
		return lea_monitor_deferred_drop(step->run_fd, vg_id);
	step->count++;
	return 0;
}

static int ask_for_one(void *arg, const char *vg_id, bool is_asked)
{
	struct step *step = arg;
	int r;

	(void)is_asked;
	r = lea_requeue_monitor(step->options, vg_id);
	if (r == LEA_REQUEUE_NONE)
		return lea_monitor_deferred_drop(step->run_fd, vg_id);
	return r ? r : lea_monitor_deferred_set_asked(step->run_fd, vg_id);
}

static bool waits(struct lea_monitor_retry *later, struct lea_world *world)
{
	const uint64_t now = lea_world_now_ms(world);

	if (lea_dmeventd_lives(world))
		return false;
	if (!later->began_ms) {
		later->began_ms = now;
		return world->manager &&
		       world->manager->start(world, (const char *const[]){"dm-event.service"}, 1);
	}
	return now - later->began_ms < MOST_MS;
}

int lea_monitor_retry_step(struct lea_monitor_retry *later, const struct lea_batch_options *options,
			   int *ret_wait_ms)
{
	struct step step = {.options = options,
			    .run_fd = lea_world_run(options->world),
			    .keeps_asked = !later->is_begun};
	int r;

	*ret_wait_ms = -1;
	if (step.run_fd < 0)
		return step.run_fd;
	/* While it waits for dmeventd the VGs are not counted again. */
	if (!later->began_ms) {
		r = lea_monitor_deferred_each(step.run_fd, count_one, &step);
		later->is_begun = true;
		if (r || !step.count)
			return r;
	}
	if (waits(later, options->world)) {
		*ret_wait_ms = LOOK_MS;
		return 0;
	}
	later->began_ms = 0;
	r = lea_monitor_deferred_each(step.run_fd, ask_for_one, &step);
	return r ? r : LEA_MONITOR_RETRY_QUEUED;
}
