/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captured VGs of every type on their way down: the order, and what keeps them up. */
#include "flow/types.h"

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

/* Nothing activates a VDO pool but lvchange: an event does not, and yet it goes with its VG. */
START_TEST(a_vdo_pool_that_was_activated_goes_down)
{
	static const char *const pool = "LVM-Vt9te8I8naVqfkaZoEv61JE31LPeDO3F"
					"MAYFKprMGGsq5mQlEFNQwN7d39YRd53U-pool";
	struct lea_activate_result result;

	open_shape("v31-vdo_basic");
	ck_assert_int_eq(run(&result), 0);
	ck_assert_ptr_null(fake_dm_find(fake, "vg-vp"));
	fake_dm_add(fake, "vg-vp", pool, "0 8 linear 253:1 0\n");
	ck_assert_int_eq(take_down(), 0);
	ck_assert_uint_eq(fake_dm_count(fake), 0);
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
	Suite *suite = suite_create("activate_down");
	TCase *tcase = tcase_create("activate_down");
	size_t count;

	golden_shapes(&count);
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_loop_test(tcase, down_goes_in_lvm2s_order, 0, (int)count);
	tcase_add_test(tcase, an_open_thin_lv_keeps_its_vg_up);
	tcase_add_test(tcase, a_vdo_pool_that_was_activated_goes_down);
	tcase_add_test(tcase, whoever_holds_an_lv_is_named);
	suite_add_tcase(suite, tcase);
	return suite;
}
