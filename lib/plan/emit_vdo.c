/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VDO pools and the LVs in them. The pool's virtual space has a reserved piece at both ends.
 * Source: tables of lvm2 2.03.31 with target 9.1 of Linux 6.12; the target accepts V4 since 8.2.
 */
#include "plan/emit.h"

#include "disk/segments.h"

#include <inttypes.h>

#define BLOCK_SECTORS  8U
#define BLOCKS_PER_MIB 256U

static const char *on_or_off(bool is_on)
{
	return is_on ? "on" : "off";
}

static void add_settings(const struct lea_seg_vdo_pool *own, struct lea_words *words)
{
	lea_words_add(words, " deduplication %s compression %s", on_or_off(own->deduplicates),
		      on_or_off(own->compresses));
	lea_words_add(words, " maxDiscard %" PRIu32 " ack %" PRIu32 " bio %" PRIu32,
		      own->max_discard, own->ack_threads, own->bio_threads);
	lea_words_add(words, " bioRotationInterval %" PRIu32 " cpu %" PRIu32, own->bio_rotation,
		      own->cpu_threads);
	lea_words_add(words, " hash %" PRIu32 " logical %" PRIu32 " physical %" PRIu32,
		      own->hash_threads, own->logical_threads, own->physical_threads);
}

static int emit_pool(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		     struct lea_words *words)
{
	const struct lea_seg_vdo_pool *own = at->seg->own.vdo_pool;
	uint32_t data;
	int r = lea_plan_require(emit, own->data, LEA_LAYER_NONE, &data);

	if (r)
		return r;
	row->length_sectors = (uint64_t)own->virtual_extents * emit->vg->extent_sectors +
			      2 * (uint64_t)own->header_sectors;
	lea_words_add(words,
		      "V4 " LEA_PLAN_DM_PATH "@%" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64
		      " %" PRIu32,
		      data, lea_emit_sectors(emit, own->data) / BLOCK_SECTORS, own->block_bytes,
		      (uint64_t)own->cache_mib * BLOCKS_PER_MIB, own->era_length);
	add_settings(own, words);
	return 0;
}

static int emit_vdo(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row,
		    struct lea_words *words)
{
	const struct lea_seg_vdo *own = at->seg->own.vdo;
	const struct lea_lv *pool = &emit->vg->lvs[own->pool];
	uint32_t node;
	int r = lea_plan_require_shared(emit, own->pool, LEA_LAYER_VPOOL, &node);

	(void)row;
	if (r)
		return r;
	lea_words_add(words, "@%" PRIu32 " %" PRIu64, node,
		      (uint64_t)own->first_extent * emit->vg->extent_sectors +
			      pool->seg[0].own.vdo_pool->header_sectors);
	return 0;
}

const struct lea_emitter lea_emit_vdo_pool = {
	.type = "vdo-pool",
	.emit = emit_pool,
	.target = "vdo",
	.degraded_ok = lea_emit_degraded_never_ok,
};
const struct lea_emitter lea_emit_vdo = {.type = "vdo", .emit = emit_vdo, .target = "linear"};
