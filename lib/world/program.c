/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identifies a program by device and inode: what is executed cannot be written. */
#include "world/program.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SELF_EXE "/proc/self/exe"
#define DELETED	 " (deleted)" /* suffix of a removed file's path in /proc */

/* Returns false if nothing can be executed there. */
static bool find(struct lea_world *world, char path[static PATH_MAX], struct stat *st)
{
	int proc_fd = lea_world_proc(world);
	ssize_t bytes = proc_fd < 0 ? -1 : readlinkat(proc_fd, "self/exe", path, PATH_MAX - 1);
	const ssize_t end = sizeof(DELETED) - 1;

	if (bytes <= 0)
		return false;
	path[bytes] = '\0';
	if (bytes > end && !strcmp(path + bytes - end, DELETED))
		path[bytes - end] = '\0';
	return stat(path, st) == 0 && S_ISREG(st->st_mode) && access(path, X_OK) == 0;
}

void lea_program_path(struct lea_world *world, char ret_path[static PATH_MAX])
{
	struct stat st;

	if (!find(world, ret_path, &st))
		strcpy(ret_path, SELF_EXE);
}

bool lea_program_is_replaced(struct lea_world *world)
{
	char path[PATH_MAX];
	struct stat own, now;

	return find(world, path, &now) &&
	       fstatat(lea_world_proc(world), "self/exe", &own, 0) == 0 &&
	       (own.st_dev != now.st_dev || own.st_ino != now.st_ino);
}
