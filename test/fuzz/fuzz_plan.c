/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a metadata text to device-mapper tables: eight bytes of settings, then the text. Names and
 * uuids of nodes consist of plain characters, tables have no gaps, parameters fit one line.
 */
#include "plan/plan.h"

#include "base/id.h"
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#define ARENA_BYTES  (64U << 20)
#define OPTION_BYTES 8U

const size_t fuzz_text_at = OPTION_BYTES;

/* Parameters are one line; a word "@7" refers to a node of this plan that was created before. */
static void check_params(const char *params, uint32_t made)
{
	CLAIM(fuzz_is_plain(params));
	for (; (params = strchr(params, '@')); params++)
		CLAIM(strtoul(params + 1, NULL, 10) < made);
}

static void check_table(const struct lea_table *table, uint32_t node_count)
{
	uint64_t start = 0;

	CLAIM(table->row_count);
	for (uint32_t i = 0; i < table->row_count; i++) {
		const struct lea_row *row = &table->row[i];

		CLAIM(row->start_sectors == start && row->length_sectors);
		start += row->length_sectors;
		CLAIM(start > row->start_sectors);
		CLAIM(row->target && lea_name_ok(row->target) && row->params);
		check_params(row->params, node_count);
	}
}

static void check_node(const struct lea_plan_node *plan_node)
{
	const struct lea_dm_node *node = &plan_node->node;

	CLAIM(lea_name_ok(node->name) && strlen(node->name) < 128);
	CLAIM(!strncmp(node->uuid, "LVM-", 4) && fuzz_is_plain(node->uuid) &&
	      !strchr(node->uuid, '/') && strlen(node->uuid) < 129);
	CLAIM(!node->link_vg || (lea_name_ok(node->link_vg) && lea_name_ok(node->link_lv)));
}

/* Each node is created once, and all its other steps follow. */
static void check_steps(const struct lea_plan *plan, const struct lea_plan_lv *lv, bool *made)
{
	for (uint32_t i = 0; i < lv->step_count; i++) {
		const struct lea_plan_step *step = &plan->step[lv->first_step + i];

		CLAIM(step->node < plan->node_count && step->part < plan->node_count);
		if (step->kind == LEA_STEP_CHECK) {
			CLAIM(made[step->part] && !made[step->node]);
			continue;
		}
		CLAIM(made[step->node] == (step->kind != LEA_STEP_MAKE));
		made[step->node] = true;
		if (step->kind == LEA_STEP_MAKE) {
			check_node(&plan->node[step->node]);
			check_table(&plan->node[step->node].table, plan->node_count);
		}
	}
}

static void check_plan(const struct lea_vg *vg, const struct lea_plan *plan)
{
	bool *made = calloc((size_t)plan->node_count + 1, sizeof(*made));
	uint32_t steps = 0;

	CLAIM(made);
	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const struct lea_plan_lv *lv = &plan->lv[i];

		CLAIM(!lv->refusal || fuzz_is_plain(lv->refusal));
		CLAIM(lv->selected == LEA_SELECTED || !lv->step_count);
		CLAIM(!lv->step_count || lv->first_step == steps);
		steps += lv->step_count;
		CLAIM(steps <= plan->step_count);
		CLAIM(lv->selected != LEA_SELECTED || lv->top == LEA_NONE ||
		      lv->top < plan->node_count);
		check_steps(plan, lv, made);
	}
	CLAIM(steps == plan->step_count);
	free(made);
}

static struct lea_plan_rules rules_from(struct fuzz_in *in)
{
	static const char *const items[] = {"vg", "vg/lv", "@tag", "@*"};
	const uint8_t bits = fuzz_u8(in), list = fuzz_u8(in);
	const struct lea_volume_list some = {.item = items + list % 4, .count = 1, .defined = true};
	struct lea_plan_rules rules = {
		.mode = (enum lea_plan_mode)(fuzz_u8(in) % 3),
		.use_linear_target = !(bits & 1),
		.page_bytes = 4096U << (bits >> 1 & 3),
		.readahead_auto = !(bits & 8),
		.udev_rules = !(bits & 16),
		.udev_fallback = bits & 32,
		.check_thin = bits & 1,
		.check_cache = bits & 2,
		.thin_threshold_percent = list,
		.filler = (enum lea_filler)(list % 3),
		.compat = lea_compat_of(bits & 4 ? 0 : 180U + list / 4),
		.select = {.automatic = bits & 64, .ignore_skip = bits & 128},
	};

	if (list & 4)
		rules.select.auto_list = some;
	if (list & 8)
		rules.select.volume_list = some;
	if (list & 16)
		rules.select.read_only_list = some;
	return rules;
}

static struct lea_plan_pv *place_pvs(struct lea_arena *arena, const struct lea_vg *vg,
				     struct fuzz_in *in)
{
	struct lea_plan_pv *pvs = lea_arena_alloc(arena, vg->pv_count, sizeof(*pvs));
	const uint32_t missing = fuzz_u32(in);

	CLAIM(pvs);
	for (uint32_t i = 0; i < vg->pv_count; i++)
		pvs[i] = (struct lea_plan_pv){.is_present = !(missing >> i % 32 & 1),
					      .major = 259,
					      .minor = UINT32_MAX - i,
					      .read_ahead_sectors = 256U << i % 24};
	return pvs;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct lea_arena *arena = lea_arena_new(ARENA_BYTES);
	const size_t text_at = size < OPTION_BYTES ? size : OPTION_BYTES;
	struct fuzz_in in = {data, text_at};
	const struct lea_plan_rules rules = rules_from(&in);
	struct lea_plan *plan = NULL;
	struct lea_vg *vg = NULL;
	int r;

	r = lea_vg_parse(arena, (const char *)data + text_at, size - text_at, NULL, &vg);
	if (!r) {
		r = lea_plan_vg(arena, vg, place_pvs(arena, vg, &in), &rules, &plan);
		CLAIM(r == 0 || r == LEA_PLAN_DELEGATE);
		if (r)
			CLAIM(plan->delegate_reason && fuzz_is_plain(plan->delegate_reason));
		else
			check_plan(vg, plan);
	}
	lea_arena_free(arena);
	return 0;
}
