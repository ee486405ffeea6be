/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executes one step. Uses raw system calls only, since libc's functions are steps themselves, and
 * keeps no descriptor: our processes close those that they do not know.
 */
#include "crash/step.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/step.h"

#define DEFAULT_FOLDER "/run/lvmevent-steps"
#define LINE_BYTES     512

struct request {
	char role[24], id[24], label[48];
	unsigned long step;
};

static char role[24] = "other", last_id[24];
static unsigned long steps; /* since last_id */
static int paused;

void step_pause(void)
{
	__atomic_fetch_add(&paused, 1, __ATOMIC_RELAXED);
}

void step_resume(void)
{
	__atomic_fetch_sub(&paused, 1, __ATOMIC_RELAXED);
}

const char *step_folder(void)
{
	static const char name[] = "LVMEVENT_STEPS=";

	for (char **entry = environ; entry && *entry; entry++)
		if (!strncmp(*entry, name, sizeof(name) - 1))
			return *entry + sizeof(name) - 1;
	return DEFAULT_FOLDER;
}

static int open_in(const char *name, int flags)
{
	char path[LINE_BYTES];

	snprintf(path, sizeof(path), "%s/%s", step_folder(), name);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0600);
}

static void put_line(const char *name, int flags, const char *text)
{
	struct timespec now = {0};
	char line[LINE_BYTES];
	int len, fd = open_in(name, O_WRONLY | flags);

	if (fd < 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	len = snprintf(line, sizeof(line), "%lld %.400s\n",
		       (long long)now.tv_sec * 1000000000 + now.tv_nsec, text);
	/* In one call, so that lines of several processes do not mix. */
	if (syscall(SYS_write, fd, line, (size_t)len) < 0)
		len = 0;
	syscall(SYS_close, fd);
}

static void put_step(const char *name, int flags, const char *label, const char *what)
{
	char text[LINE_BYTES];

	snprintf(text, sizeof(text), "%ld %s %s%s%.300s", (long)getpid(), role, label,
		 what && *what ? " " : "", what && *what ? what : "");
	put_line(name, flags, text);
}

static int read_request(struct request *request)
{
	char text[LINE_BYTES];
	int fd = open_in("kill", O_RDONLY);
	long len;

	if (fd < 0)
		return -1;
	len = syscall(SYS_read, fd, text, sizeof(text) - 1);
	syscall(SYS_close, fd);
	text[len > 0 ? len : 0] = '\0';
	return sscanf(text, "%23s %lu %23s %47s", request->role, &request->step, request->id,
		      request->label) == 4
		       ? 0
		       : -1;
}

/* If two processes reach the step at once, the one whose rename succeeds dies. */
static void die(const char *label, const char *what)
{
	char from[LINE_BYTES], to[LINE_BYTES];

	snprintf(from, sizeof(from), "%s/kill", step_folder());
	snprintf(to, sizeof(to), "%s/killed", step_folder());
	if (syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to) < 0)
		return;
	put_step("killed", O_APPEND, label, what);
	/* Written for the role "world", since no other process sees the end of a grandchild. */
	snprintf(from, sizeof(from), "0 world killed %ld", (long)getpid());
	put_line("trace", O_APPEND, from);
	syscall(SYS_kill, getpid(), SIGKILL);
	/* A confined process may not send signals. */
	syscall(SYS_exit_group, 128 + SIGKILL);
}

void lea_step_role(const char *name)
{
	snprintf(role, sizeof(role), "%s", name);
	steps = 0;
}

void lea_step(const char *label, const char *what)
{
	struct request request;
	int saved = errno;

	if (!__atomic_load_n(&paused, __ATOMIC_RELAXED)) {
		if (read_request(&request) == 0 && !strcmp(request.role, role) &&
		    (!strcmp(request.label, "-") || !strcmp(request.label, label))) {
			if (strcmp(last_id, request.id) != 0) {
				memcpy(last_id, request.id, sizeof(last_id));
				steps = 0;
			}
			if (__atomic_add_fetch(&steps, 1, __ATOMIC_RELAXED) == request.step)
				die(label, what);
		}
		put_step("trace", O_APPEND, label, what);
	}
	errno = saved;
}
