/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/take_charge.h"

#include "base/cleanup.h"
#include "flow/sweep.h"
#include "state/queue.h"
#include "state/since.h"

#define US_PER_MS 1000U

int lea_take_charge(struct lea_world *world, const struct lea_conf *conf)
{
	struct lea_sweep_how how = {.world = world, .conf = conf, .takes_note = true};
	struct lea_sweep_result result;
	int run_fd = lea_world_run(world), r;
	LEA_AUTO(lea_closep) int event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);

	if (event_fd < 0)
		return event_fd;
	r = lea_since_write(run_fd, event_fd, world->clock->now_ms(world->clock) * US_PER_MS);
	if (r)
		return r < 0 ? r : 0;
	how.event_fd = event_fd;
	return lea_sweep(&how, &result);
}
