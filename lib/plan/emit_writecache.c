/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write caches: the whole fast LV, and the origin. The kernel uses another mode on persistent
 * memory.
 */
#include "plan/emit.h"

#include "disk/segments.h"

#include <inttypes.h>
#include <string.h>

/* Does the LV lie only on persistent memory? */
static bool is_on_pmem(const struct lea_emit *emit, const struct lea_lv *lv)
{
	for (uint32_t s = 0; s < lv->seg_count; s++) {
		const struct lea_lv_seg *seg = &lv->seg[s];

		if (!seg->area_count)
			return false;
		for (uint32_t i = 0; i < seg->area_count; i++)
			if (seg->area[i].pv == LEA_NONE || !emit->pvs[seg->area[i].pv].is_pmem)
				return false;
	}
	return true;
}

/* Number of words in the options. */
static uint32_t count_words(const struct lea_seg_writecache *own)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < own->option_count; i++)
		count += strchr(own->option[i], ' ') ? 2 : 1;
	return count;
}

static int emit_writecache(struct lea_emit *emit, const struct lea_emit_seg *at,
			   struct lea_row *row, struct lea_words *words)
{
	const struct lea_seg_writecache *own = at->seg->own.writecache;
	uint32_t fast, origin;
	int r = lea_plan_require(emit, own->fast, LEA_LAYER_NONE, &fast);

	(void)row;
	r = r ? r : lea_plan_require(emit, own->origin, LEA_LAYER_NONE, &origin);
	if (r)
		return r;
	lea_words_add(words, "%c @%" PRIu32 " @%" PRIu32 " %" PRIu32 " %" PRIu32,
		      is_on_pmem(emit, &emit->vg->lvs[own->fast]) ? 'p' : 's', origin, fast,
		      own->block_bytes, count_words(own));
	for (uint32_t i = 0; i < own->option_count; i++)
		lea_words_add(words, " %s", own->option[i]);
	return 0;
}

const struct lea_emitter lea_emit_writecache = {
	.type = "writecache",
	.emit = emit_writecache,
	.target = "writecache",
	.degraded_ok = lea_emit_degraded_never_ok,
};
