/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source: proc(5): cmdline, task/TID/children, uptime. */
#include "explain/explain_process.h"

#include "base/append.h"
#include "base/file.h"
#include "plan/access.h"
#include "world/proc_stat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 160U

/* How long it has run. */
static unsigned long age_s(struct lea_world *world, pid_t pid)
{
	const int proc_fd = lea_world_proc(world);
	struct lea_proc_stat stat;
	char uptime[64];
	double start, now;

	if (proc_fd < 0 || lea_file_read_into(proc_fd, "uptime", uptime, sizeof(uptime)) ||
	    lea_proc_stat(proc_fd, pid, &stat))
		return 0;
	start = (double)stat.start_ticks / (double)sysconf(_SC_CLK_TCK);
	now = strtod(uptime, NULL);
	return now > start ? (unsigned long)(now - start) : 0;
}

/* The arguments end in NUL each: the first lines up to LINE_BYTES, with blanks between them. */
static bool read_command(struct lea_world *world, pid_t pid, char text[static LINE_BYTES])
{
	char raw[LINE_BYTES] = "", path[64];
	const int proc_fd = lea_world_proc(world);
	ssize_t bytes;
	int fd;

	snprintf(path, sizeof(path), "%d/cmdline", (int)pid);
	fd = proc_fd < 0 ? -1 : openat(proc_fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	bytes = read(fd, raw, sizeof(raw) - 1);
	close(fd);
	for (ssize_t i = 0; i + 1 < bytes; i++)
		raw[i] = raw[i] ? raw[i] : ' ';
	lea_access_plain(raw, text, LINE_BYTES);
	return bytes > 0 && raw[0];
}

static void describe(struct lea_world *world, pid_t pid, char *text, size_t text_bytes)
{
	char command[LINE_BYTES];

	if (read_command(world, pid, command))
		lea_append(text, text_bytes, "%s (pid %d, for %lu s)", command, (int)pid,
			   age_s(world, pid));
}

void lea_explain_process(struct lea_world *world, pid_t pid, char *text, size_t text_bytes)
{
	char path[64], children[64], child[2 * LINE_BYTES] = "";
	const int proc_fd = lea_world_proc(world);
	long first;

	describe(world, pid, text, text_bytes);
	snprintf(path, sizeof(path), "%d/task/%d/children", (int)pid, (int)pid);
	if (proc_fd < 0 || lea_file_read_into(proc_fd, path, children, sizeof(children)))
		return;
	first = strtol(children, NULL, 10);
	if (first <= 0)
		return;
	describe(world, (pid_t)first, child, sizeof(child));
	if (child[0])
		lea_append(text, text_bytes, ", which waits for %s", child);
}
