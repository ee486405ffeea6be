/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thick snapshots at activation: the kernel's limit is set before the first one, and fullness is
 * told. */
#include "flow/types.h"

#define FOLDER	  "/sys/module/dm_snapshot/"
#define PARAMETER FOLDER "parameters/snapshot_cow_threshold"

static const char *parameter(void)
{
	static char text[64];
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s" PARAMETER, tree.root);
	file = fopen(path, "r");
	text[0] = '\0';
	if (file) {
		ck_assert_ptr_nonnull(fgets(text, sizeof(text), file));
		fclose(file);
	}
	return text;
}

static const struct {
	const char *claim, *shape;
	uint32_t threshold;
	const char *refcnt, *before, *after; /* NULL: there is no such file */
} limits[] = {
	{"it is set before the first snapshot", "snap_two", 256, "0", "2048", "2562048"},
	{"not if it is not configured", "snap_two", 0, "0", "2048", "2048"},
	{"not if a snapshot is there", "snap_two", 256, "1", "2048", "2048"},
	{"not without a snapshot", "linear_one", 256, "0", "2048", "2048"},
};

/* The kernel replaces the value; a plain file keeps what is behind it, if the new one is shorter.
 */
TEST_EACH(the_limit_of_copies_in_flight, limits)
{
	struct lea_activate_result result;

	open_shape(limits[_i].shape);
	conf.snapshot_cow_threshold = limits[_i].threshold;
	tree_put(&tree, FOLDER "refcnt", limits[_i].refcnt);
	tree_put(&tree, PARAMETER, limits[_i].before);
	ck_assert_int_eq(run(&result), 0);
	ck_assert_msg(!strncmp(parameter(), limits[_i].after, 3), "%s: %s", limits[_i].claim,
		      parameter());
	ck_assert_str_eq(tree.logged, "");
}

TEST(a_kernel_without_the_limit_is_told_once_and_the_snapshots_are_made)
{
	struct lea_activate_result result;

	open_shape("snap_two");
	conf.snapshot_cow_threshold = 256;
	tree_put(&tree, FOLDER "refcnt", "0");
	ck_assert_int_eq(run(&result), 0);
	ck_assert_ptr_nonnull(strstr(tree.logged, "snapshot_cow_threshold is not set: this kernel "
						  "does not have this parameter"));
	ck_assert_uint_eq(active_now(), 4);
}

static const struct {
	const char *status, *said;
} fullness[] = {
	{"16/8192 16", NULL},
	{"6553/8192 16", NULL},
	{"6554/8192 16", "LV vg/sn1: 80 % full (of vg/org); lvextend -L +1g vg/sn1\n"},
	{"7783/8192 16", "LV vg/sn1: 95 % full (of vg/org); lvextend -L +1g vg/sn1\n"},
	{"Invalid", "LV vg/sn1: is full or damaged, and lost (of vg/org); lvs -o "
		    "+snap_percent,lv_snapshot_invalid vg/sn1\n"},
	{"Overflow", "LV vg/sn1: is full and lost (of vg/org); lvs -o "
		     "+snap_percent,lv_snapshot_invalid vg/sn1\n"},
	{"", NULL},
	{"-1/5 8", NULL},
};

TEST_EACH(fullness_is_told_when_a_snapshot_becomes_active, fullness)
{
	struct lea_activate_result result;

	open_shape("snap_two");
	fake->status = fullness[_i].status;
	ck_assert_int_eq(run(&result), 0);
	if (!fullness[_i].said)
		ck_assert_str_eq(tree.logged, "");
	else
		ck_assert_msg(strstr(tree.logged, fullness[_i].said) != NULL, "%s", tree.logged);
	/* What was active before is not told again. */
	tree.logged[0] = '\0';
	ck_assert_int_eq(run(&result), 0);
	ck_assert_str_eq(tree.logged, "");
}

TEST(no_status_is_no_failure)
{
	struct lea_activate_result result;

	open_shape("snap_two");
	fake->fail_on = "status";
	ck_assert_int_eq(run(&result), 0);
	ck_assert_uint_eq(active_now(), 4);
}
