/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/lookup_index.h"

#include "base/cleanup.h"
#include "unit/suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define ID1 "AAAAAA0000111122223333444455555a"
#define ID2 "BBBBBB0000111122223333444455555b"
#define ID3 "CCCCCC0000111122223333444455555c"
#define ID4 "DDDDDD0000111122223333444455555d"
#define ID5 "EEEEEE0000111122223333444455555e"

static char folder[64];
static int run_fd;
static struct lea_lookup_index *lookups;

static void setup(void)
{
	strcpy(folder, "/tmp/lea-lookups-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	run_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(run_fd, 0);
	ck_assert_int_eq(lea_lookup_index_new(&lookups), 0);
}

static void teardown(void)
{
	char command[128];

	lea_lookup_index_free(lookups);
	close(run_fd);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* A file is made under another name first, so that no file system gives it the old one's inode. */
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

/* As the clock would have it had the last change been long ago. */
static void let_time_pass(void)
{
	const struct timespec times[2] = {{.tv_sec = 1000000}, {.tv_sec = 1000000}};

	ck_assert_int_eq(utimensat(run_fd, "pvs_lookup", times, 0), 0);
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

static size_t files_read(void)
{
	return lea_lookup_index_cost(lookups).files_read;
}

/* What is there when the first PV is asked for, what becomes of it, and what the second one gets.
 */
static const struct {
	const char *claim;
	const char *first_vg, *first_text;   /* there at the first question; NULL: nothing */
	const char *before;		     /* its answer, asked for ID1 */
	const char *second_vg, *second_text; /* put then; text NULL: removed */
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

START_TEST(answers_are_those_of_the_files)
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
END_TEST

START_TEST(a_file_filled_in_place_is_read_again)
{
	int fd;

	put("a", "");
	let_time_pass();
	ck_assert_str_eq(find(ID1), "");
	fd = openat(run_fd, "pvs_lookup/a", O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, ID1 "\n" ID2 "\n", 66), 66);
	close(fd);
	ck_assert_str_eq(find(ID1), "a");
}
END_TEST

START_TEST(what_cannot_be_read_hides_nothing)
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
END_TEST

/* Twins in two files: when one goes, the other still answers. */
START_TEST(of_two_vgs_that_list_a_pv_the_living_one_answers)
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
END_TEST

static void put_many(unsigned int first, unsigned int count)
{
	char vg[32], text[80];

	for (unsigned int i = first; i < first + count; i++) {
		snprintf(vg, sizeof(vg), "vg%u", i);
		snprintf(text, sizeof(text), "X%031u\nY%031u\n", i, i);
		put(vg, text);
	}
}

START_TEST(many_pvs_read_each_file_twice_at_most)
{
	char pvid[33], vg[32];

	put_many(0, 200);
	for (unsigned int i = 0; i < 200; i++) {
		snprintf(pvid, sizeof(pvid), "Y%031u", i);
		snprintf(vg, sizeof(vg), "vg%u", i);
		ck_assert_str_eq(find(pvid), vg);
	}
	ck_assert_uint_le(files_read(), 400); /* once to know it, once to be sure */
	ck_assert_uint_le(lea_lookup_index_cost(lookups).listings, 200);
}
END_TEST

START_TEST(pvs_on_no_list_read_nothing_again)
{
	char pvid[33];

	put_many(0, 100);
	for (unsigned int i = 0; i < 100; i++) {
		snprintf(pvid, sizeof(pvid), "Z%031u", i);
		ck_assert_str_eq(find(pvid), "");
		put_many(100 + i, 1);
	}
	ck_assert_uint_eq(files_read(), 199);
}
END_TEST

START_TEST(a_folder_that_did_not_change_is_not_listed_again)
{
	put_many(0, 3);
	let_time_pass();
	for (int i = 0; i < 10; i++)
		ck_assert_str_eq(find(ID1), "");
	ck_assert_uint_eq(lea_lookup_index_cost(lookups).listings, 1);
	put("a", ID1 "\n" ID2 "\n");
	ck_assert_str_eq(find(ID1), "a");
	ck_assert_uint_eq(lea_lookup_index_cost(lookups).listings, 2);
}
END_TEST

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* On a busy machine a try may take longer than the time that is meant; one that did says nothing.
 */
START_TEST(a_folder_that_may_change_within_the_tick_is_listed_again)
{
	for (unsigned int i = 0; i < 1000; i++) {
		size_t before = lea_lookup_index_cost(lookups).listings;
		uint64_t began = now_ms();

		put_many(i, 1);
		ck_assert_str_eq(find(ID1), "");
		ck_assert_str_eq(find(ID1), "");
		if (now_ms() - began < 40) {
			ck_assert_uint_eq(lea_lookup_index_cost(lookups).listings, before + 2);
			return;
		}
	}
	ck_abort_msg("never fast enough");
}
END_TEST

/* More than is kept: answers stay right. */
START_TEST(a_list_beyond_the_bounds_is_read_each_time)
{
	const size_t count = LEA_LOOKUP_INDEX_IDS / 4 + 10;
	LEA_AUTO(lea_freep) char *text = malloc(count * 33 + 1);
	char vg[8], last[33] = "";
	size_t before;

	ck_assert_ptr_nonnull(text);
	for (int file = 0; file < 4; file++) {
		for (size_t i = 0; i < count; i++)
			snprintf(text + i * 33, 34, "%c%031zu\n", 'A' + file, i);
		snprintf(vg, sizeof(vg), "big%d", file);
		put(vg, text);
	}
	before = files_read();
	for (int file = 0; file < 4; file++) {
		snprintf(last, sizeof(last), "%c%031zu", 'A' + file, count - 1);
		snprintf(vg, sizeof(vg), "big%d", file);
		ck_assert_str_eq(find(last), vg);
		ck_assert_str_eq(find(last), vg);
	}
	ck_assert_uint_gt(files_read(), before + 8);
	ck_assert_uint_le(files_read(), before + 16);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("lookup index");
	TCase *tcase = tcase_create("find");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, answers_are_those_of_the_files, 0, (int)ARRAY_SIZE(rows));
	tcase_add_test(tcase, a_file_filled_in_place_is_read_again);
	tcase_add_test(tcase, what_cannot_be_read_hides_nothing);
	tcase_add_test(tcase, of_two_vgs_that_list_a_pv_the_living_one_answers);
	tcase_add_test(tcase, many_pvs_read_each_file_twice_at_most);
	tcase_add_test(tcase, pvs_on_no_list_read_nothing_again);
	tcase_add_test(tcase, a_folder_that_did_not_change_is_not_listed_again);
	tcase_add_test(tcase, a_folder_that_may_change_within_the_tick_is_listed_again);
	tcase_add_test(tcase, a_list_beyond_the_bounds_is_read_each_time);
	suite_add_tcase(suite, tcase);
	return suite;
}
