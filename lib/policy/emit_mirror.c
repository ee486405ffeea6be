/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mirrors of the old kind. A move is made of them, one segment at a time: what is moved already is
 * at its new place, what comes later still at the old one.
 */
#include "policy/emit.h"

#include "disk/segments.h"

#include <inttypes.h>

enum { OLD_PLACE, NEW_PLACE };

static int emit_at(struct lea_emit *emit, const struct lea_emit_seg *at, uint32_t area,
		   struct lea_row *row, struct lea_words *words)
{
	row->target = "linear";
	return lea_emit_area(emit, at, area, words);
}

static int emit_legs(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_words *words)
{
	int r = 0;

	lea_words_add(words, " %" PRIu32, at->seg->area_count);
	for (uint32_t i = 0; !r && i < at->seg->area_count; i++)
		r = lea_emit_area(emit, at, i, words);
	return r;
}

/* The configured size, or what fits into the segment; a power of two in any case. */
static uint64_t move_region(const struct lea_emit *emit, const struct lea_row *row)
{
	uint64_t most = emit->rules->region_sectors, region = 1;

	if (row->length_sectors < most)
		most = row->length_sectors;
	while (region <= most / 2)
		region *= 2;
	return region;
}

static bool is_moved(const struct lea_lv_seg *seg)
{
	return seg->own.mirror->moved_extents == seg->extent_count;
}

/* Does the move work at this segment now? It does at the first that is not done. */
static bool is_next(const struct lea_emit *emit, const struct lea_emit_seg *at)
{
	const struct lea_lv *lv = &emit->vg->lvs[at->lv];

	return at->index == 0 || is_moved(&lv->seg[at->index - 1]);
}

static int emit_move(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		     struct lea_words *words)
{
	if (is_moved(at->seg))
		return emit_at(emit, at, NEW_PLACE, row, words);
	if (!is_next(emit, at))
		return emit_at(emit, at, OLD_PLACE, row, words);
	lea_words_add(words, "core 1 %" PRIu64, move_region(emit, row));
	return emit_legs(emit, at, words);
}

static int emit_mirror(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		       struct lea_words *words)
{
	const struct lea_seg_mirror *own = at->seg->own.mirror;
	uint32_t log;
	int r = 0;

	if (emit->vg->lvs[at->lv].flags & LEA_FLAG_PVMOVE)
		return emit_move(emit, at, row, words);
	if (at->seg->area_count == 1)
		return emit_at(emit, at, 0, row, words);
	if (own->log == LEA_NONE) {
		lea_words_add(words, "core 1 %" PRIu32, own->region_sectors);
	} else {
		r = lea_emit_need(emit, own->log, LEA_LAYER_NONE, &log);
		if (r)
			return r;
		lea_words_add(words, "disk 2 @%" PRIu32 " %" PRIu32, log, own->region_sectors);
	}
	r = emit_legs(emit, at, words);
	if (!emit->rules->no_mirror_errors)
		lea_words_add(words, " 1 handle_errors");
	return r;
}

const struct lea_emitter lea_emit_mirror = {
	.type = "mirror", .emit = emit_mirror, .target = "mirror"};

static int emit_companion(struct lea_emit *emit, uint32_t lv)
{
	const bool is_read_only = emit->is_read_only;
	uint32_t node;
	int r;

	emit->is_read_only =
		lea_select_read_only(emit->vg, &emit->vg->lvs[lv], &emit->rules->select);
	r = lea_emit_need(emit, lv, LEA_LAYER_NONE, &node);
	emit->is_read_only = is_read_only;
	return r;
}

int lea_emit_companions(struct lea_emit *emit, uint32_t first)
{
	int r = 0;

	for (uint32_t i = first; !r && i < emit->plan->node_count; i++) {
		const struct lea_plan_node *node = &emit->plan->node[i];
		uint32_t lv =
			node->layer == LEA_LAYER_NONE ? emit->first_moved[node->lv] : LEA_NONE;

		for (; !r && lv != LEA_NONE; lv = emit->next_moved[lv])
			r = emit_companion(emit, lv);
	}
	return r;
}
