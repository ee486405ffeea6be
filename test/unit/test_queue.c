/* SPDX-License-Identifier: GPL-2.0-or-later */
/* queue: entries survive, in order, whatever lies in the folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "state/queue.h"
#include "state/queue_text.h"
#include "unit/suite.h"

static char dir[64];
static char name[] = "/dev/sdx", links[] = "/dev/disk/by-id/a /dev/disk/by-id/b",
	    properties[] = "ID_SERIAL=x y\nDM_NAME=a\n", injected[] = "a\naction remove";
static int run_fd, event_fd;

static void setup(void)
{
	snprintf(dir, sizeof(dir), "/tmp/lea-queue-XXXXXX");
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

static struct lea_entry entry_of(uint32_t minor, uint64_t seqnum)
{
	struct lea_entry entry = {.device = {.major = 8,
					     .minor = minor,
					     .diskseq = 5,
					     .seqnum = seqnum,
					     .name = name,
					     .devlinks = links,
					     .properties = properties},
				  .pvid = "0123456789abcdefghijABCDEFGHIJKL"};

	lea_entry_set_key(&entry);
	return entry;
}

static size_t count_of(const char *folder)
{
	size_t count = 999;

	ck_assert_int_eq(lea_queue_count(event_fd, folder, &count), 0);
	return count;
}

static size_t take(struct lea_entry **entries)
{
	size_t count = 0;
	int r = lea_queue_take(event_fd, entries, &count);

	ck_assert_int_ge(r, 0);
	return r == LEA_QUEUE_EMPTY ? 0 : count;
}

START_TEST(test_round_trip)
{
	struct lea_entry entry = entry_of(16, 77), *got;

	entry.device.is_gone = true;
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_str_eq(got->key, "8:16-5");
	ck_assert_str_eq(got->device.name, entry.device.name);
	ck_assert_str_eq(got->device.devlinks, entry.device.devlinks);
	ck_assert_str_eq(got->device.properties, entry.device.properties);
	ck_assert_str_eq(got->pvid, entry.pvid);
	ck_assert_uint_eq(got->device.seqnum, 77);
	ck_assert(got->device.is_gone && !got->is_leftover);
	ck_assert_int_eq(lea_queue_done(event_fd, got), 0);
	lea_entries_free(got, 1);
	ck_assert_uint_eq(take(&got), 0);
}
END_TEST

START_TEST(test_last_state_wins_oldest_event_first)
{
	struct lea_entry a = entry_of(16, 5), b = entry_of(17, 3), *got;

	ck_assert_int_eq(lea_queue_put(event_fd, &a), 0);
	ck_assert_int_eq(lea_queue_put(event_fd, &b), 0);
	a.device.seqnum = 9;
	a.device.is_gone = true;
	ck_assert_int_eq(lea_queue_put(event_fd, &a), 0);
	a.device.is_gone = false;
	ck_assert_int_eq(lea_queue_put_if_absent(event_fd, &a), 0);
	ck_assert_uint_eq(take(&got), 2);
	ck_assert_uint_eq(got[0].device.seqnum, 3);
	ck_assert(got[1].device.is_gone);
	lea_entries_free(got, 2);
}
END_TEST

static bool is_the_first(void *arg, const char *key)
{
	return !strcmp(key, "8:16-5");
}

START_TEST(test_is_there_anything)
{
	struct lea_entry a = entry_of(16, 5), b = entry_of(17, 3), *got;

	ck_assert(!lea_queue_has_pending(event_fd) && !lea_queue_has_work(event_fd));
	ck_assert_int_eq(lea_queue_put(event_fd, &a), 0);
	ck_assert(lea_queue_has_pending(event_fd) && lea_queue_has_work(event_fd));
	ck_assert(!lea_queue_has_pending_but(event_fd, is_the_first, NULL));
	ck_assert_int_eq(lea_queue_put(event_fd, &b), 0);
	ck_assert(lea_queue_has_pending_but(event_fd, is_the_first, NULL));
	ck_assert_uint_eq(take(&got), 2);
	lea_entries_free(got, 2);
	ck_assert(!lea_queue_has_pending(event_fd));
	ck_assert_msg(lea_queue_has_work(event_fd), "what is taken and not done is work");
}
END_TEST

START_TEST(test_leftovers_come_first_and_alone)
{
	struct lea_entry a = entry_of(16, 5), b = entry_of(17, 3), *got;

	ck_assert_int_eq(lea_queue_put(event_fd, &a), 0);
	ck_assert_uint_eq(take(&got), 1);
	lea_entries_free(got, 1); /* this runner dies here */
	ck_assert_int_eq(lea_queue_put(event_fd, &b), 0);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_str_eq(got->key, a.key);
	ck_assert(got->is_leftover);
	ck_assert_int_eq(lea_queue_attempt(event_fd, got), 0);
	lea_entries_free(got, 1); /* and this one */
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_uint_eq(got->attempts, 1);
	ck_assert_int_eq(lea_queue_done(event_fd, got), 0);
	lea_entries_free(got, 1);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_str_eq(got->key, b.key);
	ck_assert(!got->is_leftover);
	lea_entries_free(got, 1);
}
END_TEST

static const struct {
	const char *claim, *name, *text;
} bad[] = {
	{"an empty file is put aside", "8:1-0", ""},
	{"another format is put aside", "8:1-0", "lvmevent-entry 2\n\n"},
	{"a line without a value is put aside", "8:1-0", LEA_ENTRY_MAGIC "\nname\n\n"},
	{"a cut line is put aside", "8:1-0", LEA_ENTRY_MAGIC "\nname /dev/sd"},
	{"an unknown action is put aside", "8:1-0", LEA_ENTRY_MAGIC "\naction explode\n\n"},
	{"a PVID that is a path is put aside", "8:1-0",
	 LEA_ENTRY_MAGIC "\npvid ../../../../../../../etc/passwd0\n\n"},
	{"a number too large is put aside", "8:1-0",
	 LEA_ENTRY_MAGIC "\nseqnum 99999999999999999999\n\n"},
	{"a name that is no number is put aside", "sda", LEA_ENTRY_MAGIC "\n\n"},
	{"a name with leading zeros is put aside", "08:1-0", LEA_ENTRY_MAGIC "\n\n"},
	{"a name with more behind it is put aside", "8:1-0x", LEA_ENTRY_MAGIC "\n\n"},
	{"a major number out of range is put aside", "4294967296:1-0", LEA_ENTRY_MAGIC "\n\n"},
};

START_TEST(test_malformed)
{
	struct lea_entry good = entry_of(99, 1), *got;
	int queue_fd = openat(event_fd, "queue", O_RDONLY | O_DIRECTORY);

	ck_assert_int_eq(
		lea_file_replace(queue_fd, bad[_i].name, bad[_i].text, strlen(bad[_i].text)), 0);
	close(queue_fd);
	ck_assert_int_eq(lea_queue_put(event_fd, &good), 0);
	ck_assert_msg(take(&got) == 1, "%s", bad[_i].claim);
	ck_assert_str_eq(got->key, good.key);
	lea_entries_free(got, 1);
	ck_assert_msg(count_of("failed") == 1, "%s", bad[_i].claim);
}
END_TEST

START_TEST(test_odd_files)
{
	struct lea_entry good = entry_of(99, 1), *got;

	/* a planted link, a folder and a fifo are no entries, and none of them is followed or
	 * waited for */
	ck_assert_int_eq(symlinkat("/etc/passwd", event_fd, "queue/8:3-0"), 0);
	ck_assert_int_eq(mkdirat(event_fd, "queue/8:4-0", 0700), 0);
	ck_assert_int_eq(mkfifoat(event_fd, "queue/8:5-0", 0600), 0);
	ck_assert_int_eq(lea_queue_put(event_fd, &good), 0);
	ck_assert_uint_eq(take(&got), 1);
	lea_entries_free(got, 1);
	ck_assert_uint_eq(count_of("failed"), 3);
}
END_TEST

START_TEST(test_retry)
{
	struct lea_entry entry = entry_of(16, 1), *got;
	size_t count = 0;

	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_int_eq(lea_queue_fail(event_fd, got, "because"), 0);
	lea_entries_free(got, 1);
	ck_assert_uint_eq(take(&got), 0);
	ck_assert_uint_eq(count_of("failed"), 1);
	ck_assert_int_eq(lea_queue_retry(event_fd, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(count_of("failed"), 0);
	ck_assert_uint_eq(take(&got), 1);
	lea_entries_free(got, 1);
}
END_TEST

START_TEST(test_one_runner)
{
	int lock_fd = -1, other, status;
	pid_t pid;

	ck_assert(!lea_queue_is_running(event_fd));
	ck_assert_int_eq(lea_queue_lock(event_fd, &lock_fd), 0);
	pid = fork();
	if (pid == 0)
		_exit(lea_queue_is_running(event_fd) &&
				      lea_queue_lock(event_fd, &other) == LEA_QUEUE_RUNNING
			      ? 0
			      : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "a second process must not become the runner");
	close(lock_fd);
	ck_assert(!lea_queue_is_running(event_fd));
}
END_TEST

START_TEST(test_too_large)
{
	char *many = malloc(LEA_ENTRY_MAX_BYTES + 1);
	struct lea_entry entry = entry_of(16, 1);

	ck_assert_ptr_nonnull(many);
	memset(many, 'a', LEA_ENTRY_MAX_BYTES);
	many[LEA_ENTRY_MAX_BYTES] = '\0';
	entry.device.devlinks = many;
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), -E2BIG);
	free(many);
	entry.device.devlinks = injected;
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), -EINVAL);
	ck_assert_uint_eq(count_of("queue"), 0);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("queue");
	TCase *tcase = tcase_create("queue");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_round_trip);
	tcase_add_test(tcase, test_last_state_wins_oldest_event_first);
	tcase_add_test(tcase, test_is_there_anything);
	tcase_add_test(tcase, test_leftovers_come_first_and_alone);
	tcase_add_loop_test(tcase, test_malformed, 0, ARRAY_SIZE(bad));
	tcase_add_test(tcase, test_odd_files);
	tcase_add_test(tcase, test_retry);
	tcase_add_test(tcase, test_one_runner);
	tcase_add_test(tcase, test_too_large);
	suite_add_tcase(suite, tcase);
	return suite;
}
