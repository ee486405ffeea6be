/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake/tree.h"
#include "unit/suite.h"
#include "world/proc_stat.h"

#include <errno.h>
#include <string.h>

#define UP_TO_START " 4100 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 "
#define NINE	    "123456789"

static const struct {
	const char *text, *command; /* NULL: refused */
	char state;
	uint64_t start_ticks;
} rows[] = {
	{"42 (lvm) S" UP_TO_START "4242 0 0\n", "lvm", 'S', 4242},
	{"42 (a) b) D" UP_TO_START "99 0", "a) b", 'D', 99},
	{"42 (jbd2/dm-3 (x) Z) D" UP_TO_START "99 0", "jbd2/dm-3 (x) Z", 'D', 99},
	{"42 () Z" UP_TO_START "1", "", 'Z', 1},
	{"42 (a\nb\033) S" UP_TO_START "1 0", "a?b?", 'S', 1},
	{"42 (" NINE NINE NINE NINE ") S" UP_TO_START "1 0", NINE NINE NINE "1234", 'S', 1},
	{"", NULL, 0, 0},
	{"42", NULL, 0, 0},
	{"42 (dd", NULL, 0, 0},
	{"42 dd) D" UP_TO_START "1 0", NULL, 0, 0},
	{")(", NULL, 0, 0},
	{"42 (dd)", NULL, 0, 0},
	{"42 (dd) ", NULL, 0, 0},
	{"42 (dd)D", NULL, 0, 0},
	{"42 (dd) D 1", NULL, 0, 0},
	{"42 (dd) D x 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7 0", NULL, 0, 0},
	{"42 (dd) D 4294967296 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 7 0", NULL, 0, 0},
	{"42 (dd) D" UP_TO_START, NULL, 0, 0},
	{"42 (dd) D" UP_TO_START "-1 0", NULL, 0, 0},
	{"42 (dd) D" UP_TO_START "99999999999999999999999 0", NULL, 0, 0},
};

TEST_EACH(a_text_is_parsed_or_refused, rows)
{
	struct lea_proc_stat stat = {.command = "as before", .state = '?', .start_ticks = 7};

	if (!rows[_i].command) {
		ck_assert_msg(!lea_proc_stat_parse(rows[_i].text, &stat), "%s", rows[_i].text);
		ck_assert_str_eq(stat.command, "as before");
		ck_assert_uint_eq(stat.start_ticks, 7);
		return;
	}
	ck_assert_msg(lea_proc_stat_parse(rows[_i].text, &stat), "%s", rows[_i].text);
	ck_assert_str_eq(stat.command, rows[_i].command);
	ck_assert_int_eq(stat.state, rows[_i].state);
	ck_assert_uint_eq(stat.start_ticks, rows[_i].start_ticks);
	ck_assert_int_eq(stat.parent, 4100);
}

TEST(a_process_is_read_below_its_folder)
{
	struct lea_proc_stat stat;
	struct tree tree;
	int proc_fd;

	tree_init(&tree);
	tree_put_process(&tree, 42, "lvm", 'S', 4242);
	tree_put(&tree, "/proc/43/stat", "nonsense");
	proc_fd = lea_world_proc(&tree.world);
	ck_assert_int_eq(lea_proc_stat(proc_fd, 42, &stat), 0);
	ck_assert_str_eq(stat.command, "lvm");
	ck_assert_uint_eq(stat.start_ticks, 4242);
	ck_assert_int_eq(lea_proc_stat(proc_fd, 43, &stat), -EINVAL);
	ck_assert_int_eq(lea_proc_stat(proc_fd, 44, &stat), -ESRCH);
	tree_done(&tree);
}
