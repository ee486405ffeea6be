/* SPDX-License-Identifier: GPL-2.0-or-later */
/* linear and striped: one or several areas, usually on PVs. */
#include "disk/segtype.h"
#include "disk/vg_parser.h"

static int parse_striped(struct lea_vg_parser *parser, const struct lea_text *first,
			 struct lea_lv_seg *seg)
{
	int r;

	r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("stripe_count", 1, UINT32_MAX),
			    &seg->area_count);
	if (r)
		return r;
	if (seg->area_count > 1)
		r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("stripe_size", 1, UINT32_MAX),
				    &seg->stripe_sectors);
	if (r)
		return r;
	if (seg->extent_count % seg->area_count)
		return lea_vg_refuse(parser, "extents don't divide by the number of stripes");
	return lea_vg_parse_areas(
		parser, first,
		&(struct lea_vg_area_list){"stripes", "stripe_count is not the number of stripes",
					   seg->extent_count / seg->area_count},
		seg);
}

/* Parts of a RAID LV carry reshape flags as suffixes of their type. */
const struct lea_segtype lea_segtype_striped = {
	.name = "striped", .parse = parse_striped, .flags = lea_vg_reshape_words};
const struct lea_segtype lea_segtype_linear = {
	.name = "linear", .parse = parse_striped, .flags = lea_vg_reshape_words};
