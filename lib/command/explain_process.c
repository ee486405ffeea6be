/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source: proc(5): cmdline, stat, task/TID/children, uptime. */
#include "command/explain_process.h"

#include "base/append.h"
#include "base/file.h"
#include "policy/access.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 160U

static bool read_of(struct lea_world *world, pid_t pid, const char *name, char *text, size_t bytes)
{
	const int proc_fd = lea_world_proc(world);
	char path[64];

	snprintf(path, sizeof(path), "%d/%s", (int)pid, name);
	return proc_fd >= 0 && !lea_file_read_into(proc_fd, path, text, bytes) && text[0];
}

/* How long it has run; field 22 of stat is its start, in ticks since the boot. */
static unsigned long age_s(struct lea_world *world, pid_t pid)
{
	const int proc_fd = lea_world_proc(world);
	char stat[512], uptime[64];
	const char *at = NULL;
	double start = 0, now;

	if (proc_fd < 0 || lea_file_read_into(proc_fd, "uptime", uptime, sizeof(uptime)) ||
	    !read_of(world, pid, "stat", stat, sizeof(stat)))
		return 0;
	at = strrchr(stat, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	if (at)
		start = strtod(at, NULL) / (double)sysconf(_SC_CLK_TCK);
	now = strtod(uptime, NULL);
	return at && now > start ? (unsigned long)(now - start) : 0;
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
	long first;

	describe(world, pid, text, text_bytes);
	snprintf(path, sizeof(path), "task/%d/children", (int)pid);
	if (!read_of(world, pid, path, children, sizeof(children)))
		return;
	first = strtol(children, NULL, 10);
	if (first <= 0)
		return;
	describe(world, (pid_t)first, child, sizeof(child));
	if (child[0])
		lea_append(text, text_bytes, ", which waits for %s", child);
}
