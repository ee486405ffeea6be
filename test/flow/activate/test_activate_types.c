/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Captured VGs of every type on device-mapper in memory, where a node is open if another table
 * names it: activation, deactivation, each call failing in turn, a program that dies half-way, and
 * pools that must not be used.
 */
#include "flow/types.h"

#include <errno.h>
#include <stddef.h>

/* Every node has a live table and is not suspended. */
static void check_all_whole(const char *claim)
{
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (fake->node[i].exists)
			ck_assert_msg(fake->node[i].info.live_table &&
					      !fake->node[i].info.inactive_table &&
					      !fake->node[i].info.suspended,
				      "%s: %s %s", golden.name, claim, fake->node[i].info.name);
}

TEST_TIMES(every_shape_goes_up_and_down, golden_count())
{
	struct lea_activate_result result;
	uint32_t steps, nodes;

	open_shape(golden_shape(_i));
	if (!is_for_this())
		return;
	ck_assert_msg(!run(&result), "%s: %s", golden.name, tree.logged);
	nodes = fake_dm_count(fake);
	steps = fake->step_count;
	check_all_whole("left behind");
	ck_assert_int_eq(run(&result), 0);
	ck_assert_msg(fake->step_count == steps && !result.resumed, "%s: %s", golden.name,
		      "what is active is left alone");
	ck_assert_uint_eq(fake_dm_count(fake), nodes);
	ck_assert_msg(!take_down() && !fake_dm_count(fake), "%s stays", golden.name);
}

static const char *const layered[] = {
	"snap_two",	"snap_merge_pending", "v31-snap_two", "thin_basic",	"thin_extorigin",
	"thin_cowsnap", "cache_pool",	      "cache_vol",    "cache_thindata", "writecache",
	"raid4",	"raid_integrity",     "snap_raid1",   "thin_raid",	"mirror",
	"pvmove",	"v31-vdo_raid",
};

/* The next attempt activates everything, and deactivation then leaves nothing. */
static void check_recovery(const char *claim, uint32_t all, uint32_t step)
{
	struct lea_activate_result result;

	ck_assert_msg(!run(&result), "%s: %s, step %u: %s", golden.name, claim, step, tree.logged);
	check_all_whole(claim);
	ck_assert_msg(active_now() == all, "%s: %s, step %u: not all are active", golden.name,
		      claim, step);
	ck_assert_msg(!take_down() && !fake_dm_count(fake), "%s: %s, step %u: stays", golden.name,
		      claim, step);
}

/* How many steps take the shape up, and how many LVs are then active. */
static uint32_t learn(const char *shape, uint32_t *ret_all)
{
	struct lea_activate_result result;
	uint32_t steps;

	open_shape(shape);
	ck_assert_int_eq(run(&result), 0);
	*ret_all = active_now();
	steps = fake->step_count;
	ck_assert_int_eq(take_down(), 0);
	return steps;
}

/* From this step on only the fullness of snapshots is asked for, and everything is active. */
static bool only_asks(uint32_t step, uint32_t all)
{
	for (uint32_t i = step; i < fake->step_count; i++)
		if (strncmp(fake->step[i], "status ", strlen("status ")) != 0)
			return false;
	return active_now() == all;
}

static bool asks_at(uint32_t step, uint32_t all)
{
	return !strncmp(fake->step[step], "status ", strlen("status ")) && active_now() == all;
}

TEST_EACH(any_call_may_fail, layered)
{
	struct lea_activate_result result;
	uint32_t all, steps = learn(layered[_i], &all);

	for (uint32_t i = 0; i < steps; i++) {
		const uint32_t at = fake->step_count + i;
		int r;

		fake->fail_at = (int32_t)at;
		r = run(&result);
		if (!r && asks_at(at, all)) {
			fake->fail_at = -1;
			check_recovery("after an unknown fullness", all, i);
			continue;
		}
		ck_assert_msg(r == LEA_ACTIVATE_FAILED, "%s: step %u", golden.name, i);
		ck_assert_msg(result.failed && *tree.logged, "%s: step %u", golden.name, i);
		fake->fail_at = -1;
		check_all_whole("a failure leaves");
		ck_assert_uint_lt(active_now(), all);
		check_recovery("after a failure", all, i);
	}
}

TEST_EACH(a_program_may_die_anywhere, layered)
{
	struct lea_activate_result result;
	uint32_t all, steps = learn(layered[_i], &all);

	for (uint32_t i = 1; i < steps; i++) {
		const uint32_t at = fake->step_count + i;

		fake->dead_from = (int32_t)at;
		ck_assert(run(&result) == LEA_ACTIVATE_FAILED || only_asks(at, all));
		fake->dead_from = -1;
		check_recovery("after a death", all, i);
	}
}

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
	{"a check that crashes has failed", "thin_check_fail", "kill -6 $$", NULL, "(status:134)",
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

TEST_EACH(pools_that_must_not_be_used, pool_rows)
{
	struct lea_activate_result result;

	open_shape(pool_rows[_i].shape);
	if (pool_rows[_i].tool)
		write_tool(pool_rows[_i].tool);
	if (pool_rows[_i].status)
		fake->status = pool_rows[_i].status;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(!result.shortage, "%s: a verdict", pool_rows[_i].claim);
	ck_assert_msg(strstr(tree.logged, pool_rows[_i].want_text), "%s: %s", pool_rows[_i].claim,
		      tree.logged);
	check_all_whole("left");
	ck_assert_msg(active_now() == pool_rows[_i].want_active &&
			      fake_dm_count(fake) == pool_rows[_i].want_active,
		      "%s", pool_rows[_i].claim);
}

/* Rows: the pool's node is missing, and no verdict was possible: the next try activates
 * everything. */
static const struct {
	const char *claim, *tool;
	bool not_executable, no_node;
	const char *want_text;
} untold_rows[] = {
	{"a check that was killed", "kill -9 $$", false, false, "tool was killed by signal 9"},
	{"a check that was ended", "kill -15 $$", false, false, "tool was killed by signal 15"},
	{"a check that lacks its libraries", "exit 127", false, false, "tool could not be started"},
	{"a check that can't be executed", "exit 0", true, false, "LV vg/pool: starting "},
	{"a device that can't be opened", "exit 0", false, true,
	 "LV vg/pool_tmeta: opening its device for the check of its pool"},
};

TEST_EACH(nothing_is_said_of_a_pool_that_could_not_be_checked, untold_rows)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	write_tool(untold_rows[_i].tool);
	if (untold_rows[_i].not_executable)
		ck_assert_int_eq(chmod(tool, 0644), 0);
	if (untold_rows[_i].no_node)
		fake->dm.create = create_in_memory;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(result.shortage == LEA_NOT_NOW, "%s", untold_rows[_i].claim);
	ck_assert_msg(strstr(tree.logged, untold_rows[_i].want_text) &&
			      !strstr(tree.logged, "repair"),
		      "%s: %s", untold_rows[_i].claim, tree.logged);
	check_all_whole("left");
	ck_assert_uint_eq(fake_dm_count(fake), 0);
	write_tool("exit 0");
	fake->dm.create = create;
	ck_assert_msg(!run(&result) && !result.shortage && active_now() == 3, "%s",
		      untold_rows[_i].claim);
}

static int stands_still(struct lea_dm *dm, uint32_t limit_ms, uint32_t still_ms)
{
	(void)dm;
	(void)limit_ms;
	(void)still_ms;
	return LEA_DM_STILL;
}

/* udev's links are missing, but the kernel's device nodes exist. */
TEST(udev_that_stands_still_does_not_cost_a_pool)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	write_tool("for path; do :; done; [ \"${path##*/}\" = dm-0 ] && [ -e \"$path\" ]");
	fake->dm.wait = stands_still;
	ck_assert_msg(!run(&result), "%s", tree.logged);
	ck_assert_uint_eq(active_now(), 3);
}

/* Without devtmpfs. */
TEST(a_node_that_the_library_made_does_as_well)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	write_tool("for path; do :; done; [ \"${path##*/}\" = vg-pool_tmeta ]");
	fake->dm.create = create_in_memory;
	tree_put(&tree, "/dev/mapper/vg-pool_tmeta", "used");
	ck_assert_msg(!run(&result), "%s", tree.logged);
}

TEST(a_tool_that_is_not_here_is_skipped)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	conf.thin_check = "/nowhere/thin_check";
	ck_assert_int_eq(run(&result), 0);
	ck_assert_ptr_nonnull(strstr(tree.logged, "/nowhere/thin_check is not installed"));
	ck_assert_uint_eq(active_now(), 3);
}

/* Rows: the folder in PATH. */
static const struct {
	const char *claim, *path, *said;
	bool passes;
} searched[] = {
	{"it is found in PATH, and its verdict counts", "sbin", "vg/pool failed (status:1)",
	 false},
	{"a program in the current folder is another one", "nowhere", "tool is not installed",
	 true},
};

TEST_EACH(a_tool_without_a_slash_is_searched_for, searched)
{
	struct lea_activate_result result;
	char path[256];

	open_shape("thin_basic");
	write_tool("exit 7"); /* in the current folder */
	tree_put_program(&tree, "/sbin/tool", "#!/bin/sh\nexit 1\n");
	conf.thin_check = "tool";
	ck_assert_int_eq(chdir(tree.root), 0);
	snprintf(path, sizeof(path), "%s/%s", tree.root, searched[_i].path);
	ck_assert_int_eq(setenv("PATH", path, 1), 0);
	ck_assert_msg(!run(&result) == searched[_i].passes, "%s", searched[_i].claim);
	ck_assert_msg(strstr(tree.logged, searched[_i].said), "%s: %s", searched[_i].claim,
		      tree.logged);
}

/* Rows: what a tool that refuses a cache's metadata says of its version. */
static const struct {
	const char *shape, *version;
	bool is_skipped;
} versions[] = {
	{"cache_pool", "0.6.3", true},	{"cache_vol", "0.5", true},
	{"cache_pool", "0.7.0", false}, {"cache_pool", "1.0.12", false},
	{"cache_pool", "none", false},	{"thin_basic", "0.6.3", false},
};

TEST_EACH(a_tool_that_is_too_old_for_a_cache_is_skipped, versions)
{
	struct lea_activate_result result;
	char body[128];

	snprintf(body, sizeof(body), "[ $1 != -V ] || exec echo %s\nexit 1", versions[_i].version);
	open_shape(versions[_i].shape);
	write_tool(body);
	ck_assert_msg(!run(&result) == versions[_i].is_skipped, "%s of %s: %s",
		      versions[_i].version, versions[_i].shape, tree.logged);
	ck_assert(!strstr(tree.logged, "is older than 0.7.0") == !versions[_i].is_skipped);
}

TEST(a_pool_that_needs_check_is_told_of)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	fake->status = "2 62/512 0/256 - ro discard_passdown queue_if_no_space needs_check 128";
	ck_assert_int_eq(run(&result), 0);
	ck_assert_ptr_nonnull(strstr(tree.logged, "vg-pool-tpool needs check"));
}

static const struct {
	const char *shape;
	int32_t fail_at; /* load of the node on top of the others */
	const char *target;
} lacking[] = {
	{"snap_linear", 3, "snapshot-origin"},
	{"v31-vdo_basic", 4, "vdo"},
};

TEST_EACH(a_missing_target_is_named, lacking)
{
	struct lea_activate_result result;
	char want[80];

	open_shape(lacking[_i].shape);
	fake->fail_at = lacking[_i].fail_at;
	fake->lacks_target = lacking[_i].target;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	snprintf(want, sizeof(want), "no device-mapper target \"%s\"", lacking[_i].target);
	ck_assert_ptr_nonnull(strstr(tree.logged, want));
	ck_assert_uint_eq(fake_dm_count(fake), 0);
}

/* Another program uses the name: only this LV fails; its pool and the other LV are activated. */
TEST(a_taken_name_costs_one_lv)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	fake_dm_add(fake, "vg-t1", "CRYPT-x", "0 8 error \n");
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_uint_eq(active_now(), 2);
}

/* Rows: which list of disabled features affects which VG. */
static const struct {
	const char *shape;
	size_t list;
	int want;
} feature_rows[] = {
	{"thin_basic", offsetof(struct lea_conf, thin_disabled_features), LEA_ACTIVATE_DELEGATE},
	{"cache_pool", offsetof(struct lea_conf, cache_disabled_features), LEA_ACTIVATE_DELEGATE},
	{"v31-vdo_basic", offsetof(struct lea_conf, vdo_disabled_features), LEA_ACTIVATE_DELEGATE},
	{"thin_basic", offsetof(struct lea_conf, cache_disabled_features), 0},
};

TEST_EACH(disabled_features_are_the_real_lvms, feature_rows)
{
	struct lea_activate_result result;
	struct lea_list *list = (void *)((char *)&conf + feature_rows[_i].list);

	open_shape(feature_rows[_i].shape);
	list->count = 1;
	ck_assert_int_eq(run(&result), feature_rows[_i].want);
	ck_assert(!result.why == !feature_rows[_i].want);
}

/* LVs on one pvmove are activated together; a single LV joins those that are active. */
TEST_TIMES(an_lv_joins_others_on_a_move, 2)
{
	static const char *const lvs[] = {"vg-a", "vg-b"};
	struct lea_activate_result result;
	struct lea_dm_node node = {.name = lvs[_i]};

	open_shape("pvmove");
	ck_assert_int_eq(run(&result), 0);
	node.uuid = fake_dm_find(fake, node.name)->uuid;
	ck_assert_int_eq(fake->dm.remove(&fake->dm, &node, false), 0);
	ck_assert_int_eq(run(&result), 0);
	check_all_whole("joining");
	ck_assert_uint_eq(result.resumed, 1);
	ck_assert_uint_eq(active_now(), 3);
	ck_assert_int_eq(take_down(), 0);
	ck_assert_uint_eq(fake_dm_count(fake), 0);
}
