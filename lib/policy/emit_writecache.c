/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Write caches: the fast LV whole, and the origin. On persistent memory the kernel takes another
 * way.
 */
#include "policy/emit.h"

#include "disk/segments.h"

#include <inttypes.h>
#include <string.h>

/* On persistent memory, and on nothing else. */
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

/* An option counts for as many words as it has. */
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
	int r = lea_emit_need(emit, own->fast, LEA_LAYER_NONE, &fast);

	(void)row;
	if (!r)
		r = lea_emit_need(emit, own->origin, LEA_LAYER_NONE, &origin);
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
	.bears = lea_emit_bears_nothing,
};
