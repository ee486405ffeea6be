/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive ROOT COMMAND [ARGUMENT...]: lvmevent's own commands in a tree that stands for /, where
 * regular files stand for devices. There is no way to have this from the installed program.
 *
 * With BENCH_UNCONFINED set the reader keeps its privileges: a tool that counts instructions lives
 * in the process and needs more system calls than the reader is left with.
 */
#include "../tools/cmd.h"
#include "flow/report.h"
#include "world/clock_kernel.h"
#include "world/confine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int __real_lea_confine_reader(int write_fd);
int __wrap_lea_confine_reader(int write_fd);

/* Linked in the place of the real one (--wrap). */
int __wrap_lea_confine_reader(int write_fd)
{
	return getenv("BENCH_UNCONFINED") ? 0 : __real_lea_confine_reader(write_fd);
}

int main(int argc, char *argv[])
{
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
	for (const struct lea_cmd *cmd = lea_cmd_lvmevent; cmd->name; cmd++)
		if (!strcmp(cmd->name, argv[2]))
			code = cmd->run(&world, argc - 2, argv + 2);
	lea_world_done(&world);
	return code;
}
