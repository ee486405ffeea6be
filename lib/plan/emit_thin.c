/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Thin pools and thin LVs. A tool checks the pool's metadata before the pool is created; afterwards
 * the pool's transaction id is compared.
 */
#include "plan/emit.h"

#include "disk/segments.h"

#include <inttypes.h>

#define MIN_THRESHOLD	     50U
#define WHOLE		     100U
#define MAX_METADATA_SECTORS 33161216U /* limit of the thin-pool target */

/* Number of free chunks at which the pool raises an event for its extension. */
static uint64_t low_water(const struct lea_emit *emit, const struct lea_emit_seg *at)
{
	const uint64_t sectors = (uint64_t)at->seg->extent_count * emit->vg->extent_sectors;
	uint64_t threshold = emit->rules->thin_threshold_percent;

	if (threshold < MIN_THRESHOLD)
		threshold = MIN_THRESHOLD;
	if (threshold >= WHOLE)
		return 0;
	return sectors / at->seg->own.thin_pool->chunk_sectors * (WHOLE - threshold) / WHOLE;
}

static void add_features(const struct lea_emit *emit, const struct lea_emit_seg *at,
			 struct lea_words *words)
{
	const struct lea_seg_thin_pool *own = at->seg->own.thin_pool;
	const bool fails = emit->vg->lvs[at->lv].flags & LEA_FLAG_ERROR_WHEN_FULL;
	const char *const features[] = {
		own->zero ? NULL : "skip_block_zeroing",
		own->discards == LEA_DISCARDS_IGNORE ? "ignore_discard" : NULL,
		own->discards == LEA_DISCARDS_NOPASSDOWN ? "no_discard_passdown" : NULL,
		fails ? "error_if_no_space" : NULL,
	};
	unsigned int count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		count += features[i] != NULL;
	lea_words_add(words, " %u", count);
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if (features[i])
			lea_words_add(words, " %s", features[i]);
}

/* Older lvm2 maps only the usable part of metadata longer than the limit. */
static void crop(struct lea_table *table)
{
	uint64_t left = MAX_METADATA_SECTORS;

	for (uint32_t i = 0; i < table->row_count; i++) {
		struct lea_row *row = &table->row[i];

		if (row->length_sectors > left)
			row->length_sectors = left;
		left -= row->length_sectors;
		if (!left)
			table->row_count = i + 1;
	}
}

static int emit_pool(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		     struct lea_words *words)
{
	const struct lea_seg_thin_pool *own = at->seg->own.thin_pool;
	uint32_t metadata, data;
	int r = lea_plan_require(emit, own->metadata, LEA_LAYER_NONE, &metadata);

	(void)row;
	r = r ? r : lea_plan_require(emit, own->data, LEA_LAYER_NONE, &data);
	if (!r && emit->rules->check_thin)
		r = lea_emit_step(emit,
				  &(struct lea_plan_step){LEA_STEP_CHECK, at->node, metadata, 0});
	if (r)
		return r;
	if (own->crop)
		crop(&emit->plan->node[metadata].table);
	lea_words_add(words, "@%" PRIu32 " @%" PRIu32 " %" PRIu32 " %" PRIu64, metadata, data,
		      own->chunk_sectors, low_water(emit, at));
	add_features(emit, at, words);
	return 0;
}

/* An LV into which a snapshot is being merged has the content of that snapshot. */
static uint32_t device_id(const struct lea_emit *emit, const struct lea_emit_seg *at)
{
	const uint32_t merging = emit->vg->lvs[at->lv].merging_thin;

	return merging == LEA_NONE ? at->seg->own.thin->device_id
				   : emit->vg->lvs[merging].seg[0].own.thin->device_id;
}

static int emit_thin(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		     struct lea_words *words)
{
	const struct lea_seg_thin *own = at->seg->own.thin;
	uint32_t pool, external;
	int r = 0;

	(void)row;
	if (own->external != LEA_NONE)
		r = lea_plan_require_shared(emit, own->external, LEA_LAYER_REAL, &external);
	r = r ? r : lea_plan_require_shared(emit, own->pool, LEA_LAYER_TPOOL, &pool);
	if (r)
		return r;
	lea_words_add(words, "@%" PRIu32 " %" PRIu32, pool, device_id(emit, at));
	if (own->external != LEA_NONE)
		lea_words_add(words, " @%" PRIu32, external);
	return 0;
}

const struct lea_emitter lea_emit_thin_pool = {
	.type = "thin-pool",
	.emit = emit_pool,
	.target = "thin-pool",
	.degraded_ok = lea_emit_degraded_never_ok,
};
const struct lea_emitter lea_emit_thin = {.type = "thin", .emit = emit_thin, .target = "thin"};
