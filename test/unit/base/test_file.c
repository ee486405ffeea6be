/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit/suite.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "fake/tree.h"

static char scratch[FOLDER_BYTES];
static int dir_fd = -1;

static void setup(void)
{
	dir_fd = folder_new(scratch);
}

static int count_files(void)
{
	LEA_AUTO(lea_closedirp) DIR *dir = opendir(scratch);
	int count = -2; /* without "." and ".." */

	while (readdir(dir))
		count++;
	return count;
}

static void teardown(void)
{
	folder_remove(scratch, dir_fd);
}

const struct fixture fixture = {setup, teardown};

static void put(const char *name, const char *text)
{
	LEA_AUTO(lea_closep) int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

TEST(a_file_is_read_whole_and_ends_in_nul)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes = 0;

	put("a", "one\ntwo\n");
	ck_assert_int_eq(lea_file_read(dir_fd, "a", 8, &text, &bytes), 0);
	ck_assert_str_eq(text, "one\ntwo\n");
	ck_assert_uint_eq(bytes, 8);
}

TEST(a_file_over_the_limit_is_refused_and_nothing_is_set)
{
	char *text = NULL;

	put("a", "one\ntwo\n");
	ck_assert_int_eq(lea_file_read(dir_fd, "a", 7, &text, NULL), -EFBIG);
	ck_assert_ptr_null(text);
}

TEST(a_large_file_grows_the_buffer)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	static char big[50001];
	size_t bytes = 0;

	memset(big, 'x', sizeof(big) - 1);
	put("big", big);
	ck_assert_int_eq(lea_file_read(dir_fd, "big", 1 << 20, &text, &bytes), 0);
	ck_assert_uint_eq(bytes, 50000);
	ck_assert_int_eq(text[49999], 'x');
}

TEST(a_kernel_file_that_claims_no_size_is_read_to_its_end)
{
	LEA_AUTO(lea_freep) char *text = NULL;

	ck_assert_int_eq(lea_file_read(AT_FDCWD, "/proc/devices", 1 << 20, &text, NULL), 0);
	ck_assert_ptr_nonnull(strstr(text, "Block devices:"));
}

TEST(absent_is_an_outcome_link_folder_and_fifo_are_faults)
{
	char buffer[8], *text = NULL;

	put("file", "x");
	ck_assert_int_eq(symlinkat("file", dir_fd, "link"), 0);
	ck_assert_int_eq(mkdirat(dir_fd, "folder", 0700), 0);
	ck_assert_int_eq(mkfifoat(dir_fd, "fifo", 0600), 0);
	ck_assert_int_eq(lea_file_read(dir_fd, "none", 8, &text, NULL), LEA_FILE_ABSENT);
	ck_assert_int_eq(lea_file_read(dir_fd, "none/x", 8, &text, NULL), LEA_FILE_ABSENT);
	ck_assert_int_eq(lea_file_read(dir_fd, "file/x", 8, &text, NULL), LEA_FILE_ABSENT);
	ck_assert_int_eq(lea_file_read(dir_fd, "link", 8, &text, NULL), -ELOOP);
	ck_assert_int_eq(lea_file_read(dir_fd, "folder", 8, &text, NULL), -EISDIR);
	ck_assert_int_eq(lea_file_read(dir_fd, "fifo", 8, &text, NULL), -EINVAL);
	ck_assert_int_eq(lea_file_read_into(dir_fd, "none", buffer, 8), LEA_FILE_ABSENT);
	ck_assert_int_eq(lea_file_read_into(dir_fd, "link", buffer, 8), -ELOOP);
	ck_assert_int_eq(lea_file_read_into(dir_fd, "folder", buffer, 8), -EISDIR);
	ck_assert_ptr_null(text);
}

TEST(a_configuration_file_may_be_a_link)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	char path[80];

	put("file", "x");
	ck_assert_int_eq(symlinkat("file", dir_fd, "link"), 0);
	snprintf(path, sizeof(path), "%s/link", scratch);
	ck_assert_int_eq(lea_file_read_config(path, 8, &text, NULL), 0);
	ck_assert_str_eq(text, "x");
}

TEST(a_value_is_cut_to_the_buffer)
{
	char buffer[4];

	put("a", "12345");
	ck_assert_int_eq(lea_file_read_into(dir_fd, "a", buffer, sizeof(buffer)), 0);
	ck_assert_str_eq(buffer, "123");
	ck_assert_int_eq(lea_file_read_into(dir_fd, "a", buffer, 0), -EINVAL);
}

TEST(only_the_first_creator_wins)
{
	LEA_AUTO(lea_freep) char *text = NULL;

	ck_assert_int_eq(lea_file_create(dir_fd, "a", "first", 5), 0);
	ck_assert_int_eq(lea_file_create(dir_fd, "a", "second", 6), LEA_FILE_EXISTS);
	ck_assert_int_eq(lea_file_create_empty(dir_fd, "a"), LEA_FILE_EXISTS);
	ck_assert_int_eq(lea_file_create_empty(dir_fd, "b"), 0);
	ck_assert_int_eq(lea_file_create_empty(dir_fd, "b"), LEA_FILE_EXISTS);
	ck_assert_int_eq(lea_file_read(dir_fd, "a", 99, &text, NULL), 0);
	ck_assert_str_eq(text, "first");
	ck_assert_int_eq(count_files(), 2);
}

TEST(a_file_in_a_folder_is_there_whole_or_not_at_all)
{
	char buffer[8];
	struct stat st;
	int folder_fd;

	ck_assert_int_eq(lea_file_create_in(dir_fd, "f", "a", "first", 5), 0);
	ck_assert_int_eq(lea_file_create_in(dir_fd, "f", "a", "second", 6), LEA_FILE_EXISTS);
	ck_assert_int_eq(lea_file_create_in(dir_fd, "f", "b", "2", 1), 0);
	ck_assert_int_eq(lea_file_read_into(dir_fd, "f/a", buffer, 8), 0);
	ck_assert_str_eq(buffer, "first");
	ck_assert_int_eq(fstatat(dir_fd, "f/b", &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_uint_eq(st.st_nlink, 1);
	ck_assert_int_lt(lea_file_create_in(dir_fd, "f/a", "c", "x", 1), 0);
	folder_fd = lea_file_open_folder(dir_fd, "f");
	ck_assert_int_eq(unlinkat(folder_fd, "a", 0) | unlinkat(folder_fd, "b", 0), 0);
	close(folder_fd);
	ck_assert_msg(!unlinkat(dir_fd, "f", AT_REMOVEDIR), "something else was left in it");
}

TEST(replace_leaves_one_file_of_mode_0600)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	struct stat st;

	ck_assert_int_eq(lea_file_replace(dir_fd, "a", "first", 5), 0);
	ck_assert_int_eq(lea_file_replace(dir_fd, "a", "2", 1), 0);
	ck_assert_int_eq(lea_file_read(dir_fd, "a", 99, &text, NULL), 0);
	ck_assert_str_eq(text, "2");
	ck_assert_int_eq(fstatat(dir_fd, "a", &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	ck_assert_int_eq(count_files(), 1);
}

TEST(a_planted_link_is_replaced_or_refused_but_never_followed)
{
	char buffer[8];

	put("target", "keep");
	ck_assert_int_eq(symlinkat("target", dir_fd, "a"), 0);
	ck_assert_int_eq(lea_file_create(dir_fd, "a", "x", 1), LEA_FILE_EXISTS);
	ck_assert_int_eq(lea_file_create_empty(dir_fd, "a"), LEA_FILE_EXISTS);
	ck_assert_int_eq(lea_file_replace(dir_fd, "a", "x", 1), 0);
	ck_assert_int_eq(lea_file_read_into(dir_fd, "target", buffer, 8), 0);
	ck_assert_str_eq(buffer, "keep");
}

TEST(a_text_in_a_link_is_created_once_and_replaced_whole)
{
	char buffer[8];

	ck_assert_int_eq(lea_file_create_link(dir_fd, "f/a", "1"), LEA_FILE_ABSENT);
	ck_assert_int_eq(lea_file_make_folder(dir_fd, "f"), 0);
	ck_assert_int_eq(lea_file_create_link(dir_fd, "f/a", "first\n"), 0);
	ck_assert_int_eq(lea_file_create_link(dir_fd, "f/a", "second"), LEA_FILE_EXISTS);
	ck_assert_int_eq(lea_file_read_link(dir_fd, "f/a", buffer, sizeof(buffer)), 0);
	ck_assert_str_eq(buffer, "first\n");
	ck_assert_int_eq(lea_file_read_link(dir_fd, "f/a", buffer, 4), 0);
	ck_assert_str_eq(buffer, "fir");
	ck_assert_int_eq(lea_file_read_link(dir_fd, "f/a", buffer, 0), -EINVAL);
	put("a", "a file");
	ck_assert_int_eq(lea_file_read_link(dir_fd, "a", buffer, 8), LEA_FILE_NO_LINK);
	ck_assert_int_eq(lea_file_read_link(dir_fd, "none", buffer, 8), LEA_FILE_ABSENT);
	ck_assert_int_eq(lea_file_read_link(dir_fd, "a/b", buffer, 8), LEA_FILE_ABSENT);
	ck_assert_int_eq(lea_file_replace_link(dir_fd, "a", "2"), 0);
	ck_assert_int_eq(lea_file_replace_link(dir_fd, "a", "third"), 0);
	ck_assert_int_eq(lea_file_read_link(dir_fd, "a", buffer, 8), 0);
	ck_assert_str_eq(buffer, "third");
	ck_assert_int_lt(lea_file_replace_link(dir_fd, "f", "x"), 0);
	ck_assert_int_eq(count_files(), 2);
	ck_assert_int_eq(unlinkat(dir_fd, "f/a", 0) | unlinkat(dir_fd, "f", AT_REMOVEDIR), 0);
}

TEST(a_failed_publication_leaves_nothing)
{
	ck_assert_int_eq(lea_file_make_folder(dir_fd, "a"), 0);
	ck_assert_int_lt(lea_file_replace(dir_fd, "a", "x", 1), 0);
	ck_assert_int_eq(lea_file_create(dir_fd, "none/a", "x", 1), -ENOENT);
	ck_assert_int_eq(count_files(), 1);
}

TEST(remove_tells_absent_from_removed)
{
	put("a", "x");
	ck_assert_int_eq(lea_file_remove(dir_fd, "a"), 0);
	ck_assert_int_eq(lea_file_remove(dir_fd, "a"), LEA_FILE_ABSENT);
}

TEST(a_folder_is_made_once_0700_and_a_link_is_no_folder)
{
	struct stat st;
	int fd;

	ck_assert_int_eq(lea_file_make_folder(dir_fd, "f"), 0);
	ck_assert_int_eq(lea_file_make_folder(dir_fd, "f"), 0);
	ck_assert_int_eq(fstatat(dir_fd, "f", &st, 0), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0700);
	fd = lea_file_open_folder(dir_fd, "g");
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(symlinkat("f", dir_fd, "link"), 0);
	ck_assert_int_eq(lea_file_make_folder(dir_fd, "link"), -ENOTDIR);
	ck_assert_int_lt(lea_file_open_folder(dir_fd, "link"), 0);
}

TEST(removing_in_a_folder_that_is_a_link_removes_nothing)
{
	ck_assert_int_eq(lea_file_make_folder(dir_fd, "f"), 0);
	ck_assert_int_eq(lea_file_create_empty(dir_fd, "f/x"), 0);
	ck_assert_int_eq(symlinkat("f", dir_fd, "link"), 0);
	ck_assert_int_lt(lea_file_remove_in(dir_fd, "link", "x"), 0);
	ck_assert_int_eq(lea_file_remove_in(dir_fd, "f", "x"), 0);
	ck_assert_int_eq(lea_file_remove_in(dir_fd, "f", "x"), LEA_FILE_ABSENT);
	ck_assert_int_eq(lea_file_remove_in(dir_fd, "none", "x"), LEA_FILE_ABSENT);
}

TEST(a_folder_that_others_may_write_to_is_not_private)
{
	ck_assert_int_eq(lea_file_check_private(dir_fd), 0);
	ck_assert_int_eq(fchmod(dir_fd, 0755), 0);
	ck_assert_int_eq(lea_file_check_private(dir_fd), 0);
	ck_assert_int_eq(fchmod(dir_fd, 0770), 0);
	ck_assert_int_eq(lea_file_check_private(dir_fd), -EPERM);
	ck_assert_int_eq(fchmod(dir_fd, 0707), 0);
	ck_assert_int_eq(lea_file_check_private(dir_fd), -EPERM);
}

/* Rows: a file name, and whether it stays. */
static const struct {
	const char *claim, *name;
	bool stays;
} left[] = {
	{"of a process that is no more", ".new-999999999-1-2-3", false},
	{"of a living one", ".new-1-1-2-3", true},
	{"no number at all", ".new-x-1-2-3", true},
	{"hidden, but another's", ".other", true},
	{"published", "8:1-2", true},
};

TEST_EACH(what_the_dead_left_is_taken_away, left)
{
	put(left[_i].name, "half");
	lea_file_tidy(dir_fd, ".");
	ck_assert_msg(count_files() == left[_i].stays, "%s", left[_i].claim);
	lea_file_tidy(dir_fd, "no-such-folder");
}
