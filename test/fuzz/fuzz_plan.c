/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A metadata text to the tables that device-mapper would get: eight bytes of settings, then the
 * text. Nodes have names and uuids of plain characters, tables without gaps, parameters of one
 * line.
 */
#include "policy/plan.h"

#include "disk/name.h"
#include "fuzz/fuzz.h"

#include <string.h>

#define ARENA_BYTES  (64U << 20)
#define OPTION_BYTES 8U
/* Of one LV: itself and what lies below it in the deepest of lvm2's stacks. */
#define NODES_AN_LV  64U

const size_t fuzz_text_at = OPTION_BYTES;

static void check_row(const struct lea_row *row, uint64_t start)
{
	CLAIM(row->start_sectors == start && row->length_sectors);
	CLAIM(row->start_sectors + row->length_sectors > start);
	CLAIM(row->target && lea_name_ok(row->target));
	CLAIM(row->params && fuzz_is_plain(row->params));
}

static void check_node(const struct lea_plan_node *plan_node)
{
	const struct lea_dm_node *node = &plan_node->node;
	uint64_t start = 0;

	CLAIM(lea_name_ok(node->name) && strlen(node->name) < 128);
	CLAIM(!strncmp(node->uuid, "LVM-", 4) && fuzz_is_plain(node->uuid) &&
	      !strchr(node->uuid, '/') && strlen(node->uuid) < 129);
	CLAIM(!node->link_vg || (lea_name_ok(node->link_vg) && lea_name_ok(node->link_lv)));
	CLAIM(plan_node->table.row_count);
	for (uint32_t i = 0; i < plan_node->table.row_count; i++) {
		check_row(&plan_node->table.row[i], start);
		start += plan_node->table.row[i].length_sectors;
	}
}

static void check_plan(const struct lea_vg *vg, const struct lea_plan *plan)
{
	uint32_t nodes = 0;

	CLAIM(plan->node_count <= (uint64_t)vg->lv_count * NODES_AN_LV);
	for (uint32_t i = 0; i < plan->node_count; i++)
		check_node(&plan->node[i]);
	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const struct lea_plan_lv *lv = &plan->lv[i];

		CLAIM(!lv->refusal || (fuzz_is_plain(lv->refusal) && !lv->node_count));
		CLAIM(lv->first_node + lv->node_count <= plan->node_count);
		nodes += lv->node_count;
	}
	CLAIM(nodes <= plan->node_count);
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
