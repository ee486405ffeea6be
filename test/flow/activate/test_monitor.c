/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registration with dmeventd after an activation, and the VGs that the real lvm must register. */
#include "activate/monitor.h"
#include "fake/golden.h"
#include "fake/tree.h"
#include "unit/suite.h"
#include "world/dm.h"
#include "world/dmeventd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct tree tree;
static char lvm[96], calls[96], said[1024];
static struct lea_world world;

static char watched[4096]; /* "UUID LIBRARY MASK TIME" lines */
static int dmeventd_says;
static struct lea_conf conf;

/* ---- replaces world/dmeventd.c */

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

/* ---- device-mapper: all nodes are active, or only those with -real in their uuid, or none */

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

static struct lea_log last_log = {.write = keep_last, .max_level = LEA_LOG_WARNING};

static void setup(void)
{
	static char *const no_environ[] = {NULL};

	tree_init(&tree);
	tree_put_program(&tree, "/lvm", "#!/bin/sh\necho \"$*\" >>$0.calls\nexit 5\n");
	snprintf(lvm, sizeof(lvm), "%s/lvm", tree.root);
	snprintf(calls, sizeof(calls), "%s/lvm.calls", tree.root);
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
	tree_done(&tree);
}

const struct fixture fixture = {setup, teardown};

#define LVM_WATCHES "vgchange --monitor y --poll n vg\n"

/* Rows: what is done natively does not involve the real lvm. */
static const struct {
	const char *claim, *shapes[3];
	bool monitor, poll;
	const char *lvm;       /* its calls */
	unsigned int watching; /* LVs that are registered with dmeventd */
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

/* Writes the calls of the fake lvm to @text. */
static void follow(const char *const *shapes, const struct lea_activate_options *options,
		   char *text, size_t size)
{
	struct lea_monitor_list list;
	struct golden golden[3];
	size_t count = 0;
	FILE *in;

	ck_assert_int_eq(lea_monitor_list_new(3, &list), 0);
	for (; count < 3 && shapes[count]; count++) {
		golden_open(shapes[count], &golden[count]);
		lea_monitor_list_add(&list, golden[count].vg,
				     (struct lea_monitor_poll){true, true});
	}
	lea_monitor(&world, &conf, options, &list);
	text[0] = '\0';
	in = fopen(calls, "r");
	if (in) {
		text[fread(text, 1, size - 1, in)] = '\0';
		fclose(in);
	}
	while (count > 0)
		golden_close(&golden[--count]);
	lea_monitor_list_done(&list);
}

TEST_EACH(each_shape_is_registered_with_dmeventd_or_lvm, rows)
{
	const struct lea_activate_options options = {
		.lvm_path = lvm, .monitor = rows[_i].monitor, .poll = rows[_i].poll};
	char text[1024];

	follow(rows[_i].shapes, &options, text, sizeof(text));
	ck_assert_msg(!strcmp(text, rows[_i].lvm), "%s: %s", rows[_i].claim, text);
	ck_assert_msg(!*rows[_i].lvm == !strstr(said, "ended with status 5"), "%s: %s",
		      rows[_i].claim, said);
	ck_assert_msg(lines_of(watched) == rows[_i].watching, "%s: %s", rows[_i].claim, watched);
}

static const struct lea_activate_options both_on = {.lvm_path = lvm, .monitor = true, .poll = true};

/* As dmeventd showed it: "0:0 LIBRARY UUID MASK TIME"; without a timeout it shows 10. */
TEST(dmeventd_is_told_the_same_as_by_lvm2)
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

static const char *const raid_shape[3] = {"thin_raid"};

TEST(without_dmeventd_lvm_is_asked)
{
	char text[1024];

	dmeventd_says = LEA_DMEVENTD_ABSENT;
	follow(raid_shape, &both_on, text, sizeof(text));
	ck_assert_str_eq(text, LVM_WATCHES);
}

TEST(a_failure_is_said_and_lvm_asked)
{
	char text[1024];

	dmeventd_says = -EIO;
	follow(raid_shape, &both_on, text, sizeof(text));
	ck_assert_str_eq(text, LVM_WATCHES);
}

/* Before nodes are removed, and for those that stayed. */
static void end_and_again(const char *shape)
{
	struct golden golden;

	golden_open(shape, &golden);
	lea_monitor_end(&world, &conf, golden.vg);
	lea_monitor_again(&world, &conf, golden.vg);
	golden_close(&golden);
}

TEST(an_lv_is_unregistered_before_it_goes_down)
{
	end_and_again("thin_raid");
	ck_assert_msg(lines_of(left) == 3, "the pool and both its parts: %s", left);
	ck_assert_msg(lines_of(watched) == 3, "and again, had they stayed: %s", watched);
}

TEST(an_lv_that_was_not_registered_is_not_unregistered)
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

TEST(a_library_dir_is_lvm2s_business)
{
	char text[1024];

	conf.library_dir = "/opt/lvm2";
	follow(raid_shape, &both_on, text, sizeof(text));
	ck_assert_str_eq(text, LVM_WATCHES);
	ck_assert_str_eq(watched, "");
}

/* Inactive LVs are not registered; a newer lvm2's nodes are found by their uuids. */
TEST(an_active_lv_is_registered)
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
