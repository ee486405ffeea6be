/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans beside what lvm2 did to the same volume groups. */
#include "fake/golden.h"
#include "policy/judge.h"
#include "unit/suite.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST(...)                                                                                  \
	{                                                                                          \
		.item = (const char *const[]){__VA_ARGS__},                                        \
		.count = sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *),              \
		.defined = true                                                                    \
	}

/* Shapes that are ours, with what differs from the defaults in their lvm.conf. */
static const struct native {
	const char *shape;
	struct lea_volume_list auto_list, volume_list, host_tags;
	bool no_linear, readahead_none, verify_udev;
} native[] = {
	{.shape = "auto_list", .auto_list = LIST("vg/a", "@boot")},
	{.shape = "auto_list_empty", .auto_list = {.defined = true}},
	{.shape = "autoact_n"},
	{.shape = "autoact_vg_n"},
	{.shape = "linear_bigarea"},
	{.shape = "linear_multi"},
	{.shape = "linear_one"},
	{.shape = "minor"},
	{.shape = "names_dashvg"},
	{.shape = "no_linear_target", .no_linear = true},
	{.shape = "open_busy"},
	{.shape = "readahead"},
	{.shape = "readahead_cfgnone", .readahead_none = true},
	{.shape = "readonly"},
	{.shape = "skip"},
	{.shape = "striped"},
	{.shape = "tags_volume_list", .volume_list = LIST("@keep", "vg/c")},
	{.shape = "hosttags_volume_list", .volume_list = LIST("@*"), .host_tags = LIST("site1")},
	{.shape = "verify_udev", .verify_udev = true},
	{.shape = "v31-open_busy"},
	{.shape = "v31-skip"},
};

static struct lea_plan_rules rules_of(const struct native *row)
{
	struct lea_plan_rules rules = golden_rules();

	rules.select.auto_list = row->auto_list;
	rules.select.volume_list = row->volume_list;
	rules.select.host_tags = row->host_tags;
	rules.use_linear_target = !row->no_linear;
	rules.readahead_auto = !row->readahead_none;
	rules.udev_fallback = row->verify_udev;
	return rules;
}

/* Our plan in the words of order.txt; minors as the kernel gave them there, from 0 on. */
static void write_node(const struct lea_plan_node *node, uint32_t *next_minor, FILE *out)
{
	const struct lea_dm_node *dm = &node->node;
	const char *ro = dm->read_only ? " DM_READONLY_FLAG" : "";
	uint32_t minor = dm->fixed_minor ? dm->minor : (*next_minor)++;

	fprintf(out, "create   %s uuid=%s", dm->name, dm->uuid);
	if (dm->fixed_minor)
		fprintf(out, " asked=253:%u", minor);
	fprintf(out, " -> 253:%u%s%s\n", minor, ro,
		dm->fixed_minor ? " DM_PERSISTENT_DEV_FLAG" : "");
	fprintf(out, "load     %s (253:%u)%s\n", dm->name, minor, ro);
	for (uint32_t i = 0; i < node->table.row_count; i++)
		fprintf(out, "        %" PRIu64 " %" PRIu64 " %s %s\n",
			node->table.row[i].start_sectors, node->table.row[i].length_sectors,
			node->table.row[i].target, node->table.row[i].params);
	fprintf(out, "resume   %s (253:%u) udev=%sPRIMARY_SOURCE cookie1\n", dm->name, minor,
		dm->udev_flags == LEA_DM_UDEV_DISABLE_FALLBACK ? "DISABLE_LIBRARY_FALLBACK|"
		: dm->udev_flags			       ? "OTHER|"
							       : "");
}

/* order.txt without its numbers and without cookies and queries. */
static void write_order(char *order, FILE *out)
{
	char *save = NULL;

	for (char *line = strtok_r(order, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		int skip = 0;

		if (strncmp(line, "        ", 8)) {
			sscanf(line, " %*d %n", &skip);
			line += skip;
			if (!strncmp(line, "sem-", 4) || !strncmp(line, "ioctl(", 6))
				continue;
		}
		fprintf(out, "%s\n", line);
	}
}

START_TEST(plan_is_what_lvm2_did)
{
	struct lea_plan_rules rules = rules_of(&native[_i]);
	char *order = golden_read(native[_i].shape, "order.txt"), *ours, *theirs;
	size_t our_bytes, their_bytes;
	FILE *our_file = open_memstream(&ours, &our_bytes);
	FILE *their_file = open_memstream(&theirs, &their_bytes);
	struct golden golden;
	struct lea_plan *plan;
	uint32_t minor = 0;

	golden_open(native[_i].shape, &golden);
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan), 0);
	for (uint32_t i = 0; i < plan->node_count; i++)
		if (!(golden.vg->flags & LEA_FLAG_NOAUTOACTIVATE))
			write_node(&plan->node[i], &minor, our_file);
	if (order)
		write_order(order, their_file);
	fclose(our_file);
	fclose(their_file);
	ck_assert_msg(!strcmp(ours, theirs), "%s:\n%s--- but lvm2:\n%s", native[_i].shape, ours,
		      theirs);
	free(ours);
	free(theirs);
	free(order);
	golden_close(&golden);
}
END_TEST

/* info.txt: NAME|UUID|RO|OPEN|SEGMENTS|MAJOR|MINOR|ATTR|READ_AHEAD|... */
static uint32_t read_ahead_in(const char *info, const char *name)
{
	const char *line = info;
	size_t chars = strlen(name);
	unsigned int value;

	while (line && (strncmp(line, name, chars) || line[chars] != '|')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	ck_assert_msg(line != NULL, "%s is not in info.txt", name);
	for (int i = 0; i < 8; i++)
		line = strchr(line, '|') + 1;
	ck_assert_int_eq(sscanf(line, "%u", &value), 1);
	return value;
}

START_TEST(read_ahead_is_what_lvm2_left)
{
	struct lea_plan_rules rules = rules_of(&native[_i]);
	char *info = golden_read(native[_i].shape, "info.txt");
	struct golden golden;
	struct lea_plan *plan;

	golden_open(native[_i].shape, &golden);
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan), 0);
	for (uint32_t i = 0; i < plan->node_count; i++) {
		const struct lea_dm_node *node = &plan->node[i].node;
		uint32_t ours = node->read_ahead_sectors;

		if (golden.vg->flags & LEA_FLAG_NOAUTOACTIVATE)
			break;
		if (node->read_ahead_is_minimum && ours < 256)
			ours = 256; /* what the kernel gives */
		ck_assert_msg(ours == read_ahead_in(info, node->name), "%s: %s has %u",
			      native[_i].shape, node->name, ours);
	}
	free(info);
	golden_close(&golden);
}
END_TEST

static bool is_native(const char *shape)
{
	static const char *const judged[] = {"exported", "v31-exported", "foreign_systemid"};

	for (size_t i = 0; i < ARRAY_SIZE(native); i++)
		if (!strcmp(native[i].shape, shape))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(judged); i++)
		if (!strcmp(judged[i], shape))
			return true;
	return false;
}

START_TEST(every_other_shape_is_handed_over_whole)
{
	struct lea_plan_rules rules = golden_rules();
	DIR *dir = opendir(golden_dir());
	const struct dirent *entry;
	unsigned int handed = 0;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir))) {
		struct golden golden;
		struct lea_plan *plan;

		if (entry->d_name[0] == '.' || strchr(entry->d_name, '.') ||
		    !strcmp(entry->d_name, "README") || is_native(entry->d_name))
			continue;
		rules.mode = strcmp(entry->d_name, "partial_filler") ? LEA_MODE_DEGRADED
								     : LEA_MODE_PARTIAL;
		golden_open(entry->d_name, &golden);
		ck_assert_msg(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan) ==
				      LEA_PLAN_DELEGATE,
			      "%s is not ours", entry->d_name);
		ck_assert_msg(plan->delegate_reason && !plan->node_count, "%s", entry->d_name);
		golden_close(&golden);
		handed++;
	}
	closedir(dir);
	ck_assert_uint_ge(handed, 70);
}
END_TEST

START_TEST(missing_pvs_cost_their_lvs_only)
{
	struct lea_plan_rules rules = golden_rules();
	uint32_t refused = 0;
	struct golden golden;
	struct lea_plan *plan;

	golden_open("partial_filler", &golden);
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan), 0);
	for (uint32_t i = 0; i < golden.vg->lv_count; i++) {
		char want[256];

		if (!plan->lv[i].refusal)
			continue;
		snprintf(want, sizeof(want),
			 "Refusing activation of partial LV vg/%s.  Use '--activationmode "
			 "partial' to override.",
			 golden.vg->lvs[i].name);
		ck_assert_str_eq(plan->lv[i].refusal, want);
		ck_assert_uint_eq(plan->lv[i].node_count, 0);
		refused++;
	}
	ck_assert_uint_ge(refused, 1);
	ck_assert_uint_eq(plan->node_count + refused, golden.vg->lv_count);
	golden_close(&golden);
}
END_TEST

START_TEST(pv_marked_missing_that_is_back_is_for_lvm)
{
	struct lea_plan_rules rules = golden_rules();
	struct golden golden;
	struct lea_plan *plan;

	golden_open("linear_one", &golden);
	golden.vg->pvs[0].flags |= LEA_FLAG_MISSING;
	ck_assert_int_eq(lea_plan_vg(golden.arena, golden.vg, golden.pvs, &rules, &plan),
			 LEA_PLAN_DELEGATE);
	golden_close(&golden);
}
END_TEST

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

START_TEST(udev_flags)
{
	const struct lea_lv lv = {.name = flag_rows[_i].lv_name, .flags = flag_rows[_i].lv_flags};
	struct lea_plan_rules rules = golden_rules();

	rules.udev_rules = flag_rows[_i].udev_rules;
	rules.udev_fallback = flag_rows[_i].udev_fallback;
	ck_assert_msg(lea_plan_udev_flags(&lv, &rules) == flag_rows[_i].want, "%s",
		      flag_rows[_i].claim);
}
END_TEST

/* Rows: doubled hyphens count against device-mapper's limit of 127 characters. */
static const struct {
	const char *claim;
	int hyphens, letters, want;
} name_rows[] = {
	{"127 characters fit", 0, 124, 0},
	{"128 do not", 0, 125, -ENAMETOOLONG},
	{"hyphens count twice", 62, 0, 0},
	{"one more hyphen is too much", 63, 0, -ENAMETOOLONG},
};

START_TEST(name_length)
{
	char name[128] = "x";
	const struct lea_vg vg = {.name = "v", .id = "0123456789abcdefghijklmnopqrstuv"};
	struct lea_lv lv = {.name = name, .id = "0123456789abcdefghijklmnopqrstuv"};
	struct lea_arena *arena = lea_arena_new(1 << 16);
	struct lea_dm_node node;

	memset(name + 1, '-', (size_t)name_rows[_i].hyphens);
	memset(name + 1 + name_rows[_i].hyphens, 'x', (size_t)name_rows[_i].letters);
	ck_assert_msg(lea_plan_names(arena, &vg, &lv, &node) == name_rows[_i].want, "%s",
		      name_rows[_i].claim);
	lea_arena_free(arena);
}
END_TEST

static const struct {
	const char *shape, *system_id;
	enum lea_judgement want;
} judge_rows[] = {
	{"exported", NULL, LEA_JUDGE_EXPORTED},
	{"v31-exported", NULL, LEA_JUDGE_EXPORTED},
	{"foreign_systemid", "me", LEA_JUDGE_FOREIGN},
	{"foreign_systemid", "other", LEA_JUDGE_OURS},
	{"linear_one", "me", LEA_JUDGE_OURS},
};

START_TEST(vgs_are_refused_in_lvm2s_words)
{
	const struct lea_judge_host host = {.system_id = judge_rows[_i].system_id};
	char text[LEA_JUDGE_TEXT_BYTES], *said;
	struct golden golden;

	golden_open(judge_rows[_i].shape, &golden);
	ck_assert_int_eq(lea_judge_vg(golden.vg, &host, text), judge_rows[_i].want);
	if (judge_rows[_i].want != LEA_JUDGE_OURS) {
		said = golden_read(judge_rows[_i].shape, "activate.cmd.txt");
		ck_assert_ptr_nonnull(said);
		ck_assert_msg(strstr(said, text) != NULL, "%s\n%s", text, said);
		free(said);
	} else {
		ck_assert_str_eq(text, "");
	}
	golden_close(&golden);
}
END_TEST

Suite *test_suite(void)
{
	Suite *suite = suite_create("plan");
	TCase *tcase = tcase_create("plan");

	tcase_add_loop_test(tcase, plan_is_what_lvm2_did, 0, ARRAY_SIZE(native));
	tcase_add_loop_test(tcase, read_ahead_is_what_lvm2_left, 0, ARRAY_SIZE(native));
	tcase_add_test(tcase, every_other_shape_is_handed_over_whole);
	tcase_add_test(tcase, missing_pvs_cost_their_lvs_only);
	tcase_add_test(tcase, pv_marked_missing_that_is_back_is_for_lvm);
	tcase_add_loop_test(tcase, udev_flags, 0, ARRAY_SIZE(flag_rows));
	tcase_add_loop_test(tcase, name_length, 0, ARRAY_SIZE(name_rows));
	tcase_add_loop_test(tcase, vgs_are_refused_in_lvm2s_words, 0, ARRAY_SIZE(judge_rows));
	suite_add_tcase(suite, tcase);
	return suite;
}
