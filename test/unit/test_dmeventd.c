/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a dmeventd runs. What it is told is tested in guests, with a real one. */
#include "unit/suite.h"
#include "world/dmeventd.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64], run[80], pid_file[96];
static struct lea_world world;

static void setup(void)
{
	static char *const no_environ[] = {NULL};

	strcpy(root, "/tmp/lea-dmeventd-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(run, sizeof(run), "%s/run", root);
	snprintf(pid_file, sizeof(pid_file), "%s/dmeventd.pid", run);
	ck_assert_int_eq(mkdir(run, 0755), 0);
	lea_world_init(&world, root, NULL, no_environ);
}

static void teardown(void)
{
	lea_world_done(&world);
	unlink(pid_file);
	ck_assert_int_eq(rmdir(run), 0);
	ck_assert_int_eq(rmdir(root), 0);
}

/* In a child, as a process does not meet its own record locks. */
static pid_t hold(int *ret_fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fds[2], fd;
	char mark = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(fds[0]);
		fd = open(pid_file, O_RDWR);
		if (fd < 0 || fcntl(fd, F_SETLK, &whole) || write(fds[1], &mark, 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	close(fds[1]);
	ck_assert_msg(read(fds[0], &mark, 1) == 1, "the child has the lock");
	*ret_fd = fds[0];
	return pid;
}

START_TEST(a_lock_says_that_it_lives)
{
	int fd, status;
	pid_t pid;

	ck_assert_msg(!lea_dmeventd_lives(&world), "no file");
	fd = open(pid_file, O_RDWR | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_msg(!lea_dmeventd_lives(&world), "a file that a dead one has left");
	pid = hold(&fd);
	ck_assert_msg(lea_dmeventd_lives(&world), "a living one");
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	close(fd);
	ck_assert_msg(!lea_dmeventd_lives(&world), "it was killed");
	unlink(pid_file);
	ck_assert_int_eq(symlink("/etc/passwd", pid_file), 0);
	ck_assert_msg(!lea_dmeventd_lives(&world), "a link is not followed");
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("dmeventd");
	TCase *tcase = tcase_create("lives");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, a_lock_says_that_it_lives);
	suite_add_tcase(suite, tcase);
	return suite;
}
