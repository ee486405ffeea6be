/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/restart.h"

#include <limits.h>
#include <string.h>
#include <sys/utsname.h>

#include "daemon/session.h"
#include "world/proc.h"
#include "world/program.h"

bool lea_restart_host_renamed(const struct lea_conf *conf)
{
	struct utsname host;

	return conf->host_name && uname(&host) == 0 && strcmp(host.nodename, conf->host_name) != 0;
}

int lea_restart(struct lea_world *world, bool compare)
{
	char path[PATH_MAX];
	const char *const argv[] = {path, "run", "--stay", compare ? "--compare" : NULL, NULL};

	lea_program_path(world, path);
	return lea_session_fail(world, lea_proc_exec(argv), "restarting the runner");
}
