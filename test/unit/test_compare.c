/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare: a request that needs no room, stands until it is done, and wakes who listens. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "state/compare.h"
#include "state/queue.h"
#include "state/queue_watch.h"
#include "unit/suite.h"

static char dir[64];
static int run_fd, event_fd;

static void setup(void)
{
	snprintf(dir, sizeof(dir), "/tmp/lea-compare-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	run_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	event_fd = lea_queue_open(run_fd);
	ck_assert_int_ge(event_fd, 0);
}

static void teardown(void)
{
	char command[128];

	close(event_fd);
	close(run_fd);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(it_is_there_before_it_is_needed)
{
	ck_assert_int_eq(faccessat(event_fd, LEA_COMPARE_FILE, F_OK, 0), 0);
	ck_assert_int_eq(lea_compare_take(event_fd), 0);
}
END_TEST

START_TEST(a_request_stands_until_it_is_done)
{
	ck_assert_int_eq(lea_compare_ask(event_fd), 0);
	ck_assert_int_eq(lea_compare_take(event_fd), LEA_COMPARE_DUE);
	ck_assert_msg(lea_compare_take(event_fd) == LEA_COMPARE_DUE, "who took it may have died");
	ck_assert_int_eq(lea_compare_done(event_fd), 0);
	ck_assert_int_eq(lea_compare_take(event_fd), 0);
}
END_TEST

START_TEST(a_request_made_meanwhile_stays)
{
	ck_assert_int_eq(lea_compare_ask(event_fd), 0);
	ck_assert_int_eq(lea_compare_take(event_fd), LEA_COMPARE_DUE);
	ck_assert_int_eq(lea_compare_ask(event_fd), 0);
	ck_assert_int_eq(lea_compare_done(event_fd), 0);
	ck_assert_int_eq(lea_compare_take(event_fd), LEA_COMPARE_DUE);
}
END_TEST

START_TEST(it_wakes_a_listener_who_does_not_wake_itself)
{
	struct lea_queue_watch watch;

	ck_assert_int_eq(lea_queue_watch_open(event_fd, "/nonexistent/lvm", &watch), 0);
	ck_assert_int_eq(lea_compare_take(event_fd), 0);
	ck_assert_int_eq(lea_compare_done(event_fd), 0);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 20), LEA_QUEUE_WATCH_QUIET);
	ck_assert_int_eq(lea_compare_ask(event_fd), 0);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 5000), LEA_QUEUE_WATCH_COMPARE);
	ck_assert_int_eq(lea_compare_take(event_fd), LEA_COMPARE_DUE);
	ck_assert_int_eq(lea_compare_done(event_fd), 0);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 20), LEA_QUEUE_WATCH_QUIET);
	lea_queue_watch_close(&watch);
}
END_TEST

START_TEST(another_descriptor_is_waited_for_too)
{
	struct lea_queue_watch watch;
	int fds[2];

	ck_assert_int_eq(pipe2(fds, O_CLOEXEC), 0);
	ck_assert_int_eq(lea_queue_watch_open(event_fd, "/nonexistent/lvm", &watch), 0);
	watch.other_fd[1] = fds[0];
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 20), LEA_QUEUE_WATCH_QUIET);
	ck_assert_int_eq(write(fds[1], "x", 1), 1);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 5000), LEA_QUEUE_WATCH_OTHER);
	ck_assert_int_eq(lea_compare_ask(event_fd), 0);
	ck_assert_msg(lea_queue_watch_wait(&watch, 5000) == LEA_QUEUE_WATCH_COMPARE,
		      "what is ours comes first");
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 5000), LEA_QUEUE_WATCH_OTHER);
	lea_queue_watch_close(&watch);
	close(fds[0]);
	close(fds[1]);
}
END_TEST

START_TEST(the_folder_that_is_replaced_is_noticed)
{
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct lea_queue_watch watch;
	char path[80], aside[96];

	snprintf(path, sizeof(path), "%s/event", dir);
	snprintf(aside, sizeof(aside), "%s/aside", dir);
	ck_assert_int_eq(lea_queue_watch_open(event_fd, "/nonexistent/lvm", &watch), 0);
	ck_assert_msg(!lea_queue_watch_is_gone(&watch), "nobody told where it should be");
	ck_assert_int_eq(lea_queue_watch_mounts(&watch, event_fd, proc_fd, path), 0);
	ck_assert(!lea_queue_watch_is_gone(&watch));
	ck_assert_int_eq(rename(path, aside), 0);
	ck_assert(lea_queue_watch_is_gone(&watch));
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert(lea_queue_watch_is_gone(&watch));
	lea_queue_watch_close(&watch);
	close(proc_fd);
}
END_TEST

START_TEST(without_the_file_it_is_made)
{
	ck_assert_int_eq(unlinkat(event_fd, LEA_COMPARE_FILE, 0), 0);
	ck_assert_int_eq(lea_compare_take(event_fd), 0);
	ck_assert_int_eq(lea_compare_done(event_fd), 0);
	ck_assert_int_eq(lea_compare_ask(event_fd), 0);
	ck_assert_int_eq(lea_compare_take(event_fd), LEA_COMPARE_DUE);
}
END_TEST

START_TEST(a_planted_link_is_not_followed)
{
	char victim[80];
	struct stat st;

	snprintf(victim, sizeof(victim), "%s/victim", dir);
	ck_assert_int_eq(lea_file_create_empty(run_fd, "victim"), 0);
	ck_assert_int_eq(fchmodat(run_fd, "victim", 0700, 0), 0);
	ck_assert_int_eq(unlinkat(event_fd, LEA_COMPARE_FILE, 0), 0);
	ck_assert_int_eq(symlinkat(victim, event_fd, LEA_COMPARE_FILE), 0);
	ck_assert_int_eq(lea_compare_ask(event_fd), -ELOOP);
	ck_assert_int_lt(lea_compare_take(event_fd), 0);
	ck_assert_int_lt(lea_compare_done(event_fd), 0);
	ck_assert_int_eq(fstatat(run_fd, "victim", &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0700);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("compare");
	TCase *tcase = tcase_create("compare");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, it_is_there_before_it_is_needed);
	tcase_add_test(tcase, a_request_stands_until_it_is_done);
	tcase_add_test(tcase, a_request_made_meanwhile_stays);
	tcase_add_test(tcase, it_wakes_a_listener_who_does_not_wake_itself);
	tcase_add_test(tcase, another_descriptor_is_waited_for_too);
	tcase_add_test(tcase, the_folder_that_is_replaced_is_noticed);
	tcase_add_test(tcase, without_the_file_it_is_made);
	tcase_add_test(tcase, a_planted_link_is_not_followed);
	suite_add_tcase(suite, tcase);
	return suite;
}
