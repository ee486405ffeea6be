/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linear and striped segments. lvm2 writes both as one type: a single stripe is linear. */
#include "plan/emit.h"

#include <inttypes.h>

#define SECTOR_BYTES 512U

/* Stripe size for the striped target; 0: use the linear target. */
static uint32_t chunk_sectors(const struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	if (seg->area_count > 1)
		return seg->stripe_sectors;
	/* The kernel accepts no stripe smaller than a page. */
	if (emit->rules->use_linear_target ||
	    (uint64_t)emit->vg->extent_sectors * SECTOR_BYTES < emit->rules->page_bytes)
		return 0;
	return emit->vg->extent_sectors;
}

static int emit_areas(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		      struct lea_words *words)
{
	const uint32_t chunk = chunk_sectors(emit, at->seg);
	int r = 0;

	row->target = chunk ? "striped" : "linear";
	if (chunk)
		lea_words_add(words, "%" PRIu32 " %" PRIu32, at->seg->area_count, chunk);
	for (uint32_t i = 0; !r && i < at->seg->area_count; i++)
		r = lea_emit_area(emit, at, i, words);
	return r;
}

/* Two full stripes; also for the single stripe that replaces linear. */
static uint64_t two_stripes(const struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	return 2 * (uint64_t)chunk_sectors(emit, seg) * seg->area_count;
}

const struct lea_emitter lea_emit_striped = {
	.type = "striped", .emit = emit_areas, .read_ahead_sectors = two_stripes};
const struct lea_emitter lea_emit_linear = {
	.type = "linear", .emit = emit_areas, .read_ahead_sectors = two_stripes};
