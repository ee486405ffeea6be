/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detects a running dmeventd. Guests test registration with a real one. */
#include "fake/holder.h"
#include "fake/tree.h"
#include "unit/suite.h"
#include "world/dmeventd.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct tree tree;
static char pid_file[96];

static void setup(void)
{
	tree_init(&tree);
	tree_mkdir(&tree, "/run");
	snprintf(pid_file, sizeof(pid_file), "%s/run/dmeventd.pid", tree.root);
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

static int lock(const void *path)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	int fd = open(path, O_RDWR);

	return fd < 0 ? fd : fcntl(fd, F_SETLK, &whole);
}

TEST(a_lock_says_that_it_lives)
{
	pid_t pid; /* a process does not conflict with its own record locks */
	int fd;

	ck_assert_msg(!lea_dmeventd_lives(&tree.world), "no file");
	fd = open(pid_file, O_RDWR | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_msg(!lea_dmeventd_lives(&tree.world), "a file that a dead one has left");
	pid = holder_start(lock, pid_file, &fd);
	ck_assert_msg(lea_dmeventd_lives(&tree.world), "a living one");
	holder_kill(pid);
	ck_assert_msg(!lea_dmeventd_lives(&tree.world), "it was killed");
	unlink(pid_file);
	ck_assert_int_eq(symlink("/etc/passwd", pid_file), 0);
	ck_assert_msg(!lea_dmeventd_lives(&tree.world), "a link is not followed");
}
