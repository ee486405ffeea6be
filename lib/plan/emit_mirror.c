/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mirrors of the old kind. A pvmove consists of them and works on one segment at a time: earlier
 * segments are at the new place, later ones at the old place.
 */
#include "plan/emit.h"

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

/* The configured size, or what fits into the segment; always a power of two. */
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
	return lea_seg_mirror_is_moved(seg->own.mirror, seg->extent_count);
}

/* Is this the segment that pvmove is working on, the first unfinished one? */
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
		r = lea_plan_require(emit, own->log, LEA_LAYER_NONE, &log);
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
