/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linear and striped segments, which lvm2 writes as one type: one stripe is linear.
 */
#include "policy/emit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* " 4294967295:4294967295 18446744073709551615" */
#define AREA_CHARS   43U
#define HEAD_CHARS   24U
#define SECTOR_BYTES 512U

static int put_area(const struct lea_emit *emit, const struct lea_area *area, char *to,
		    size_t to_bytes)
{
	const struct lea_plan_pv *pv = &emit->pvs[area->pv];
	uint64_t sector;
	int r = lea_emit_area_sector(emit, area, &sector);

	if (r < 0)
		return r;
	return snprintf(to, to_bytes, " %" PRIu32 ":%" PRIu32 " %" PRIu64, pv->major, pv->minor,
			sector);
}

/* Stripe size of the striped target, 0: the linear one is meant. */
static uint32_t chunk_sectors(const struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	if (seg->area_count > 1)
		return seg->stripe_sectors;
	/* The kernel takes no stripe below a page. */
	if (emit->rules->use_linear_target ||
	    (uint64_t)emit->vg->extent_sectors * SECTOR_BYTES < emit->rules->page_bytes)
		return 0;
	return emit->vg->extent_sectors;
}

static int emit_areas(const struct lea_emit *emit, const struct lea_lv_seg *seg,
		      struct lea_row *row)
{
	const size_t bytes = HEAD_CHARS + (size_t)seg->area_count * AREA_CHARS + 1;
	char *params = lea_arena_alloc(emit->arena, bytes, 1);
	const uint32_t chunk = chunk_sectors(emit, seg);
	size_t used = 0;
	int r;

	if (!params)
		return -ENOMEM;
	if (chunk)
		used = (size_t)snprintf(params, bytes, "%" PRIu32 " %" PRIu32, seg->area_count,
					chunk);
	for (uint32_t i = 0; i < seg->area_count; i++) {
		r = put_area(emit, &seg->area[i], params + used, bytes - used);
		if (r < 0)
			return r;
		used += (size_t)r;
	}
	row->target = chunk ? "striped" : "linear";
	row->params = chunk ? params : params + 1; /* without the blank before the first area */
	return 0;
}

/* Two rounds over all stripes; the single stripe that stands for linear counts, too. */
static uint64_t two_stripes(const struct lea_emit *emit, const struct lea_lv_seg *seg)
{
	return 2 * (uint64_t)chunk_sectors(emit, seg) * seg->area_count;
}

const struct lea_emitter lea_emit_striped = {"striped", emit_areas, two_stripes};
const struct lea_emitter lea_emit_linear = {"linear", emit_areas, two_stripes};
