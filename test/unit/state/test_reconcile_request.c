/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reconcile request needs no space, stays until it is done, and wakes the listener. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "state/queue_watch.h"
#include "state/reconcile_request.h"
#include "unit/queue_folder.h"
#include "unit/suite.h"

const struct fixture fixture = {queue_setup, queue_teardown};

TEST(it_is_there_before_it_is_needed)
{
	ck_assert_int_eq(faccessat(event_fd, LEA_COMPARE_FILE, F_OK, 0), 0);
	ck_assert_int_eq(lea_reconcile_request_take(event_fd), 0);
}

TEST(a_request_stands_until_it_is_done)
{
	ck_assert_int_eq(lea_reconcile_request_put(event_fd), 0);
	ck_assert_int_eq(lea_reconcile_request_take(event_fd), LEA_RECONCILE_DUE);
	ck_assert_msg(lea_reconcile_request_take(event_fd) == LEA_RECONCILE_DUE,
		      "who took it may have died");
	ck_assert_int_eq(lea_reconcile_request_done(event_fd), 0);
	ck_assert_int_eq(lea_reconcile_request_take(event_fd), 0);
}

TEST(a_request_made_meanwhile_stays)
{
	ck_assert_int_eq(lea_reconcile_request_put(event_fd), 0);
	ck_assert_int_eq(lea_reconcile_request_take(event_fd), LEA_RECONCILE_DUE);
	ck_assert_int_eq(lea_reconcile_request_put(event_fd), 0);
	ck_assert_int_eq(lea_reconcile_request_done(event_fd), 0);
	ck_assert_int_eq(lea_reconcile_request_take(event_fd), LEA_RECONCILE_DUE);
}

TEST(it_wakes_a_listener_who_does_not_wake_itself)
{
	struct lea_queue_watch watch;

	ck_assert_int_eq(lea_queue_watch_begin("/nonexistent/lvm", &watch), 0);
	ck_assert_int_eq(lea_queue_watch_open(event_fd, &watch), 0);
	ck_assert_int_eq(lea_reconcile_request_take(event_fd), 0);
	ck_assert_int_eq(lea_reconcile_request_done(event_fd), 0);
	ck_assert_int_eq(lea_queue_watch_read(&watch), LEA_QUEUE_WATCH_QUIET);
	ck_assert_int_eq(lea_reconcile_request_put(event_fd), 0);
	ck_assert_int_eq(lea_queue_watch_read(&watch), LEA_QUEUE_WATCH_RECONCILE);
	ck_assert_int_eq(lea_reconcile_request_take(event_fd), LEA_RECONCILE_DUE);
	ck_assert_int_eq(lea_reconcile_request_done(event_fd), 0);
	ck_assert_int_eq(lea_queue_watch_read(&watch), LEA_QUEUE_WATCH_QUIET);
	lea_queue_watch_close(&watch);
}

TEST(the_folder_that_is_replaced_is_noticed)
{
	int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct lea_queue_watch watch;
	char path[80], aside[96];

	snprintf(path, sizeof(path), "%s/event", dir);
	snprintf(aside, sizeof(aside), "%s/aside", dir);
	ck_assert_int_eq(lea_queue_watch_begin("/nonexistent/lvm", &watch), 0);
	ck_assert_int_eq(lea_queue_watch_open(event_fd, &watch), 0);
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

TEST(without_the_file_it_is_made)
{
	ck_assert_int_eq(unlinkat(event_fd, LEA_COMPARE_FILE, 0), 0);
	ck_assert_int_eq(lea_reconcile_request_take(event_fd), 0);
	ck_assert_int_eq(lea_reconcile_request_done(event_fd), 0);
	ck_assert_int_eq(lea_reconcile_request_put(event_fd), 0);
	ck_assert_int_eq(lea_reconcile_request_take(event_fd), LEA_RECONCILE_DUE);
}

TEST(a_planted_link_is_not_followed)
{
	char victim[80];
	struct stat st;

	snprintf(victim, sizeof(victim), "%s/victim", dir);
	ck_assert_int_eq(lea_file_create_empty(run_fd, "victim"), 0);
	ck_assert_int_eq(fchmodat(run_fd, "victim", 0700, 0), 0);
	ck_assert_int_eq(unlinkat(event_fd, LEA_COMPARE_FILE, 0), 0);
	ck_assert_int_eq(symlinkat(victim, event_fd, LEA_COMPARE_FILE), 0);
	ck_assert_int_eq(lea_reconcile_request_put(event_fd), -ELOOP);
	ck_assert_int_lt(lea_reconcile_request_take(event_fd), 0);
	ck_assert_int_lt(lea_reconcile_request_done(event_fd), 0);
	ck_assert_int_eq(fstatat(run_fd, "victim", &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0700);
}
