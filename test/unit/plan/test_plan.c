/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compares plans with what lvm2 did to the same volume groups. */
#include "disk/segments.h"
#include "disk/segtype.h"
#include "fake/golden.h"
#include "plan/access.h"
#include "unit/suite.h"
#include "unit/vg_text.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct golden golden;
static struct lea_plan_rules rules;
static struct lea_plan *plan;

static void setup(void)
{
	rules = golden_rules();
}

static void teardown(void)
{
	golden_close(&golden);
}

const struct fixture fixture = {setup, teardown};

static int make_plan(void)
{
	return lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan);
}

TEST(missing_pvs_cost_their_lvs_only)
{
	uint32_t refused = 0;

	golden_open("partial_filler", &golden);
	ck_assert_int_eq(make_plan(), 0);
	for (uint32_t i = 0; i < golden.vg->lv_count; i++) {
		char want[256];

		if (!plan->lv[i].refusal)
			continue;
		snprintf(want, sizeof(want),
			 "Refusing activation of partial LV vg/%s.  Use '--activationmode "
			 "partial' to override.",
			 golden.vg->lvs[i].name);
		ck_assert_str_eq(plan->lv[i].refusal, want);
		ck_assert_uint_eq(plan->lv[i].step_count, 0);
		refused++;
	}
	ck_assert_uint_ge(refused, 1);
	ck_assert_uint_eq(plan->node_count + refused, golden.vg->lv_count);
}

TEST(pv_marked_missing_that_is_back_is_for_lvm)
{
	golden_open("linear_one", &golden);
	golden.vg->pvs[0].flags |= LEA_FLAG_MISSING;
	ck_assert_int_eq(make_plan(), LEA_PLAN_DELEGATE);
}

/* Rows: settings whose effect on a table only lvm2 knows. */
static const struct {
	const char *claim, *shape;
	bool has_profile, goes_down;
	uint32_t families;
	int want;
} setting_rows[] = {
	{"a profile and a thin pool", "thin_basic", true, false, 0, LEA_PLAN_DELEGATE},
	{"a profile without a thin pool", "raid1", true, false, 0, 0},
	{"a thin pool without a profile", "thin_basic", false, false, 0, 0},
	{"what is up can be taken down", "thin_basic", true, true, 1U << LEA_FAMILY_THIN, 0},
	{"disabled features of thin LVs", "thin_basic", false, false, 1U << LEA_FAMILY_THIN,
	 LEA_PLAN_DELEGATE},
	{"disabled features of caches", "cache_vol", false, false, 1U << LEA_FAMILY_CACHE,
	 LEA_PLAN_DELEGATE},
	{"disabled features of a type that it lacks", "raid1", false, false, 1U << LEA_FAMILY_CACHE,
	 0},
};

TEST_EACH(settings_that_change_tables_are_lvms, setting_rows)
{
	golden_open(setting_rows[_i].shape, &golden);
	golden.vg->has_profile = setting_rows[_i].has_profile;
	rules.lvms_families = setting_rows[_i].families;
	rules.select.everything = setting_rows[_i].goes_down;
	ck_assert_msg(make_plan() == setting_rows[_i].want, "%s", setting_rows[_i].claim);
}

static struct lea_plan_node *node_of(const char *lv_name, enum lea_layer layer)
{
	for (uint32_t i = 0; i < plan->node_count; i++)
		if (plan->node[i].layer == layer &&
		    !strcmp(plan->vg->lvs[plan->node[i].lv].name, lv_name))
			return &plan->node[i];
	ck_abort_msg("no node of %s", lv_name);
	return NULL;
}

/* A snapshot gets its origin's read-ahead, in whole stripes; an error target has none. */
TEST_TIMES(a_merging_snapshot_reads_ahead_as_its_pvs_do, 2)
{
	uint32_t cow = 0;

	golden_open("snap_striped", &golden);
	while (!golden.vg->lvs[cow].cow)
		cow++;
	((struct lea_seg_snapshot *)(uintptr_t)golden.vg->lvs[cow].cow)->is_merging = _i;
	ck_assert_int_eq(make_plan(), 0);
	ck_assert_uint_eq(
		node_of(golden.vg->lvs[cow].name, LEA_LAYER_NONE)->node.read_ahead_sectors == 256,
		_i);
}

TEST(parts_of_a_cache_volume_read_ahead_as_the_kernel_likes)
{
	golden_open("cache_vol", &golden);
	ck_assert_int_eq(make_plan(), 0);
	ck_assert(!node_of("fast_cvol", LEA_LAYER_CDATA)->node.has_read_ahead);
	ck_assert(!node_of("fast_cvol", LEA_LAYER_CMETA)->node.has_read_ahead);
	ck_assert(node_of("fast_cvol", LEA_LAYER_NONE)->node.has_read_ahead);
}

/* Rows: the udev flags of a node. */
static const struct {
	const char *claim, *lv_name;
	uint32_t lv_flags;
	bool udev_rules, udev_fallback;
	uint16_t want;
} flag_rows[] = {
	{"ordinary", "a", LEA_FLAG_VISIBLE, true, false, 0x20},
	{"ordinary, verified", "a", LEA_FLAG_VISIBLE, true, true, 0},
	{"ordinary without udev", "a", LEA_FLAG_VISIBLE, false, false, 0x3},
	{"hidden", "a", 0, true, false, 0x2e},
	{"hidden without udev", "a", 0, false, false, 0xf},
	{"visible with a reserved name", "a_rimage_0", LEA_FLAG_VISIBLE, true, false, 0x2c},
};

TEST_EACH(each_lv_has_lvm2s_udev_flags, flag_rows)
{
	struct lea_lv lv = {.name = flag_rows[_i].lv_name, .flags = flag_rows[_i].lv_flags};
	const struct lea_vg vg = {.lvs = &lv, .lv_count = 1};

	rules.udev_rules = flag_rows[_i].udev_rules;
	rules.udev_fallback = flag_rows[_i].udev_fallback;
	ck_assert_msg(lea_plan_udev_flags(&vg, &lv, LEA_LAYER_NONE, &rules) == flag_rows[_i].want,
		      "%s", flag_rows[_i].claim);
}

/* Rows: the udev flags of a cache volume's parts, depending on the cache. */
static const struct {
	const char *claim;
	uint32_t dm_release, cache_flags;
	bool has_snapshot;
	uint16_t want;
} part_rows[] = {
	{"2.03.16 shows them below a cache that is shown", 185, LEA_FLAG_VISIBLE, false, 0x20},
	{"not below the data of a pool", 185, 0, false, 0x2e},
	{"not below an origin", 185, LEA_FLAG_VISIBLE, true, 0x2e},
	{"2.03.31 never does", 205, LEA_FLAG_VISIBLE, false, 0x2e},
};

TEST_EACH(cache_volumes_have_their_releases_udev_flags, part_rows)
{
	struct lea_seg_snapshot snapshot = {0};
	struct lea_lv lvs[] = {
		{.name = "c", .flags = part_rows[_i].cache_flags, .user = LEA_NONE},
		{.name = "f_cvol", .role = LEA_ROLE_CACHE_VOLUME, .user = 0},
	};
	const struct lea_vg vg = {.lvs = lvs, .lv_count = ARRAY_SIZE(lvs)};

	rules.compat = lea_compat_of(part_rows[_i].dm_release);
	if (part_rows[_i].has_snapshot)
		lvs[0].snapshots = &snapshot;
	for (enum lea_layer layer = LEA_LAYER_CDATA; layer <= LEA_LAYER_CMETA; layer++)
		ck_assert_msg(lea_plan_udev_flags(&vg, &lvs[1], layer, &rules) ==
				      part_rows[_i].want,
			      "%s", part_rows[_i].claim);
}

/* Rows: doubled hyphens count towards device-mapper's limit of 127 characters. */
static const struct {
	const char *claim;
	int hyphens, letters, want;
} name_rows[] = {
	{"127 characters fit", 0, 124, 0},
	{"128 do not", 0, 125, -ENAMETOOLONG},
	{"hyphens count twice", 62, 0, 0},
	{"one more hyphen is too much", 63, 0, -ENAMETOOLONG},
};

TEST_EACH(a_name_too_long_for_the_kernel_is_refused, name_rows)
{
	char name[128] = "x";
	const struct lea_vg vg = {.name = "v", .id = "0123456789abcdefghijklmnopqrstuv"};
	struct lea_lv lv = {.name = name, .id = "0123456789abcdefghijklmnopqrstuv"};
	struct lea_arena *arena = lea_arena_new(1 << 16);
	struct lea_plan_names names;

	memset(name + 1, '-', (size_t)name_rows[_i].hyphens);
	memset(name + 1 + name_rows[_i].hyphens, 'x', (size_t)name_rows[_i].letters);
	ck_assert_msg(lea_plan_names(arena, &vg, &lv, LEA_LAYER_NONE, &names) == name_rows[_i].want,
		      "%s", name_rows[_i].claim);
	lea_arena_free(arena);
}

static const struct {
	const char *shape, *system_id;
	enum lea_vg_access want;
} judge_rows[] = {
	{"exported", NULL, LEA_VG_ACCESS_EXPORTED},
	{"v31-exported", NULL, LEA_VG_ACCESS_EXPORTED},
	{"foreign_systemid", "me", LEA_VG_ACCESS_FOREIGN},
	{"foreign_systemid", "other", LEA_VG_ACCESS_OK},
	{"linear_one", "me", LEA_VG_ACCESS_OK},
};

TEST_EACH(vgs_are_refused_in_lvm2s_words, judge_rows)
{
	const struct lea_access_host host = {.system_id = judge_rows[_i].system_id};
	char text[LEA_ACCESS_TEXT_BYTES], *said;

	golden_open(judge_rows[_i].shape, &golden);
	ck_assert_int_eq(lea_access_check(golden.vg, &host, text), judge_rows[_i].want);
	if (judge_rows[_i].want != LEA_VG_ACCESS_OK) {
		said = golden_read(judge_rows[_i].shape, "activate.cmd.txt");
		ck_assert_ptr_nonnull(said);
		ck_assert_msg(strstr(said, text) != NULL, "%s\n%s", text, said);
		free(said);
	} else {
		ck_assert_str_eq(text, "");
	}
}

static const struct {
	uint32_t dm_release;
	bool twice, hides, real, policy;
} compat_rows[] = {
	{185, false, false, false, false}, {190, false, false, false, false},
	{191, true, true, false, false},   {205, true, true, false, false},
	{210, true, true, true, false},	   {214, true, true, true, true},
	{0, true, true, true, true},
};

TEST_EACH(each_release_of_lvm2_has_its_own_ways, compat_rows)
{
	const struct lea_compat compat = lea_compat_of(compat_rows[_i].dm_release);

	ck_assert_int_eq(compat.snapshots_twice, compat_rows[_i].twice);
	ck_assert_int_eq(compat.hides_cachevol_parts, compat_rows[_i].hides);
	ck_assert_int_eq(compat.parts_are_real, compat_rows[_i].real);
	ck_assert_int_eq(compat.cachevol_policy, compat_rows[_i].policy);
}

/* 20 GiB of metadata, more than a pool can use; for old pools only the usable part is mapped. */
#define POOL_TEXT(crop)                                                                                                            \
	"v { id=" ID(                                                                                                              \
		"a") " seqno=1 status=[\"READ\",\"WRITE\"] extent_size=8388608 max_lv=0 "                                          \
		     "max_pv=0 physical_volumes { pv0 { id=" ID("b") " status=[] pe_start=8 pe_count=9 } } logical_volumes { " LV( \
			     "l", "d",                                                                                             \
			     TWO SEG("0", "3", LINEAR("pv0", "0"))                                                                 \
				     SEG("3", "2", LINEAR("pv0", "3")))                                                            \
			     LV("m", "e", ONE SEG("0", "1", LINEAR("pv0", "5")))                                                   \
				     LV("p", "f", ONE SEG("0", "1", POOL crop)) "} " TAIL
#define POOL "\"thin-pool\" metadata=\"l\" pool=\"m\" transaction_id=1 chunk_size=128 "

static const struct {
	const char *text;
	uint64_t length; /* of the last row of the pool's metadata */
} crop_rows[] = {
	{POOL_TEXT(""), 16777216},
	{POOL_TEXT("crop_metadata=0"), 16777216},
	{POOL_TEXT("crop_metadata=1"), 33161216 - 3 * 8388608},
};

TEST_EACH(metadata_that_no_pool_can_use_is_cut, crop_rows)
{
	struct lea_arena *arena = lea_arena_new(1 << 20);
	const struct lea_plan_pv pv = {.is_present = true, .major = 8};
	const char *text = crop_rows[_i].text;
	struct lea_why why = {NULL, 0};
	struct lea_vg *vg;
	uint64_t length = 0;

	ck_assert_msg(!lea_vg_parse(arena, text, strlen(text), &why, &vg), "%s", why.what);
	ck_assert_int_eq(lea_plan_vg(arena, vg, &pv, &rules, &plan), 0);
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct lea_table *table = &plan->node[i].table;

		if (!strcmp(plan->node[i].node.name, "v-l"))
			length = table->row[table->row_count - 1].length_sectors;
	}
	ck_assert_uint_eq(length, crop_rows[_i].length);
	lea_arena_free(arena);
}

/* A device may replace missing areas; it is used as it is, from its start. */
TEST(a_filler_device_stands_in_for_a_missing_pv)
{
	bool is_used = false;

	golden_open("partial_filler", &golden);
	golden.rules.filler = LEA_FILLER_DEVICE;
	golden.rules.filler_major = 7;
	golden.rules.filler_minor = 5;
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &golden.rules, &plan), 0);
	for (uint32_t i = 0; i < plan->node_count; i++) {
		ck_assert_ptr_null(strstr(plan->node[i].node.name, "missing"));
		for (uint32_t row = 0; row < plan->node[i].table.row_count; row++)
			is_used |= strstr(plan->node[i].table.row[row].params, "7:5 0") != NULL;
	}
	ck_assert(is_used);
}

static const struct {
	const char *claim, *lock_type, *owner, *system_id;
	bool is_exported;
	enum lea_vg_access want;
} pv_rows[] = {
	{"a local VG", NULL, NULL, NULL, false, LEA_VG_ACCESS_OK},
	{"a VG of this host", "none", "me", "me", false, LEA_VG_ACCESS_OK},
	{"a VG of another host", NULL, "other", "me", false, LEA_VG_ACCESS_FOREIGN},
	{"a host without an ID owns no VG that has one", NULL, "other", NULL, false,
	 LEA_VG_ACCESS_FOREIGN},
	{"an empty ID is none", NULL, "", "me", false, LEA_VG_ACCESS_OK},
	{"a shared VG", "sanlock", NULL, "me", false, LEA_VG_ACCESS_SHARED},
	{"shared comes before foreign", "dlm", "other", "me", true, LEA_VG_ACCESS_SHARED},
	{"pvscan takes a clustered VG for local", "clvm", NULL, "me", false, LEA_VG_ACCESS_OK},
	{"foreign comes before exported", NULL, "other", "me", true, LEA_VG_ACCESS_FOREIGN},
	{"an exported VG", NULL, "me", "me", true, LEA_VG_ACCESS_EXPORTED},
};

TEST_EACH(pvs_are_refused_as_by_pvscan, pv_rows)
{
	const struct lea_vg vg = {.lock_type = pv_rows[_i].lock_type,
				  .system_id = pv_rows[_i].owner,
				  .flags = pv_rows[_i].is_exported ? LEA_FLAG_EXPORTED : 0};

	ck_assert_msg(lea_access_check_pv(&vg, pv_rows[_i].system_id) == pv_rows[_i].want, "%s",
		      pv_rows[_i].claim);
}
