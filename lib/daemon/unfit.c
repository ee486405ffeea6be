/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/unfit.h"

#include <systemd/sd-daemon.h>

#include "base/cleanup.h"
#include "daemon/wait_end.h"

#define PAUSE_MS 2000U

bool lea_unfit_wait(const struct lea_session *session, const struct lea_queue_watch *watch,
		    bool (*is_over)(const struct lea_session *session))
{
	struct lea_world *world = session->world;
	bool is_boot = true;

	while (!is_over || !is_over(session)) {
		is_boot = is_boot && lea_wait_end_at_limit(world, session->conf);
		world->clock->sleep_ms(world->clock, PAUSE_MS);
		if (watch->fd >= 0 && lea_queue_watch_read(watch) == LEA_QUEUE_WATCH_CONF)
			return true;
	}
	return false;
}

bool lea_unfit_stay(struct lea_session *session)
{
	LEA_AUTO(lea_queue_watch_close) struct lea_queue_watch watch = {.fd = -1, .mounts_fd = -1};

	if (lea_session_watch(session, &watch)) {
		lea_wait_end_at_limit(session->world, session->conf);
		return false;
	}
	sd_notify(0, "READY=1\nSTATUS=Waiting for a correct filter");
	return lea_unfit_wait(session, &watch, NULL);
}
