/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of areas: pieces of PVs or of other LVs. */
#include "disk/vg_parser.h"

#include <errno.h>

/* One pair of the list: a name and the first extent. */
static int parse_area(struct lea_vg_parser *parser, const struct lea_value *name_value,
		      const struct lea_value *extent_value, struct lea_area *area)
{
	const char *name = name_value->string;
	int64_t extent;

	if (!name || !lea_value_int(extent_value, &extent) || extent < 0 || extent > UINT32_MAX)
		return lea_vg_refuse(parser, "malformed list of areas");
	area->extent = (uint32_t)extent;
	area->pv = lea_vg_name_index(&parser->pv_names, name);
	area->lv = area->pv == LEA_NONE ? lea_vg_name_index(&parser->lv_names, name) : LEA_NONE;
	if (area->pv == LEA_NONE && area->lv == LEA_NONE)
		return lea_vg_refuse(parser, "area on an unknown PV or LV");
	return 0;
}

int lea_vg_parse_areas(struct lea_vg_parser *parser, const struct lea_text *first,
		       const struct lea_vg_area_list *list, struct lea_lv_seg *seg)
{
	const struct lea_text *entry = lea_text_find(first, list->key);
	const struct lea_value *values = entry ? lea_text_values(entry) : NULL;
	struct lea_area *areas;
	uint64_t count = 0;
	uint32_t i;

	for (const struct lea_value *v = values; v; v = v->next)
		count++;
	/* Count the list before allocating: area_count alone could ask for any amount. */
	if (count != 2 * (uint64_t)seg->area_count)
		return lea_vg_refuse(parser, list->complaint);
	areas = lea_arena_alloc(parser->arena, seg->area_count, sizeof(*areas));
	if (!areas)
		return -ENOMEM;
	for (i = 0; i < seg->area_count; i++) {
		const struct lea_value *extent = values->next;
		int r = extent ? parse_area(parser, values, extent, &areas[i])
			       : lea_vg_refuse(parser, "malformed list of areas");

		if (r)
			return r;
		values = extent->next;
	}
	seg->area = areas;
	seg->area_extents = list->extents;
	return 0;
}
