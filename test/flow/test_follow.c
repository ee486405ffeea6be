/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dmeventd is told to watch after an activation, and of which VGs the real lvm is told. */
#include "fake/golden.h"
#include "flow/follow.h"
#include "unit/suite.h"
#include "world/dm.h"
#include "world/dmeventd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char root[64], lvm[96], calls[96], said[1024];
static struct lea_world world;

static char watched[4096]; /* "UUID LIBRARY MASK TIME" lines */
static int dmeventd_says;
static struct lea_conf conf;

/* ---- in place of world/dmeventd.c */

int lea_dmeventd_watch(struct lea_world *its, const struct lea_dmeventd_watch *watch)
{
	size_t used = strlen(watched);

	ck_assert_ptr_eq(its, &world);
	if (!dmeventd_says)
		snprintf(watched + used, sizeof(watched) - used, "%s %s %u %d\n", watch->uuid,
			 watch->library, watch->mask, watch->timeout_s);
	return dmeventd_says;
}

static bool dmeventd_lives;
static char left[4096]; /* "UUID" lines */

int lea_dmeventd_leave(struct lea_world *its, const struct lea_dmeventd_watch *watch)
{
	size_t used = strlen(left);

	ck_assert_ptr_eq(its, &world);
	snprintf(left + used, sizeof(left) - used, "%s\n", watch->uuid);
	return dmeventd_says;
}

bool lea_dmeventd_lives(const struct lea_world *its)
{
	ck_assert_ptr_eq(its, &world);
	return dmeventd_lives;
}

/* ---- device-mapper: all nodes are active, or only those of an lvm2 that writes -real, or none */

static enum { ALL, NEWER, NONE } active;

static int info(struct lea_dm *dm, const char *uuid, struct lea_dm_info *ret_info)
{
	const size_t len = strlen(uuid);
	const bool is_real = len > 5 && !strcmp(uuid + len - 5, "-real");

	(void)dm;
	memset(ret_info, 0, sizeof(*ret_info));
	return active == ALL || (active == NEWER && is_real) ? 0 : LEA_DM_ABSENT;
}

static void no_free(struct lea_dm *dm)
{
	(void)dm;
}

static struct lea_dm test_dm = {.info = info, .free = no_free};

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
	world.dm = &test_dm;
	said[0] = watched[0] = left[0] = '\0';
	dmeventd_says = 0;
	dmeventd_lives = true;
	active = ALL;
	conf = (struct lea_conf){.mirror_library = "mirror.so",
				 .raid_library = "raid.so",
				 .snapshot_library = "snapshot.so",
				 .thin_library = "thin.so"};
}

static void teardown(void)
{
	lea_world_done(&world);
	unlink(calls);
	unlink(lvm);
	ck_assert_int_eq(rmdir(root), 0);
}

#define LVM_WATCHES "vgchange --monitor y --poll n vg\n"

/* Rows: what is done natively is none of the real lvm's business. */
static const struct {
	const char *claim, *shapes[3];
	bool monitor, poll;
	const char *lvm;       /* its calls */
	unsigned int watching; /* LVs that dmeventd is told of */
} rows[] = {
	{"linear LVs need nobody", {"linear_one", "striped"}, true, true, "", 0},
	{"a thin pool is watched", {"thin_basic"}, true, true, "", 1},
	{"a snapshot is watched", {"snap_linear"}, true, true, "", 1},
	{"RAID LVs are watched", {"raid1"}, true, true, "", 5},
	{"both parts of a pool on RAID are watched, and the pool",
	 {"thin_raid"},
	 true,
	 true,
	 "",
	 3},
	{"raid0 is not", {"raid0"}, true, true, "", 0},
	{"a cache needs nobody", {"cache_pool"}, true, true, "", 0},
	{"several VGs, no process", {"snap_linear", "linear_one", "thin_basic"}, true, true, "", 2},
	{"of a pool without thin LVs lvm2 decides",
	 {"thin_pool_empty"},
	 true,
	 true,
	 LVM_WATCHES,
	 0},
	{"of a VDO pool, too", {"v31-vdo_basic"}, true, true, LVM_WATCHES, 0},
	{"a merge is carried on",
	 {"snap_merge_pending"},
	 true,
	 true,
	 "vgchange --monitor y --poll y vg\n",
	 0},
	{"a thin merge is carried on",
	 {"thin_merge_pending"},
	 true,
	 true,
	 "vgchange --monitor y --poll y vg\n",
	 0},
	{"a merge is carried on unwatched",
	 {"snap_merge_pending"},
	 false,
	 true,
	 "vgchange --poll y vg\n",
	 0},
	{"a merge that nobody is to carry on", {"snap_merge_pending"}, true, false, "", 1},
	{"nothing is asked for", {"thin_basic", "snap_merge_pending"}, false, false, "", 0},
};

static unsigned int lines_of(const char *text)
{
	unsigned int n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/* What the stand-in for lvm was called with, into @text. */
static void follow(const char *const *shapes, const struct lea_activate_options *options,
		   char *text, size_t size)
{
	struct lea_follow_list list;
	struct golden golden[3];
	size_t count = 0;
	FILE *in;

	ck_assert_int_eq(lea_follow_list_new(3, &list), 0);
	for (; count < 3 && shapes[count]; count++) {
		golden_open(shapes[count], &golden[count]);
		lea_follow_list_add(&list, golden[count].vg);
	}
	lea_follow(&world, &conf, options, &list);
	text[0] = '\0';
	in = fopen(calls, "r");
	if (in) {
		text[fread(text, 1, size - 1, in)] = '\0';
		fclose(in);
	}
	while (count > 0)
		golden_close(&golden[--count]);
	lea_follow_list_done(&list);
}

START_TEST(who_is_told)
{
	const struct lea_activate_options options = {
		.lvm_path = lvm, .monitor = rows[_i].monitor, .poll = rows[_i].poll};
	char text[1024];

	follow(rows[_i].shapes, &options, text, sizeof(text));
	ck_assert_msg(!strcmp(text, rows[_i].lvm), "%s: %s", rows[_i].claim, text);
	ck_assert_msg(!*rows[_i].lvm == !strstr(said, "ended with 5"), "%s: %s", rows[_i].claim,
		      said);
	ck_assert_msg(lines_of(watched) == rows[_i].watching, "%s: %s", rows[_i].claim, watched);
}
END_TEST

static const struct lea_activate_options both_on = {.lvm_path = lvm, .monitor = true, .poll = true};

/* As a dmeventd showed it: "0:0 LIBRARY UUID MASK TIME", where no time shows as 10. */
START_TEST(as_lvm2_registers)
{
	static const char *const shape[3] = {"v31-monitored"};
	char *shown = golden_read(shape[0], "dmeventd_info.txt"), text[64], library[96], uuid[160];
	unsigned int mask, count = 0;

	conf.mirror_library = "libdevmapper-event-lvm2mirror.so";
	conf.raid_library = "libdevmapper-event-lvm2raid.so";
	conf.snapshot_library = "libdevmapper-event-lvm2snapshot.so";
	conf.thin_library = "libdevmapper-event-lvm2thin.so";
	follow(shape, &both_on, text, sizeof(text));
	ck_assert_str_eq(text, "");
	ck_assert_ptr_nonnull(shown);
	for (const char *line = strchr(shown, '\n'); line; line = strchr(line + 1, '\n')) {
		char want[320];

		if (sscanf(line, " 0:%*u %95s %159s %u 10", library, uuid, &mask) != 3)
			continue;
		snprintf(want, sizeof(want), "%s %s %u ", uuid, library, mask);
		ck_assert_msg(strstr(watched, want) != NULL, "%s in %s", want, watched);
		count++;
	}
	ck_assert_uint_eq(count, 4);
	ck_assert_uint_eq(lines_of(watched), count);
	free(shown);
}
END_TEST

static const char *const raid_shape[3] = {"thin_raid"};

START_TEST(without_dmeventd_lvm_is_asked)
{
	char text[1024];

	dmeventd_says = LEA_DMEVENTD_ABSENT;
	follow(raid_shape, &both_on, text, sizeof(text));
	ck_assert_str_eq(text, LVM_WATCHES);
}
END_TEST

START_TEST(a_failure_is_said_and_lvm_asked)
{
	char text[1024];

	dmeventd_says = -EIO;
	follow(raid_shape, &both_on, text, sizeof(text));
	ck_assert_str_eq(text, LVM_WATCHES);
}
END_TEST

/* Before nodes go, and for those that stayed. */
static void end_and_again(const char *shape)
{
	struct golden golden;

	golden_open(shape, &golden);
	lea_follow_end(&world, &conf, golden.vg);
	lea_follow_again(&world, &conf, golden.vg);
	golden_close(&golden);
}

START_TEST(what_is_watched_is_left_before_it_goes)
{
	end_and_again("thin_raid");
	ck_assert_msg(lines_of(left) == 3, "the pool and both its parts: %s", left);
	ck_assert_msg(lines_of(watched) == 3, "and again, had they stayed: %s", watched);
}
END_TEST

START_TEST(nothing_is_left_where_nothing_was_watched)
{
	end_and_again("linear_one");
	ck_assert_str_eq(left, "");
	dmeventd_lives = false;
	end_and_again("thin_raid");
	ck_assert_msg(!*left && !*watched, "no dmeventd is started to be told");
	dmeventd_lives = true;
	conf.library_dir = "/opt/lvm2";
	end_and_again("thin_raid");
	ck_assert_str_eq(left, "");
	conf.library_dir = NULL;
	active = NONE;
	end_and_again("thin_raid");
	ck_assert_msg(!*left && !*watched, "what is not active is not watched");
}
END_TEST

START_TEST(a_library_dir_is_lvm2s_business)
{
	char text[1024];

	conf.library_dir = "/opt/lvm2";
	follow(raid_shape, &both_on, text, sizeof(text));
	ck_assert_str_eq(text, LVM_WATCHES);
	ck_assert_str_eq(watched, "");
}
END_TEST

/* What is down is not watched; a newer lvm2's nodes are found by their uuids. */
START_TEST(what_is_active_is_watched)
{
	static const char *const shape[3] = {"snap_raid1"};
	char text[1024];

	active = NONE;
	follow(raid_shape, &both_on, text, sizeof(text));
	ck_assert_str_eq(text, "");
	ck_assert_str_eq(watched, "");
	active = NEWER;
	follow(shape, &both_on, text, sizeof(text));
	ck_assert_str_eq(text, "");
	ck_assert_msg(strstr(watched, "-real raid.so 65280 0\n") != NULL, "%s", watched);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("follow");
	TCase *tcase = tcase_create("follow");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, who_is_told, 0, ARRAY_SIZE(rows));
	tcase_add_test(tcase, as_lvm2_registers);
	tcase_add_test(tcase, without_dmeventd_lvm_is_asked);
	tcase_add_test(tcase, a_failure_is_said_and_lvm_asked);
	tcase_add_test(tcase, what_is_watched_is_left_before_it_goes);
	tcase_add_test(tcase, nothing_is_left_where_nothing_was_watched);
	tcase_add_test(tcase, a_library_dir_is_lvm2s_business);
	tcase_add_test(tcase, what_is_active_is_watched);
	suite_add_tcase(suite, tcase);
	return suite;
}
