/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/lookup_index.h"

#include "base/cleanup.h"
#include "fake/no_descriptor.h"
#include "fake/tree.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>

#define ID1 "AAAAAA0000111122223333444455555a"
#define ID2 "BBBBBB0000111122223333444455555b"
#define ID3 "CCCCCC0000111122223333444455555c"
#define ID4 "DDDDDD0000111122223333444455555d"
#define ID5 "EEEEEE0000111122223333444455555e"

static char folder[FOLDER_BYTES];
static int run_fd;
static struct lea_lookup_index own, *const lookups = &own;
static int watch_fd; /* of the folder of lookup files */
static size_t files_read, listings;

static void setup(void)
{
	run_fd = folder_new(folder);
	watch_fd = -1;
	files_read = listings = 0;
}

static void teardown(void)
{
	lea_lookup_index_clear(lookups);
	lea_closep(&watch_fd);
	folder_remove(folder, run_fd);
}

const struct fixture fixture = {setup, teardown};

/* Creates the new file under another name first, so that it cannot get the old one's inode. */
static void put(const char *vg, const char *text)
{
	char path[160];
	int fd;

	mkdirat(run_fd, "pvs_lookup", 0700);
	snprintf(path, sizeof(path), "pvs_lookup/%s", vg);
	fd = openat(run_fd, "new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	ck_assert_int_eq(renameat(run_fd, "new", run_fd, path), 0);
}

/* Sets the time stamp as if the last change were long ago. */
static void let_time_pass(void)
{
	const struct timespec times[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};

	ck_assert_int_eq(utimensat(run_fd, "pvs_lookup", times, 0), 0);
}

/* Watches what is opened in the folder. The close events between keep the kernel from merging two
 * opens into one event. */
static void start_counting(void)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/pvs_lookup", folder);
	watch_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	ck_assert_int_ge(inotify_add_watch(watch_fd, path, IN_OPEN | IN_CLOSE_NOWRITE), 0);
}

/* Adds the opens since the last call to files_read and listings. */
static void count_opened(void)
{
	_Alignas(struct inotify_event) char buffer[4096];
	ssize_t len;

	while ((len = read(watch_fd, buffer, sizeof(buffer))) > 0) {
		const char *end = buffer + len;

		for (const char *at = buffer; at < end;) {
			const struct inotify_event *event = (const void *)at;

			ck_assert(!(event->mask & IN_Q_OVERFLOW));
			files_read += event->mask == IN_OPEN;
			listings += event->mask == (IN_OPEN | IN_ISDIR);
			at += sizeof(*event) + event->len;
		}
	}
}

/* The VG that lists @pvid; "": none. */
static const char *find(const char *pvid)
{
	static char vg[128];
	struct lea_lookup lookup = {0};
	int r = lea_lookup_index_find(lookups, run_fd, pvid, &lookup);

	ck_assert_msg(r == 0 || r == LEA_ONLINE_ABSENT, "%d", r);
	strcpy(vg, lookup.vg);
	ck_assert(r || lea_lookup_lists(&lookup, pvid));
	lea_lookup_done(&lookup);
	return vg;
}

/* Rows: files at the first search and its answer; a change; and the answer of a second search. */
static const struct {
	const char *claim;
	const char *first_vg, *first_text;   /* present at the first search; NULL: none */
	const char *before;		     /* answer of the first search, for ID1 */
	const char *second_vg, *second_text; /* written then; text NULL: removed */
	const char *pvid, *after;
} rows[] = {
	{"a member is found", "a", ID1 "\n" ID2 "\n", "a", NULL, NULL, ID2, "a"},
	{"who is on no list is not", "a", ID1 "\n" ID2 "\n", "a", NULL, NULL, ID3, ""},
	{"a folder that is not there is empty", NULL, NULL, "", "a", ID1 "\n" ID2 "\n", ID1, "a"},
	{"a file that came later is found", "a", ID2 "\n" ID3 "\n", "", "b", ID1 "\n" ID4 "\n", ID1,
	 "b"},
	{"several VGs do not mix", "a", ID1 "\n" ID2 "\n", "a", "b", ID3 "\n" ID4 "\n", ID4, "b"},
	{"a file that went is no answer", "a", ID1 "\n" ID2 "\n", "a", "a", NULL, ID1, ""},
	{"a file made anew has a new member", "a", ID1 "\n" ID2 "\n", "a", "a", ID1 "\n" ID3 "\n",
	 ID3, "a"},
	{"a file made anew has lost one", "a", ID1 "\n" ID2 "\n", "a", "a", ID1 "\n" ID3 "\n", ID2,
	 ""},
	{"a PV that moved is in its new VG", "a", ID1 "\n" ID2 "\n", "a", "a", ID2 "\n" ID3 "\n",
	 ID1, ""},
	{"a list of one is read", "a", ID1 "\n", "a", NULL, NULL, ID1, "a"},
	{"an empty file is read again when it is full", "a", "", "", "a", ID1 "\n" ID2 "\n", ID1,
	 "a"},
	{"one id many times", "a", ID1 "\n" ID1 "\n" ID1 "\n" ID2 "\n", "a", NULL, NULL, ID2, "a"},
	{"lines that are no id are passed over", "a", "short\n\n" ID1 "\n" ID2 "\n", "a", NULL,
	 NULL, ID2, "a"},
	{"what somebody is writing is not read", ".new-x", ID1 "\n" ID2 "\n", "", NULL, NULL, ID2,
	 ""},
};

TEST_EACH(answers_are_those_of_the_files, rows)
{
	char path[160];

	if (rows[_i].first_vg)
		put(rows[_i].first_vg, rows[_i].first_text);
	ck_assert_msg(!strcmp(find(ID1), rows[_i].before), "%s: before", rows[_i].claim);
	if (rows[_i].second_text) {
		put(rows[_i].second_vg, rows[_i].second_text);
	} else if (rows[_i].second_vg) {
		snprintf(path, sizeof(path), "pvs_lookup/%s", rows[_i].second_vg);
		ck_assert_int_eq(unlinkat(run_fd, path, 0), 0);
	}
	ck_assert_msg(!strcmp(find(rows[_i].pvid), rows[_i].after), "%s", rows[_i].claim);
	ck_assert_msg(!strcmp(find(rows[_i].pvid), rows[_i].after), "%s: again", rows[_i].claim);
}

TEST(what_was_forgotten_is_found_again)
{
	put("a", ID1 "\n" ID2 "\n");
	ck_assert_str_eq(find(ID1), "a");
	lea_lookup_index_clear(lookups);
	ck_assert_str_eq(find(ID2), "a");
	ck_assert_str_eq(find(ID3), "");
}

static void write_in_place(const char *path, const char *text)
{
	int fd = openat(run_fd, path, O_WRONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

TEST(a_file_filled_in_place_is_read_again)
{
	put("a", "");
	let_time_pass();
	ck_assert_str_eq(find(ID1), "");
	write_in_place("pvs_lookup/a", ID1 "\n" ID2 "\n");
	ck_assert_str_eq(find(ID1), "a");
}

TEST(a_file_that_lost_a_member_is_read_again)
{
	put("a", ID1 "\n" ID2 "\n");
	let_time_pass();
	ck_assert_str_eq(find(ID1), "a");
	write_in_place("pvs_lookup/a", ID3 "\n" ID4 "\n");
	ck_assert_str_eq(find(ID1), "");
	ck_assert_str_eq(find(ID3), "a");
}

TEST(what_cannot_be_read_hides_nothing)
{
	put("b", ID1 "\n" ID2 "\n");
	ck_assert_int_eq(mkdirat(run_fd, "pvs_lookup/a", 0700), 0);
	ck_assert_int_eq(symlinkat("b", run_fd, "pvs_lookup/c"), 0);
	ck_assert_str_eq(find(ID1), "b");
	ck_assert_str_eq(find(ID3), "");
	ck_assert_int_eq(unlinkat(run_fd, "pvs_lookup/a", AT_REMOVEDIR), 0);
	put("a", ID3 "\n" ID4 "\n");
	ck_assert_str_eq(find(ID3), "a");
}

/* Two files list the same PV: when one is removed, the other still answers. */
TEST(of_two_vgs_that_list_a_pv_the_living_one_answers)
{
	char path[32], vg[128];

	put("a", ID1 "\n" ID2 "\n");
	put("b", ID1 "\n" ID3 "\n");
	strcpy(vg, find(ID1));
	ck_assert(!strcmp(vg, "a") || !strcmp(vg, "b"));
	snprintf(path, sizeof(path), "pvs_lookup/%s", vg);
	ck_assert_int_eq(unlinkat(run_fd, path, 0), 0);
	ck_assert_str_eq(find(ID1), strcmp(vg, "a") ? "a" : "b");
}

static void put_many(unsigned int first, unsigned int count)
{
	char vg[32], text[80];

	for (unsigned int i = first; i < first + count; i++) {
		snprintf(vg, sizeof(vg), "vg%u", i);
		snprintf(text, sizeof(text), "X%031u\nY%031u\n", i, i);
		put(vg, text);
	}
}

TEST(many_pvs_read_each_file_twice_at_most)
{
	char pvid[33], vg[32];

	put_many(0, 200);
	start_counting();
	for (unsigned int i = 0; i < 200; i++) {
		snprintf(pvid, sizeof(pvid), "Y%031u", i);
		snprintf(vg, sizeof(vg), "vg%u", i);
		ck_assert_str_eq(find(pvid), vg);
	}
	count_opened();
	ck_assert_uint_ge(files_read, 200);
	ck_assert_uint_le(files_read, 400); /* once for the index, once to confirm */
	ck_assert_uint_le(listings, 200);
}

TEST(pvs_on_no_list_read_nothing_again)
{
	char pvid[33];

	put_many(0, 100);
	start_counting();
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(pvid, sizeof(pvid), "Z%031u", i);
		ck_assert_str_eq(find(pvid), "");
		put_many(100 + i, 1);
	}
	count_opened();
	ck_assert_uint_eq(files_read, 199);
}

TEST(a_folder_that_did_not_change_is_not_listed_again)
{
	put_many(0, 3);
	let_time_pass();
	start_counting();
	for (int i = 0; i < 10; i++)
		ck_assert_str_eq(find(ID1), "");
	count_opened();
	ck_assert_uint_eq(listings, 1);
	put("a", ID1 "\n" ID2 "\n");
	ck_assert_str_eq(find(ID1), "a");
	count_opened();
	ck_assert_uint_eq(listings, 2);
}

/* The clock of the kernel's time stamps. */
static struct timespec now(void)
{
	struct timespec stamp;

	ck_assert_int_eq(clock_gettime(CLOCK_REALTIME_COARSE, &stamp), 0);
	return stamp;
}

/* A try during which the clock ticks proves nothing. */
TEST(a_folder_that_may_change_within_the_tick_is_listed_again)
{
	put_many(0, 1);
	start_counting();
	for (unsigned int i = 1; i < 1000; i++) {
		const struct timespec began = now();
		struct timespec ended;

		listings = 0;
		put_many(i, 1);
		ck_assert_str_eq(find(ID1), "");
		ck_assert_str_eq(find(ID1), "");
		ended = now();
		count_opened();
		if (!memcmp(&began, &ended, sizeof(began))) {
			ck_assert_uint_eq(listings, 2);
			return;
		}
	}
	ck_abort_msg("never fast enough");
}

/* More than the index holds: answers stay correct. */
TEST(a_list_beyond_the_bounds_is_read_each_time)
{
	const size_t count = LEA_LOOKUP_INDEX_BYTES / 40 / 4; /* an id takes more than 40 bytes */
	LEA_AUTO(lea_freep) char *text = malloc(count * 33 + 1);
	char vg[8], last[33] = "";

	ck_assert_ptr_nonnull(text);
	for (int file = 0; file < 4; file++) {
		for (size_t i = 0; i < count; i++)
			snprintf(text + i * 33, 34, "%c%031zu\n", 'A' + file, i);
		snprintf(vg, sizeof(vg), "big%d", file);
		put(vg, text);
	}
	start_counting();
	for (int file = 0; file < 4; file++) {
		snprintf(last, sizeof(last), "%c%031zu", 'A' + file, count - 1);
		snprintf(vg, sizeof(vg), "big%d", file);
		ck_assert_str_eq(find(last), vg);
		ck_assert_str_eq(find(last), vg);
	}
	count_opened();
	ck_assert_uint_gt(files_read, 8);
	ck_assert_uint_le(files_read, 16);
}

static int ask_listed(void)
{
	struct lea_lookup lookup = {0};
	int r;

	lea_lookup_index_clear(lookups);
	r = lea_lookup_index_find(lookups, run_fd, ID3, &lookup);
	lea_lookup_done(&lookup);
	return r;
}

static int ask_indexed(void)
{
	struct lea_lookup lookup = {0};
	const int r = lea_lookup_index_find(lookups, run_fd, ID3, &lookup);

	lea_lookup_done(&lookup);
	return r;
}

/* A PV without metadata would belong to no VG. Rows: the folder is listed; the file is known. */
TEST_TIMES(a_file_that_cannot_be_opened_is_no_answer, 2)
{
	put("vg0", ID1 "\n" ID2 "\n");
	put("vg1", ID3 "\n" ID4 "\n");
	ck_assert_int_eq(ask_listed(), 0);
	ck_assert_uint_ge(faults_of(_i ? ask_indexed : ask_listed, 0), 1);
	ck_assert_int_eq(ask_indexed(), 0);
}
