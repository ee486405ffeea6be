/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive ROOT COMMAND [ARGUMENT...]: runs a verb of our programs in a tree that stands for /, where
 * regular files stand for devices. The installed program cannot do this.
 *
 * With BENCH_UNCONFINED set the reader keeps its privileges: a tool that counts instructions runs
 * in the same process and needs more system calls than a confined reader may make.
 *
 * "needed", which does nothing without device-mapper, gets the one of test/crash.
 */
#include "crash/drive.h"
#include "crash/step.h"
#include "fake/drive.h"
#include "world/confine.h"

#include <stdlib.h>

int __real_lea_confine_reader(int write_fd);
int __wrap_lea_confine_reader(int write_fd);

/* Linked instead of the real function (--wrap). */
int __wrap_lea_confine_reader(int write_fd)
{
	return getenv("BENCH_UNCONFINED") ? 0 : __real_lea_confine_reader(write_fd);
}

/* This is no crash build. */
void step_pause(void)
{
}

void step_resume(void)
{
}

static bool equip(struct lea_world *world, const char *root)
{
	world->dm = drive_dm_open(root);
	return world->dm;
}

int main(int argc, char *argv[])
{
	const bool uses_dm = argc > 2 && !strcmp(argv[2], "needed");

	return drive_main(argc, argv, uses_dm ? equip : NULL);
}
