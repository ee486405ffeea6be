/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captured VGs of every type through a device-mapper in memory, in which a node that another one's
 * table names is open: up, down, with each call failing in turn, with a program that dies half-way,
 * with pools that must not be used.
 */
#include "disk/segments.h"
#include "disk/segtype.h"
#include "fake/dm.h"
#include "fake/golden.h"
#include "flow/activate_vg.h"
#include "flow/carry.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct capture {
	struct lea_log log;
	char text[65536];
};

static struct fake_dm *fake;
static struct capture capture;
static struct lea_world world;
static struct lea_conf conf;
static struct lea_activate_options options;
static struct golden golden;
static struct lea_found found[16];
static struct lea_found *pv[16];
static struct lea_scan_vg scanned;
static char root[64], tool[96], status[128];

static void capture_write(struct lea_log *log, enum lea_log_level level, const char *line)
{
	struct capture *to = container_of(log, struct capture, log);
	size_t used = strlen(to->text);

	(void)level;
	snprintf(to->text + used, sizeof(to->text) - used, "%s\n", line);
}

static void write_tool(const char *body)
{
	FILE *out;

	snprintf(tool, sizeof(tool), "%s/tool", root);
	out = fopen(tool, "w");
	fprintf(out, "#!/bin/sh\n%s\n", body);
	fclose(out);
	ck_assert_int_eq(chmod(tool, 0755), 0);
}

static void setup(void)
{
	static char *const no_environ[] = {NULL};

	strcpy(root, "/tmp/lea-types-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	memset(&capture, 0, sizeof(capture));
	capture.log = (struct lea_log){capture_write, LEA_LOG_WARNING};
	lea_world_init(&world, root, &capture.log, no_environ);
	fake = fake_dm_new();
	world.dm = &fake->dm;
	write_tool("exit 0");
	conf = (struct lea_conf){
		.use_linear_target = true,
		.readahead_auto = true,
		.udev_rules = true,
		.thin_check = tool,
		.cache_check = tool,
		.dev_dir = "/dev",
		.thin_pool_autoextend_threshold = 100,
	};
	options = (struct lea_activate_options){.what = LEA_ACTIVATE_AUTO, .named = true};
}

static void teardown(void)
{
	golden_close(&golden);
	lea_world_done(&world); /* and the fake with it */
	unlink(tool);
	ck_assert_int_eq(rmdir(root), 0);
}

/* What every pool of the VG says: they are all as far as the metadata. */
static void set_status(void)
{
	uint64_t id = 0;

	for (uint32_t i = 0; i < golden.vg->lv_count; i++) {
		const struct lea_lv_seg *seg = &golden.vg->lvs[i].seg[0];

		if (seg->segtype && seg->segtype->family == LEA_FAMILY_THIN_POOL)
			id = seg->own.thin_pool->transaction_id;
	}
	snprintf(status, sizeof(status), "%llu 62/512 0/256 - rw", (unsigned long long)id);
	fake->status = status;
}

static void open_shape(const char *shape)
{
	golden_open(shape, &golden);
	scanned = (struct lea_scan_vg){.vg = golden.vg, .pv = pv};
	for (uint32_t i = 0; i < golden.vg->pv_count; i++) {
		found[i] = (struct lea_found){.kind = LEA_FOUND_PV};
		found[i].device.major = golden.pvs[i].major;
		found[i].device.minor = golden.pvs[i].minor;
		pv[i] = golden.pvs[i].is_present ? &found[i] : NULL;
	}
	fake->dm.release = strncmp(shape, "v31-", 4) ? 185 : 205;
	set_status();
}

static int run(struct lea_activate_result *result)
{
	struct lea_activate_vg vg = {
		.world = &world,
		.conf = &conf,
		.options = &options,
		.arena = golden.arena,
		.scanned = &scanned,
	};

	*result = (struct lea_activate_result){0};
	capture.text[0] = '\0';
	return lea_activate_scanned(&vg, result);
}

static int take_down(void)
{
	struct lea_activate_result result;
	int r;

	options.what = LEA_DEACTIVATE;
	r = run(&result);
	options.what = LEA_ACTIVATE_AUTO;
	return r;
}

static uint32_t active_now(void)
{
	uint32_t count;

	ck_assert_int_eq(lea_carry_count(&world, golden.arena, golden.vg, &count), 0);
	return count;
}

/* Nothing half-made is there: every node has a live table and is not suspended. */
static void check_all_whole(const char *claim)
{
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (fake->node[i].exists)
			ck_assert_msg(fake->node[i].info.live_table &&
					      !fake->node[i].info.inactive_table &&
					      !fake->node[i].info.suspended,
				      "%s: %s %s", golden.name, claim, fake->node[i].info.name);
}

/* With missing PVs some LVs are refused; others are in the hands of the real lvm. */
static bool is_for_this(void)
{
	for (uint32_t i = 0; i < golden.vg->pv_count; i++)
		if (!golden.pvs[i].is_present)
			return false;
	return golden.is_vgchange && !golden.vg->delegate_reason &&
	       !(golden.vg->flags & (LEA_FLAG_EXPORTED | LEA_FLAG_NOAUTOACTIVATE)) &&
	       strcmp(golden.name, "foreign_systemid") != 0;
}

START_TEST(every_shape_goes_up_and_down)
{
	struct lea_activate_result result;
	const char *const *shapes;
	uint32_t steps, nodes;
	size_t count;

	shapes = golden_shapes(&count);
	open_shape(shapes[_i]);
	if (!is_for_this())
		return;
	ck_assert_msg(!run(&result), "%s: %s", golden.name, capture.text);
	nodes = fake_dm_count(fake);
	steps = fake->step_count;
	check_all_whole("left behind");
	ck_assert_int_eq(run(&result), 0);
	ck_assert_msg(fake->step_count == steps && !result.resumed, "%s: %s", golden.name,
		      "what is active is left alone");
	ck_assert_uint_eq(fake_dm_count(fake), nodes);
	ck_assert_msg(!take_down() && !fake_dm_count(fake), "%s stays", golden.name);
}
END_TEST

/* Our removals, one a line. */
static void put_removed(uint32_t from, char *to, size_t to_bytes)
{
	size_t used = 0;

	*to = '\0';
	for (uint32_t i = from; i < fake->step_count; i++)
		if (!strncmp(fake->step[i], "remove ", 7))
			used += (size_t)snprintf(to + used, to_bytes - used, "%s\n", fake->step[i]);
}

/* "  4 remove   vg-lv (253:1) udev=..." */
static void put_captured(char *order, char *to, size_t to_bytes)
{
	char *save = NULL, name[160];
	size_t used = 0;

	*to = '\0';
	for (char *line = strtok_r(order, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (sscanf(line, " %*d remove %159s", name) == 1)
			used += (size_t)snprintf(to + used, to_bytes - used, "remove %s\n", name);
}

/* Shapes where lvm2 had other LVs to take down than those that come up here: other commands were
 * tried in between, lists said so, or a check failed. */
static bool was_left_alone(const char *shape)
{
	static const char *const changed[] = {
		"auto_list",
		"auto_list_empty",
		"autoact_n",
		"hosttags_volume_list",
		"skip",
		"v31-skip",
		"tags_volume_list",
		"thin_check_fail",
		"thin_snaps",
		"v31-thin_snaps",
		"v31-thin_check_fail",
		"thin_extorigin",
		"v31-thin_extorigin",
	};

	for (size_t i = 0; i < ARRAY_SIZE(changed); i++)
		if (!strcmp(changed[i], shape))
			return false;
	return true;
}

START_TEST(down_goes_in_lvm2s_order)
{
	static char ours[16384], theirs[16384];
	struct lea_activate_result result;
	const char *const *shapes;
	uint32_t steps;
	size_t count;
	char *order;

	shapes = golden_shapes(&count);
	open_shape(shapes[_i]);
	order = golden_read(golden.name, "order_deactivate.txt");
	if (order && is_for_this() && was_left_alone(golden.name)) {
		ck_assert_int_eq(run(&result), 0);
		steps = fake->step_count;
		ck_assert_int_eq(take_down(), 0);
		put_removed(steps, ours, sizeof(ours));
		put_captured(order, theirs, sizeof(theirs));
		ck_assert_msg(!*theirs || !strcmp(ours, theirs), "%s:\n%s--- but lvm2:\n%s",
			      golden.name, ours, theirs);
	}
	free(order);
}
END_TEST

static const char *const layered[] = {
	"snap_two",	"snap_merge_pending", "v31-snap_two", "thin_basic",	"thin_extorigin",
	"thin_cowsnap", "cache_pool",	      "cache_vol",    "cache_thindata", "writecache",
};

/* The next attempt gets all, and afterwards nothing is left. */
static void check_recovery(const char *claim, uint32_t all, uint32_t step)
{
	struct lea_activate_result result;

	ck_assert_msg(!run(&result), "%s: %s, step %u: %s", golden.name, claim, step, capture.text);
	check_all_whole(claim);
	ck_assert_msg(active_now() == all, "%s: %s, step %u: not all are active", golden.name,
		      claim, step);
	ck_assert_msg(!take_down() && !fake_dm_count(fake), "%s: %s, step %u: stays", golden.name,
		      claim, step);
}

static uint32_t learn(uint32_t *ret_all)
{
	struct lea_activate_result result;
	uint32_t steps;

	ck_assert_int_eq(run(&result), 0);
	*ret_all = active_now();
	steps = fake->step_count;
	ck_assert_int_eq(take_down(), 0);
	return steps;
}

START_TEST(any_call_may_fail)
{
	struct lea_activate_result result;
	uint32_t all, steps;

	open_shape(layered[_i]);
	steps = learn(&all);
	for (uint32_t i = 0; i < steps; i++) {
		fake->fail_at = (int32_t)(fake->step_count + i);
		ck_assert_msg(run(&result) == LEA_ACTIVATE_FAILED, "%s: step %u", golden.name, i);
		ck_assert_msg(result.failed && *capture.text, "%s: step %u", golden.name, i);
		fake->fail_at = -1;
		check_all_whole("a failure leaves");
		ck_assert_uint_lt(active_now(), all);
		check_recovery("after a failure", all, i);
	}
}
END_TEST

START_TEST(a_program_may_die_anywhere)
{
	struct lea_activate_result result;
	uint32_t all, steps;

	open_shape(layered[_i]);
	steps = learn(&all);
	for (uint32_t i = 1; i < steps; i++) {
		fake->dead_from = (int32_t)(fake->step_count + i);
		ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
		fake->dead_from = -1;
		check_recovery("after a death", all, i);
	}
}
END_TEST

/* Rows: pools that must not be used. */
static const struct {
	const char *claim, *shape, *tool, *status;
	const char *want_text;
	uint32_t want_active;
} pool_rows[] = {
	{"a check that fails costs its pool only", "thin_check_fail", "echo bad superblock; exit 1",
	 NULL,
	 "tool: bad superblock\nCheck of pool vg/pool failed (status:1). Manual repair required!\n",
	 1},
	{"a check that says odd bytes does not write them", "thin_check_fail",
	 "printf 'a\\033[2Jb'; exit 1", NULL, "tool: a?[2Jb\n", 1},
	{"a check that is killed has failed", "thin_check_fail", "kill -9 $$", NULL, "(status:137)",
	 1},
	{"a pool that is behind", "thin_transid_bad", NULL, "2 62/512 0/128 - rw",
	 "Thin pool vg-pool-tpool (253:2) transaction_id is 2, while expected 7.\n", 0},
	{"a pool that has failed", "thin_transid_bad", NULL, "Fail",
	 "Thin pool vg-pool-tpool has failed.\n", 0},
	{"a pool without a number", "thin_transid_bad", NULL, "7x",
	 "Thin pool vg-pool-tpool has failed.\n", 0},
	{"a cache whose check fails", "cache_pool", "exit 3", NULL,
	 "Check of pool vg/cwritethrough failed (status:3). Manual repair required!\n", 0},
};

START_TEST(pools_that_must_not_be_used)
{
	struct lea_activate_result result;

	open_shape(pool_rows[_i].shape);
	if (pool_rows[_i].tool)
		write_tool(pool_rows[_i].tool);
	if (pool_rows[_i].status)
		fake->status = pool_rows[_i].status;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(strstr(capture.text, pool_rows[_i].want_text), "%s: %s", pool_rows[_i].claim,
		      capture.text);
	check_all_whole("left");
	ck_assert_msg(active_now() == pool_rows[_i].want_active &&
			      fake_dm_count(fake) == pool_rows[_i].want_active,
		      "%s", pool_rows[_i].claim);
}
END_TEST

START_TEST(a_tool_that_is_not_here_is_skipped)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	conf.thin_check = "/nowhere/thin_check";
	ck_assert_int_eq(run(&result), 0);
	ck_assert_ptr_nonnull(strstr(capture.text, "/nowhere/thin_check is not here"));
	ck_assert_uint_eq(active_now(), 3);
}
END_TEST

START_TEST(a_pool_that_needs_check_is_told_of)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	fake->status = "2 62/512 0/256 - ro discard_passdown queue_if_no_space needs_check 128";
	ck_assert_int_eq(run(&result), 0);
	ck_assert_ptr_nonnull(strstr(capture.text, "vg-pool-tpool needs check"));
}
END_TEST

START_TEST(a_missing_target_is_named)
{
	struct lea_activate_result result;

	open_shape("snap_linear");
	fake->fail_at = 3; /* loading the origin */
	fake->lacks_target = "snapshot-origin";
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_ptr_nonnull(strstr(capture.text, "no device-mapper target \"snapshot-origin\""));
	ck_assert_uint_eq(fake_dm_count(fake), 0);
}
END_TEST

/* Another program has the name: the LV fails, its pool and the other LV are there. */
START_TEST(a_taken_name_costs_one_lv)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	fake_dm_add(fake, "vg-t1", "CRYPT-x", "0 8 error \n");
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_uint_eq(active_now(), 2);
}
END_TEST

START_TEST(an_open_thin_lv_keeps_its_vg_up)
{
	struct lea_activate_result result;
	uint32_t nodes;

	open_shape("thin_basic");
	ck_assert_int_eq(run(&result), 0);
	nodes = fake_dm_count(fake);
	fake_dm_find(fake, "vg-t1")->info.open_count = 1;
	ck_assert_int_eq(take_down(), LEA_ACTIVATE_FAILED);
	ck_assert_ptr_nonnull(strstr(capture.text, "Logical volume vg/t1 in use."));
	ck_assert_uint_eq(fake_dm_count(fake), nodes);
}
END_TEST

/* /sys as it is when something lies on vg/t1. */
static void put_holder(const char *name)
{
	static const char *const dirs[] = {
		"sys",
		"sys/dev",
		"sys/dev/block",
		"sys/dev/block/253:4",
		"sys/dev/block/253:4/holders",
		"sys/dev/block/253:4/holders/dm-9",
		"sys/dev/block/253:4/holders/dm-9/dm",
	};
	char path[160];
	FILE *out;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		ck_assert_int_eq(mkdir(path, 0755), 0);
	}
	strcat(path, "/name");
	out = fopen(path, "w");
	fprintf(out, "%s\n", name);
	fclose(out);
}

static void drop_sys(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s/sys", root);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(whoever_holds_an_lv_is_named)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	ck_assert_int_eq(run(&result), 0);
	ck_assert_uint_eq(fake_dm_find(fake, "vg-t1")->info.minor, 4);
	fake_dm_find(fake, "vg-t1")->info.open_count = 1;
	put_holder("luks-home");
	ck_assert_int_eq(take_down(), LEA_ACTIVATE_FAILED);
	drop_sys();
	ck_assert_ptr_nonnull(strstr(capture.text,
				     "Logical volume vg/t1 is used by another device.\n"
				     "vg/t1 is held by luks-home.\n"));
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("activate_types");
	TCase *tcase = tcase_create("activate_types");
	size_t count;

	golden_shapes(&count);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, every_shape_goes_up_and_down, 0, (int)count);
	tcase_add_loop_test(tcase, down_goes_in_lvm2s_order, 0, (int)count);
	tcase_add_loop_test(tcase, any_call_may_fail, 0, ARRAY_SIZE(layered));
	tcase_add_loop_test(tcase, a_program_may_die_anywhere, 0, ARRAY_SIZE(layered));
	tcase_add_loop_test(tcase, pools_that_must_not_be_used, 0, ARRAY_SIZE(pool_rows));
	tcase_add_test(tcase, a_tool_that_is_not_here_is_skipped);
	tcase_add_test(tcase, a_pool_that_needs_check_is_told_of);
	tcase_add_test(tcase, a_missing_target_is_named);
	tcase_add_test(tcase, a_taken_name_costs_one_lv);
	tcase_add_test(tcase, an_open_thin_lv_keeps_its_vg_up);
	tcase_add_test(tcase, whoever_holds_an_lv_is_named);
	suite_add_tcase(suite, tcase);
	return suite;
}
