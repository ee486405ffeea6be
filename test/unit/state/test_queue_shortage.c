/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Queue: a shortage of descriptors or of memory that lasts for one call costs no entry. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake/no_descriptor.h"
#include "unit/queue_folder.h"
#include "unit/suite.h"

const struct fixture fixture = {queue_setup, queue_teardown};

static unsigned int names_until_fault; /* 0: none */

/* In place of libc's: no memory for the next names of a folder. */
struct dirent *readdir(DIR *of)
{
	static struct dirent *(*real)(DIR *);

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "readdir64");
	if (names_until_fault && !--names_until_fault) {
		errno = ENOMEM;
		return NULL;
	}
	return real(of);
}

static unsigned int copies_until_fault; /* 0: none */

/* In place of libc's: no memory for one text of an entry. */
char *strdup(const char *text)
{
	const size_t bytes = strlen(text) + 1;
	char *copy = copies_until_fault && !--copies_until_fault ? NULL : malloc(bytes);

	if (!copy)
		errno = ENOMEM;
	return copy ? memcpy(copy, text, bytes) : NULL;
}

static int put_kind(enum lea_entry_kind kind)
{
	static char name[] = "/dev/sdx", links[] = "/dev/disk/by-id/x", lines[] = "DEVTYPE=disk\n";
	struct lea_entry entry = {
		.kind = kind,
		.device = {.major = 8, .minor = 16, .diskseq = 5, .seqnum = 1, .name = name,
			   .devlinks = links, .properties = lines},
		.pvid = "0123456789abcdefghijABCDEFGHIJKL"};

	lea_entry_set_key(&entry);
	return lea_queue_put(event_fd, &entry);
}

static void put_one(void)
{
	ck_assert_int_eq(put_kind(LEA_ENTRY_ADD), 0);
}

static void nothing_is_set_apart(void)
{
	size_t count = 999;

	ck_assert_int_eq(lea_queue_count(event_fd, "failed", &count), 0);
	ck_assert_uint_eq(count, 0);
}

/* Rows: the call that fails. Whatever the first take returns, the entry is there for the next. */
TEST_TIMES(an_entry_that_cannot_be_opened_now_is_taken_later, 6)
{
	struct lea_entry *got;
	size_t count = 0;
	int r;

	put_one();
	calls_until_fault = (unsigned int)_i + 1;
	r = lea_queue_take(event_fd, &got, &count);
	ck_assert(r == 0 || r == -ENFILE);
	calls_until_fault = 0;
	nothing_is_set_apart();
	if (r)
		ck_assert_int_eq(lea_queue_take(event_fd, &got, &count), 0);
	ck_assert_uint_eq(count, 1);
	lea_entries_free(got, count);
}

/* Rows: the text that there is no memory for, as for the one that the name of the file makes. It is
 * not the entry that is wrong. */
TEST_TIMES(an_entry_that_there_is_no_memory_for_is_taken_later, 4)
{
	struct lea_entry *got;
	size_t count = 0;

	put_one();
	copies_until_fault = (unsigned int)_i + 1;
	ck_assert_int_eq(lea_queue_take(event_fd, &got, &count), -ENOMEM);
	ck_assert_uint_eq(copies_until_fault, 0);
	nothing_is_set_apart();
	ck_assert_int_eq(lea_queue_take(event_fd, &got, &count), 0);
	ck_assert_uint_eq(count, 1);
	lea_entries_free(got, count);
}

/* Rows: the call that fails. A change does not take the place of an add that cannot be read. */
TEST_TIMES(an_add_that_is_pending_stays_one, 3)
{
	struct lea_entry *got;
	size_t count = 0;
	int r;

	put_one();
	calls_until_fault = (unsigned int)_i + 1;
	r = put_kind(LEA_ENTRY_CHANGE);
	ck_assert(r == -ENFILE || (r == 0 && _i > 0));
	calls_until_fault = 0;
	ck_assert_int_eq(lea_queue_take(event_fd, &got, &count), 0);
	ck_assert_uint_eq(count, 1);
	ck_assert_int_eq(got->kind, LEA_ENTRY_ADD);
	lea_entries_free(got, count);
}

/* Rows: the call that fails. A retry does not say that there is nothing to retry. */
TEST_TIMES(a_retry_tells_of_the_shortage, 5)
{
	struct lea_entry *got;
	size_t count = 0;
	int r;

	put_one();
	ck_assert_int_eq(lea_queue_take(event_fd, &got, &count), 0);
	ck_assert_int_eq(lea_queue_fail(event_fd, got, "because"), 0);
	lea_entries_free(got, count);
	calls_until_fault = (unsigned int)_i + 1;
	r = lea_queue_retry(event_fd, &count);
	ck_assert(r == -ENFILE || (r == 0 && count == 1));
	calls_until_fault = 0;
	/* The folder has a note, too: if the entry is listed first, it is pending by now. */
	if (r)
		ck_assert_int_eq(lea_queue_retry(event_fd, &count), 0);
	nothing_is_set_apart();
	ck_assert_int_eq(lea_queue_take(event_fd, &got, &count), 0);
	ck_assert_uint_eq(count, 1);
	lea_entries_free(got, count);
}

/* Rows: how many names are listed before that. What a dead runner had taken is not overlooked, nor
 * what is pending. */
TEST_TIMES(a_listing_that_breaks_off_is_no_end, 7)
{
	struct lea_entry *got;
	size_t count = 0;
	int r;

	put_one();
	if (_i % 2) {
		ck_assert_int_eq(lea_queue_take(event_fd, &got, &count), 0);
		lea_entries_free(got, count);
	}
	count = 0;
	names_until_fault = (unsigned int)_i / 2 + 1;
	r = lea_queue_take(event_fd, &got, &count);
	ck_assert_msg(r == -ENOMEM || (r == 0 && count == 1), "%d", r);
	names_until_fault = 0;
	if (r)
		ck_assert_int_eq(lea_queue_take(event_fd, &got, &count), 0);
	ck_assert_uint_eq(count, 1);
	lea_entries_free(got, count);
}

TEST(what_cannot_be_listed_may_be_pending)
{
	size_t count = 999;

	names_until_fault = 1;
	ck_assert(lea_queue_has_pending(event_fd));
	names_until_fault = 1;
	ck_assert_int_eq(lea_queue_count(event_fd, "queue", &count), -ENOMEM);
	ck_assert_uint_eq(count, 999);
	calls_until_fault = 1;
	ck_assert(lea_queue_has_pending(event_fd));
	ck_assert(!lea_queue_has_pending(event_fd));
}
