/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Components that are active by themselves, as lvchange -ay vg/COMPONENT makes them: read-only, but
 * for images and metadata of RAID, and with a link of their own. What lies on them is refused.
 */
#include "flow/types.h"

#include "policy/plan_name.h"

#include <errno.h>

static struct fake_dm_node before[FAKE_DM_NODES]; /* as after a plain activation */

static const struct lea_lv *lv_named(const char *name)
{
	for (uint32_t i = 0; i < golden.vg->lv_count; i++)
		if (!strcmp(golden.vg->lvs[i].name, name))
			return &golden.vg->lvs[i];
	ck_abort_msg("%s: no %s", golden.name, name);
	return NULL;
}

static const char *node_name(const char *lv_name)
{
	struct lea_plan_names names;

	ck_assert_int_eq(lea_plan_names(golden.arena, golden.vg, lv_named(lv_name), LEA_LAYER_NONE,
					&names),
			 0);
	return names.name;
}

/* Up and down once: what each node looks like, and nothing is there. */
static void learn(void)
{
	struct lea_activate_result result;

	ck_assert_msg(!run(&result), "%s: %s", golden.name, capture.text);
	memcpy(before, fake->node, sizeof(before));
	ck_assert_int_eq(take_down(), 0);
	ck_assert_uint_eq(fake_dm_count(fake), 0);
}

static uint32_t slot_of(const char *name)
{
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (before[i].exists && !strcmp(before[i].info.name, name))
			return i;
	ck_abort_msg("%s: no node %s", golden.name, name);
	return 0;
}

/* A node as it was, with all that it lies on. */
static struct fake_dm_node *put_back(const char *name)
{
	const uint32_t slot = slot_of(name);
	char number[32];

	fake->node[slot] = before[slot];
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++) {
		snprintf(number, sizeof(number), " %u:%u ", before[i].info.major,
			 before[i].info.minor);
		if (before[i].exists && strstr(before[slot].table, number))
			put_back(before[i].info.name);
	}
	return &fake->node[slot];
}

static void make_link(const char *lv_name)
{
	char path[256];

	snprintf(path, sizeof(path), "/dev/%s/%s", golden.vg->name, lv_name);
	tree_put(&tree, path, "");
}

/* lvchange -ay vg/COMPONENT */
static struct fake_dm_node *activate_by_hand(const char *component, bool writable)
{
	struct fake_dm_node *node = put_back(node_name(component));

	node->info.read_only = !writable;
	make_link(component);
	return node;
}

static bool is_up(const char *lv_name)
{
	return fake_dm_find(fake, node_name(lv_name)) != NULL;
}

static bool is_in(const char *words, const char *word)
{
	char list[128], wanted[64];

	snprintf(list, sizeof(list), " %s ", words);
	snprintf(wanted, sizeof(wanted), " %s ", word);
	return strstr(list, wanted);
}

/* Which LVs of each shape stock lvm2 2.03.16 refuses while the component is active; all others come
 * up. */
static const struct {
	const char *shape, *component;
	bool writable;
	const char *refused;
} rows[] = {
	{"thin_basic", "pool_tmeta", false, "pool t1 t2"},
	{"thin_basic", "pool_tdata", false, "pool t1 t2"},
	{"thin_pool_empty", "pool_tmeta", false, "pool"},
	{"thin_pool_empty", "pool_tdata", false, "pool"},
	{"thin_raid", "data_tdata_rimage_1", true, "data t1 sn"},
	{"thin_raid", "data_tmeta_rmeta_0", true, "data t1 sn"},
	{"thin_raid", "data_tdata", false, "data t1 sn"},
	{"raid1", "m2_rimage_0", true, "m2"},
	{"raid1", "m3_rmeta_2", true, "m3"},
	{"raid10", "r10ns_rimage_3", true, "r10ns"},
	{"snap_raid1", "org_rimage_1", true, "org sn"},
	{"raid_integrity", "rj_rimage_0_iorig", false, "rj"},
	{"raid_integrity", "rb_rimage_1_imeta", false, "rb"},
	{"raid_integrity", "rb_rimage_0", true, "rb"},
	{"mirror", "m3_mimage_1", false, "m3"},
	{"mirror", "md_mlog", false, "md"},
	{"cache_pool", "pwritethrough_cpool_cdata", false, "cwritethrough"},
	{"cache_pool", "pwriteback_cpool_cmeta", false, "cwriteback"},
	{"cache_pool", "cwriteback_corig", false, "cwriteback"},
	{"cache_vol", "fast_cvol", false, "cv"},
	{"cache_vol", "cvb_corig", false, "cvb"},
	{"cache_thindata", "cp_cpool_cmeta", false, "pool t1"},
	{"cache_thindata", "pool_tdata_corig", false, "pool t1"},
	{"writecache", "wf_cvol", false, "w"},
	{"writecache", "w2_wcorig", false, "w2"},
	{"v31-vdo_basic", "vp_vdata", false, "vp v"},
	{"v31-vdo_raid", "vp_vdata_rimage_0", true, "vp v snap"},
	{"thin_extorigin", "pool_tdata", false, "pool te conv"},
};

START_TEST(owner_of_an_active_component_is_refused)
{
	const char *component = rows[_i].component;
	struct lea_activate_result result;
	struct fake_dm_node *node, as_it_was;
	char want[128];

	open_shape(rows[_i].shape);
	learn();
	node = activate_by_hand(component, rows[_i].writable);
	as_it_was = *node;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(!memcmp(node, &as_it_was, sizeof(as_it_was)), "%s: %s was touched",
		      golden.name, component);
	ck_assert_msg(!result.shortage, "%s: a verdict", golden.name);
	for (uint32_t i = 0; i < golden.vg->lv_count; i++) {
		const struct lea_lv *lv = &golden.vg->lvs[i];

		if (lea_lv_is_visible(lv))
			ck_assert_msg(is_up(lv->name) != is_in(rows[_i].refused, lv->name),
				      "%s: %s: %s\n%s", golden.name, component, lv->name,
				      capture.text);
	}
	snprintf(want, sizeof(want), "its component vg/%s is active", component);
	ck_assert_ptr_nonnull(strstr(capture.text, want));
	snprintf(want, sizeof(want), "lvchange -an vg/%s", component);
	ck_assert_ptr_nonnull(strstr(capture.text, want));
}
END_TEST

/* Rows: a component that is there without its owner, and whose it is. */
static const struct {
	const char *claim, *shape, *component;
	bool writable, has_link, suspended, no_table, other_table;
	uint32_t open_count;
	int want, want_shortage;
} left_rows[] = {
	{"a run that died leaves it without a link", "raid1", "m2_rimage_0", true, false, false,
	 false, false, 0, 0, 0},
	{"and may leave it without a table", "raid1", "m2_rimage_0", true, false, false, true,
	 false, 0, 0, 0},
	{"by hand it has a link", "raid1", "m2_rimage_0", true, true, false, false, false, 0,
	 LEA_ACTIVATE_FAILED, 0},
	{"somebody has it open: that may end", "raid1", "m2_rimage_0", true, false, false, false,
	 false, 1, LEA_ACTIVATE_FAILED, LEA_NOT_NOW},
	{"somebody has it open without a table", "raid1", "m2_rimage_0", true, false, false, true,
	 false, 1, LEA_ACTIVATE_FAILED, LEA_NOT_NOW},
	{"no run of ours suspends it", "raid1", "m2_rimage_0", true, false, true, false, false, 0,
	 LEA_ACTIVATE_FAILED, 0},
	{"no run of ours gives it that table", "raid1", "m2_rimage_0", true, false, false, false,
	 true, 0, LEA_ACTIVATE_FAILED, 0},
	{"read-only it is somebody's", "thin_basic", "pool_tmeta", false, false, false, false,
	 false, 0, LEA_ACTIVATE_FAILED, 0},
	{"writable it is a dead run's", "thin_basic", "pool_tmeta", true, false, false, false,
	 false, 0, 0, 0},
	{"a pool's data that is RAID by itself", "thin_raid", "data_tdata", true, false, false,
	 false, false, 0, 0, 0},
};

START_TEST(only_what_a_dead_run_leaves_is_used)
{
	const char *name;
	struct lea_activate_result result;
	struct fake_dm_node *node;

	open_shape(left_rows[_i].shape);
	learn();
	name = node_name(left_rows[_i].component);
	node = put_back(name);
	node->info.read_only = !left_rows[_i].writable;
	node->info.suspended = left_rows[_i].suspended;
	node->info.open_count = left_rows[_i].open_count;
	if (left_rows[_i].no_table) {
		node->info.live_table = false;
		node->table[0] = '\0';
	}
	if (left_rows[_i].other_table)
		strcpy(node->table, "0 8192 linear 8:0 4096\n");
	if (left_rows[_i].has_link)
		make_link(left_rows[_i].component);
	ck_assert_msg(run(&result) == left_rows[_i].want, "%s: %s", left_rows[_i].claim,
		      capture.text);
	ck_assert_msg(result.shortage == left_rows[_i].want_shortage, "%s", left_rows[_i].claim);
	ck_assert_msg(!result.failed == !left_rows[_i].want, "%s", left_rows[_i].claim);
	ck_assert_msg(is_up(left_rows[_i].component) && !strchr(capture.text, '@'), "%s",
		      left_rows[_i].claim);
}
END_TEST

/* Another LV of the pool makes it when the first one has failed. */
START_TEST(what_a_refused_lv_shares_comes_up_for_the_others)
{
	struct lea_activate_result result;

	open_shape("thin_extorigin");
	learn();
	/* the pool and the origins do not come by themselves: te would make the pool for conv */
	for (uint32_t i = 0; i < golden.vg->lv_count; i++)
		if (is_in("pool ext convorg", golden.vg->lvs[i].name))
			golden.vg->lvs[i].flags |= LEA_FLAG_NOAUTOACTIVATE;
	fake_dm_add(fake, "vg-ext-real", "CRYPT-x", "0 8 error \n");
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(is_up("conv") && !is_up("te"), "%s", capture.text);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_int_eq(take_down(), 0);
	ck_assert_uint_eq(fake_dm_count(fake), 1);
}
END_TEST

/* What is held by its owner is no obstacle, whatever of the VG is active. */
START_TEST(parts_of_active_lvs_are_no_obstacle)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	learn();
	put_back("vg-t1");
	make_link("t1");
	ck_assert_msg(!run(&result), "%s", capture.text);
	ck_assert_uint_eq(result.resumed, 2);
}
END_TEST

/* The origin would get the device of the snapshot, which is active. */
START_TEST(thin_origin_is_refused_while_the_snapshot_that_merges_is_active)
{
	struct lea_activate_result result;
	struct fake_dm_node *snapshot;
	struct lea_plan_names names;

	open_shape("thin_merge_pending");
	learn();
	put_back("vg-pool-tpool");
	ck_assert_int_eq(lea_plan_names(golden.arena, golden.vg, lv_named("s1"), LEA_LAYER_NONE,
					&names),
			 0);
	snapshot = fake_dm_add(fake, names.name, names.uuid, "0 8192 thin 253:2 2\n");
	snapshot->info.minor = 63;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(!result.shortage && result.failed == 1 && is_up("pool") && !is_up("t1"),
		      "%s", capture.text);
	ck_assert_ptr_nonnull(strstr(capture.text, "its merging snapshot vg/s1 is active"));
	ck_assert_ptr_nonnull(strstr(capture.text, "lvchange -an vg/t1,"));
	snapshot->exists = false;
	ck_assert_msg(!run(&result) && is_up("t1"), "%s", capture.text);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("components");
	TCase *tcase = tcase_create("components");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, owner_of_an_active_component_is_refused, 0, ARRAY_SIZE(rows));
	tcase_add_loop_test(tcase, only_what_a_dead_run_leaves_is_used, 0, ARRAY_SIZE(left_rows));
	tcase_add_test(tcase, what_a_refused_lv_shares_comes_up_for_the_others);
	tcase_add_test(tcase, parts_of_active_lvs_are_no_obstacle);
	tcase_add_test(tcase, thin_origin_is_refused_while_the_snapshot_that_merges_is_active);
	suite_add_tcase(suite, tcase);
	return suite;
}
