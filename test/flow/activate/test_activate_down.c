/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Deactivation of captured VGs of every type: the order, and what prevents it. */
#include "flow/types.h"

/* Our removals, one per line. */
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

/* Shapes where lvm2 removed other LVs than we activate here: other commands ran in between, lists
 * excluded LVs, or a check failed. */
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

TEST_TIMES(down_goes_in_lvm2s_order, golden_count())
{
	static char ours[16384], theirs[16384];
	struct lea_activate_result result;
	uint32_t steps;
	char *order;

	open_shape(golden_shape(_i));
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

TEST(an_open_thin_lv_keeps_its_vg_up)
{
	struct lea_activate_result result;
	uint32_t nodes;

	open_shape("thin_basic");
	ck_assert_int_eq(run(&result), 0);
	nodes = fake_dm_count(fake);
	fake_dm_find(fake, "vg-t1")->info.open_count = 1;
	ck_assert_int_eq(take_down(), LEA_ACTIVATE_FAILED);
	ck_assert_ptr_nonnull(strstr(tree.logged, "Logical volume vg/t1 in use."));
	ck_assert_uint_eq(fake_dm_count(fake), nodes);
}

/* Only lvchange activates a VDO pool; an event does not. Yet the pool is deactivated with its
 * VG. */
TEST(a_vdo_pool_that_was_activated_goes_down)
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

/* A device that uses vg/t1. */
#define HOLDER "/sys/dev/block/253:4/holders/dm-9/dm/name"

TEST(whoever_holds_an_lv_is_named)
{
	struct lea_activate_result result;

	open_shape("thin_basic");
	ck_assert_int_eq(run(&result), 0);
	ck_assert_uint_eq(fake_dm_find(fake, "vg-t1")->info.minor, 4);
	fake_dm_find(fake, "vg-t1")->info.open_count = 1;
	tree_put(&tree, HOLDER, "luks-home\n");
	ck_assert_int_eq(take_down(), LEA_ACTIVATE_FAILED);
	ck_assert_ptr_nonnull(strstr(tree.logged,
				     "Logical volume vg/t1 is used by another device.\n"
				     "vg/t1 is held by luks-home.\n"));
}
