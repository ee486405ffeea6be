/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/restart.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/session.h"
#include "world/children.h"
#include "world/proc.h"
#include "world/stamps.h"

struct lea_restart {
	struct lea_stamps *stamps;
	struct lea_children *children;
};

struct lea_restart *lea_restart_note(struct lea_world *world, const struct lea_conf *conf)
{
	struct lea_restart *restart = calloc(1, sizeof(*restart));
	int r = restart ? lea_children_new(world, &restart->children) : -ENOMEM;

	r = r ? r : lea_stamps_new(world, conf, &restart->stamps);
	if (!r)
		return restart;
	lea_log(world->log, LEA_LOG_WARNING,
		"a newer program, or settings behind symbolic links, will take effect "
		"only after a restart: %s",
		strerror(-r));
	lea_restart_free(restart);
	return NULL;
}

void lea_restart_free(struct lea_restart *restart)
{
	if (!restart)
		return;
	lea_stamps_free(restart->stamps);
	lea_children_free(restart->children);
	free(restart);
}

bool lea_restart_at_rest(struct lea_restart *restart)
{
	if (!restart)
		return false;
	lea_children_reap(restart->children);
	return lea_stamps_program_changed(restart->stamps);
}

bool lea_restart_at_work(const struct lea_restart *restart)
{
	return restart && lea_stamps_settings_changed(restart->stamps);
}

int lea_restart(struct lea_world *world, bool compare)
{
	char path[PATH_MAX];
	const char *const argv[] = {path, "run", "--stay", compare ? "--compare" : NULL, NULL};

	lea_stamps_own_path(world, path);
	return lea_session_fail(world, lea_proc_exec(argv), "restarting the runner");
}
