/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive ROOT COMMAND [ARGUMENT...]: lvmevent's commands in a tree that stands for /: files for
 * devices, device-mapper and udev as drive.h says. "drive ROOT dm" prints what is active.
 */
#include "crash/drive.h"
#include "../tools/cmd.h"
#include "flow/report.h"
#include "world/clock_kernel.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char *argv[])
{
	struct lea_report report;
	struct lea_world world;
	int code = LEA_EXIT_PARAMS;

	if (argc < 3 || argv[1][0] != '/') {
		fprintf(stderr, "Usage: drive ROOT COMMAND [ARGUMENT...]\n");
		return LEA_EXIT_PARAMS;
	}
	if (!strcmp(argv[2], "dm"))
		return drive_dm_print(argv[1]);
	lea_report_init(&report, stdout, stderr, argv[2]);
	lea_world_init(&world, argv[1], &report.log, environ);
	world.clock = lea_clock_kernel();
	world.dm = drive_dm_open(argv[1]);
	drive_udev_root(argv[1]);
	for (const struct lea_cmd *cmd = lea_cmd_lvmevent; cmd->name; cmd++)
		if (world.dm && !strcmp(cmd->name, argv[2]))
			code = cmd->run(&world, argc - 2, argv + 2);
	lea_world_done(&world);
	return code;
}
