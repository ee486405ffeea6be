/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of segment types that we activate natively. Segments of other types are kept in the VG
 * with segtype NULL, and the whole VG is handed over to lvm. Pure.
 */
#pragma once

#include "disk/vg.h"

struct lea_text;
struct lea_vg_parser;

enum lea_family {
	LEA_FAMILY_STRIPED, /* and linear */
	LEA_FAMILY_EMPTY,   /* error, zero: no device below */
	LEA_FAMILY_SNAPSHOT,
	LEA_FAMILY_THIN_POOL,
	LEA_FAMILY_THIN,
	LEA_FAMILY_CACHE_POOL,
	LEA_FAMILY_CACHE,
	LEA_FAMILY_WRITECACHE,
	LEA_FAMILY_RAID,
	LEA_FAMILY_MIRROR,
	LEA_FAMILY_INTEGRITY,
	LEA_FAMILY_VDO_POOL,
	LEA_FAMILY_VDO,
};

/* Which dmeventd plugin monitors LVs of this type. */
enum lea_watched {
	LEA_WATCHED_NOT,
	LEA_WATCHED_MIRROR,
	LEA_WATCHED_RAID,
	LEA_WATCHED_SNAPSHOT, /* monitors the COW LV, which may have any segment type */
	LEA_WATCHED_THIN,
	LEA_WATCHED_VDO,
};

struct lea_segtype {
	const char *name; /* as written in the metadata, without +FLAG suffixes */
	enum lea_family family;
	const char *const *flags; /* known suffixes, NULL-terminated; NULL: none */
	/*
	 * Reads the keys of this type from the section of the segment (@first: its first entry)
	 * into @seg, whose extents are set already. Returns 0, LEA_VG_REFUSED or -ENOMEM.
	 */
	int (*parse)(struct lea_vg_parser *parser, const struct lea_text *first,
		     struct lea_lv_seg *seg);
	/*
	 * Called when all LVs are read: assigns roles (lea_vg_claim) to the LVs that segment @seg
	 * of LV @lv refers to. NULL: no roles. Returns as parse.
	 */
	int (*claim)(struct lea_vg_parser *parser, uint32_t lv, const struct lea_lv_seg *seg);
	/* The @i-th LV (from 0) below the segment, apart from its areas; LEA_NONE: no more. NULL:
	 * no such LVs. */
	uint32_t (*part)(const struct lea_lv_seg *seg, uint32_t i);
	enum lea_watched watched;
	bool is_alone; /* an LV of this type has exactly one segment */
};

/* The family of an LV's first segment; LEA_FAMILY_STRIPED if it has none, or one of a type that is
 * not known. */
static inline enum lea_family lea_lv_family(const struct lea_lv *lv)
{
	return lv->seg_count && lv->seg[0].segtype ? lv->seg[0].segtype->family
						   : LEA_FAMILY_STRIPED;
}

/* lvm2 writes both as "striped"; "linear" is accepted as the same. */
extern const struct lea_segtype lea_segtype_striped, lea_segtype_linear;
extern const struct lea_segtype lea_segtype_error, lea_segtype_zero;
extern const struct lea_segtype lea_segtype_snapshot;
extern const struct lea_segtype lea_segtype_thin_pool, lea_segtype_thin;
extern const struct lea_segtype lea_segtype_cache_pool, lea_segtype_cache;
extern const struct lea_segtype lea_segtype_writecache;
extern const struct lea_segtype lea_segtype_mirror, lea_segtype_integrity;
extern const struct lea_segtype lea_segtype_vdo_pool, lea_segtype_vdo;

/* All levels and layouts. */
#define LEA_RAID_TYPES 21U
extern const struct lea_segtype lea_segtype_raid[LEA_RAID_TYPES];

/* The @i-th LV below a segment: first those of its areas (LEA_NONE for an area on a PV), then those
 * that its type names. LEA_NONE for @i >= seg->area_count: no more. */
uint32_t lea_seg_lv_below(const struct lea_lv_seg *seg, uint32_t i);

/* The row with this name, or NULL. */
const struct lea_segtype *lea_segtype_find(const char *name);
