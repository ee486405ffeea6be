/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/ask_password.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/number.h"
#include "world/proc_stat.h"

#define QUESTION_BYTES 4096U
#define PID	       "\nPID="

/* A process that is killed leaves the file of its question. In doubt it lives. */
static bool is_left(struct lea_world *world, int folder_fd, const char *name)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	const int proc_fd = lea_world_proc(world);
	struct lea_proc_stat stat;
	const char *pid;
	uint64_t number;
	int r;

	if (proc_fd < 0 || lea_file_read(folder_fd, name, QUESTION_BYTES, &text, NULL))
		return false;
	pid = strstr(text, PID);
	if (!pid)
		return false;
	pid += strlen(PID);
	if (!lea_number_take(&pid, &number) || *pid != '\n' || !number || number > INT_MAX)
		return false;
	r = lea_proc_stat(proc_fd, (pid_t)number, &stat);
	return r == -ESRCH || (!r && stat.state == 'Z');
}

bool lea_password_is_asked(struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, "/run/systemd/ask-password");
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = path ? lea_file_list(AT_FDCWD, path, &dir) : -1;

	while ((entry = lea_file_next(dir, &r)))
		if (!strncmp(entry->d_name, "ask.", 4) &&
		    !is_left(world, dirfd(dir), entry->d_name))
			return true;
	return false;
}
