/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares our plan with lvm2's steps for every captured shape. GOLDEN=DIR uses another folder with
 * the same layout.
 */
#include "fake/golden.h"
#include "unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shapes without a plan of ours, and why. */
static const struct {
	const char *shape, *why;
} others[] = {
	{"exported", "refused: exported"},
	{"v31-exported", "refused: exported"},
	{"foreign_systemid", "refused: another host's"},
	{"raid_component", "lvchange of a hidden LV is the real lvm's"},
	{"v31-raid_component", "lvchange of a hidden LV is the real lvm's"},
};

/* lvm2 stops and retries for each thin LV here; the steps are equal up to the end of ours. */
static const char *const failing[] = {
	"thin_check_fail",
	"v31-thin_check_fail",
	"thin_transid_bad",
	"v31-thin_transid_bad",
};

static bool is_in(const char *shape, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(list[i], shape))
			return true;
	return false;
}

static const char *why_other(const char *shape)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcmp(others[i].shape, shape))
			return others[i].why;
	return NULL;
}

/* A list of steps, ours or lvm2's, in the words of order.txt. */
struct text {
	char *text;
	size_t bytes;
	FILE *file;
	uint32_t next_minor;
	uint32_t *minor; /* of each node of the plan */
};

static void text_open(struct text *text)
{
	*text = (struct text){.file = NULL};
	text->file = open_memstream(&text->text, &text->bytes);
	text->minor = calloc(4096, sizeof(*text->minor));
}

static void text_done(struct text *text)
{
	free(text->minor);
	free(text->text);
}

/* Writes "@7 0" with the number of node 7; in a path, only the minor. */
static void put_params(struct text *text, const char *params)
{
	for (const char *from = params; *params; params++) {
		const bool is_path = params > from && params[-1] == '-';
		char *end;

		if (*params != '@') {
			putc(*params, text->file);
			continue;
		}
		fprintf(text->file, is_path ? "%u" : "253:%u",
			text->minor[strtoul(params + 1, &end, 10)]);
		params = end - 1;
	}
}

static void put_make(struct text *text, const struct lea_plan *plan, uint32_t index)
{
	const struct lea_plan_node *node = &plan->node[index];
	const struct lea_dm_node *dm = &node->node;
	const char *ro = dm->read_only ? " DM_READONLY_FLAG" : "";
	uint32_t minor = dm->fixed_minor ? dm->minor : text->next_minor++;

	text->minor[index] = minor;
	fprintf(text->file, "create   %s uuid=%s", dm->name, dm->uuid);
	if (dm->fixed_minor)
		fprintf(text->file, " asked=253:%u", minor);
	fprintf(text->file, " -> 253:%u%s%s\n", minor, ro,
		dm->fixed_minor ? " DM_PERSISTENT_DEV_FLAG" : "");
	fprintf(text->file, "load     %s (253:%u)%s%s\n", dm->name, minor, ro,
		dm->secret_table ? " DM_SECURE_DATA_FLAG" : "");
	for (uint32_t i = 0; i < node->table.row_count; i++) {
		const struct lea_row *row = &node->table.row[i];

		fprintf(text->file, "        %" PRIu64 " %" PRIu64 " %s ", row->start_sectors,
			row->length_sectors, row->target);
		put_params(text, row->params);
		putc('\n', text->file);
	}
}

static void put_resume(struct text *text, const struct lea_plan *plan,
		       const struct lea_plan_step *step)
{
	static const char *const flags[] = {
		"DISABLE_DM_RULES",   "DISABLE_SUBSYSTEM_RULES",
		"DISABLE_DISK_RULES", "DISABLE_OTHER_RULES",
		"LOW_PRIORITY",	      "DISABLE_LIBRARY_FALLBACK",
		"PRIMARY_SOURCE",     "?",
		"SUBSYSTEM_FLAG0",
	};
	const unsigned int set = step->udev_flags | 0x40U;
	const char *bar = "";

	fprintf(text->file, "resume   %s (253:%u) udev=", plan->node[step->node].node.name,
		text->minor[step->node]);
	for (unsigned int i = 0; i < ARRAY_SIZE(flags); i++)
		if (set >> i & 1U) {
			fprintf(text->file, "%s%s", bar, flags[i]);
			bar = "|";
		}
	putc('\n', text->file);
}

static void put_step(struct text *text, const struct lea_plan *plan,
		     const struct lea_plan_step *step)
{
	const char *name = plan->node[step->node].node.name;

	switch (step->kind) {
	case LEA_STEP_MAKE:
		put_make(text, plan, step->node);
		break;
	case LEA_STEP_CHECK:
		fprintf(text->file, "check    /dev/mapper/%s\n", plan->node[step->part].node.name);
		break;
	case LEA_STEP_STATUS:
		fprintf(text->file, "status   %s (253:%u) DM_NOFLUSH_FLAG\n", name,
			text->minor[step->node]);
		break;
	case LEA_STEP_AGAIN:
		fprintf(text->file, "suspend  %s (253:%u)\n", name, text->minor[step->node]);
		put_resume(text, plan, step);
		break;
	case LEA_STEP_RESUME:
	default:
		put_resume(text, plan, step);
	}
}

static void put_plan(struct text *text, const struct golden *golden, const struct lea_plan *plan)
{
	if (!(golden->vg->flags & LEA_FLAG_NOAUTOACTIVATE))
		for (uint32_t i = 0; i < plan->step_count; i++)
			put_step(text, plan, &plan->step[i]);
	fclose(text->file);
}

/* exec ["/usr/sbin/thin_check", "-q", "/dev/mapper/x"] => 0 */
static void put_exec(struct text *text, char *line)
{
	char *path = strstr(line, "\"/dev/mapper/");

	if (!path)
		return;
	*strchr(path + 1, '"') = '\0';
	fprintf(text->file, "check    %s\n", path + 1);
}

static bool is_step(const char *line)
{
	static const char *const steps[] = {"create ", "load ", "resume ", "status ", "suspend "};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (!strncmp(line, steps[i], strlen(steps[i])))
			return true;
	return false;
}

/*
 * When lvm2 2.03.31 activates a thin LV with a snapshot, it also resumes the pool again, without
 * flags. udev then reads from the pool the data of thin LVs and shows it to users. We don't do
 * that.
 */
static bool is_pool_shown(const char *line)
{
	const char *flags = strstr(line, " udev=");

	if (!strncmp(line, "suspend  vg-pool (", 18))
		return true;
	return !strncmp(line, "resume   vg-pool (", 18) && flags &&
	       !strcmp(flags, " udev=PRIMARY_SOURCE");
}

/* Adds order.txt without numbers, cookies, queries and manually created nodes. */
static void put_order(struct text *text, char *order)
{
	bool is_status = false;
	char *save = NULL;

	for (char *line = strtok_r(order, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		int skip = 0;
		char *cookie;

		if (!strncmp(line, "        ", 8)) {
			if (!is_status)
				fprintf(text->file, "%s\n", line);
			continue;
		}
		sscanf(line, " %*d %n", &skip);
		line += skip;
		is_status = !strncmp(line, "status ", 7);
		cookie = strstr(line, " cookie");
		cookie = cookie ? cookie : strstr(line, " nocookie");
		if (cookie)
			*cookie = '\0';
		if (!strncmp(line, "exec ", 5))
			put_exec(text, line);
		else if (is_step(line) && !is_pool_shown(line))
			fprintf(text->file, "%s\n", line);
	}
	fclose(text->file);
}

static void compare(const struct golden *golden, const struct lea_plan *plan)
{
	char *order = golden_read(golden->name, "order.txt");
	const bool is_failing = is_in(golden->name, failing, ARRAY_SIZE(failing));
	struct text ours, theirs;
	size_t len;

	text_open(&ours);
	text_open(&theirs);
	put_plan(&ours, golden, plan);
	put_order(&theirs, order ? order : (char[]){""});
	len = is_failing ? strcspn(theirs.text, "\n") : 0;
	ck_assert_msg(is_failing ? !strncmp(ours.text, theirs.text, len)
				 : !strcmp(ours.text, theirs.text),
		      "%s:\n%s--- but lvm2:\n%s", golden->name, ours.text, theirs.text);
	text_done(&ours);
	text_done(&theirs);
	free(order);
}

/* info.txt: NAME|UUID|RO|OPEN|SEGMENTS|MAJOR|MINOR|ATTR|READ_AHEAD|...; 0: no such node. */
static uint32_t read_ahead_in(const char *info, const char *name)
{
	const char *line = info;
	size_t chars = strlen(name);
	unsigned int value = 0;

	while (line && (strncmp(line, name, chars) || line[chars] != '|')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	for (int i = 0; line && i < 8; i++)
		line = strchr(line, '|') + 1;
	if (line)
		ck_assert_int_eq(sscanf(line, "%u", &value), 1);
	return value;
}

/* The shape's own steps may have changed the nodes; without info.txt there are none. */
static void compare_read_ahead(const struct golden *golden, const struct lea_plan *plan)
{
	char *info = golden_read(golden->name, "info.txt");

	for (uint32_t i = 0; info && i < plan->node_count; i++) {
		const struct lea_dm_node *node = &plan->node[i].node;
		uint32_t ours = node->read_ahead_sectors, theirs = read_ahead_in(info, node->name);

		/* The kernel's own value may be larger. */
		if (!node->has_read_ahead || (node->read_ahead_is_minimum && ours < theirs))
			continue;
		ck_assert_msg(!theirs || ours == theirs, "%s: %s reads %u ahead, lvm2 has %u",
			      golden->name, node->name, ours, theirs);
	}
	free(info);
}

TEST_TIMES(plan_is_what_lvm2_did, golden_count())
{
	struct golden golden;
	struct lea_plan *plan;
	int r;

	if (why_other(golden_shape(_i)))
		return;
	golden_open(golden_shape(_i), &golden);
	r = lea_plan_vg(golden.arena, golden.vg, golden.pvs, &golden.rules, &plan);
	ck_assert_int_ge(r, 0);
	if (!r) {
		compare(&golden, plan);
		compare_read_ahead(&golden, plan);
	}
	golden_close(&golden);
}

static bool is_done_here(const char *shape)
{
	struct golden golden;
	struct lea_plan *plan;
	bool is_done = true;

	if (why_other(shape)) {
		printf("golden: %s: no plan of ours: %s\n", shape, why_other(shape));
		return true;
	}
	golden_open(shape, &golden);
	if (lea_plan_vg(golden.arena, golden.vg, golden.pvs, &golden.rules, &plan)) {
		printf("golden: %s: handed over: %s\n", shape, plan->delegate_reason);
		is_done = false;
	}
	golden_close(&golden);
	return is_done;
}

TEST(nothing_is_handed_over)
{
	unsigned int handed_over = 0;

	ck_assert_uint_gt(golden_count(), 0);
	for (size_t i = 0; i < golden_count(); i++)
		handed_over += !is_done_here(golden_shape(i));
	fflush(stdout);
	ck_assert_msg(!handed_over || getenv("GOLDEN"), "%u shapes", handed_over);
}
