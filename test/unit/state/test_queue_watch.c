/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cleanup.h"
#include "base/file.h"
#include "state/queue_watch.h"
#include "unit/queue_folder.h"
#include "unit/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char conf[96];
static struct lea_queue_watch watch;

static void setup(void)
{
	queue_setup();
	snprintf(conf, sizeof(conf), "%s/etc", dir);
	ck_assert_int_eq(mkdir(conf, 0700), 0);
	ck_assert_int_eq(lea_queue_watch_begin(conf, &watch), 0);
	ck_assert_int_eq(lea_queue_watch_open(event_fd, &watch), 0);
}

static void teardown(void)
{
	lea_queue_watch_close(&watch);
	queue_teardown();
}

const struct fixture fixture = {setup, teardown};

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

TEST(an_entry_wakes_once)
{
	ck_assert_int_eq(lea_queue_watch_read(&watch), LEA_QUEUE_WATCH_QUIET);
	for (uint32_t i = 0; i < 300; i++)
		put(i);
	ck_assert_int_eq(lea_queue_watch_read(&watch), 0);
	ck_assert_msg(lea_queue_watch_read(&watch) == LEA_QUEUE_WATCH_QUIET,
		      "all of a burst are told at once");
}

TEST(a_taken_entry_does_not_wake)
{
	struct lea_entry *entries;
	size_t count;

	put(1);
	ck_assert_int_eq(lea_queue_watch_read(&watch), 0);
	ck_assert_int_eq(lea_queue_take(event_fd, &entries, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(lea_queue_done(event_fd, &entries[0]), 0);
	lea_entries_free(entries, count);
	ck_assert_int_eq(lea_queue_watch_read(&watch), LEA_QUEUE_WATCH_QUIET);
}

TEST(changed_settings_are_reported_with_an_entry)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/archive", conf);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_msg(lea_queue_watch_read(&watch) != LEA_QUEUE_WATCH_CONF,
		      "a folder is no setting");
	write_conf("lvm.conf");
	put(1);
	ck_assert_int_eq(lea_queue_watch_read(&watch), LEA_QUEUE_WATCH_CONF);
	ck_assert_int_eq(lea_queue_watch_read(&watch), LEA_QUEUE_WATCH_QUIET);
}

TEST(a_removed_queue_is_noticed)
{
	ck_assert_int_eq(unlinkat(event_fd, "queue", AT_REMOVEDIR), 0);
	ck_assert_int_eq(lea_queue_watch_read(&watch), LEA_QUEUE_WATCH_GONE);
}

/* A process reads them then. */
TEST(settings_that_change_before_the_queue_is_watched_are_noticed)
{
	struct lea_queue_watch other;

	ck_assert_int_eq(lea_queue_watch_begin(conf, &other), 0);
	write_conf("lvm.conf");
	ck_assert_int_eq(lea_queue_watch_open(event_fd, &other), 0);
	put(1);
	ck_assert_int_eq(lea_queue_watch_read(&other), LEA_QUEUE_WATCH_CONF);
	ck_assert_int_eq(lea_queue_watch_read(&other), LEA_QUEUE_WATCH_QUIET);
	lea_queue_watch_close(&other);
}

TEST(a_missing_folder_of_settings_does_no_harm)
{
	struct lea_queue_watch other;

	ck_assert_int_eq(lea_queue_watch_begin("/nonexistent/lvm", &other), 0);
	ck_assert_int_eq(lea_queue_watch_open(event_fd, &other), 0);
	put(1);
	ck_assert_int_eq(lea_queue_watch_read(&other), 0);
	lea_queue_watch_close(&other);
}
