/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks against other processes of ours, and against a plain flock as lvm2 takes it. */
#include "base/cleanup.h"
#include "fake/holder.h"
#include "fake/tree.h"
#include "state/lock.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[FOLDER_BYTES];

static void setup(void)
{
	folder_remove(dir, folder_new(dir)); /* the lock creates it */
}

static void teardown(void)
{
	folder_remove(dir, -1);
}

const struct fixture fixture = {setup, teardown};

static struct lea_lock_options options_of(enum lea_lock_mode mode, bool wait)
{
	return (struct lea_lock_options){.dir = dir, .mode = mode, .wait = wait, .turnstile = true};
}

static bool exists(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return !access(path, F_OK);
}

static int open_by_hand(const char *name)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_CREAT | O_APPEND | O_RDWR | O_CLOEXEC, 0700);
	ck_assert_int_ge(fd, 0);
	return fd;
}

TEST(the_last_user_removes_the_lock_file)
{
	struct lea_lock_options ex = options_of(LEA_LOCK_EXCLUSIVE, true);
	struct lea_lock *lock;
	struct stat st;

	ck_assert_int_eq(lea_lock_take(&ex, "V_vg", &lock), 0);
	ck_assert(exists("V_vg"));
	ck_assert_msg(!exists("V_vg:aux"), "the turnstile is only passed");
	ck_assert_int_eq(stat(dir, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0700);
	lea_lock_release(lock);
	ck_assert(!exists("V_vg"));
}

TEST(the_lock_file_of_the_devices_file_stays)
{
	struct lea_lock_options sh = options_of(LEA_LOCK_SHARED, true);
	struct lea_lock *lock;

	ck_assert_int_eq(lea_lock_take(&sh, "D_system.devices", &lock), 0);
	lea_lock_release(lock);
	ck_assert(exists("D_system.devices"));
	ck_assert(!exists("D_system.devices:aux"));
}

/* Rows: the plain flock that is held, and the lock that we request. */
static const struct {
	const char *claim;
	const char *held;
	int by_hand;
	enum lea_lock_mode mode;
	int want;
} rows[] = {
	{"a writer is refused by a reader", "V_vg", LOCK_SH, LEA_LOCK_EXCLUSIVE, LEA_LOCK_BUSY},
	{"a writer is refused by a writer", "V_vg", LOCK_EX, LEA_LOCK_EXCLUSIVE, LEA_LOCK_BUSY},
	{"a reader is refused by a writer", "V_vg", LOCK_EX, LEA_LOCK_SHARED, LEA_LOCK_BUSY},
	{"readers share", "V_vg", LOCK_SH, LEA_LOCK_SHARED, 0},
	{"a waiting writer keeps readers out", "V_vg:aux", LOCK_EX, LEA_LOCK_SHARED, LEA_LOCK_BUSY},
	{"another VG's lock is no matter", "V_vg2", LOCK_EX, LEA_LOCK_EXCLUSIVE, 0},
};

TEST_EACH(a_held_lock_is_refused_without_a_wait, rows)
{
	struct lea_lock_options h = options_of(rows[_i].mode, false);
	struct lea_lock *lock = NULL;
	int fd;

	ck_assert_int_eq(mkdir(dir, 0700), 0);
	fd = open_by_hand(rows[_i].held);
	ck_assert_int_eq(flock(fd, rows[_i].by_hand | LOCK_NB), 0);
	ck_assert_msg(lea_lock_take(&h, "V_vg", &lock) == rows[_i].want, "%s", rows[_i].claim);
	lea_lock_release(lock);
	ck_assert_msg(exists(rows[_i].held), "%s: the other's file stays", rows[_i].claim);
	close(fd);
}

TEST(names_with_a_slash_are_refused)
{
	struct lea_lock_options ex = options_of(LEA_LOCK_EXCLUSIVE, true);
	struct lea_lock *lock;

	ck_assert_int_eq(lea_lock_take(&ex, "V_../x", &lock), -EINVAL);
	ck_assert_int_eq(lea_lock_take(&ex, "", &lock), -EINVAL);
}

static int take_the_lock(const void *name)
{
	struct lea_lock_options ex = options_of(LEA_LOCK_EXCLUSIVE, false);
	struct lea_lock *lock;

	return lea_lock_take(&ex, name, &lock) ? -1 : lea_lock_fd(lock);
}

TEST(the_lock_of_a_process_that_hangs_can_be_released)
{
	struct lea_lock_options ex = options_of(LEA_LOCK_EXCLUSIVE, false);
	struct lea_lock *lock = NULL;
	int fd;
	const pid_t pid = holder_start(take_the_lock, "V_vg", &fd);

	ck_assert_int_eq(lea_lock_take(&ex, "V_vg", &lock), LEA_LOCK_BUSY);
	ck_assert_int_eq(lea_lock_release_theirs(pid, fd, dir, "V_vg"), 0);
	ck_assert_int_eq(lea_lock_take(&ex, "V_vg", &lock), 0);
	ck_assert_msg(!kill(pid, 0), "it goes on");
	holder_kill(pid);
	ck_assert_msg(lea_lock_take(&ex, "V_vg", &(struct lea_lock *){NULL}) == LEA_LOCK_BUSY,
		      "its end takes nobody's lock away");
	lea_lock_release(lock);
}

TEST(no_other_lock_and_no_other_file_is_released)
{
	struct lea_lock_options ex = options_of(LEA_LOCK_EXCLUSIVE, false);
	struct lea_lock *other, *lock = NULL;
	int fd;
	const pid_t pid = holder_start(take_the_lock, "V_vg", &fd);

	ck_assert_int_eq(lea_lock_take(&ex, "V_other", &other), 0);
	ck_assert_int_eq(lea_lock_release_theirs(pid, fd, dir, "V_other"), -ESTALE);
	ck_assert_int_eq(lea_lock_release_theirs(pid, 0, dir, "V_vg"), -ESTALE);
	ck_assert_int_eq(lea_lock_release_theirs(pid, 1000, dir, "V_vg"), -EBADF);
	ck_assert_int_eq(lea_lock_take(&ex, "V_vg", &lock), LEA_LOCK_BUSY);
	holder_kill(pid);
	lea_lock_release(other);
}

#define CONTENDERS 8
#define ROUNDS	   200

/* Adds one to a shared number under the lock, in two steps that another holder would disturb. */
static void contend(volatile unsigned int *shared)
{
	struct lea_lock_options ex = options_of(LEA_LOCK_EXCLUSIVE, true);
	struct lea_lock *lock;

	for (int i = 0; i < ROUNDS; i++) {
		unsigned int seen;

		if (lea_lock_take(&ex, "V_vg", &lock))
			_exit(1);
		seen = *shared;
		if (i % 16 == 0)
			usleep(1);
		*shared = seen + 1;
		lea_lock_release(lock);
	}
	_exit(0);
}

TEST(contenders_exclude_each_other_across_unlinks)
{
	unsigned int *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid[CONTENDERS];
	int status;

	ck_assert_ptr_ne(shared, MAP_FAILED);
	for (int i = 0; i < CONTENDERS; i++) {
		pid[i] = fork();
		if (!pid[i])
			contend(shared);
	}
	for (int i = 0; i < CONTENDERS; i++) {
		ck_assert_int_eq(waitpid(pid[i], &status, 0), pid[i]);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_uint_eq(*shared, CONTENDERS * ROUNDS);
	ck_assert(!exists("V_vg"));
	ck_assert(!exists("V_vg:aux"));
	munmap(shared, sizeof(*shared));
}
