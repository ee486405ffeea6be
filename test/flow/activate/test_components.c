/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Components that a user activated with lvchange -ay vg/COMPONENT: read-only except for images and
 * metadata of RAID, and with a link of their own. LVs on top of them are refused.
 */
#include "flow/types.h"

#include "activate/settings.h"
#include "plan/plan_name.h"

#include <errno.h>

static struct fake_dm_node before[FAKE_DM_NODES]; /* as after a normal activation */

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

	ck_assert_int_eq(
		lea_plan_names(golden.arena, golden.vg, lv_named(lv_name), LEA_LAYER_NONE, &names),
		0);
	return names.name;
}

/* Activates and deactivates everything once, and records each node. */
static void learn(void)
{
	struct lea_activate_result result;

	ck_assert_msg(!run(&result), "%s: %s", golden.name, tree.logged);
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

static bool names(const char *table, const struct fake_dm_node *node)
{
	char number[32];
	bool does = false;

	snprintf(number, sizeof(number), " %u:%u", node->info.major, node->info.minor);
	for (const char *at = strstr(table, number); at && !does; at = strstr(at + 1, number))
		does = strspn(at + strlen(number), " \n");
	return does;
}

/* Restores a node with everything below it. */
static struct fake_dm_node *put_back(const char *name)
{
	const uint32_t slot = slot_of(name);

	fake->node[slot] = before[slot];
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (before[i].exists && names(before[slot].table, &before[i]))
			put_back(before[i].info.name);
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

/* LVs of each shape that lvm2 2.03.16 refuses while the component is active; it activates the
 * others. */
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

TEST_EACH(owner_of_an_active_component_is_refused, rows)
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
				      tree.logged);
	}
	snprintf(want, sizeof(want), "its component vg/%s is active", component);
	ck_assert_ptr_nonnull(strstr(tree.logged, want));
	snprintf(want, sizeof(want), "lvchange -an vg/%s", component);
	ck_assert_ptr_nonnull(strstr(tree.logged, want));
}

/* Rows: a component that is active without the LV that uses it, and that LV. */
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

TEST_EACH(only_what_a_dead_run_leaves_is_used, left_rows)
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
		      tree.logged);
	ck_assert_msg(result.shortage == left_rows[_i].want_shortage, "%s", left_rows[_i].claim);
	ck_assert_msg(!result.failed == !left_rows[_i].want, "%s", left_rows[_i].claim);
	ck_assert_msg(is_up(left_rows[_i].component) && !strchr(tree.logged, '@'), "%s",
		      left_rows[_i].claim);
}

static bool is_vg_up(void)
{
	const struct lea_dm_exec_up up = {.arena = golden.arena, .conf = &conf};
	struct lea_plan_pv pvs[16] = {{0}};
	struct lea_plan_rules rules;
	struct lea_plan *plan;
	bool is = false;

	for (uint32_t i = 0; i < golden.vg->pv_count; i++)
		pvs[i] = (struct lea_plan_pv){.is_present = true,
					      .major = golden.pvs[i].major,
					      .minor = golden.pvs[i].minor};
	lea_activate_settings(&tree.world, &conf, &options, &rules);
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, pvs, &rules, &plan), 0);
	ck_assert_int_eq(lea_dm_is_up(&tree.world, &up, plan, &is), 0);
	return is;
}

/* What a dead run has left of an LV is not the LV. */
TEST(components_without_their_owners_are_no_vg_that_is_up)
{
	struct lea_activate_result result;

	open_shape("raid1");
	learn();
	put_back(node_name("m2_rimage_0"));
	ck_assert(!is_vg_up());
	ck_assert_msg(!run(&result) && is_vg_up(), "%s", tree.logged);
}

/* The first LV of the pool fails; another one then creates the pool. */
TEST(what_a_refused_lv_shares_comes_up_for_the_others)
{
	struct lea_activate_result result;

	open_shape("thin_extorigin");
	learn();
	/* select no pool and no origins, or te would create the pool for conv */
	for (uint32_t i = 0; i < golden.vg->lv_count; i++)
		if (is_in("pool ext convorg", golden.vg->lvs[i].name))
			golden.vg->lvs[i].flags |= LEA_FLAG_NOAUTOACTIVATE;
	fake_dm_add(fake, "vg-ext-real", "CRYPT-x", "0 8 error \n");
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(is_up("conv") && !is_up("te"), "%s", tree.logged);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_int_eq(take_down(), 0);
	ck_assert_uint_eq(fake_dm_count(fake), 1);
}

/* A component whose owner is active is no obstacle. */
TEST(parts_of_active_lvs_are_no_obstacle)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	learn();
	put_back("vg-t1");
	make_link("t1");
	ck_assert_msg(!run(&result), "%s", tree.logged);
	ck_assert_uint_eq(result.resumed, 2);
}

/* Rows: what lies below an LV that is to be activated: its dead run made it, and the disk has
 * another number since. Only the real lvm reloads tables that are live. */
static const struct {
	const char *claim, *shape, *up, *outdated;
	int want;
} outdated_rows[] = {
	{"all as it should be", "thin_basic", "vg-pool-tpool", NULL, 0},
	{"the pool's metadata", "thin_basic", "vg-pool-tpool", "vg-pool_tmeta",
	 LEA_ACTIVATE_DELEGATE},
	{"the pool's data, and one LV of it is up", "thin_basic", "vg-t1", "vg-pool_tdata",
	 LEA_ACTIVATE_DELEGATE},
	{"the pool's metadata, and the pool is up", "thin_basic", "vg-pool", "vg-pool_tmeta",
	 LEA_ACTIVATE_DELEGATE},
	{"a leg of a RAID LV below the pool", "thin_raid", "vg-data-tpool",
	 "vg-data_tdata_rimage_1", LEA_ACTIVATE_DELEGATE},
	{"a snapshot's origin", "snap_linear", "vg-org-real", "vg-org-real",
	 LEA_ACTIVATE_DELEGATE},
};

TEST_EACH(what_lies_on_other_disks_is_for_lvm, outdated_rows)
{
	struct lea_activate_result result;
	struct fake_dm_node *node;

	open_shape(outdated_rows[_i].shape);
	learn();
	put_back(outdated_rows[_i].up);
	if (outdated_rows[_i].outdated) {
		node = &fake->node[slot_of(outdated_rows[_i].outdated)];
		ck_assert(node->exists);
		strcpy(node->table, "0 8192 linear 7:99 4096\n");
	}
	ck_assert_msg(run(&result) == outdated_rows[_i].want, "%s: %s", outdated_rows[_i].claim,
		      tree.logged);
}

/* Nothing is to be done, so nothing is asked. */
TEST(tables_below_an_active_lv_are_left_alone)
{
	struct lea_activate_result result;

	open_shape("raid1");
	learn();
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (before[i].exists)
			put_back(before[i].info.name);
	strcpy(fake->node[slot_of("vg-m2_rimage_0")].table, "0 8192 linear 7:99 4096\n");
	ck_assert_msg(!run(&result), "%s", tree.logged);
	ck_assert_uint_eq(result.resumed, 0);
}

/* Rows: how many parts have the UUID that lvm2 writes since 2.03.36, while libdevmapper is older. */
TEST_TIMES(parts_of_another_version_are_told_once, 3)
{
	static const char *const part[] = {"vg-m2_rimage_0", "vg-m2_rmeta_0"};
	struct lea_activate_result result;
	const char *told;

	open_shape("raid1");
	learn();
	for (uint32_t i = 0; i < FAKE_DM_NODES; i++)
		if (before[i].exists)
			put_back(before[i].info.name);
	tree.log.max_level = LEA_LOG_PRINT;
	for (int i = 0; i < _i; i++)
		strcat(fake->node[slot_of(part[i])].uuid, "-real");
	ck_assert_msg(!run(&result), "%s", tree.logged);
	ck_assert_uint_eq(result.resumed, 0);
	told = strstr(tree.logged, "-real, as another version of lvm2 writes it");
	ck_assert_msg(!told == !_i, "%s", tree.logged);
	ck_assert(!told || !strstr(told + 1, "-real, as another"));
}

/* The origin would get the device of the snapshot, which is active. */
TEST(thin_origin_is_refused_while_the_snapshot_that_merges_is_active)
{
	struct lea_activate_result result;
	struct fake_dm_node *snapshot;
	struct lea_plan_names names;

	open_shape("thin_merge_pending");
	learn();
	put_back("vg-pool-tpool");
	ck_assert_int_eq(
		lea_plan_names(golden.arena, golden.vg, lv_named("s1"), LEA_LAYER_NONE, &names), 0);
	snapshot = fake_dm_add(fake, names.name, names.uuid, "0 8192 thin 253:2 2\n");
	snapshot->info.minor = 63;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_msg(!result.shortage && result.failed == 1 && is_up("pool") && !is_up("t1"), "%s",
		      tree.logged);
	ck_assert_ptr_nonnull(strstr(tree.logged, "its merging snapshot vg/s1 is active"));
	ck_assert_ptr_nonnull(strstr(tree.logged, "lvchange -an vg/t1,"));
	snapshot->exists = false;
	ck_assert_msg(!run(&result) && is_up("t1"), "%s", tree.logged);
}
