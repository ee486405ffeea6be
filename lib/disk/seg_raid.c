/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RAID of all levels: images, most with a small metadata LV each. The list holds only names,
 * because images are used from their first extent on.
 */
#include "base/text.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <errno.h>
#include <string.h>

#define MAX_IMAGES     253U /* the kernel's limit */
#define DEFAULT_COPIES 2U

static const struct lea_raid_level levels[LEA_RAID_TYPES] = {
	{"raid0", "raid0", LEA_RAID_STRIPED, 0},
	{"raid0_meta", "raid0", LEA_RAID_STRIPED, 0},
	{"raid1", "raid1", LEA_RAID_MIRRORED, 0},
	{"raid10", "raid10", LEA_RAID_COPIES, 0},
	{"raid10_near", "raid10", LEA_RAID_COPIES, 0},
	{"raid4", "raid4", LEA_RAID_PARITY, 1},
	{"raid5", "raid5_ls", LEA_RAID_PARITY, 1},
	{"raid5_n", "raid5_n", LEA_RAID_PARITY, 1},
	{"raid5_la", "raid5_la", LEA_RAID_PARITY, 1},
	{"raid5_ls", "raid5_ls", LEA_RAID_PARITY, 1},
	{"raid5_ra", "raid5_ra", LEA_RAID_PARITY, 1},
	{"raid5_rs", "raid5_rs", LEA_RAID_PARITY, 1},
	{"raid6", "raid6_zr", LEA_RAID_PARITY, 2},
	{"raid6_nc", "raid6_nc", LEA_RAID_PARITY, 2},
	{"raid6_nr", "raid6_nr", LEA_RAID_PARITY, 2},
	{"raid6_zr", "raid6_zr", LEA_RAID_PARITY, 2},
	{"raid6_n_6", "raid6_n_6", LEA_RAID_PARITY, 2},
	{"raid6_la_6", "raid6_la_6", LEA_RAID_PARITY, 2},
	{"raid6_ls_6", "raid6_ls_6", LEA_RAID_PARITY, 2},
	{"raid6_ra_6", "raid6_ra_6", LEA_RAID_PARITY, 2},
	{"raid6_rs_6", "raid6_rs_6", LEA_RAID_PARITY, 2},
};

static const struct lea_raid_level *level_of(const char *type)
{
	const struct lea_raid_level *level = levels;

	while (strcmp(level->name, type) != 0)
		level++;
	return level;
}

/* Striped levels have stripe_count, the others device_count; never both. */
static int parse_count(struct lea_vg_parser *parser, const struct lea_text *first,
		       struct lea_seg_raid *own)
{
	const bool has_stripes = lea_text_find(first, "stripe_count") != NULL;

	if (has_stripes && lea_text_find(first, "device_count"))
		return lea_vg_refuse(parser, "both stripe_count and device_count");
	if (has_stripes && own->level->kind == LEA_RAID_STRIPED)
		return lea_vg_need_u32(parser, first, LEA_VG_FIELD("stripe_count", 1, MAX_IMAGES),
				       &own->count);
	return lea_vg_need_u32(parser, first,
			       LEA_VG_FIELD("device_count", own->level->parity + 1, MAX_IMAGES),
			       &own->count);
}

/* Keys that only levels with redundancy have. */
static int parse_sync(struct lea_vg_parser *parser, const struct lea_text *first,
		      struct lea_seg_raid *own)
{
	int r;

	r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("region_size", 1, UINT32_MAX),
			    &own->region_sectors);
	if (!r)
		r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("min_recovery_rate", 0, UINT32_MAX),
				    &own->min_recovery);
	if (!r)
		r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("max_recovery_rate", 0, UINT32_MAX),
				    &own->max_recovery);
	if (!r && own->level->kind == LEA_RAID_MIRRORED)
		r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("writebehind", 0, UINT32_MAX),
				    &own->write_behind);
	if (!r && own->level->kind == LEA_RAID_COPIES)
		r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("data_copies", 1, own->count),
				    &own->copies);
	return r;
}

static int parse_reshape(struct lea_vg_parser *parser, const struct lea_text *first,
			 const struct lea_lv_seg *seg, struct lea_seg_raid *own)
{
	int r = lea_vg_want_u32(parser, first, LEA_VG_FIELD("reshape_count", 0, UINT32_MAX),
				&own->reshape_extents);

	own->has_data_offset = lea_text_find(first, "data_offset") != NULL;
	if (!r)
		r = lea_vg_want_u64(parser, first, LEA_VG_FIELD("data_offset", 0, UINT32_MAX),
				    &own->data_offset_sectors);
	if (r)
		return r;
	if ((uint64_t)own->reshape_extents * (own->count - own->level->parity) >= seg->extent_count)
		return lea_vg_refuse(parser, "no room besides the reshape space");
	return 0;
}

/* The name of a metadata LV precedes the name of its image and is recognized by its form. */
static int add_name(struct lea_vg_parser *parser, const char *name, struct lea_seg_raid *own,
		    uint32_t *image)
{
	uint32_t lv = name ? lea_vg_name_index(&parser->lv_names, name) : LEA_NONE;

	if (lv == LEA_NONE)
		return lea_vg_refuse(parser, "RAID on an unknown LV");
	if (*image == own->count)
		return lea_vg_refuse(parser, "RAID with more images than it says");
	if (!strstr(name, "_rmeta_"))
		own->image[(*image)++] = lv;
	else if (own->metadata[*image] == LEA_NONE)
		own->metadata[*image] = lv;
	else
		return lea_vg_refuse(parser, "RAID image with metadata twice");
	own->part[own->part_count++] = lv;
	return 0;
}

static int parse_names(struct lea_vg_parser *parser, const struct lea_text *first,
		       struct lea_seg_raid *own)
{
	const bool is_bare = !strcmp(own->level->name, "raid0");
	const struct lea_text *list = lea_text_find(first, is_bare ? "raid0_lvs" : "raids");
	uint32_t *names = lea_arena_alloc(parser->arena, (size_t)own->count * 4, sizeof(*names));
	uint32_t image = 0;
	int r = 0;

	if (!names)
		return -ENOMEM;
	memset(names, 0xff, (size_t)own->count * 4 * sizeof(*names));
	own->image = names;
	own->metadata = names + own->count;
	own->part = names + 2 * (size_t)own->count;
	for (const struct lea_value *v = list ? lea_text_values(list) : NULL; v && !r; v = v->next)
		r = add_name(parser, v->string, own, &image);
	if (r)
		return r;
	if (image != own->count)
		return lea_vg_refuse(parser, "RAID with fewer images than it says");
	if (is_bare && own->part_count != own->count)
		return lea_vg_refuse(parser, "raid0 with metadata");
	return 0;
}

static int parse_raid(struct lea_vg_parser *parser, const struct lea_text *first,
		      struct lea_lv_seg *seg)
{
	struct lea_seg_raid *own = lea_arena_alloc(parser->arena, 1, sizeof(*own));
	int r;

	if (!own)
		return -ENOMEM;
	seg->own.raid = own;
	own->level = level_of(seg->type);
	own->copies = DEFAULT_COPIES;
	r = parse_count(parser, first, own);
	if (!r && own->level->kind != LEA_RAID_MIRRORED)
		r = lea_vg_need_u32(parser, first, LEA_VG_FIELD("stripe_size", 1, UINT32_MAX),
				    &seg->stripe_sectors);
	if (!r && own->level->kind != LEA_RAID_STRIPED)
		r = parse_sync(parser, first, own);
	r = r ? r : parse_reshape(parser, first, seg, own);
	return r ? r : parse_names(parser, first, own);
}

/* Extents that every image must have. */
static uint64_t image_extents(const struct lea_lv_seg *seg)
{
	const struct lea_seg_raid *own = seg->own.raid;
	const uint64_t whole = seg->extent_count -
			       (uint64_t)own->reshape_extents * (own->count - own->level->parity);

	switch (own->level->kind) {
	case LEA_RAID_MIRRORED:
		return whole;
	case LEA_RAID_COPIES:
		return (whole * own->copies + own->count - 1) / own->count;
	case LEA_RAID_STRIPED:
	case LEA_RAID_PARITY:
	default:
		return (whole + own->count - own->level->parity - 1) /
		       (own->count - own->level->parity);
	}
}

/* A visible, writable part: lvm2 died while it added or removed this part. */
static bool is_half_converted(const struct lea_lv *lv)
{
	return (lv->flags & LEA_FLAG_VISIBLE) && (lv->flags & LEA_FLAG_WRITE);
}

static int claim_raid(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg)
{
	const struct lea_seg_raid *own = seg->own.raid;
	const struct lea_lv *lvs = parser->vg->lvs;
	const uint64_t extents = image_extents(seg);
	uint32_t flags = 0;

	for (uint32_t i = 0; i < own->count; i++) {
		if (lvs[own->image[i]].extent_count < extents)
			return lea_vg_refuse(parser, "RAID image that is too small");
		if (is_half_converted(&lvs[own->image[i]]))
			lea_vg_delegate(parser, "RAID with a visible image");
		flags |= lvs[own->image[i]].flags;
		lea_vg_claim(parser, own->image[i], LEA_ROLE_RAID_IMAGE, lv);
		if (own->metadata[i] == LEA_NONE)
			continue;
		if (lvs[own->metadata[i]].flags & LEA_FLAG_VISIBLE)
			lea_vg_delegate(parser, "RAID with visible metadata");
		lea_vg_claim(parser, own->metadata[i], LEA_ROLE_RAID_METADATA, lv);
	}
	if ((flags & LEA_FLAG_DELTA_PLUS) && (flags & LEA_FLAG_DELTA_MINUS))
		lea_vg_delegate(parser, "RAID that grows and shrinks at once");
	return 0;
}

static uint32_t part_of_raid(const struct lea_lv_seg *seg, uint32_t i)
{
	const struct lea_seg_raid *own = seg->own.raid;

	return i < own->part_count ? own->part[i] : LEA_NONE;
}

/* dmeventd does not monitor levels without redundancy. */
#define RAID(name_, watched_)                                                                      \
	{                                                                                          \
		.name = (name_), .family = LEA_FAMILY_RAID, .flags = lea_vg_reshape_words,         \
		.parse = parse_raid, .claim = claim_raid, .part = part_of_raid,                    \
		.watched = (watched_), .is_alone = true,                                           \
	}

const struct lea_segtype lea_segtype_raid[LEA_RAID_TYPES] = {
	RAID("raid0", LEA_WATCHED_NOT),	       RAID("raid0_meta", LEA_WATCHED_NOT),
	RAID("raid1", LEA_WATCHED_RAID),       RAID("raid10", LEA_WATCHED_RAID),
	RAID("raid10_near", LEA_WATCHED_RAID), RAID("raid4", LEA_WATCHED_RAID),
	RAID("raid5", LEA_WATCHED_RAID),       RAID("raid5_n", LEA_WATCHED_RAID),
	RAID("raid5_la", LEA_WATCHED_RAID),    RAID("raid5_ls", LEA_WATCHED_RAID),
	RAID("raid5_ra", LEA_WATCHED_RAID),    RAID("raid5_rs", LEA_WATCHED_RAID),
	RAID("raid6", LEA_WATCHED_RAID),       RAID("raid6_nc", LEA_WATCHED_RAID),
	RAID("raid6_nr", LEA_WATCHED_RAID),    RAID("raid6_zr", LEA_WATCHED_RAID),
	RAID("raid6_n_6", LEA_WATCHED_RAID),   RAID("raid6_la_6", LEA_WATCHED_RAID),
	RAID("raid6_ls_6", LEA_WATCHED_RAID),  RAID("raid6_ra_6", LEA_WATCHED_RAID),
	RAID("raid6_rs_6", LEA_WATCHED_RAID),
};
