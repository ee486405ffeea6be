/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captured VGs through checks, plan and device-mapper in memory; every call fails in turn. */
#include "flow/types.h"

TEST(a_vg_goes_up_and_down_again)
{
	struct lea_activate_result result;

	open_shape("readonly");
	ck_assert_int_eq(run(&result), 0);
	ck_assert_uint_eq(active_now(), 3);
	ck_assert_uint_eq(result.resumed, 3);
	ck_assert(fake_dm_find(fake, "vg-ro")->info.read_only);
	ck_assert_str_eq(fake_dm_find(fake, "vg-rw")->table, "0 8192 linear 8:0 2048\n");
	options.what = LEA_DEACTIVATE;
	ck_assert_int_eq(run(&result), 0);
	ck_assert_uint_eq(fake_dm_count(fake), 0);
}

TEST(active_lvs_are_left_alone)
{
	struct lea_activate_result result;
	uint32_t steps;

	open_shape("linear_multi");
	ck_assert_int_eq(run(&result), 0);
	steps = fake->step_count;
	ck_assert_int_eq(run(&result), 0);
	ck_assert_uint_eq(fake->step_count, steps);
	ck_assert_uint_eq(result.resumed, 0);
}

/* Activates a thin pool and its two LVs, the second one first. */
static int run_second_first(struct lea_activate_result *result)
{
	static const char *const words[] = {"vg/none", "vg/t2"};

	open_shape("thin_basic");
	options.first = (struct lea_volume_list){.item = words, .count = 2, .defined = true};
	return run(result);
}

TEST(what_comes_first_is_activated_first)
{
	struct lea_activate_result result;
	char created[256] = "";

	ck_assert_int_eq(run_second_first(&result), 0);
	for (uint32_t i = 0; i < fake->step_count; i++)
		if (!strncmp(fake->step[i], "create vg-", 10)) {
			strcat(created, fake->step[i] + 10);
			strcat(created, "\n");
		}
	ck_assert_str_eq(created, "pool_tmeta\npool_tdata\npool-tpool\nt2\npool ro\nt1\n");
}

TEST(when_what_comes_first_fails_the_others_have_what_they_share)
{
	struct lea_activate_result result;

	fake->fail_on = "load vg-t2";
	fake->fault = -EINVAL;
	ck_assert_int_eq(run_second_first(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert(!fake_dm_find(fake, "vg-t2"));
	ck_assert(fake_dm_find(fake, "vg-pool")->info.live_table);
	ck_assert(fake_dm_find(fake, "vg-t1")->info.live_table);
}

/* Rows: what a dead program may have left of vg-lv0, and the required result. */
static const struct leftover {
	const char *claim;
	bool live, inactive, suspended, read_only;
	const char *table, *want_steps;
} leftovers[] = {
	{"a node without a table gets one", false, false, false, false, "",
	 "load vg-lv0\nresume vg-lv0\n"},
	{"a table that was loaded and not resumed is loaded anew", false, true, false, false, "",
	 "load vg-lv0\nresume vg-lv0\n"},
	{"a suspended node with the right table is resumed", true, false, true, false,
	 "0 81920 linear 8:0 2048\n", "resume vg-lv0\n"},
};

static struct fake_dm_node *put_leftover(const struct leftover *leftover)
{
	struct fake_dm_node *node;
	struct lea_plan_names names;

	open_shape("linear_one");
	ck_assert_int_eq(
		lea_plan_names(golden.arena, golden.vg, &golden.vg->lvs[0], LEA_LAYER_NONE, &names),
		0);
	node = fake_dm_add(fake, names.name, names.uuid, leftover->table);
	node->info.live_table = leftover->live;
	node->info.inactive_table = leftover->inactive;
	node->info.suspended = leftover->suspended;
	node->info.read_only = leftover->read_only;
	return node;
}

TEST_EACH(leftovers_are_mended, leftovers)
{
	struct fake_dm_node *node = put_leftover(&leftovers[_i]);
	struct lea_activate_result result;
	char steps[256] = "";

	ck_assert_int_eq(run(&result), 0);
	for (uint32_t i = 0; i < fake->step_count; i++) {
		strcat(steps, fake->step[i]);
		strcat(steps, "\n");
	}
	ck_assert_msg(!strcmp(steps, leftovers[_i].want_steps), "%s: %s", leftovers[_i].claim,
		      steps);
	ck_assert_str_eq(node->table, "0 81920 linear 8:0 2048\n");
	ck_assert(node->info.live_table && !node->info.suspended && !node->info.read_only);
}

/* Rows: states of vg-lv0 that our program never leaves. */
static const struct leftover strange_rows[] = {
	{"suspended with another table", true, false, true, false, "0 8 linear 8:0 2048\n", ""},
	{"suspended with a second table", true, true, true, false, "0 81920 linear 8:0 2048\n", ""},
	{"live with a second table", true, true, false, false, "0 81920 linear 8:0 2048\n", ""},
	{"read-only, to be writable", true, false, false, true, "0 81920 linear 8:0 2048\n", ""},
};

TEST_EACH(strange_states_are_the_real_lvms, strange_rows)
{
	struct fake_dm_node *node = put_leftover(&strange_rows[_i]), as_it_was = *node;
	struct lea_activate_result result;

	ck_assert_msg(run(&result) == LEA_ACTIVATE_DELEGATE && result.why, "%s",
		      strange_rows[_i].claim);
	ck_assert_msg(!fake->step_count && !memcmp(node, &as_it_was, sizeof(as_it_was)), "%s",
		      strange_rows[_i].claim);
}

/* Only the process that opened it may use it: it may be about to load a table. */
TEST(an_open_node_without_a_table_is_the_real_lvms)
{
	struct lea_activate_result result;

	put_leftover(&leftovers[0])->info.open_count = 1;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_DELEGATE);
	ck_assert_uint_eq(fake->step_count, 0);
}

/* Rows: which node has minor 77, or which minor vg/fixed2 has instead of its own. */
static const struct {
	const char *claim, *name, *said;
	uint32_t minor;
	bool own, is_half_made;
	int want;
} number_rows[] = {
	{"a number that another device has fails its LV", "other",
	 "LV vg/fixed2 has the fixed minor number 77, which another device has.\n", 77, false,
	 false, LEA_ACTIVATE_FAILED},
	{"a half-made node with another number fails its LV", "vg-fixed2",
	 "LV vg/fixed2 has the fixed minor number 77, and a node with another one.\n", 5, true,
	 true, LEA_ACTIVATE_FAILED},
	{"a half-made node with that number is finished", "vg-fixed2", "", 77, true, true, 0},
	{"what is active stays so under any number", "vg-fixed2", "", 5, true, false, 0},
};

TEST_EACH(an_lv_with_a_fixed_number_has_it, number_rows)
{
	struct lea_activate_result result;
	struct fake_dm_node *node;
	struct lea_plan_names names;

	open_shape("minor");
	tree.log.max_level = LEA_LOG_ERROR;
	for (uint32_t i = 0; i < golden.vg->lv_count; i++)
		if (golden.vg->lvs[i].minor == 77)
			ck_assert_int_eq(lea_plan_names(golden.arena, golden.vg, &golden.vg->lvs[i],
							LEA_LAYER_NONE, &names),
					 0);
	node = fake_dm_add(fake, number_rows[_i].name, number_rows[_i].own ? names.uuid : "x",
			   number_rows[_i].is_half_made ? "" : "0 8 linear 8:0 2048\n");
	node->info.minor = number_rows[_i].minor;
	ck_assert_msg(run(&result) == number_rows[_i].want, "%s", number_rows[_i].claim);
	ck_assert_msg(!strcmp(tree.logged, number_rows[_i].said), "%s: %s", number_rows[_i].claim,
		      tree.logged);
	ck_assert_uint_eq(result.failed, number_rows[_i].want != 0);
}

/* The disk went, and its number is another one's by now. Rows: an event; a person. */
TEST_TIMES(a_disk_with_the_number_of_another_gets_no_table, 2)
{
	struct lea_activate_result result;

	options.named = _i;
	open_shape("linear_one");
	found[0].device.diskseq = 5;
	tree_put(&tree, "/sys/dev/block/8:0/diskseq", "6\n");
	ck_assert_int_eq(run(&result), _i ? LEA_ACTIVATE_FAILED : LEA_ACTIVATE_CHANGED);
	ck_assert_uint_eq(fake->step_count, 0);
	ck_assert(!_i || strstr(tree.logged, "try again"));
	/* A number that cannot be read may be another one. */
	tree_remove(&tree, "/sys/dev/block/8:0/diskseq");
	tree_mkdir(&tree, "/sys/dev/block/8:0/diskseq");
	ck_assert_int_lt(run(&result), 0);
	ck_assert_uint_eq(fake->step_count, 0);
	tree_remove(&tree, "/sys/dev/block/8:0/diskseq");
	tree_put(&tree, "/sys/dev/block/8:0/diskseq", "5\n");
	ck_assert_int_eq(run(&result), 0);
}

TEST(node_of_a_renamed_vg_hands_it_over)
{
	struct lea_activate_result result;
	struct lea_plan_names names;

	open_shape("linear_one");
	ck_assert_int_eq(
		lea_plan_names(golden.arena, golden.vg, &golden.vg->lvs[0], LEA_LAYER_NONE, &names),
		0);
	fake_dm_add(fake, "old-lv0", names.uuid, "0 81920 linear 8:0 2048\n");
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_DELEGATE);
	ck_assert_ptr_nonnull(result.why);
	ck_assert_uint_eq(fake->step_count, 0);
}

/* Three LVs take nine calls. Whichever fails, its LV is removed completely and the other two are
 * active. */
TEST_TIMES(one_failure_costs_one_lv, 9)
{
	struct lea_activate_result result;

	open_shape("minor");
	fake->fail_at = _i;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_uint_eq(result.resumed, 2);
	ck_assert_uint_eq(fake_dm_count(fake), 2);
	ck_assert_uint_eq(active_now(), 2);
	ck_assert_ptr_nonnull(strstr(tree.logged, "LV vg/"));
	fake->fail_at = -1;
	ck_assert_msg(!run(&result) && active_now() == 3, "the next attempt gets all");
}

TEST_TIMES(failed_removal_costs_one_lv, 3)
{
	struct lea_activate_result result;

	open_shape("minor");
	ck_assert_int_eq(run(&result), 0);
	fake->fail_at = (int32_t)fake->step_count + _i;
	options.what = LEA_DEACTIVATE;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(active_now(), 1);
}

TEST(open_lv_keeps_the_whole_vg_up)
{
	struct lea_activate_result result;
	uint32_t steps;

	open_shape("open_busy");
	tree.log.max_level = LEA_LOG_PRINT;
	ck_assert_int_eq(run(&result), 0);
	steps = fake->step_count;
	fake_dm_find(fake, "vg-busy")->info.open_count = 1;
	options.what = LEA_DEACTIVATE;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(fake->step_count, steps);
	ck_assert_str_eq(tree.logged, "Logical volume vg/busy in use.\n"
				      "Can't deactivate volume group \"vg\" with 1 open logical "
				      "volume(s)\n");
}

TEST(test_mode_prints_and_touches_nothing)
{
	struct lea_activate_result result;

	open_shape("linear_one");
	options.test = true;
	tree.log.max_level = LEA_LOG_VERBOSE;
	ck_assert_int_eq(run(&result), 0);
	ck_assert_uint_eq(fake->step_count, 0);
	ck_assert_str_eq(tree.logged, "vg-lv0: 0 81920 linear 8:0 2048\n");
}

/* Rows: VGs that are not activated, and the outcome. */
static const struct {
	const char *claim, *shape;
	bool named, quiet, only_complete, duplicate, conflict;
	int want;
	const char *want_text;
} refusal_rows[] = {
	{"exported, named", "exported", true, false, false, false, false, LEA_ACTIVATE_FAILED,
	 "Volume group vg is exported"},
	{"exported, by event", "exported", true, true, false, false, false, LEA_ACTIVATE_REFUSED,
	 ""},
	{"exported, one of all", "exported", false, false, false, false, false,
	 LEA_ACTIVATE_REFUSED, ""},
	{"foreign, named", "foreign_systemid", true, false, false, false, false,
	 LEA_ACTIVATE_FAILED,
	 "Cannot access VG vg with system ID other with unknown local system ID."},
	{"autoactivation is off", "autoact_vg_n", true, false, false, false, false,
	 LEA_ACTIVATE_NOT_AUTO, ""},
	{"incomplete, by event", "partial_filler", true, false, true, false, false,
	 LEA_ACTIVATE_INCOMPLETE, "VG vg is incomplete."},
	{"incomplete, by hand", "partial_filler", true, false, false, false, false,
	 LEA_ACTIVATE_FAILED, "Refusing activation of partial LV vg/"},
	{"duplicate PVs", "linear_one", true, false, false, true, false, LEA_ACTIVATE_FAILED,
	 "Cannot activate LVs in VG vg while PVs appear on duplicate devices."},
	{"two texts with one number", "linear_one", true, false, false, false, true,
	 LEA_ACTIVATE_DELEGATE, ""},
};

TEST_EACH(each_vg_that_lvm2_refuses_is_refused, refusal_rows)
{
	struct lea_activate_result result;
	int r;

	open_shape(refusal_rows[_i].shape);
	if (!strcmp(refusal_rows[_i].shape, "exported") ||
	    !strcmp(refusal_rows[_i].shape, "foreign_systemid"))
		for (uint32_t i = 0; i < golden.vg->pv_count; i++)
			pv[i] = &found[i];
	options.named = refusal_rows[_i].named;
	options.quiet_refusals = refusal_rows[_i].quiet;
	options.only_complete = refusal_rows[_i].only_complete;
	scanned.has_duplicate = refusal_rows[_i].duplicate;
	scanned.has_conflict = refusal_rows[_i].conflict;
	tree.log.max_level = LEA_LOG_PRINT;
	r = run(&result);
	ck_assert_msg(r == refusal_rows[_i].want, "%s: %d", refusal_rows[_i].claim, r);
	ck_assert_msg(strstr(tree.logged, refusal_rows[_i].want_text) &&
			      (*refusal_rows[_i].want_text || !*tree.logged),
		      "%s: %s", refusal_rows[_i].claim, tree.logged);
}

TEST(a_vg_with_a_type_that_is_not_ours_is_lvms)
{
	struct lea_activate_result result;

	open_shape("linear_one");
	golden.vg->delegate_reason = "unknown segment type";
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_DELEGATE);
	ck_assert_str_eq(result.why, "unknown segment type");
	ck_assert_uint_eq(fake->step_count, 0);
}
