/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The logical_volumes section. References go forwards and backwards, so all names are collected
 * before the first segment is read.
 */
#include "base/id.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_MINOR	1048575
#define MAX_MAJOR	4095
#define MAX_VG_LV_CHARS 124U /* VG and LV name together */
#define MAX_TYPE_CHARS	127U

/* Every key by which a segment of any type names another LV. */
static const char *const reference_keys[] = {
	"stripes",  "mirrors",	 "raids",      "raid0_lvs",	  "mirror_log", "origin",
	"pool",	    "data",	 "metadata",   "cow_store",	  "merge",	"merging_store",
	"meta_dev", "thin_pool", "cache_pool", "external_origin", "vdo_pool",	"writecache",
};

/* A thin snapshot may have many ancestors but lies on none of them. */
static bool is_history(const struct lea_lv_seg *seg, const char *key)
{
	return !strcmp(seg->type, "thin") && (!strcmp(key, "origin") || !strcmp(key, "merge"));
}

static bool is_area_list(const char *key)
{
	return !strcmp(key, "stripes") || !strcmp(key, "mirrors");
}

static int add_edge(struct lea_vg_parser *parser, uint32_t from, uint32_t to, bool history)
{
	struct lea_vg_edge *edge;

	/* The segment type itself checks names that match no LV. */
	if (to == LEA_NONE)
		return 0;
	edge = lea_arena_alloc(parser->arena, 1, sizeof(*edge));
	if (!edge)
		return -ENOMEM;
	*edge = (struct lea_vg_edge){.to = to, .is_history = history, .next = parser->edges[from]};
	parser->edges[from] = edge;
	return 0;
}

static int add_references(struct lea_vg_parser *parser, const struct lea_text *first,
			  const struct lea_lv_seg *seg, uint32_t from)
{
	for (size_t i = 0; i < ARRAY_SIZE(reference_keys); i++) {
		const struct lea_text *entry = lea_text_find(first, reference_keys[i]);
		const struct lea_value *v = entry ? lea_text_values(entry) : NULL;

		for (; v; v = v->next) {
			const char *name = v->string;
			bool history = is_history(seg, reference_keys[i]);
			int r;

			/* In area lists, PV names take precedence over LV names. */
			if (!name || (is_area_list(reference_keys[i]) &&
				      lea_vg_name_index(&parser->pv_names, name) != LEA_NONE))
				continue;
			r = add_edge(parser, from, lea_vg_name_index(&parser->lv_names, name),
				     history);
			if (r)
				return r;
		}
	}
	return 0;
}

static bool is_known_flag(const struct lea_segtype *type, const char *flag, size_t len)
{
	for (const char *const *word = type->flags; word && *word; word++)
		if (strlen(*word) == len && !strncmp(*word, flag, len))
			return true;
	return false;
}

/* "raid5+RESHAPE": suffixes change what the type does, so the type must know each. They become
 * flags of the LV. */
static bool take_flags(const struct lea_segtype *type, const char *flags, struct lea_lv *lv)
{
	while (*flags == '+') {
		size_t len = strcspn(flags + 1, "+");

		if (!is_known_flag(type, flags + 1, len))
			return false;
		lv->flags |= lea_vg_flag_behind(flags + 1, len);
		flags += 1 + len;
	}
	return true;
}

static int parse_type(struct lea_vg_parser *parser, const struct lea_text *first, uint32_t lv,
		      struct lea_lv_seg *seg)
{
	const char *text;
	size_t len;

	if (lea_text_string(first, "type", &text))
		return lea_vg_refuse(parser, "segment without a type");
	len = strcspn(text, "+");
	if (!len || len > MAX_TYPE_CHARS)
		return lea_vg_refuse(parser, "impossible segment type");
	seg->type = lea_arena_printf(parser->arena, "%.*s", (int)len, text);
	if (!seg->type)
		return -ENOMEM;
	seg->segtype = lea_segtype_find(seg->type);
	if (!seg->segtype) {
		lea_vg_delegate(parser, "unknown segment type");
	} else if (!take_flags(seg->segtype, text + len, &parser->vg->lvs[lv])) {
		lea_vg_delegate(parser, "segment type with flags");
		seg->segtype = NULL;
	}
	return 0;
}

static int parse_segment(struct lea_vg_parser *parser, const struct lea_text *section, uint32_t lv,
			 struct lea_lv_seg *seg)
{
	const struct lea_text *first = section->child;
	int r;

	r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("start_extent", 0, UINT32_MAX),
			    &seg->start_extent);
	if (!r)
		r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("extent_count", 1, UINT32_MAX),
				    &seg->extent_count);
	r = r ? r : parse_type(parser, first, lv, seg);
	r = r ? r : add_references(parser, first, seg, lv);
	if (!r && seg->segtype)
		r = seg->segtype->parse(parser, first, seg);
	/* An origin is activated with its snapshots, so it needs their stores. */
	if (!r && seg->segtype && seg->segtype->family == LEA_FAMILY_SNAPSHOT)
		r = add_edge(parser, seg->own.snapshot->origin, seg->own.snapshot->cow, false);
	return r;
}

static int compare_starts(const void *a, const void *b)
{
	uint32_t x = ((const struct lea_lv_seg *)a)->start_extent;
	uint32_t y = ((const struct lea_lv_seg *)b)->start_extent;

	return (x > y) - (x < y);
}

/* Segments start at 0 and have no gaps; the sum is a valid number of extents. */
static int check_order(struct lea_vg_parser *parser, struct lea_lv *lv)
{
	uint64_t next = 0;

	for (uint32_t i = 0; i < lv->seg_count; i++) {
		if (lv->seg[i].start_extent != next)
			return lea_vg_refuse(parser, "gap or overlap between segments");
		next += lv->seg[i].extent_count;
	}
	if (next > UINT32_MAX)
		return lea_vg_refuse(parser, "LV of too many extents");
	lv->extent_count = (uint32_t)next;
	return 0;
}

static int parse_segments(struct lea_vg_parser *parser, const struct lea_text *first,
			  uint32_t index)
{
	struct lea_lv *lv = &parser->vg->lvs[index];
	struct lea_lv_seg *segs;
	uint32_t count = 0;
	int r;

	r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("segment_count", 1, UINT32_MAX),
			    &lv->seg_count);
	if (r)
		return r;
	if (lv->seg_count != lea_vg_count_sections(first))
		return lea_vg_refuse(parser, "segment_count is not the number of segments");
	segs = lea_arena_alloc(parser->arena, lv->seg_count, sizeof(*segs));
	if (!segs)
		return -ENOMEM;
	for (; first && !r; first = first->next)
		if (lea_text_is_section(first))
			r = parse_segment(parser, first, index, &segs[count++]);
	if (r)
		return r;
	qsort(segs, lv->seg_count, sizeof(*segs), compare_starts);
	lv->seg = segs;
	return check_order(parser, lv);
}

static int parse_fixed_number(struct lea_vg_parser *parser, const struct lea_text *first,
			      struct lea_lv *lv)
{
	int64_t major = 0, minor;

	if (!(lv->flags & LEA_FLAG_FIXED_MINOR))
		return 0;
	if (lea_text_int(first, "minor", INT64_MIN, INT64_MAX, &minor))
		return lea_vg_refuse(parser, "fixed minor without a minor");
	if (lea_text_int(first, "major", INT64_MIN, INT64_MAX, &major) == LEA_TEXT_MALFORMED)
		return lea_vg_refuse(parser, "malformed major");
	/* Impossible device numbers: lvm2 uses the next free number instead. */
	if (minor < 0 || minor > MAX_MINOR || major < -1 || major > MAX_MAJOR) {
		lv->flags &= ~(uint32_t)LEA_FLAG_FIXED_MINOR;
		return 0;
	}
	lv->minor = (uint32_t)minor;
	lv->major = major > 0 ? (uint32_t)major : 0;
	return 0;
}

static int parse_read_ahead(struct lea_vg_parser *parser, const struct lea_text *first,
			    struct lea_lv *lv)
{
	int64_t value;

	switch (lea_text_int(first, "read_ahead", -1, INT32_MAX, &value)) {
	case 0:
		lv->has_read_ahead = true;
		lv->read_ahead = (int32_t)value;
		return 0;
	case LEA_TEXT_ABSENT:
		return 0;
	default:
		return lea_vg_refuse(parser, "impossible read_ahead");
	}
}

static void delegate_by_flags(struct lea_vg_parser *parser, uint32_t flags)
{
	if (flags & LEA_FLAG_OTHER)
		lea_vg_delegate(parser, "LV status");
}

static int parse_lv(struct lea_vg_parser *parser, const struct lea_text *section, uint32_t index)
{
	const struct lea_text *first = section->child;
	struct lea_lv *lv = &parser->vg->lvs[index];
	int r;

	if (!lea_name_ok(lv->name) || strlen(lv->name) + strlen(parser->vg->name) > MAX_VG_LV_CHARS)
		return lea_vg_refuse(parser, "impossible LV name");
	r = lea_vg_need_id(parser, first, lv->id);
	r = r ? r : lea_vg_parse_flags(parser, first, LEA_VG_OBJECT_LV, &lv->flags);
	r = r ? r : lea_vg_copy_strings(parser, first, "tags", &lv->tags);
	r = r ? r : parse_fixed_number(parser, first, lv);
	r = r ? r : parse_read_ahead(parser, first, lv);
	if (r)
		return r;
	lv->allocation = lea_vg_parse_allocation(first);
	delegate_by_flags(parser, lv->flags);
	parser->vg->has_profile |= lea_text_find(first, "profile") != NULL;
	return parse_segments(parser, first, index);
}

/* Copies the names into the LVs, then into the sorted index. */
static int collect_names(struct lea_vg_parser *parser, const struct lea_text *first)
{
	struct lea_vg *vg = parser->vg;
	const char **names = lea_arena_alloc(parser->arena, vg->lv_count, sizeof(*names));
	uint32_t i = 0;

	if (!names)
		return -ENOMEM;
	for (; first; first = first->next) {
		if (!lea_text_is_section(first))
			continue;
		names[i] = lea_arena_strdup(parser->arena, first->key);
		if (!names[i])
			return -ENOMEM;
		vg->lvs[i].name = names[i];
		i++;
	}
	return lea_vg_index_names(parser, names, vg->lv_count, "two LVs of one name",
				  &parser->lv_names);
}

static int check_ids(struct lea_vg_parser *parser)
{
	const struct lea_vg *vg = parser->vg;
	const char **ids = lea_arena_alloc(parser->arena, vg->lv_count, sizeof(*ids));
	struct lea_vg_names sorted;

	if (!ids)
		return -ENOMEM;
	for (uint32_t i = 0; i < vg->lv_count; i++)
		ids[i] = vg->lvs[i].id;
	return lea_vg_index_names(parser, ids, vg->lv_count, "two LVs of one id", &sorted);
}

int lea_vg_parse_lvs(struct lea_vg_parser *parser, const struct lea_text *section)
{
	const struct lea_text *first = section->child;
	struct lea_vg *vg = parser->vg;
	uint32_t i = 0;
	int r;

	vg->lv_count = lea_vg_count_sections(first);
	if (!vg->lv_count)
		return 0;
	vg->lvs = lea_arena_alloc(parser->arena, vg->lv_count, sizeof(*vg->lvs));
	parser->edges = lea_arena_alloc(parser->arena, vg->lv_count, sizeof(struct lea_vg_edge *));
	if (!vg->lvs || !parser->edges)
		return -ENOMEM;
	r = collect_names(parser, first);
	for (; first && !r; first = first->next)
		if (lea_text_is_section(first))
			r = parse_lv(parser, first, i++);
	return r ? r : check_ids(parser);
}
