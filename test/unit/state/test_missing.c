/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/missing.h"

#include "fake/tree.h"
#include "state/online.h"
#include "unit/suite.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define ID(letter) letter "AAAAA000011112222333344445555aa"

static struct tree tree;
static int run_fd;

static void setup(void)
{
	tree_init(&tree);
	tree_mkdir(&tree, "/run/lvm/pvs_online");
	tree_mkdir(&tree, "/run/lvm/pvs_lookup");
	run_fd = lea_world_run(&tree.world);
	ck_assert_int_ge(run_fd, 0);
}

static void teardown(void)
{
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

/* Rows: which of a VG's five members have a record. */
static const struct {
	const char *claim, *there, *text;
} rows[] = {
	{"all are there", "abcde", ""},
	{"one is missing, and is named", "abce",
	 "4 of 5 PVs are there, missing PV dAAAAA-0000-1111-2222-3333-4444-5555aa"},
	{"three are named", "be",
	 "2 of 5 PVs are there, missing PVs aAAAAA-0000-1111-2222-3333-4444-5555aa, "
	 "cAAAAA-0000-1111-2222-3333-4444-5555aa, dAAAAA-0000-1111-2222-3333-4444-5555aa"},
	{"of more than three the number is said", "e",
	 "1 of 5 PVs is there, missing PVs aAAAAA-0000-1111-2222-3333-4444-5555aa, "
	 "bAAAAA-0000-1111-2222-3333-4444-5555aa and 2 more"},
};

static int collect(void *arg, const struct lea_missing *missing)
{
	ck_assert_str_eq(missing->vg, "data");
	lea_missing_describe(missing, arg);
	return 0;
}

TEST_EACH(a_vg_that_waits_is_described_with_what_it_waits_for, rows)
{
	char text[LEA_MISSING_TEXT_BYTES] = "", path[128];

	tree_put(&tree, "/run/lvm/pvs_lookup/data",
		 ID("a") "\n" ID("b") "\n" ID("c") "\n" ID("d") "\n" ID("e") "\n");
	tree_put(&tree, "/run/lvm/pvs_lookup/.new-1", ID("a") "\n");
	for (const char *id = rows[_i].there; *id; id++) {
		snprintf(path, sizeof(path), "/run/lvm/pvs_online/%c%s", *id, &ID("a")[1]);
		tree_put(&tree, path, "8:0\nvg:data\n");
	}
	ck_assert_int_eq(lea_missing_each(run_fd, collect, text), 0);
	ck_assert_msg(!strcmp(text, rows[_i].text), "%s: %s", rows[_i].claim, text);
}

TEST(a_vg_without_a_lookup_file_waits_for_nothing)
{
	struct lea_missing missing = {0};

	ck_assert_int_eq(lea_missing_read(run_fd, "data", &missing), 0);
	ck_assert_uint_eq(missing.count, 0);
	lea_missing_done(&missing);
}

TEST(a_pv_of_which_nobody_knows_is_not_missing)
{
	char text[LEA_MISSING_TEXT_BYTES] = "";

	tree_put(&tree, "/run/lvm/pvs_lookup/data", ID("a") "\n" ID("b") "\n");
	tree_remove(&tree, "/run/lvm/pvs_online");
	tree_link(&tree, "/run/lvm/pvs_online", "pvs_online");
	ck_assert_int_eq(lea_missing_each(run_fd, collect, text), 0);
	ck_assert_str_eq(text, "");
}

TEST(lines_that_are_no_id_name_no_files)
{
	char text[LEA_MISSING_TEXT_BYTES] = "";

	tree_put(&tree, "/run/lvm/pvs_lookup/data",
		 "..AAAA000011112222333344445555aa\n" ID("a") "\n");
	tree_put(&tree, "/run/lvm/pvs_online/" ID("a"), "8:0\n");
	ck_assert_int_eq(lea_missing_each(run_fd, collect, text), 0);
	ck_assert_str_eq(text, "");
}

TEST(the_pv_that_came_last_is_the_one_whose_record_was_written_last)
{
	const struct timespec times[] = {{100, 5}, {100, 7}, {100, 6}};
	char path[128], text[LEA_MISSING_TEXT_BYTES];
	struct lea_missing missing = {0};

	tree_put(&tree, "/run/lvm/pvs_lookup/data",
		 ID("a") "\n" ID("b") "\n" ID("c") "\n" ID("d") "\n");
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		const struct timespec both[] = {times[i], times[i]};

		snprintf(path, sizeof(path), "pvs_online/%c%s", (int)('a' + i), &ID("a")[1]);
		tree_put(&tree, "/run/lvm/pvs_online/x", "");
		ck_assert_int_eq(renameat(run_fd, "pvs_online/x", run_fd, path), 0);
		ck_assert_int_eq(utimensat(run_fd, path, both, 0), 0);
	}
	ck_assert_int_eq(lea_missing_read(run_fd, "data", &missing), 0);
	ck_assert_str_eq(missing.came_last, ID("b"));
	ck_assert_int_eq(missing.came.tv_nsec, 7);
	lea_missing_describe_with(&missing, ", last came sdb", text);
	ck_assert_str_eq(text, "3 of 4 PVs are there, last came sdb, missing PV "
			       "dAAAAA-0000-1111-2222-3333-4444-5555aa");
	lea_missing_done(&missing);
}
