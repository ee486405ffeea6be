/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "base/file.h"
#include "state/queue.h"
#include "state/queue_watch.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64], conf[96];
static int run_fd, event_fd;
static struct lea_queue_watch watch;

static void set_up(void)
{
	snprintf(dir, sizeof(dir), "/tmp/lea-watch-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(conf, sizeof(conf), "%s/etc", dir);
	ck_assert_int_eq(mkdir(conf, 0700), 0);
	run_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	event_fd = lea_queue_open(run_fd);
	ck_assert_int_ge(event_fd, 0);
	ck_assert_int_eq(lea_queue_watch_open(event_fd, conf, &watch), 0);
}

static void tear_down(void)
{
	char command[128];

	lea_queue_watch_close(&watch);
	close(event_fd);
	close(run_fd);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static void put(uint32_t minor)
{
	struct lea_entry entry = {.device = {.major = 8, .minor = minor, .diskseq = 1}};

	lea_entry_set_key(&entry);
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
}

static void write_conf(const char *name)
{
	char path[160];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", conf, name);
	f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fputs("devices { }\n", f);
	fclose(f);
}

START_TEST(entry_wakes_once)
{
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 20), LEA_QUEUE_WATCH_QUIET);
	for (uint32_t i = 0; i < 300; i++)
		put(i);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 5000), 0);
	ck_assert_msg(lea_queue_watch_wait(&watch, 20) == LEA_QUEUE_WATCH_QUIET,
		      "all of a burst are told at once");
}
END_TEST

START_TEST(taken_entry_does_not_wake)
{
	struct lea_entry *entries;
	size_t count;

	put(1);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 5000), 0);
	ck_assert_int_eq(lea_queue_take(event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(lea_queue_done(event_fd, &entries[0]), 0);
	lea_entries_free(entries, count);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 20), LEA_QUEUE_WATCH_QUIET);
}
END_TEST

START_TEST(settings_are_told_with_an_entry)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/archive", conf);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_msg(lea_queue_watch_wait(&watch, 20) != LEA_QUEUE_WATCH_CONF,
		      "a folder is no setting");
	write_conf("lvm.conf");
	put(1);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 5000), LEA_QUEUE_WATCH_CONF);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 20), LEA_QUEUE_WATCH_QUIET);
}
END_TEST

START_TEST(queue_taken_away)
{
	ck_assert_int_eq(unlinkat(event_fd, "queue", AT_REMOVEDIR), 0);
	ck_assert_int_eq(lea_queue_watch_wait(&watch, 5000), LEA_QUEUE_WATCH_GONE);
}
END_TEST

START_TEST(no_folder_of_settings)
{
	struct lea_queue_watch other;

	ck_assert_int_eq(lea_queue_watch_open(event_fd, "/nonexistent/lvm", &other), 0);
	put(1);
	ck_assert_int_eq(lea_queue_watch_wait(&other, 5000), 0);
	lea_queue_watch_close(&other);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("queue_watch");
	TCase *tcase = tcase_create("queue_watch");

	tcase_add_checked_fixture(tcase, set_up, tear_down);
	tcase_add_test(tcase, entry_wakes_once);
	tcase_add_test(tcase, taken_entry_does_not_wake);
	tcase_add_test(tcase, settings_are_told_with_an_entry);
	tcase_add_test(tcase, queue_taken_away);
	tcase_add_test(tcase, no_folder_of_settings);
	suite_add_tcase(suite, tcase);
	return suite;
}
