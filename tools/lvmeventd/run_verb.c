/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lvmeventd run: the runner's options. */

#include <limits.h>
#include <stdio.h>

#include "base/step.h"
#include "cli/args.h"
#include "daemon/resident.h"
#include "daemon/session.h"
#include "lvmeventd/run_verb.h"
#include "world/proc.h"
#include "world/program.h"
#include "world/timeline.h"

#define USAGE "run [--stay [--compare] [--refresh]]"

/* The process stays the same, so the service manager is not involved. Returns only on failure. */
static int restart(struct lea_world *world, const struct lea_resident_first *first)
{
	char path[PATH_MAX];
	const char *argv[6] = {path, "run", "--stay"};
	size_t count = 3;

	if (first->compare)
		argv[count++] = "--compare";
	if (first->refresh)
		argv[count++] = "--refresh";
	lea_program_path(world, path);
	return lea_session_fail(world, lea_proc_exec(argv), "restarting the runner");
}

static int run_resident(struct lea_world *world, bool stays, struct lea_resident_first first)
{
	struct lea_session session;
	int code, r = 0;

	LEA_CRASHPOINT_ROLE("run");
	code = lea_session_begin(world, &session);
	if (!code)
		lea_timeline_open(world, "run");
	if (!code)
		r = lea_resident_run(&session, stays, &first);
	lea_session_end(&session);
	if (r == LEA_RESIDENT_RESTART)
		r = restart(world, &first);
	return code ? code : r ? LEA_EXIT_FAILED : LEA_EXIT_DONE;
}

struct args {
	struct lea_args shared;
	unsigned int stay, compare, refresh;
};

int lea_lvmevent_run(struct lea_world *world, int argc, char *argv[])
{
	const struct lea_opt rows[] = {LEA_LVMEVENT_HELP,
				       {"stay", 0, LEA_OPT_COUNT, offsetof(struct args, stay),
					LEA_OPT_ALL, NULL,
					"When nothing is pending, wait instead of exiting (unit)."},
				       {"compare", 0, LEA_OPT_COUNT, offsetof(struct args, compare),
					LEA_OPT_ALL, NULL, "With --stay: reconcile first."},
				       {"refresh", 0, LEA_OPT_COUNT, offsetof(struct args, refresh),
					LEA_OPT_ALL, NULL,
					"With --stay: write our udev rules again first."}};
	struct args args = {0};
	struct lea_opts opts = {.row = rows, .count = ARRAY_SIZE(rows), .values = &args};
	int code = lea_lvmevent_parse(&opts, USAGE, argc, argv);

	lea_opts_done(&opts);
	if (code < 0 && (args.compare || args.refresh) && !args.stay) {
		fprintf(stderr, "  --%s needs --stay. Usage: lvmeventd " USAGE "\n",
			args.compare ? "compare" : "refresh");
		code = LEA_EXIT_PARAMS;
	}
	return code >= 0 ? code : run_resident(world, args.stay != 0,
					 (struct lea_resident_first){.compare = args.compare != 0,
								     .refresh = args.refresh != 0});
}
