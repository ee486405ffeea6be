/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Another process that holds something: a lock, or a flag. */
#pragma once

#include <check.h>
#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Starts a child that calls @take and then waits to be killed. Returns when @take has returned:
 * what it returned is what holder_start() gives in @ret_taken, and must not be negative.
 */
static inline pid_t holder_start(int (*take)(const void *arg), const void *arg, int *ret_taken)
{
	int fds[2];
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		const int taken = take(arg);

		_exit(write(fds[1], &taken, sizeof(taken)) != sizeof(taken) || pause());
	}
	close(fds[1]);
	ck_assert_int_eq(read(fds[0], ret_taken, sizeof(*ret_taken)), sizeof(*ret_taken));
	close(fds[0]);
	ck_assert_int_ge(*ret_taken, 0);
	return pid;
}

static inline void holder_kill(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
