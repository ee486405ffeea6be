/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that need the whole VG. */
#include "disk/vg_parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Used extents [start, end) of one PV. */
struct use {
	uint32_t pv;
	uint64_t start, end;
};

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->pv != y->pv)
		return x->pv < y->pv ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static size_t count_areas(const struct lea_vg *vg)
{
	size_t count = 0;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		for (uint32_t j = 0; j < vg->lvs[i].seg_count; j++)
			count += vg->lvs[i].seg[j].area_count;
	return count;
}

static bool area_fits(const struct lea_vg *vg, const struct lea_area *area, uint64_t length)
{
	uint32_t total =
		area->pv != LEA_NONE ? vg->pvs[area->pv].pe_count : vg->lvs[area->lv].extent_count;

	return length <= total && area->extent <= total - length;
}

/* Appends the areas of @seg on PVs; false if an area ends beyond its PV or LV. */
static bool collect_uses(const struct lea_vg *vg, const struct lea_lv_seg *seg, struct use *uses,
			 size_t *count)
{
	const uint32_t length = seg->area_extents;

	for (uint32_t i = 0; i < seg->area_count; i++) {
		const struct lea_area *area = &seg->area[i];

		if (!area_fits(vg, area, length))
			return false;
		if (area->pv == LEA_NONE)
			continue;
		uses[(*count)++] = (struct use){.pv = area->pv,
						.start = area->extent,
						.end = (uint64_t)area->extent + length};
	}
	return true;
}

int lea_vg_check_extents(struct lea_vg_parser *parser)
{
	const struct lea_vg *vg = parser->vg;
	size_t areas = count_areas(vg), count = 0;
	struct use *uses;

	if (!areas)
		return 0;
	uses = lea_arena_alloc(parser->arena, areas, sizeof(*uses));
	if (!uses)
		return -ENOMEM;
	for (uint32_t i = 0; i < vg->lv_count; i++)
		for (uint32_t j = 0; j < vg->lvs[i].seg_count; j++)
			if (!collect_uses(vg, &vg->lvs[i].seg[j], uses, &count))
				return lea_vg_refuse(parser,
						     "segment beyond the end of its PV or LV");
	qsort(uses, count, sizeof(*uses), compare_uses);
	for (size_t i = 1; i < count; i++)
		if (uses[i - 1].pv == uses[i].pv && uses[i].start < uses[i - 1].end)
			return lea_vg_refuse(parser, "extent used twice");
	return 0;
}

enum colour { COLOUR_NEW, COLOUR_OPEN, COLOUR_DONE };

/* The walk down from one LV. The stack is explicit because the text determines the depth. */
struct walk {
	unsigned char *colour;	   /* [lv_count] */
	uint32_t *path;		   /* [lv_count] */
	struct lea_vg_edge **left; /* [lv_count]: references still to follow */
	uint32_t *height;	   /* [lv_count]: number of LVs below, along the longest path */
};

/* Updates the height of @lv by a reference whose target has been walked. */
static void grow(struct walk *walk, uint32_t lv, const struct lea_vg_edge *edge)
{
	if (!edge->is_history && walk->height[edge->to] >= walk->height[lv])
		walk->height[lv] = walk->height[edge->to] + 1;
}

static bool reaches_itself(struct walk *walk, uint32_t start)
{
	uint32_t depth = 0;

	walk->path[depth++] = start;
	walk->colour[start] = COLOUR_OPEN;
	while (depth) {
		uint32_t lv = walk->path[depth - 1];
		struct lea_vg_edge *edge = walk->left[lv];

		if (!edge) {
			walk->colour[lv] = COLOUR_DONE;
			depth--;
			continue;
		}
		if (walk->colour[edge->to] == COLOUR_OPEN)
			return true;
		if (walk->colour[edge->to] == COLOUR_DONE) {
			grow(walk, lv, edge);
			walk->left[lv] = edge->next;
			continue;
		}
		walk->colour[edge->to] = COLOUR_OPEN;
		walk->path[depth++] = edge->to;
	}
	return false;
}

int lea_vg_check_cycles(struct lea_vg_parser *parser)
{
	uint32_t count = parser->vg->lv_count;
	struct walk walk = {.left = parser->edges};

	if (!count)
		return 0;
	walk.colour = lea_arena_alloc(parser->arena, count, sizeof(*walk.colour));
	walk.path = lea_arena_alloc(parser->arena, count, sizeof(*walk.path));
	walk.height = lea_arena_alloc(parser->arena, count, sizeof(*walk.height));
	if (!walk.colour || !walk.path || !walk.height)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		if (walk.colour[i] == COLOUR_NEW && reaches_itself(&walk, i))
			return lea_vg_refuse(parser, "LVs that refer to each other in a circle");
		if (walk.height[i] > LEA_VG_MAX_DEPTH)
			return lea_vg_refuse(parser, "LVs nested too deeply");
	}
	return 0;
}
