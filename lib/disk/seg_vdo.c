/* SPDX-License-Identifier: GPL-2.0-or-later */
/* VDO pools and the LVs in them. Keys that matter only when a pool is formatted are not read. */
#include "base/text.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <errno.h>

#define SMALL_BLOCK 512U
#define LARGE_BLOCK 4096U
#define MAX_MIB	    (16U << 20) /* 16 TiB */

static int parse_block(struct lea_vg_parser *parser, const struct lea_text *first,
		       struct lea_seg_vdo_pool *own)
{
	int r = lea_vg_need_u32(parser, first,
				LEA_VG_FIELD("minimum_io_size", SMALL_BLOCK, LARGE_BLOCK),
				&own->block_bytes);

	if (!r && own->block_bytes != SMALL_BLOCK && own->block_bytes != LARGE_BLOCK)
		r = lea_vg_refuse(parser, "impossible minimum_io_size");
	return r;
}

/* Each key is written only if the feature is on. */
static int parse_switches(struct lea_vg_parser *parser, const struct lea_text *first,
			  struct lea_seg_vdo_pool *own)
{
	uint32_t compression = 0, deduplication = 0;
	int r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("use_compression", 0, 1), &compression);

	if (!r)
		r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("use_deduplication", 0, 1),
				    &deduplication);
	own->compresses = compression != 0;
	own->deduplicates = deduplication != 0;
	return r;
}

static int parse_numbers(struct lea_vg_parser *parser, const struct lea_text *first,
			 struct lea_seg_vdo_pool *own)
{
	const struct {
		struct lea_vg_field field;
		uint32_t *value;
	} rows[] = {
		{*LEA_VG_FIELD("header_size", 0, UINT32_MAX), &own->header_sectors},
		{*LEA_VG_FIELD("virtual_extents", 1, UINT32_MAX), &own->virtual_extents},
		{*LEA_VG_FIELD("block_map_cache_size_mb", 1, MAX_MIB), &own->cache_mib},
		{*LEA_VG_FIELD("block_map_era_length", 0, UINT32_MAX), &own->era_length},
		{*LEA_VG_FIELD("max_discard", 0, UINT32_MAX), &own->max_discard},
		{*LEA_VG_FIELD("ack_threads", 0, UINT32_MAX), &own->ack_threads},
		{*LEA_VG_FIELD("bio_threads", 0, UINT32_MAX), &own->bio_threads},
		{*LEA_VG_FIELD("bio_rotation", 0, UINT32_MAX), &own->bio_rotation},
		{*LEA_VG_FIELD("cpu_threads", 0, UINT32_MAX), &own->cpu_threads},
		{*LEA_VG_FIELD("hash_zone_threads", 0, UINT32_MAX), &own->hash_threads},
		{*LEA_VG_FIELD("logical_threads", 0, UINT32_MAX), &own->logical_threads},
		{*LEA_VG_FIELD("physical_threads", 0, UINT32_MAX), &own->physical_threads},
	};
	int r = 0;

	for (size_t i = 0; !r && i < ARRAY_SIZE(rows); i++)
		r = lea_vg_need_u32(parser, first, &rows[i].field, rows[i].value);
	return r;
}

static int parse_pool(struct lea_vg_parser *parser, const struct lea_text *first,
		      struct lea_lv_seg *seg)
{
	struct lea_seg_vdo_pool *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.vdo_pool = own;
	r = lea_vg_need_lv(parser, first, "data", &own->data);
	r = r ? r : parse_block(parser, first, own);
	r = r ? r : parse_switches(parser, first, own);
	return r ? r : parse_numbers(parser, first, own);
}

static int claim_pool(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	lea_vg_claim(parser, seg->own.vdo_pool->data, LEA_ROLE_VDO_DATA, lv);
	return 0;
}

static uint32_t part_of_pool(const struct lea_lv_seg *seg, uint32_t i)
{
	return i == 0 ? seg->own.vdo_pool->data : LEA_NONE;
}

static int parse_vdo(struct lea_vg_parser *parser, const struct lea_text *first,
		     struct lea_lv_seg *seg)
{
	struct lea_seg_vdo *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.vdo = own;
	r = lea_vg_need_lv(parser, first, "vdo_pool", &own->pool);
	return r ? r
		 : lea_vg_need_u32(parser, first, LEA_VG_FIELD("vdo_offset", 0, UINT32_MAX),
				   &own->first_extent);
}

/* Checks the range in the pool's virtual space, which no area describes. */
static int claim_vdo(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	const struct lea_seg_vdo *own = seg->own.vdo;
	const struct lea_lv *pool = &parser->vg->lvs[own->pool];

	(void)lv;
	if (!lea_vg_is_of(parser, own->pool, LEA_FAMILY_VDO_POOL))
		return lea_vg_refuse(parser, "VDO LV in an LV that is not a VDO pool");
	if (pool->seg[0].segtype && (uint64_t)own->first_extent + seg->extent_count >
					    pool->seg[0].own.vdo_pool->virtual_extents)
		return lea_vg_refuse(parser, "VDO LV beyond the end of its pool");
	return 0;
}

static uint32_t part_of_vdo(const struct lea_lv_seg *seg, uint32_t i)
{
	return i == 0 ? seg->own.vdo->pool : LEA_NONE;
}

const struct lea_segtype lea_segtype_vdo_pool = {
	.name = "vdo-pool",
	.family = LEA_FAMILY_VDO_POOL,
	.parse = parse_pool,
	.claim = claim_pool,
	.part = part_of_pool,
	.watched = LEA_WATCHED_VDO,
	.is_alone = true,
};
const struct lea_segtype lea_segtype_vdo = {
	.name = "vdo",
	.family = LEA_FAMILY_VDO,
	.parse = parse_vdo,
	.claim = claim_vdo,
	.part = part_of_vdo,
};
