/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any LV of any captured VG may come first: the plan contains the same nodes and steps, each node
 * after those below it, and the steps of that LV before all others.
 */
#include "fake/golden.h"
#include "unit/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of the node after an '@', with *at moved behind it. */
static uint32_t take_ref(const char **at)
{
	char *end;
	uint32_t node = (uint32_t)strtoul(*at + 1, &end, 10);

	*at = end;
	return node;
}

/* A plan's nodes have other numbers in another order, so rows name them. */
static void put_rows(FILE *file, const struct lea_plan *plan, const struct lea_table *table)
{
	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct lea_row *row = &table->row[i];

		fprintf(file, " | %" PRIu64 " %" PRIu64 " %s ", row->start_sectors,
			row->length_sectors, row->target);
		for (const char *at = row->params; *at;)
			if (*at == '@')
				fprintf(file, "{%s}", plan->node[take_ref(&at)].node.name);
			else
				putc(*at++, file);
	}
}

static char *node_text(const struct lea_plan *plan, const struct lea_plan_node *node)
{
	const struct lea_dm_node *dm = &node->node;
	char *text;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	fprintf(file, "%s %s ro=%d flags=%x ahead=%u", dm->name, dm->uuid, dm->read_only,
		dm->udev_flags, dm->has_read_ahead ? dm->read_ahead_sectors : 0);
	put_rows(file, plan, &node->table);
	fclose(file);
	return text;
}

static char *step_text(const struct lea_plan *plan, const struct lea_plan_step *step)
{
	char *text;
	int chars = asprintf(&text, "%d %s %s %x", step->kind, plan->node[step->node].node.name,
			     step->kind == LEA_STEP_CHECK ? plan->node[step->part].node.name : "-",
			     step->udev_flags);

	ck_assert_int_ge(chars, 0);
	return text;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All nodes and all steps of a plan, sorted. */
static char *sorted(const struct lea_plan *plan)
{
	const size_t count = (size_t)plan->node_count + plan->step_count;
	char **line = calloc(count + 1, sizeof(char *)), *text;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	for (uint32_t i = 0; i < plan->node_count; i++)
		line[i] = node_text(plan, &plan->node[i]);
	for (uint32_t i = 0; i < plan->step_count; i++)
		line[plan->node_count + i] = step_text(plan, &plan->step[i]);
	qsort(line, count, sizeof(char *), compare_texts);
	for (size_t i = 0; i < count; i++) {
		fprintf(file, "%s\n", line[i]);
		free(line[i]);
	}
	fclose(file);
	free(line);
	return text;
}

/* The kernel looks up the devices of a table when it is loaded. */
static void check_parts_are_made(const struct lea_plan *plan, const bool *made, uint32_t node)
{
	const struct lea_table *table = &plan->node[node].table;

	for (uint32_t i = 0; i < table->row_count; i++)
		for (const char *at = table->row[i].params; *at;) {
			uint32_t part = *at == '@' ? take_ref(&at) : LEA_NONE;

			at += part == LEA_NONE;
			ck_assert_msg(part == LEA_NONE || made[part], "%s needs %s, made later",
				      plan->node[node].node.name, plan->node[part].node.name);
		}
}

static void check_order(const struct lea_plan *plan)
{
	bool *made = calloc(plan->node_count + 1U, sizeof(bool));

	for (uint32_t i = 0; i < plan->step_count; i++) {
		const struct lea_plan_step *step = &plan->step[i];

		if (step->kind == LEA_STEP_MAKE) {
			ck_assert(!made[step->node]);
			check_parts_are_made(plan, made, step->node);
			made[step->node] = true;
		} else if (step->kind != LEA_STEP_CHECK) {
			ck_assert(made[step->node]);
		}
	}
	free(made);
}

static struct lea_plan *plan_with_first(struct golden *golden, const char *const *word)
{
	struct lea_plan *plan;

	golden->rules.select.first =
		(struct lea_volume_list){.item = word, .count = 1, .defined = true};
	ck_assert_int_eq(lea_plan_vg(golden->arena, golden->vg, golden->pvs, &golden->rules, &plan),
			 0);
	return plan;
}

static void check_first(struct golden *golden, const char *as_lvm2, uint32_t lv)
{
	const char *word = lea_arena_printf(golden->arena, "%s/%s", golden->vg->name,
					    golden->vg->lvs[lv].name);
	const struct lea_plan *plan = plan_with_first(golden, &word);
	char *text = sorted(plan);

	ck_assert_msg(!strcmp(text, as_lvm2), "%s, %s first:\n%s--- but without:\n%s",
		      golden->name, word, text, as_lvm2);
	check_order(plan);
	for (uint32_t i = 0; plan->order[0] == lv && i + 1 < golden->vg->lv_count; i++)
		ck_assert_msg(!i || plan->order[i] < plan->order[i + 1], "the rest keeps its order");
	ck_assert(plan->order[0] == lv || golden->vg->lvs[lv].cow);
	ck_assert_uint_eq(plan->lv[plan->order[0]].first_step, 0);
	free(text);
}

TEST_TIMES(any_lv_may_come_first, golden_count())
{
	struct golden golden;
	struct lea_plan *plan;

	golden_open(golden_shape(_i), &golden);
	if (!lea_plan_vg(golden.arena, golden.vg, golden.pvs, &golden.rules, &plan)) {
		char *as_lvm2 = sorted(plan);

		check_order(plan);
		for (uint32_t i = 0; i < golden.vg->lv_count; i++)
			check_first(&golden, as_lvm2, i);
		free(as_lvm2);
	}
	golden_close(&golden);
}
