/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/suite.h"
#include "world/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int give(void *arg)
{
	return *(int *)arg;
}

static int die(void *arg)
{
	raise(SIGKILL);
	return 0;
}

static int count_open(void *arg)
{
	int open_count = 0;

	lea_proc_detach(*(int *)arg);
	for (int fd = 3; fd < 256; fd++)
		open_count += fcntl(fd, F_GETFD) >= 0;
	return open_count;
}

TEST(the_exit_code_of_a_child_is_returned)
{
	int code = 0, seven = 7;
	pid_t pid;

	ck_assert_int_eq(lea_proc_fork(give, &seven, &pid), 0);
	ck_assert_int_eq(lea_proc_wait(pid, &code), 0);
	ck_assert_msg(code == 7, "a child's code is its own");
	ck_assert_int_eq(lea_proc_fork(die, NULL, &pid), 0);
	ck_assert_int_eq(lea_proc_wait(pid, &code), 0);
	ck_assert_msg(code == 128 + SIGKILL, "a signal shows in the code");
	ck_assert_msg(lea_proc_wait(pid, &code) == -ECHILD, "nobody waits twice");
}

TEST(the_exit_code_of_a_program_is_returned)
{
	static const char *const ok[] = {"/bin/sh", "-c", "exit 5", NULL};
	static const char *const absent[] = {"/nonexistent/lvm", NULL};
	static const char *const look[] = {"/bin/sh", "-c", "[ ! -e /proc/self/fd/77 ]", NULL};
	int code = -1;

	ck_assert_int_eq(lea_proc_run(ok, &code), 0);
	ck_assert_int_eq(code, 5);
	ck_assert_msg(lea_proc_run(absent, &code) == -ENOENT, "a missing program is a fault");
	ck_assert_int_eq(lea_proc_exec(absent), -ENOENT);
	ck_assert_int_eq(dup2(STDERR_FILENO, 77), 77);
	ck_assert_int_eq(lea_proc_run(look, &code), 0);
	ck_assert_msg(code == 0, "a descriptor that is not O_CLOEXEC stays ours");
	close(77);
}

/* Captures a program that would run forever and writes its pid to a file. */
static int capture_for_good(void *arg)
{
	const char *const argv[] = {"/bin/sh", "-c", arg, NULL};
	char output[16];
	int code;

	return lea_proc_capture(argv, output, sizeof(output), &code);
}

TEST(what_is_captured_dies_with_us)
{
	char path[] = "/tmp/lea-proc-XXXXXX", command[96], text[32] = "";
	int fd = mkstemp(path), code;
	pid_t parent, child = 0;

	ck_assert_int_ge(fd, 0);
	snprintf(command, sizeof(command), "echo $$ >%s; exec sleep 600", path);
	ck_assert_int_eq(lea_proc_fork(capture_for_good, command, &parent), 0);
	for (int i = 0; i < 500 && child <= 0; i++) {
		usleep(10000);
		if (pread(fd, text, sizeof(text) - 1, 0) > 0 && strchr(text, '\n'))
			child = (pid_t)atol(text);
	}
	ck_assert_int_gt(child, 0);
	kill(parent, SIGKILL);
	ck_assert_int_eq(lea_proc_wait(parent, &code), 0);
	/* It may remain as a zombie until its parent reaps it. */
	snprintf(command, sizeof(command), "grep -qs '^State:.[^ZX]' /proc/%ld/status",
		 (long)child);
	for (int i = 0; i < 500 && !system(command); i++)
		usleep(10000);
	ck_assert_msg(system(command) != 0, "it does not live on");
	close(fd);
	unlink(path);
}

TEST(a_child_keeps_one_descriptor_only)
{
	int fds[2], code;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	ck_assert_int_eq(lea_proc_fork(count_open, &fds[1], &pid), 0);
	ck_assert_int_eq(lea_proc_wait(pid, &code), 0);
	ck_assert_msg(code == 1, "only the pipe is kept: %d", code);
	close(fds[0]);
	close(fds[1]);
}

static int thread_pipe[2];

static void *say(void *arg)
{
	return write(thread_pipe[1], "x", 1) == 1 ? arg : NULL;
}

static int start_threads(void *arg)
{
	char bytes[4];
	int started = lea_proc_threads(4, say, NULL);

	for (int i = 0; i < started; i++)
		if (read(thread_pipe[0], bytes, 1) != 1)
			return 0;
	return started;
}

TEST(each_thread_runs_once)
{
	int code;
	pid_t pid;

	ck_assert_int_eq(pipe(thread_pipe), 0);
	ck_assert_int_eq(lea_proc_fork(start_threads, NULL, &pid), 0);
	ck_assert_int_eq(lea_proc_wait(pid, &code), 0);
	ck_assert_msg(code == 4, "each thread runs once: %d", code);
}

/* A protected service starts programs that are not: each is killed on its own merits. */
TEST_AS_ROOT(a_program_inherits_a_high_priority_only_if_it_is_captured)
{
	static const char *const argv[] = {"/usr/bin/nice", NULL};
	static const char *const is_normal[] = {"/bin/sh", "-c", "[ $(nice) = 0 ]", NULL};
	static const char *const is_low[] = {"/bin/sh", "-c", "[ $(nice) = 19 ]", NULL};
	char output[32];
	int code = -1;

	/* A container may not be allowed to. */
	if (!setpriority(PRIO_PROCESS, 0, -5)) {
		ck_assert_int_eq(lea_proc_capture(argv, output, sizeof(output), &code), 0);
		ck_assert_str_eq(output, "-5\n");
		ck_assert_int_eq(lea_proc_run(is_normal, &code), 0);
		ck_assert_int_eq(code, 0);
	}
	ck_assert_int_eq(setpriority(PRIO_PROCESS, 0, 19), 0);
	ck_assert_int_eq(lea_proc_run(is_low, &code), 0);
	ck_assert_int_eq(code, 0);
}

TEST_AS_ROOT(a_program_does_not_inherit_protection_from_the_oom_killer)
{
	static const char *const argv[] = {"/bin/cat", "/proc/self/oom_score_adj", NULL};
	char output[32];
	int code = -1, fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	/* A container may not be allowed to; the guest case doctor shows the services' own. */
	if (write(fd, "-900", 4) < 0) {
		close(fd);
		return;
	}
	close(fd);
	ck_assert_int_eq(lea_proc_capture(argv, output, sizeof(output), &code), 0);
	ck_assert_int_eq(code, 0);
	ck_assert_str_eq(output, "0\n");
}

static int find_lineage(void *arg)
{
	const struct lea_proc_id *above = arg;
	struct lea_proc_id found[64];
	const size_t count = lea_proc_lineage(found, 64);

	return count < 3 || found[0].pid != getpid() || found[1].pid != getppid() ||
	       found[2].pid != above->pid || found[2].start_ticks != above->start_ticks ||
	       found[2].pid_ns != above->pid_ns || lea_proc_lineage(found, 1) != 1;
}

/* Its parent, as others see it: to a process itself, qemu-user says something else. */
static int fork_again(void *arg)
{
	struct lea_proc_id above;
	pid_t pid;
	int code = 1;

	(void)arg;
	lea_proc_identify_thread(getppid(), &above);
	return !above.start_ticks || lea_proc_fork(find_lineage, &above, &pid) || lea_proc_wait(pid, &code) || code;
}

TEST(a_lineage_begins_with_this_process)
{
	pid_t pid;
	int code = 1;

	ck_assert_int_eq(lea_proc_fork(fork_again, NULL, &pid), 0);
	ck_assert_int_eq(lea_proc_wait(pid, &code), 0);
	ck_assert_int_eq(code, 0);
}

/* Rows: is a descriptor left for the list of descriptors? */
TEST_TIMES(a_child_keeps_only_what_it_names, 2)
{
	int ends[2], kept, status;
	pid_t pid;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	kept = fcntl(ends[0], F_DUPFD_CLOEXEC, 0);
	ck_assert_int_ge(kept, 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (!pid) {
		struct rlimit limit = {.rlim_cur = (rlim_t)kept + 1, .rlim_max = (rlim_t)kept + 1};

		if (_i && setrlimit(RLIMIT_NOFILE, &limit))
			_exit(1);
		lea_proc_keep(&kept, 1);
		_exit(fcntl(kept, F_GETFD) < 0 || fcntl(ends[0], F_GETFD) >= 0 ||
		      fcntl(ends[1], F_GETFD) >= 0 || fcntl(STDERR_FILENO, F_GETFD) < 0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status) && !WEXITSTATUS(status));
	close(kept);
	close(ends[0]);
	close(ends[1]);
}
