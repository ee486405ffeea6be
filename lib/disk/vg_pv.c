/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The physical_volumes section, and the index of PVs by id. */
#include "disk/vg_parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int parse_sizes(struct lea_vg_parser *parser, const struct lea_text *first,
		       struct lea_pv *pv)
{
	int64_t pe_start, dev_size = 0;
	uint64_t pe_sectors;
	int r;

	r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("pe_count", 0, UINT32_MAX), &pv->pe_count);
	if (r)
		return r;
	if (lea_text_int(first, "pe_start", 0, INT64_MAX >> 9, &pe_start))
		return lea_vg_refuse(parser, "missing or impossible pe_start");
	if (lea_text_int(first, "dev_size", 0, INT64_MAX >> 9, &dev_size) == LEA_TEXT_MALFORMED)
		return lea_vg_refuse(parser, "impossible dev_size");
	/* The product of two 32-bit factors fits; the sum must be a valid position in bytes. */
	pe_sectors = (uint64_t)pv->pe_count * parser->vg->extent_sectors;
	if (pe_sectors > (uint64_t)(INT64_MAX >> 9) - (uint64_t)pe_start)
		return lea_vg_refuse(parser, "extents beyond any device");
	pv->pe_start_sectors = (uint64_t)pe_start;
	pv->dev_sectors = (uint64_t)dev_size;
	return 0;
}

static int parse_pv(struct lea_vg_parser *parser, const struct lea_text *section, struct lea_pv *pv)
{
	const struct lea_text *first = section->child;
	int r;

	pv->name = lea_arena_strdup(parser->arena, section->key);
	if (!pv->name)
		return -ENOMEM;
	r = lea_vg_need_id(parser, first, pv->id);
	r = r ? r : lea_vg_parse_flags(parser, first, LEA_VG_OBJECT_PV, &pv->flags);
	r = r ? r : lea_vg_copy_string(parser, first, "device", &pv->device_hint);
	r = r ? r : lea_vg_copy_strings(parser, first, "tags", &pv->tags);
	return r ? r : parse_sizes(parser, first, pv);
}

static int compare_ids(const void *a, const void *b, void *pvs)
{
	const struct lea_pv *pv = pvs;

	return strcmp(pv[*(const uint32_t *)a].id, pv[*(const uint32_t *)b].id);
}

static int index_ids(struct lea_vg_parser *parser)
{
	struct lea_vg *vg = parser->vg;
	uint32_t *by_id = lea_arena_alloc(parser->arena, vg->pv_count, sizeof(*by_id));

	if (!by_id)
		return -ENOMEM;
	for (uint32_t i = 0; i < vg->pv_count; i++)
		by_id[i] = i;
	qsort_r(by_id, vg->pv_count, sizeof(*by_id), compare_ids, vg->pvs);
	for (uint32_t i = 1; i < vg->pv_count; i++)
		if (!strcmp(vg->pvs[by_id[i - 1]].id, vg->pvs[by_id[i]].id))
			return lea_vg_refuse(parser, "two PVs of one id");
	vg->pvs_by_id = by_id;
	return 0;
}

static int index_names(struct lea_vg_parser *parser)
{
	const struct lea_vg *vg = parser->vg;
	const char **names = lea_arena_alloc(parser->arena, vg->pv_count, sizeof(*names));

	if (!names)
		return -ENOMEM;
	for (uint32_t i = 0; i < vg->pv_count; i++)
		names[i] = vg->pvs[i].name;
	return lea_vg_index_names(parser, names, vg->pv_count, "two PVs of one name",
				  &parser->pv_names);
}

int lea_vg_parse_pvs(struct lea_vg_parser *parser, const struct lea_text *section)
{
	const struct lea_text *first = section->child;
	struct lea_vg *vg = parser->vg;
	uint32_t i = 0;
	int r = 0;

	vg->pv_count = lea_vg_count_sections(first);
	if (!vg->pv_count)
		return lea_vg_refuse(parser, "VG without PVs");
	vg->pvs = lea_arena_alloc(parser->arena, vg->pv_count, sizeof(*vg->pvs));
	if (!vg->pvs)
		return -ENOMEM;
	for (; first && !r; first = first->next)
		if (lea_text_is_section(first))
			r = parse_pv(parser, first, &vg->pvs[i++]);
	r = r ? r : index_ids(parser);
	return r ? r : index_names(parser);
}
