/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mirrors of the old kind, with a log on an LV or in memory. A pvmove in progress is also written
 * as a mirror, of the old and the new place.
 */
#include "base/text.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <errno.h>

static int parse_mirror(struct lea_vg_parser *parser, const struct lea_text *first,
			struct lea_lv_seg *seg)
{
	struct lea_seg_mirror *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.mirror = own;
	r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("mirror_count", 1, UINT32_MAX),
			    &seg->area_count);
	r = r ? r : lea_vg_want_lv(parser, first, "mirror_log", &own->log);
	if (!r)
		r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("region_size", 0, UINT32_MAX),
				    &own->region_sectors);
	if (!r)
		r = lea_vg_want_u32(parser, first,
				    LEA_VG_FIELD("extents_moved", 0, seg->extent_count),
				    &own->moved_extents);
	if (r)
		return r;
	return lea_vg_parse_areas(
		parser, first,
		&(struct lea_vg_area_list){"mirrors", "mirror_count is not the number of mirrors",
					   seg->extent_count},
		seg);
}

static int claim_mirror(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	const bool is_move = parser->vg->lvs[lv].flags & LEA_FLAG_PVMOVE;

	/* pvmove computes its own region size. */
	if (!is_move && !seg->own.mirror->region_sectors)
		return lea_vg_refuse(parser, "mirror without regions");
	if (is_move && (seg->area_count != 2 || seg->own.mirror->log != LEA_NONE))
		lea_vg_delegate(parser, "a move of an unknown form");
	for (uint32_t i = 0; i < seg->area_count; i++)
		if (seg->area[i].lv != LEA_NONE)
			lea_vg_claim(parser, seg->area[i].lv, LEA_ROLE_MIRROR_IMAGE, lv);
	if (seg->own.mirror->log != LEA_NONE)
		lea_vg_claim(parser, seg->own.mirror->log, LEA_ROLE_MIRROR_LOG, lv);
	return 0;
}

static uint32_t part_of_mirror(const struct lea_lv_seg *seg, uint32_t i)
{
	return i == 0 ? seg->own.mirror->log : LEA_NONE;
}

const struct lea_segtype lea_segtype_mirror = {
	.name = "mirror",
	.family = LEA_FAMILY_MIRROR,
	.parse = parse_mirror,
	.claim = claim_mirror,
	.watched = LEA_WATCHED_MIRROR,
	.part = part_of_mirror,
};
