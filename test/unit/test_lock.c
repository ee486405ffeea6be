/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks against ourselves in other processes and against a flock taken by hand, as lvm2 does it. */
#include "base/cleanup.h"
#include "state/lock.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];

static void setup(void)
{
	strcpy(dir, "/tmp/lea-lock-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(rmdir(dir), 0); /* the lock makes it */
}

static void teardown(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static struct lea_lock_how how(enum lea_lock_mode mode, bool wait)
{
	return (struct lea_lock_how){.dir = dir, .mode = mode, .wait = wait, .turnstile = true};
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

START_TEST(last_user_unlinks)
{
	struct lea_lock_how ex = how(LEA_LOCK_EXCLUSIVE, true);
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
END_TEST

START_TEST(devices_file_lock_stays)
{
	struct lea_lock_how sh = how(LEA_LOCK_SHARED, true);
	struct lea_lock *lock;

	ck_assert_int_eq(lea_lock_take(&sh, "D_system.devices", &lock), 0);
	lea_lock_release(lock);
	ck_assert(exists("D_system.devices"));
	ck_assert(!exists("D_system.devices:aux"));
}
END_TEST

/* Rows: who holds it by hand, who comes. */
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

START_TEST(without_waiting)
{
	struct lea_lock_how h = how(rows[_i].mode, false);
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
END_TEST

START_TEST(names_with_a_slash_are_refused)
{
	struct lea_lock_how ex = how(LEA_LOCK_EXCLUSIVE, true);
	struct lea_lock *lock;

	ck_assert_int_eq(lea_lock_take(&ex, "V_../x", &lock), -EINVAL);
	ck_assert_int_eq(lea_lock_take(&ex, "", &lock), -EINVAL);
}
END_TEST

START_TEST(forgotten_in_a_child_it_stays_held)
{
	struct lea_lock_how ex = how(LEA_LOCK_EXCLUSIVE, false);
	struct lea_lock *lock, *second = NULL;
	int status;
	pid_t pid;

	ck_assert_int_eq(lea_lock_take(&ex, "V_vg", &lock), 0);
	pid = fork();
	if (!pid) {
		lea_lock_forget(lock);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(lea_lock_take(&ex, "V_vg", &second), LEA_LOCK_BUSY);
	lea_lock_release(lock);
}
END_TEST

#define CONTENDERS 8
#define ROUNDS	   200

/* Each adds one to a shared number under the lock, in two steps that a second holder would spoil.
 */
static void contend(volatile unsigned int *shared)
{
	struct lea_lock_how ex = how(LEA_LOCK_EXCLUSIVE, true);
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

START_TEST(contenders_exclude_each_other_across_unlinks)
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
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("lock");
	TCase *tcase = tcase_create("lock");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, last_user_unlinks);
	tcase_add_test(tcase, devices_file_lock_stays);
	tcase_add_loop_test(tcase, without_waiting, 0, ARRAY_SIZE(rows));
	tcase_add_test(tcase, names_with_a_slash_are_refused);
	tcase_add_test(tcase, forgotten_in_a_child_it_stays_held);
	tcase_add_test(tcase, contenders_exclude_each_other_across_unlinks);
	suite_add_tcase(suite, tcase);
	return suite;
}
