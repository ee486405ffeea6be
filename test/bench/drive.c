/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * drive ROOT COMMAND [ARGUMENT...]: runs a command of lvmevent in a tree that stands for /, where
 * regular files stand for devices. The installed program cannot do this.
 *
 * With BENCH_UNCONFINED set the reader keeps its privileges: a tool that counts instructions runs
 * in the same process and needs more system calls than a confined reader may make.
 */
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

int main(int argc, char *argv[])
{
	return drive_main(argc, argv, NULL);
}
