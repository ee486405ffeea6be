/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Beginning anew.
 */
#include "anew.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"
#include "world/children.h"
#include "world/proc.h"
#include "world/stamps.h"

struct lea_anew {
	struct lea_stamps *stamps;
	struct lea_children *children;
};

struct lea_anew *lea_anew_note(struct lea_world *world, const struct lea_conf *conf)
{
	struct lea_anew *anew = calloc(1, sizeof(*anew));
	int r = anew ? lea_children_new(world, &anew->children) : -ENOMEM;

	r = r ? r : lea_stamps_new(world, conf, &anew->stamps);
	if (!r)
		return anew;
	lea_log(world->log, LEA_LOG_WARNING,
		"a newer program, or settings behind symbolic links, will count after a restart only: "
		"%s",
		strerror(-r));
	lea_anew_free(anew);
	return NULL;
}

void lea_anew_free(struct lea_anew *anew)
{
	if (!anew)
		return;
	lea_stamps_free(anew->stamps);
	lea_children_free(anew->children);
	free(anew);
}

bool lea_anew_at_rest(struct lea_anew *anew)
{
	if (!anew)
		return false;
	lea_children_reap(anew->children);
	return lea_stamps_program_changed(anew->stamps);
}

bool lea_anew_at_work(const struct lea_anew *anew)
{
	return anew && lea_stamps_settings_changed(anew->stamps);
}

int lea_anew_begin(struct lea_world *world, bool compare)
{
	char path[PATH_MAX];
	const char *const argv[] = {path, "run", "--stay", compare ? "--compare" : NULL, NULL};

	lea_stamps_own_path(world, path);
	return lea_session_fail(world, lea_proc_exec(argv), "beginning anew");
}
