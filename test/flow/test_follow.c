/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which VGs the real lvm is told of after an activation, and in what words. */
#include "fake/golden.h"
#include "flow/follow.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64], lvm[96], calls[96], said[1024];
static struct lea_world world;

static void keep_last(struct lea_log *log, enum lea_log_level level, const char *line)
{
	(void)log;
	(void)level;
	snprintf(said, sizeof(said), "%s", line);
}

static struct lea_log last_log = {keep_last, LEA_LOG_WARNING};

static void setup(void)
{
	static char *const no_environ[] = {NULL};
	FILE *out;

	strcpy(root, "/tmp/lea-follow-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(lvm, sizeof(lvm), "%s/lvm", root);
	snprintf(calls, sizeof(calls), "%s/calls", root);
	out = fopen(lvm, "w");
	fprintf(out, "#!/bin/sh\necho \"$*\" >>%s\nexit 5\n", calls);
	fclose(out);
	ck_assert_int_eq(chmod(lvm, 0755), 0);
	lea_world_init(&world, "", &last_log, no_environ);
	said[0] = '\0';
}

static void teardown(void)
{
	lea_world_done(&world);
	unlink(calls);
	unlink(lvm);
	ck_assert_int_eq(rmdir(root), 0);
}

static const struct {
	const char *claim, *shapes[3];
	bool monitor, poll;
	const char *want;
} rows[] = {
	{"linear LVs need nobody", {"linear_one", "striped"}, true, true, ""},
	{"a VDO pool is watched",
	 {"v31-vdo_basic"},
	 true,
	 true,
	 "vgchange --monitor y --poll n vg\n"},
	{"a thin pool is watched",
	 {"thin_basic"},
	 true,
	 true,
	 "vgchange --monitor y --poll n vg\n"},
	{"a snapshot is watched",
	 {"snap_linear"},
	 true,
	 true,
	 "vgchange --monitor y --poll n vg\n"},
	{"one process for all of them",
	 {"snap_two", "linear_one", "thin_basic"},
	 true,
	 true,
	 "vgchange --monitor y --poll n vg vg\n"},
	{"a merge is carried on",
	 {"snap_merge_pending"},
	 true,
	 true,
	 "vgchange --monitor y --poll y vg\n"},
	{"a thin merge is carried on",
	 {"thin_merge_pending"},
	 true,
	 true,
	 "vgchange --monitor y --poll y vg\n"},
	{"a merge is carried on unwatched",
	 {"snap_merge_pending"},
	 false,
	 true,
	 "vgchange --poll y vg\n"},
	{"a merge is watched only",
	 {"snap_merge_pending"},
	 true,
	 false,
	 "vgchange --monitor y --poll n vg\n"},
	{"nothing is asked for", {"thin_basic", "snap_merge_pending"}, false, false, ""},
	{"a cache needs nobody", {"cache_pool"}, true, true, ""},
};

START_TEST(lvm_is_told)
{
	const struct lea_activate_options options = {
		.lvm_path = lvm, .monitor = rows[_i].monitor, .poll = rows[_i].poll};
	struct lea_follow_list list;
	struct golden golden[3];
	char text[1024] = "";
	size_t count = 0;
	FILE *in;

	ck_assert_int_eq(lea_follow_list_new(3, &list), 0);
	for (; count < 3 && rows[_i].shapes[count]; count++) {
		golden_open(rows[_i].shapes[count], &golden[count]);
		lea_follow_list_add(&list, golden[count].vg);
	}
	lea_follow(&world, &options, &list);
	in = fopen(calls, "r");
	if (in) {
		text[fread(text, 1, sizeof(text) - 1, in)] = '\0';
		fclose(in);
	}
	ck_assert_msg(!strcmp(text, rows[_i].want), "%s: %s", rows[_i].claim, text);
	ck_assert_msg(!*rows[_i].want == !strstr(said, "ended with 5"), "%s: %s", rows[_i].claim,
		      said);
	while (count > 0)
		golden_close(&golden[--count]);
	lea_follow_list_done(&list);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("follow");
	TCase *tcase = tcase_create("follow");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, lvm_is_told, 0, ARRAY_SIZE(rows));
	suite_add_tcase(suite, tcase);
	return suite;
}
