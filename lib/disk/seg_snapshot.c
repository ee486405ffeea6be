/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classic snapshots. The segment belongs to a hidden LV that links the origin with the COW LV,
 * which users see as the snapshot and which stores the changed chunks.
 */
#include "base/text.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <errno.h>

static int parse_snapshot(struct lea_vg_parser *parser, const struct lea_text *first,
			  struct lea_lv_seg *seg)
{
	struct lea_seg_snapshot *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	own->is_merging = lea_text_find(first, "merging_store") != NULL;
	if (own->is_merging && lea_text_find(first, "cow_store"))
		return lea_vg_refuse(parser, "snapshot with two stores");
	r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("chunk_size", 1, UINT32_MAX),
			    &own->chunk_sectors);
	r = r ? r : lea_vg_need_lv(parser, first, "origin", &own->origin);
	if (!r)
		r = lea_vg_need_lv(parser, first, own->is_merging ? "merging_store" : "cow_store",
				   &own->cow);
	seg->own.snapshot = own;
	return r;
}

/* LVs are visited from last to first, so that the list is in the order of the text. */
static int claim_snapshot(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	struct lea_seg_snapshot *own = seg->own.snapshot;
	struct lea_lv *origin = &parser->vg->lvs[own->origin];

	lea_vg_claim(parser, lv, LEA_ROLE_SNAPSHOT, lv);
	lea_vg_claim(parser, own->cow, LEA_ROLE_COW, lv);
	parser->vg->lvs[own->cow].cow = own;
	own->next = origin->snapshots;
	origin->snapshots = own;
	return 0;
}

const struct lea_segtype lea_segtype_snapshot = {
	.name = "snapshot",
	.family = LEA_FAMILY_SNAPSHOT,
	.parse = parse_snapshot,
	.claim = claim_snapshot,
	.is_alone = true,
};
