/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Captured VGs with missing PVs: what comes up in part, and what is refreshed when the PVs are back. */
#include "flow/types.h"

#include "activate/refresh.h"

static struct lea_refresh refresh;
static bool refreshes;

static int run_in_part(struct lea_activate_result *result)
{
	struct lea_activate_vg vg = {
		.world = &tree.world,
		.conf = &conf,
		.options = &options,
		.arena = golden.arena,
		.scanned = &scanned,
		.refreshes = refreshes,
	};
	int r;

	*result = (struct lea_activate_result){0};
	tree.logged[0] = '\0';
	r = lea_activate_check(&vg, result);
	r = r ? r : lea_activate_scanned(&vg, result);
	refresh = vg.refresh;
	return r;
}

static void all_come_back(void)
{
	for (uint32_t i = 0; i < golden.vg->pv_count; i++)
		pv[i] = &found[i];
}

/* The names of all nodes, sorted, each followed by a blank. */
static const char *nodes(void)
{
	static char text[FAKE_DM_NODES * 64];
	const char *name[FAKE_DM_NODES];
	uint32_t count = 0;

	for (uint32_t i = 0; i < FAKE_DM_NODES; i++) {
		uint32_t at = count;

		if (!fake->node[i].exists)
			continue;
		for (; at && strcmp(name[at - 1], fake->node[i].info.name) > 0; at--)
			name[at] = name[at - 1];
		name[at] = fake->node[i].info.name;
		count++;
	}
	text[0] = '\0';
	for (uint32_t i = 0; i < count; i++)
		strcat(strcat(text, name[i]), " ");
	return text;
}

static const struct {
	const char *shape, *mode;
	bool refuses; /* lvm2 refuses some LV */
} rows[] = {
	{"partial_default", "complete", true},	{"partial_default", "degraded", true},
	{"partial_default", "partial", false},	{"partial_filler", "complete", true},
	{"partial_filler", "partial", false},	{"partial_mirror", "degraded", true},
	{"partial_mirror", "partial", false},	{"partial_thin", "complete", true},
	{"partial_thin", "partial", true},
};

/* What lvm2 refuses is left out without an error; all else is the same. */
TEST_EACH(what_the_mode_does_not_allow_is_left_out, rows)
{
	struct lea_activate_result result;
	char *as_lvm2;
	int r;

	open_shape(rows[_i].shape);
	options.mode = rows[_i].mode;
	r = run_in_part(&result);
	ck_assert_msg(r == (rows[_i].refuses ? LEA_ACTIVATE_FAILED : 0), "%s %s: %d: %s",
		      rows[_i].shape, rows[_i].mode, r, tree.logged);
	as_lvm2 = strdup(nodes());
	ck_assert_int_eq(take_down(), 0);
	options.skips_lacking = true;
	ck_assert_int_eq(run_in_part(&result), 0);
	ck_assert_str_eq(nodes(), as_lvm2);
	ck_assert_uint_eq(result.failed, 0);
	ck_assert_str_eq(tree.logged, "");
	free(as_lvm2);
}

static void name_all(char *text)
{
	text[0] = '\0';
	for (uint32_t i = 0; i < refresh.count; i++)
		strcat(strcat(text, refresh.name[i]), " ");
}

static const struct {
	const char *shape, *mode, *refreshed;
} backs[] = {
	{"partial_default", "complete", ""},
	{"partial_default", "degraded", "vg/r1 vg/r5 vg/r0 "},
	{"partial_default", "partial", "vg/lin1 vg/span vg/st vg/r1 vg/r5 vg/r0 "},
	{"partial_mirror", "partial", "vg/mc "},
};

TEST_EACH(lvs_with_stand_ins_are_refreshed_when_the_pv_is_back, backs)
{
	struct lea_activate_result result;
	uint32_t steps;
	char names[512];

	open_shape(backs[_i].shape);
	options.mode = backs[_i].mode;
	options.skips_lacking = refreshes = true;
	ck_assert_int_eq(run_in_part(&result), 0);
	ck_assert_msg(!refresh.count, "the PVs are missing still");
	ck_assert_int_eq(run_in_part(&result), 0);
	ck_assert_msg(!refresh.count, "the PVs are missing still");
	all_come_back();
	options.mode = NULL;
	options.skips_lacking = false;
	ck_assert_int_eq(run_in_part(&result), 0);
	name_all(names);
	ck_assert_str_eq(names, backs[_i].refreshed);
	steps = fake->step_count;
	ck_assert_int_eq(run_in_part(&result), 0);
	ck_assert_msg(fake->step_count == steps, "nothing is activated twice");
}

/* Rows: LVs above a RAID that lacks an image. */
static const struct {
	const char *shape, *node;
} above[] = {{"thin_raid", "-tpool"}, {"cache_raid", "_corig"}};

/* lvm2 activates RAID LVs degraded, and nothing that lies on them. */
TEST_EACH(what_lies_on_a_degraded_raid_is_not_degraded, above)
{
	struct lea_activate_result result;

	open_shape(above[_i].shape);
	pv[0] = NULL;
	options.skips_lacking = true;
	options.mode = "degraded";
	ck_assert_int_eq(run_in_part(&result), 0);
	ck_assert_msg(!strstr(nodes(), above[_i].node), "%s: %s", above[_i].shape, nodes());
	options.mode = "partial";
	ck_assert_int_eq(run_in_part(&result), 0);
	ck_assert_msg(strstr(nodes(), above[_i].node) != NULL, "%s: %s", above[_i].shape, nodes());
}

TEST(without_a_reason_nothing_is_looked_for)
{
	struct lea_activate_result result;

	open_shape("partial_default");
	options.skips_lacking = true;
	refreshes = false;
	ck_assert_int_eq(run_in_part(&result), 0);
	all_come_back();
	ck_assert_int_eq(run_in_part(&result), 0);
	ck_assert_uint_eq(refresh.count, 0);
}
