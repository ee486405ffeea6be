/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What programs have in common that run a verb of our programs in a tree that stands for /. */
#pragma once

#include "cli/log_sink.h"
#include "fake/verb.h"
#include "world/clock_kernel.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/*
 * Runs ROOT COMMAND [ARGUMENT...] and returns its exit code. @equip (NULL: none) adds to the world
 * what stands for the kernel and udev; false: it cannot.
 */
static inline int drive_main(int argc, char *argv[],
			     bool (*equip)(struct lea_world *world, const char *root))
{
	const struct lea_cmd *cmd;
	struct lea_report report;
	struct lea_world world;
	int code = LEA_EXIT_PARAMS;

	if (argc < 3 || argv[1][0] != '/') {
		fprintf(stderr, "Usage: drive ROOT COMMAND [ARGUMENT...]\n");
		return LEA_EXIT_PARAMS;
	}
	lea_report_init(&report, stdout, stderr, argv[2]);
	lea_world_init(&world, argv[1], &report.log, environ);
	world.clock = lea_clock_kernel();
	cmd = find_verb(argv[2]);
	if (cmd && (!equip || equip(&world, argv[1])))
		code = cmd->run(&world, argc - 2, argv + 2);
	lea_world_done(&world);
	return code;
}
