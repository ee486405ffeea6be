/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captured VGs through judgement, plan and a device-mapper in memory; every call fails in turn. */
#include "fake/dm.h"
#include "fake/golden.h"
#include "flow/activate_vg.h"
#include "flow/carry.h"
#include "unit/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct capture {
	struct lea_log log;
	char text[8192];
};

static struct fake_dm *fake;
static struct capture capture;
static struct lea_world world;
static struct lea_conf conf;
static struct lea_activate_options options;
static struct golden golden;
static struct lea_found found[8];
static struct lea_found *pv[8];
static struct lea_scan_vg scanned;
static char root[64];

static void capture_write(struct lea_log *log, enum lea_log_level level, const char *line)
{
	struct capture *to = container_of(log, struct capture, log);
	size_t used = strlen(to->text);

	snprintf(to->text + used, sizeof(to->text) - used, "%s\n", line);
}

static void setup(void)
{
	static char *const no_environ[] = {NULL};

	strcpy(root, "/tmp/lea-activate-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	capture = (struct capture){.log = {capture_write, LEA_LOG_VERBOSE}};
	lea_world_init(&world, root, &capture.log, no_environ);
	fake = fake_dm_new();
	world.dm = &fake->dm;
	conf = (struct lea_conf){.use_linear_target = true,
				 .readahead_auto = true,
				 .udev_rules = true,
				 .dev_dir = "/dev"};
	options = (struct lea_activate_options){.what = LEA_ACTIVATE_AUTO, .named = true};
}

static void teardown(void)
{
	golden_close(&golden);
	lea_world_done(&world); /* and the fake with it */
	ck_assert_int_eq(rmdir(root), 0);
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
	return lea_activate_scanned(&vg, result);
}

static uint32_t active_now(void)
{
	uint32_t count;

	ck_assert_int_eq(lea_carry_count(&world, golden.arena, golden.vg, &count), 0);
	return count;
}

START_TEST(up_and_down_again)
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
END_TEST

START_TEST(active_lvs_are_left_alone)
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
END_TEST

/* Rows: what a program that died may have left of vg-lv0, and what must be there in the end. */
static const struct left {
	const char *claim;
	bool live, inactive, suspended, read_only;
	const char *table, *want_steps;
} left_rows[] = {
	{"a node without a table gets one", false, false, false, false, "",
	 "load vg-lv0\nresume vg-lv0\n"},
	{"a table that was loaded and not resumed is loaded anew", false, true, false, false, "",
	 "load vg-lv0\nresume vg-lv0\n"},
	{"a suspended node with the right table is resumed", true, false, true, false,
	 "0 81920 linear 8:0 2048\n", "resume vg-lv0\n"},
};

static struct fake_dm_node *leave(const struct left *left)
{
	struct fake_dm_node *node;
	struct lea_plan_names names;

	open_shape("linear_one");
	ck_assert_int_eq(
		lea_plan_names(golden.arena, golden.vg, &golden.vg->lvs[0], LEA_LAYER_NONE, &names),
		0);
	node = fake_dm_add(fake, names.name, names.uuid, left->table);
	node->info.live_table = left->live;
	node->info.inactive_table = left->inactive;
	node->info.suspended = left->suspended;
	node->info.read_only = left->read_only;
	return node;
}

START_TEST(leftovers_are_mended)
{
	struct fake_dm_node *node = leave(&left_rows[_i]);
	struct lea_activate_result result;
	char steps[256] = "";

	ck_assert_int_eq(run(&result), 0);
	for (uint32_t i = 0; i < fake->step_count; i++) {
		strcat(steps, fake->step[i]);
		strcat(steps, "\n");
	}
	ck_assert_msg(!strcmp(steps, left_rows[_i].want_steps), "%s: %s", left_rows[_i].claim,
		      steps);
	ck_assert_str_eq(node->table, "0 81920 linear 8:0 2048\n");
	ck_assert(node->info.live_table && !node->info.suspended && !node->info.read_only);
}
END_TEST

/* Rows: what no run of ours leaves of vg-lv0. */
static const struct left strange_rows[] = {
	{"suspended with another table", true, false, true, false, "0 8 linear 8:0 2048\n", ""},
	{"suspended with a second table", true, true, true, false, "0 81920 linear 8:0 2048\n", ""},
	{"live with a second table", true, true, false, false, "0 81920 linear 8:0 2048\n", ""},
	{"read-only, to be writable", true, false, false, true, "0 81920 linear 8:0 2048\n", ""},
};

START_TEST(strange_states_are_the_real_lvms)
{
	struct fake_dm_node *node = leave(&strange_rows[_i]), as_it_was = *node;
	struct lea_activate_result result;

	ck_assert_msg(run(&result) == LEA_ACTIVATE_DELEGATE && result.why, "%s",
		      strange_rows[_i].claim);
	ck_assert_msg(!fake->step_count && !memcmp(node, &as_it_was, sizeof(as_it_was)), "%s",
		      strange_rows[_i].claim);
}
END_TEST

/* Nobody's but the opener's: it may have been made for a table of its own. */
START_TEST(an_open_node_without_a_table_is_the_real_lvms)
{
	struct lea_activate_result result;

	leave(&left_rows[0])->info.open_count = 1;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_DELEGATE);
	ck_assert_uint_eq(fake->step_count, 0);
}
END_TEST

/* Rows: who has number 77, or which number vg/fixed2 has that is to have it. */
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

START_TEST(fixed_numbers)
{
	struct lea_activate_result result;
	struct fake_dm_node *node;
	struct lea_plan_names names;

	open_shape("minor");
	capture.log.max_level = LEA_LOG_ERROR;
	for (uint32_t i = 0; i < golden.vg->lv_count; i++)
		if (golden.vg->lvs[i].minor == 77)
			ck_assert_int_eq(lea_plan_names(golden.arena, golden.vg, &golden.vg->lvs[i],
							LEA_LAYER_NONE, &names),
					 0);
	node = fake_dm_add(fake, number_rows[_i].name, number_rows[_i].own ? names.uuid : "x",
			   number_rows[_i].is_half_made ? "" : "0 8 linear 8:0 2048\n");
	node->info.minor = number_rows[_i].minor;
	ck_assert_msg(run(&result) == number_rows[_i].want, "%s", number_rows[_i].claim);
	ck_assert_msg(!strcmp(capture.text, number_rows[_i].said), "%s: %s", number_rows[_i].claim,
		      capture.text);
	ck_assert_uint_eq(result.failed, number_rows[_i].want != 0);
}
END_TEST

START_TEST(node_of_a_renamed_vg_hands_it_over)
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
END_TEST

/* Three LVs are nine calls: whichever fails, its LV is gone whole and the two others are active. */
START_TEST(one_failure_costs_one_lv)
{
	struct lea_activate_result result;

	open_shape("minor");
	fake->fail_at = _i;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(result.failed, 1);
	ck_assert_uint_eq(result.resumed, 2);
	ck_assert_uint_eq(fake_dm_count(fake), 2);
	ck_assert_uint_eq(active_now(), 2);
	ck_assert_ptr_nonnull(strstr(capture.text, "LV vg/"));
	fake->fail_at = -1;
	ck_assert_msg(!run(&result) && active_now() == 3, "the next attempt gets all");
}
END_TEST

START_TEST(failed_removal_costs_one_lv)
{
	struct lea_activate_result result;

	open_shape("minor");
	ck_assert_int_eq(run(&result), 0);
	fake->fail_at = (int32_t)fake->step_count + _i;
	options.what = LEA_DEACTIVATE;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(active_now(), 1);
}
END_TEST

START_TEST(open_lv_keeps_the_whole_vg_up)
{
	struct lea_activate_result result;
	uint32_t steps;

	open_shape("open_busy");
	capture.log.max_level = LEA_LOG_PRINT;
	ck_assert_int_eq(run(&result), 0);
	steps = fake->step_count;
	fake_dm_find(fake, "vg-busy")->info.open_count = 1;
	options.what = LEA_DEACTIVATE;
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_FAILED);
	ck_assert_uint_eq(fake->step_count, steps);
	ck_assert_str_eq(capture.text, "Logical volume vg/busy in use.\n"
				       "Can't deactivate volume group \"vg\" with 1 open logical "
				       "volume(s)\n");
}
END_TEST

START_TEST(test_mode_prints_and_touches_nothing)
{
	struct lea_activate_result result;

	open_shape("linear_one");
	options.test = true;
	ck_assert_int_eq(run(&result), 0);
	ck_assert_uint_eq(fake->step_count, 0);
	ck_assert_str_eq(capture.text, "vg-lv0: 0 81920 linear 8:0 2048\n");
}
END_TEST

/* Rows: VGs that are not activated, and how that ends. */
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

START_TEST(refusals)
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
	capture.log.max_level = LEA_LOG_PRINT;
	r = run(&result);
	ck_assert_msg(r == refusal_rows[_i].want, "%s: %d", refusal_rows[_i].claim, r);
	ck_assert_msg(strstr(capture.text, refusal_rows[_i].want_text) &&
			      (*refusal_rows[_i].want_text || !*capture.text),
		      "%s: %s", refusal_rows[_i].claim, capture.text);
}
END_TEST

START_TEST(a_vg_with_a_type_that_is_not_ours_is_lvms)
{
	struct lea_activate_result result;

	open_shape("linear_one");
	golden.vg->delegate_reason = "unknown segment type";
	ck_assert_int_eq(run(&result), LEA_ACTIVATE_DELEGATE);
	ck_assert_str_eq(result.why, "unknown segment type");
	ck_assert_uint_eq(fake->step_count, 0);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("activate_vg");
	TCase *tcase = tcase_create("activate_vg");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, up_and_down_again);
	tcase_add_test(tcase, active_lvs_are_left_alone);
	tcase_add_loop_test(tcase, leftovers_are_mended, 0, ARRAY_SIZE(left_rows));
	tcase_add_loop_test(tcase, strange_states_are_the_real_lvms, 0, ARRAY_SIZE(strange_rows));
	tcase_add_test(tcase, an_open_node_without_a_table_is_the_real_lvms);
	tcase_add_loop_test(tcase, fixed_numbers, 0, ARRAY_SIZE(number_rows));
	tcase_add_test(tcase, node_of_a_renamed_vg_hands_it_over);
	tcase_add_loop_test(tcase, one_failure_costs_one_lv, 0, 9);
	tcase_add_loop_test(tcase, failed_removal_costs_one_lv, 0, 3);
	tcase_add_test(tcase, open_lv_keeps_the_whole_vg_up);
	tcase_add_test(tcase, test_mode_prints_and_touches_nothing);
	tcase_add_test(tcase, a_vg_with_a_type_that_is_not_ours_is_lvms);
	tcase_add_loop_test(tcase, refusals, 0, ARRAY_SIZE(refusal_rows));
	suite_add_tcase(suite, tcase);
	return suite;
}
