/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queue: entries survive, in order, whatever else is in the folder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "state/queue_text.h"
#include "unit/queue_folder.h"
#include "unit/suite.h"

static char name[] = "/dev/sdx", links[] = "/dev/disk/by-id/a /dev/disk/by-id/b",
	    properties[] = "ID_SERIAL=x y\nDM_NAME=a\n", injected[] = "a\naction remove";

const struct fixture fixture = {queue_setup, queue_teardown};

static struct lea_entry entry_of(uint32_t minor, uint64_t seqnum)
{
	struct lea_entry entry = {.kind = LEA_ENTRY_ADD,
				  .device = {.major = 8,
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

TEST(an_entry_reads_as_it_was_put)
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

TEST(the_last_state_wins_and_the_oldest_event_is_first)
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

/* A reconcile finds an add that was missed while the answer of a change is pending. Rows: what is
 * pending, what it finds, and what remains. */
static const struct {
	enum lea_entry_kind pending, found, left;
	uint64_t seqnum; /* of what remains: 0 is not ordered with events */
} absents[] = {
	{LEA_ENTRY_CHANGE, LEA_ENTRY_MISSED, LEA_ENTRY_MISSED, 0},
	{LEA_ENTRY_CHANGE, LEA_ENTRY_CHANGE, LEA_ENTRY_CHANGE, 7},
	{LEA_ENTRY_MISSED, LEA_ENTRY_MISSED, LEA_ENTRY_MISSED, 7},
	{LEA_ENTRY_ADD, LEA_ENTRY_MISSED, LEA_ENTRY_ADD, 7},
	{LEA_ENTRY_MISSED, LEA_ENTRY_CHANGE, LEA_ENTRY_MISSED, 7},
};

TEST_EACH(what_is_pending_stays_unless_it_allows_less, absents)
{
	struct lea_entry entry = entry_of(16, 5), *got;

	entry.kind = absents[_i].pending;
	entry.device.seqnum = 7;
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	entry.kind = absents[_i].found;
	entry.device.seqnum = 9;
	ck_assert_int_eq(lea_queue_put_if_absent(event_fd, &entry), 0);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_int_eq(got->kind, absents[_i].left);
	ck_assert_uint_eq(got->device.seqnum, absents[_i].seqnum);
	ck_assert_str_eq(got->pvid, entry.pvid);
	lea_entries_free(got, 1);
}

/* Two reads of a slow disk, for a change and for the add that followed, end in this order. */
TEST(an_add_is_not_lost_behind_a_change)
{
	const struct lea_device device = {
		.name = (char[]){"/dev/sda"}, .major = 8, .minor = 16, .diskseq = 5};
	struct lea_entry gone = entry_of(17, 3), *got;

	ck_assert_int_eq(lea_queue_put_device(event_fd, LEA_ENTRY_CHANGE, &device, ""), 0);
	ck_assert_int_eq(lea_queue_put_device(event_fd, LEA_ENTRY_ADD, &device, gone.pvid), 0);
	ck_assert_int_eq(lea_queue_put_device(event_fd, LEA_ENTRY_CHANGE, &device, ""), 0);
	gone.device.is_gone = true;
	ck_assert_int_eq(lea_queue_put(event_fd, &gone), 0);
	gone.device.is_gone = false;
	ck_assert_int_eq(lea_queue_put_device(event_fd, LEA_ENTRY_ADD, &gone.device, ""), 0);
	ck_assert_uint_eq(take(&got), 2);
	ck_assert_str_eq(got[0].key, "8:16-5");
	ck_assert_int_eq(got[0].kind, LEA_ENTRY_ADD);
	ck_assert_str_eq(got[0].pvid, gone.pvid);
	ck_assert_msg(got[1].device.is_gone, "a removal stays");
	lea_entries_free(got, 2);
}

/* Where the kernel numbers no disks, udev's rule cannot see that an entry is pending. Rows: what is
 * pending, what comes, and what is left. */
static const struct {
	bool is_gone;
	enum lea_entry_kind pending, comes, left;
} mergers[] = {
	{false, LEA_ENTRY_ADD, LEA_ENTRY_CHANGE, LEA_ENTRY_ADD},
	{false, LEA_ENTRY_ADD, LEA_ENTRY_MISSED, LEA_ENTRY_ADD},
	{false, LEA_ENTRY_MISSED, LEA_ENTRY_CHANGE, LEA_ENTRY_MISSED},
	{false, LEA_ENTRY_CHANGE, LEA_ENTRY_MISSED, LEA_ENTRY_MISSED},
	{true, LEA_ENTRY_ADD, LEA_ENTRY_CHANGE, LEA_ENTRY_CHANGE},
};

TEST_EACH(an_entry_allows_what_the_one_before_allowed, mergers)
{
	struct lea_entry entry = entry_of(16, 77), *got;

	entry.kind = mergers[_i].pending;
	entry.device.is_gone = mergers[_i].is_gone;
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	entry.kind = mergers[_i].comes;
	entry.device.is_gone = false;
	entry.device.seqnum = 78;
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_int_eq(got->kind, mergers[_i].left);
	ck_assert_uint_eq(got->device.seqnum, 78);
	ck_assert(!got->device.is_gone);
	lea_entries_free(got, 1);
}

TEST(a_requeued_device_gives_way_to_a_newer_entry)
{
	struct lea_entry newer = entry_of(17, 3), *got;
	const struct lea_device device = {
		.name = (char[]){"/dev/sda"}, .major = 8, .minor = 16, .diskseq = 5};

	ck_assert_int_eq(lea_queue_put(event_fd, &newer), 0);
	ck_assert_int_eq(
		lea_queue_put_device(event_fd, LEA_ENTRY_MISSED, &newer.device, newer.pvid), 0);
	ck_assert_int_eq(lea_queue_put_device(event_fd, LEA_ENTRY_WATCH, &device, ""), 0);
	ck_assert_uint_eq(take(&got), 2);
	ck_assert_str_eq(got[0].key, "8:16-5");
	ck_assert_int_eq(got[0].kind, LEA_ENTRY_WATCH);
	ck_assert_str_eq(got[0].device.name, "/dev/sda");
	ck_assert_str_eq(got[0].pvid, "");
	ck_assert_msg(got[1].kind == LEA_ENTRY_ADD, "an entry that is there is newer and stays");
	lea_entries_free(got, 2);
}

/* A pass that had it ran short, and a change came while it was taken. Rows: what is taken. */
static const enum lea_entry_kind given_back[] = {LEA_ENTRY_ADD, LEA_ENTRY_MISSED};

TEST_EACH(an_add_that_is_given_back_is_not_lost_behind_a_change, given_back)
{
	struct lea_entry entry = entry_of(16, 77), *taken, *got;

	entry.kind = given_back[_i];
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	ck_assert_uint_eq(take(&taken), 1);
	entry.kind = LEA_ENTRY_CHANGE;
	entry.device.seqnum = 78;
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	ck_assert_int_eq(lea_queue_requeue(event_fd, taken), 0);
	lea_entries_free(taken, 1);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_int_eq(got->kind, given_back[_i]);
	lea_entries_free(got, 1);
}

static bool is_the_first(void *arg, const char *key)
{
	return !strcmp(key, "8:16-5");
}

/* Where instances are not numbered, another disk that has the number now may wait with that key: it is
 * read as what it is. Rows: what its entry is. */
static const enum lea_entry_kind reused[] = {LEA_ENTRY_ADD, LEA_ENTRY_MISSED, LEA_ENTRY_WATCH,
					     LEA_ENTRY_CHANGE};

TEST_EACH(a_removal_that_was_missed_takes_nothing_from_another_disk, reused)
{
	const struct lea_device device = {
		.name = (char[]){"/dev/sda"}, .major = 8, .minor = 16};
	const struct lea_devid number = lea_device_number(&device);
	struct lea_entry *got;

	ck_assert_int_eq(lea_queue_put_device(event_fd, reused[_i], &device, ""), 0);
	ck_assert_int_eq(lea_queue_put_gone(event_fd, &number, ""), 0);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert(got->device.is_gone == (reused[_i] != LEA_ENTRY_ADD));
	ck_assert_int_eq(got->kind, reused[_i]);
	lea_entries_free(got, 1);
}

/* A person made another PV of it since it was to be read again. Rows: what was pending, what comes, what
 * is pending then; is it another PV; in which order? */
static const struct {
	const char *claim;
	enum lea_entry_kind pending, kind, want;
	bool is_same, is_reminder;
} remade[] = {
	{"what was missed was another PV", LEA_ENTRY_MISSED, LEA_ENTRY_CHANGE, LEA_ENTRY_CHANGE,
	 false, false},
	{"it is the same PV", LEA_ENTRY_MISSED, LEA_ENTRY_CHANGE, LEA_ENTRY_MISSED, true, false},
	{"a VG in part had another PV", LEA_ENTRY_PARTIAL, LEA_ENTRY_CHANGE, LEA_ENTRY_CHANGE,
	 false, false},
	{"a device that came is read as what it is", LEA_ENTRY_ADD, LEA_ENTRY_CHANGE,
	 LEA_ENTRY_ADD, false, false},
	{"the change is known already", LEA_ENTRY_CHANGE, LEA_ENTRY_MISSED, LEA_ENTRY_CHANGE,
	 false, true},
	{"the change of the same PV is", LEA_ENTRY_CHANGE, LEA_ENTRY_MISSED, LEA_ENTRY_MISSED,
	 true, true},
};

TEST_EACH(what_is_to_be_read_again_as_another_pv_lends_it_nothing, remade)
{
	struct lea_entry entry = entry_of(16, 77), *got;

	entry.kind = remade[_i].pending;
	ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	entry.kind = remade[_i].kind;
	entry.pvid[0] = remade[_i].is_same ? entry.pvid[0] : 'X';
	ck_assert_int_eq(remade[_i].is_reminder ? lea_queue_put_if_absent(event_fd, &entry)
						: lea_queue_put(event_fd, &entry),
			 0);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_msg(got->kind == remade[_i].want, "%s: %d", remade[_i].claim, got->kind);
	lea_entries_free(got, 1);
}

/* ---- two processes publish entries of one device */

enum put { NOTHING, EVENT, REMINDER, REMOVAL, IS_REMOVED, TAKES };

struct publication {
	enum put put;
	enum lea_entry_kind kind;
};

static struct publication between;

static void do_put(struct publication what)
{
	struct lea_entry entry = entry_of(16, 77), *got;
	const struct lea_devid number = {8, 16, 0};

	entry.kind = what.kind;
	entry.device.diskseq = 0;
	entry.device.is_gone = what.put == IS_REMOVED;
	lea_entry_set_key(&entry);
	if (what.put == EVENT || what.put == IS_REMOVED)
		ck_assert_int_eq(lea_queue_put(event_fd, &entry), 0);
	else if (what.put == REMINDER)
		ck_assert_int_eq(lea_queue_put_if_absent(event_fd, &entry), 0);
	else if (what.put == REMOVAL)
		ck_assert_int_eq(lea_queue_put_gone(event_fd, &number, ""), 0);
	else if (what.put == TAKES && take(&got))
		lea_entries_free(got, 1);
}

/* The other process goes first, once. */
int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned int flags)
{
	const struct publication other = between;

	between = (struct publication){0};
	do_put(other);
	return (int)syscall(SYS_renameat2, from_fd, from, to_fd, to, flags);
}

static const struct {
	const char *claim;
	struct publication first, second, between;
	bool is_gone;
	enum lea_entry_kind kind;
} races[] = {
	{"a reminder spares a removal",
	 {EVENT, LEA_ENTRY_CHANGE},
	 {REMINDER, LEA_ENTRY_ADD},
	 {IS_REMOVED, LEA_ENTRY_CHANGE},
	 true,
	 LEA_ENTRY_CHANGE},
	{"a reminder spares an add",
	 {EVENT, LEA_ENTRY_CHANGE},
	 {REMINDER, LEA_ENTRY_MISSED},
	 {EVENT, LEA_ENTRY_ADD},
	 false,
	 LEA_ENTRY_ADD},
	{"a reminder comes although what it was to replace is taken",
	 {EVENT, LEA_ENTRY_CHANGE},
	 {REMINDER, LEA_ENTRY_MISSED},
	 {TAKES, 0},
	 false,
	 LEA_ENTRY_MISSED},
	{"a change does not hide a reminder that comes just before it",
	 {NOTHING, 0},
	 {EVENT, LEA_ENTRY_CHANGE},
	 {REMINDER, LEA_ENTRY_MISSED},
	 false,
	 LEA_ENTRY_MISSED},
	{"nor one that replaces another change",
	 {EVENT, LEA_ENTRY_CHANGE},
	 {EVENT, LEA_ENTRY_CHANGE},
	 {REMINDER, LEA_ENTRY_ADD},
	 false,
	 LEA_ENTRY_ADD},
	{"a removal that was missed spares the add of the next device",
	 {EVENT, LEA_ENTRY_CHANGE},
	 {REMOVAL, 0},
	 {EVENT, LEA_ENTRY_ADD},
	 false,
	 LEA_ENTRY_ADD},
	{"and brings what else it had",
	 {NOTHING, 0},
	 {REMOVAL, 0},
	 {REMINDER, LEA_ENTRY_MISSED},
	 true,
	 LEA_ENTRY_MISSED},
};

TEST_EACH(what_two_processes_publish_at_once_is_kept, races)
{
	struct lea_entry *got;

	do_put(races[_i].first);
	between = races[_i].between;
	do_put(races[_i].second);
	ck_assert_msg(!between.put, "%s: the other was to publish", races[_i].claim);
	ck_assert_uint_eq(count_of("queue"), 1);
	if (races[_i].between.put == TAKES)
		ck_assert_int_eq(unlinkat(event_fd, "taken/8:16-0", 0), 0);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_msg(got->device.is_gone == races[_i].is_gone, "%s", races[_i].claim);
	ck_assert_msg(got->kind == races[_i].kind, "%s: %d", races[_i].claim, got->kind);
	lea_entries_free(got, 1);
}

TEST(pending_entries_are_seen)
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

TEST(leftovers_come_first_and_alone)
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
	lea_entries_free(got, 1); /* and so does this one */
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_uint_eq(got->attempts, 1);
	ck_assert_int_eq(lea_queue_done(event_fd, got), 0);
	lea_entries_free(got, 1);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_str_eq(got->key, b.key);
	ck_assert(!got->is_leftover);
	lea_entries_free(got, 1);
}

/* A shortage has stopped the step, so that there may be no room for a file now. */
TEST(the_count_of_attempts_is_taken_back_without_a_new_file)
{
	struct lea_entry a = entry_of(16, 5), *got;
	struct stat attempted, restored;
	char path[128];

	snprintf(path, sizeof(path), "taken/%s", a.key);
	ck_assert_int_eq(lea_queue_put(event_fd, &a), 0);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_int_eq(lea_queue_attempt(event_fd, got), 0);
	ck_assert_int_eq(fstatat(event_fd, path, &attempted, 0), 0);
	got->attempts--;
	ck_assert_int_eq(lea_queue_restore(event_fd, got), 0);
	ck_assert_int_eq(fstatat(event_fd, path, &restored, 0), 0);
	ck_assert_uint_eq(restored.st_ino, attempted.st_ino);
	ck_assert_int_eq(restored.st_size, attempted.st_size);
	lea_entries_free(got, 1);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_uint_eq(got->attempts, 0);
	ck_assert_str_eq(got->key, a.key);
	lea_entries_free(got, 1);
}

TEST(beside_passes_in_flight_only_other_devices_are_taken)
{
	struct lea_entry a = entry_of(16, 5), b = entry_of(17, 3), *first, *second;
	size_t count = 0;

	ck_assert_int_eq(lea_queue_put(event_fd, &a), 0);
	ck_assert_uint_eq(take(&first), 1);
	ck_assert_int_eq(lea_queue_put(event_fd, &a), 0);
	ck_assert_int_eq(lea_queue_put(event_fd, &b), 0);
	ck_assert_int_eq(lea_queue_take_beside(event_fd, &second, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_str_eq(second->key, b.key);
	ck_assert(!second->is_leftover);
	lea_entries_free(second, count);
	ck_assert_int_eq(lea_queue_take_beside(event_fd, &second, &count), LEA_QUEUE_EMPTY);
	ck_assert_msg(lea_queue_has_pending(event_fd), "the later entry waits");
	ck_assert_int_eq(lea_queue_done(event_fd, first), 0);
	lea_entries_free(first, 1);
	ck_assert_int_eq(lea_queue_take_beside(event_fd, &second, &count), 0);
	ck_assert_str_eq(second->key, a.key);
	lea_entries_free(second, count);
}

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

TEST_EACH(a_malformed_entry_is_set_apart, bad)
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

TEST(an_entry_that_says_nothing_of_its_kind_activates_nothing_more)
{
	static const char text[] = LEA_ENTRY_MAGIC "\naction add\nname /dev/sda\n\n";
	struct lea_entry made = {.pvid = ""}, *got;
	int queue_fd = openat(event_fd, "queue", O_RDONLY | O_DIRECTORY);

	ck_assert_int_eq(lea_file_replace(queue_fd, "8:1-0", text, strlen(text)), 0);
	close(queue_fd);
	ck_assert_uint_eq(take(&got), 1);
	ck_assert_int_eq(got->kind, LEA_ENTRY_MISSED);
	ck_assert_int_eq(made.kind, LEA_ENTRY_MISSED);
	lea_entries_free(got, 1);
}

TEST(links_folders_and_fifos_are_no_entries)
{
	struct lea_entry good = entry_of(99, 1), *got;

	/* a planted link, a folder and a fifo are no entries; none of them is followed or blocks
	 * us */
	ck_assert_int_eq(symlinkat("/etc/passwd", event_fd, "queue/8:3-0"), 0);
	ck_assert_int_eq(mkdirat(event_fd, "queue/8:4-0", 0700), 0);
	ck_assert_int_eq(mkfifoat(event_fd, "queue/8:5-0", 0600), 0);
	ck_assert_int_eq(lea_queue_put(event_fd, &good), 0);
	ck_assert_uint_eq(take(&got), 1);
	lea_entries_free(got, 1);
	ck_assert_uint_eq(count_of("failed"), 3);
}

TEST(a_failed_entry_can_be_retried)
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

TEST(one_runner_at_a_time_has_the_lock)
{
	int lock_fd = -1, other, status;
	pid_t pid;

	ck_assert_int_eq(lea_queue_ask_running(event_fd), 0);
	ck_assert_int_eq(lea_queue_lock(event_fd, &lock_fd), 0);
	pid = fork();
	if (pid == 0)
		_exit(lea_queue_ask_running(event_fd) == 1 &&
				      lea_queue_lock(event_fd, &other) == LEA_QUEUE_RUNNING
			      ? 0
			      : 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(status == 0, "a second process must not become the runner");
	close(lock_fd);
	ck_assert_int_eq(lea_queue_ask_running(event_fd), 0);
}

TEST(an_entry_that_is_too_large_is_refused)
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
