/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Thin pools and the thin LVs in them. */
#include "base/text.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <errno.h>
#include <string.h>

#define MIN_CHUNK     128
#define MAX_CHUNK     2097152
#define MAX_DEVICE_ID 16777215

static int parse_discards(struct lea_vg_parser *parser, const struct lea_text *first,
			  enum lea_discards *ret_discards)
{
	static const char *const words[] = {
		[LEA_DISCARDS_IGNORE] = "ignore",
		[LEA_DISCARDS_NOPASSDOWN] = "nopassdown",
		[LEA_DISCARDS_PASSDOWN] = "passdown",
	};
	const char *text;

	*ret_discards = LEA_DISCARDS_IGNORE;
	if (lea_text_string(first, "discards", &text) == LEA_TEXT_ABSENT)
		return 0;
	for (size_t i = 0; !lea_text_string(first, "discards", &text) && i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], text)) {
			*ret_discards = (enum lea_discards)i;
			return 0;
		}
	return lea_vg_refuse(parser, "unknown kind of discards");
}

/* Sections inside are messages that the kernel's pool may not have received; lvm2 sends them and
 * then updates the metadata. */
static void look_for_messages(struct lea_vg_parser *parser, const struct lea_text *first)
{
	if (lea_vg_count_sections(first))
		lea_vg_delegate(parser, "a thin pool with unfinished changes");
}

static int parse_switches(struct lea_vg_parser *parser, const struct lea_text *first,
			  struct lea_seg_thin_pool *own)
{
	uint32_t zero = 0, crop = 0;
	int r;

	r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("zero_new_blocks", 0, UINT32_MAX), &zero);
	if (!r)
		r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("crop_metadata", 0, UINT32_MAX),
				    &crop);
	own->zero = zero != 0;
	own->crop = crop != 0;
	return r ? r : parse_discards(parser, first, &own->discards);
}

static int parse_pool(struct lea_vg_parser *parser, const struct lea_text *first,
		      struct lea_lv_seg *seg)
{
	struct lea_seg_thin_pool *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.thin_pool = own;
	r = lea_vg_need_lv(parser, first, "metadata", &own->metadata);
	r = r ? r : lea_vg_need_lv(parser, first, "pool", &own->data);
	if (!r)
		r = lea_vg_want_u64(parser, first, LEA_VG_FIELD("transaction_id", 0, INT64_MAX),
				    &own->transaction_id);
	if (!r)
		r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("chunk_size", MIN_CHUNK, MAX_CHUNK),
				    &own->chunk_sectors);
	look_for_messages(parser, first);
	return r ? r : parse_switches(parser, first, own);
}

static int claim_pool(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	lea_vg_claim(parser, seg->own.thin_pool->data, LEA_ROLE_THIN_DATA, lv);
	lea_vg_claim(parser, seg->own.thin_pool->metadata, LEA_ROLE_THIN_METADATA, lv);
	return 0;
}

static uint32_t part_of_pool(const struct lea_lv_seg *seg, uint32_t i)
{
	const struct lea_seg_thin_pool *own = seg->own.thin_pool;

	return i == 0 ? own->metadata : i == 1 ? own->data : LEA_NONE;
}

/* No LV lies on its origin, so a name without an LV is not a reason to refuse the VG. */
static uint32_t find_origin(const struct lea_vg_parser *parser, const struct lea_text *first)
{
	const char *name;

	return lea_text_string(first, "origin", &name)
		       ? LEA_NONE
		       : lea_vg_name_index(&parser->lv_names, name);
}

static int parse_thin(struct lea_vg_parser *parser, const struct lea_text *first,
		      struct lea_lv_seg *seg)
{
	struct lea_seg_thin *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.thin = own;
	own->origin = find_origin(parser, first);
	r = lea_vg_need_lv(parser, first, "thin_pool", &own->pool);
	if (!r)
		r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("device_id", 0, MAX_DEVICE_ID),
				    &own->device_id);
	r = r ? r : lea_vg_want_lv(parser, first, "external_origin", &own->external);
	return r ? r : lea_vg_want_lv(parser, first, "merge", &own->merge);
}

static int claim_thin(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	struct lea_lv *lvs = parser->vg->lvs;
	const struct lea_seg_thin *own = seg->own.thin;

	if (!lea_vg_is_of(parser, own->pool, LEA_FAMILY_THIN_POOL))
		return lea_vg_refuse(parser, "thin LV in an LV that is not a thin pool");
	if (own->external != LEA_NONE)
		lvs[own->external].is_external_origin = true;
	if (own->merge == LEA_NONE)
		return 0;
	if (!lea_vg_is_of(parser, own->merge, LEA_FAMILY_THIN))
		return lea_vg_refuse(parser, "thin LV that merges into an LV that is not thin");
	if (lvs[own->merge].merging_thin != LEA_NONE)
		lea_vg_delegate(parser, "two LVs merging into one");
	lvs[own->merge].merging_thin = lv;
	return 0;
}

static uint32_t part_of_thin(const struct lea_lv_seg *seg, uint32_t i)
{
	return i == 0 ? seg->own.thin->pool : i == 1 ? seg->own.thin->external : LEA_NONE;
}

static const char *const pool_flags[] = {"CROP_METADATA", NULL};

const struct lea_segtype lea_segtype_thin_pool = {
	.name = "thin-pool",
	.family = LEA_FAMILY_THIN_POOL,
	.flags = pool_flags,
	.parse = parse_pool,
	.claim = claim_pool,
	.watched = LEA_WATCHED_THIN,
	.part = part_of_pool,
	.is_alone = true,
};
const struct lea_segtype lea_segtype_thin = {
	.name = "thin",
	.family = LEA_FAMILY_THIN,
	.parse = parse_thin,
	.claim = claim_thin,
	.part = part_of_thin,
	.is_alone = true,
};
