/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A volume group as described by its metadata text: arrays with counts in one arena, validated
 * names and ids, every reference resolved to an index. Pure.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_ID_CHARS 32U	/* a PV, VG or LV id without hyphens */
#define LEA_NONE     UINT32_MAX /* no such index */

/* Words of the status and flags lists, as bits; the same set for VG, PV and LV. */
enum lea_flag {
	LEA_FLAG_READ = 1U << 0,
	LEA_FLAG_WRITE = 1U << 1, /* WRITE or WRITE_LOCKED */
	LEA_FLAG_VISIBLE = 1U << 2,
	LEA_FLAG_RESIZEABLE = 1U << 3,
	LEA_FLAG_EXPORTED = 1U << 4,
	LEA_FLAG_CLUSTERED = 1U << 5,
	LEA_FLAG_NOAUTOACTIVATE = 1U << 6,
	LEA_FLAG_ALLOCATABLE = 1U << 7,
	LEA_FLAG_MISSING = 1U << 8,
	LEA_FLAG_FIXED_MINOR = 1U << 9,
	LEA_FLAG_PVMOVE = 1U << 10,
	LEA_FLAG_LOCKED = 1U << 11,
	LEA_FLAG_NOTSYNCED = 1U << 12,
	LEA_FLAG_REBUILD = 1U << 13,
	LEA_FLAG_WRITEMOSTLY = 1U << 14,
	LEA_FLAG_ACTIVATION_SKIP = 1U << 15,
	LEA_FLAG_ERROR_WHEN_FULL = 1U << 16,
	LEA_FLAG_CACHE_VOL = 1U << 17,
	LEA_FLAG_DELTA_PLUS = 1U << 18,	 /* a reshape adds this image */
	LEA_FLAG_DELTA_MINUS = 1U << 19, /* a reshape removes this image */
	LEA_FLAG_RESHAPE = 1U << 20,	 /* other words of a reshape */
	LEA_FLAG_OTHER = 1U << 31,	 /* a known word that does not matter for activation */
};

struct lea_strings {
	const char *const *item;
	uint32_t count;
};

struct lea_pv {
	const char *name; /* "pv0": only valid inside this text */
	char id[LEA_ID_CHARS + 1];
	const char *device_hint; /* NULL: none. Unchecked bytes: escape before printing */
	uint32_t flags;
	struct lea_strings tags;
	uint64_t dev_sectors; /* 0: not recorded */
	uint64_t pe_start_sectors;
	uint32_t pe_count;
};

/* One area of a segment: a piece of a PV or of an LV. Exactly one of the indexes is LEA_NONE. */
struct lea_area {
	uint32_t pv, lv; /* indexes into vg->pvs, vg->lvs */
	uint32_t extent; /* first PE or LE */
};

struct lea_segtype;
struct lea_text;
struct lea_seg_snapshot;
struct lea_seg_thin_pool;
struct lea_seg_thin;
struct lea_seg_cache_pool;
struct lea_seg_cache;
struct lea_seg_writecache;
struct lea_seg_raid;
struct lea_seg_mirror;
struct lea_seg_integrity;
struct lea_seg_vdo_pool;
struct lea_seg_vdo;

struct lea_lv_seg {
	uint32_t start_extent, extent_count;
	const char *type;		   /* as written, without +FLAG suffixes */
	const struct lea_segtype *segtype; /* NULL: a type that we don't activate natively */
	uint32_t stripe_sectors;	   /* 0: linear */
	uint32_t area_count;
	uint32_t area_extents; /* length of each area */
	const struct lea_area *area;
	/* Data of the segment's family (disk/segments.h); segtype->family selects the member. */
	union {
		struct lea_seg_snapshot *snapshot;
		const struct lea_seg_thin_pool *thin_pool;
		const struct lea_seg_thin *thin;
		const struct lea_seg_cache_pool *cache_pool;
		const struct lea_seg_cache *cache;
		const struct lea_seg_writecache *writecache;
		const struct lea_seg_raid *raid;
		const struct lea_seg_mirror *mirror;
		const struct lea_seg_integrity *integrity;
		const struct lea_seg_vdo_pool *vdo_pool;
		const struct lea_seg_vdo *vdo;
	} own;
};

/* The role of an LV in the LV that uses it. */
enum lea_lv_role {
	LEA_ROLE_NONE,
	LEA_ROLE_SNAPSHOT, /* snapshotN: links an origin and a COW LV; has no node of its own */
	LEA_ROLE_COW,	   /* the LV that users see as the snapshot */
	LEA_ROLE_THIN_DATA,
	LEA_ROLE_THIN_METADATA,
	LEA_ROLE_CACHE_POOL, /* has no node; its data and metadata LVs have */
	LEA_ROLE_CACHE_DATA,
	LEA_ROLE_CACHE_METADATA,
	LEA_ROLE_CACHE_VOLUME, /* of a cache or of a writecache */
	LEA_ROLE_CACHE_ORIGIN, /* of a cache or of a writecache */
	LEA_ROLE_RAID_IMAGE,
	LEA_ROLE_RAID_METADATA,
	LEA_ROLE_MIRROR_IMAGE,
	LEA_ROLE_MIRROR_LOG,
	LEA_ROLE_INTEGRITY_ORIGIN,
	LEA_ROLE_INTEGRITY_METADATA,
	LEA_ROLE_VDO_DATA,
};

/* How lvm2 chooses extents for an LV or a VG. */
enum lea_allocation {
	LEA_ALLOCATION_INHERIT, /* also a word that we do not know */
	LEA_ALLOCATION_NORMAL,
	LEA_ALLOCATION_CONTIGUOUS,
	LEA_ALLOCATION_CLING,
	LEA_ALLOCATION_ANYWHERE,
};

struct lea_lv {
	const char *name;
	char id[LEA_ID_CHARS + 1];
	uint32_t flags;
	enum lea_allocation allocation; /* for reports */
	struct lea_strings tags;
	int32_t read_ahead;    /* as written: 0 auto, -1 none, otherwise sectors */
	bool has_read_ahead;   /* false: use the configured default */
	uint32_t major, minor; /* only with LEA_FLAG_FIXED_MINOR */
	uint32_t extent_count; /* sum over the segments */
	uint32_t seg_count;
	const struct lea_lv_seg *seg; /* sorted, without gaps */
	enum lea_lv_role role;
	uint32_t user;			    /* LV that uses this one in that role; LEA_NONE: none */
	const struct lea_seg_snapshot *cow; /* LEA_ROLE_COW: the link to its origin */
	const struct lea_seg_snapshot *snapshots; /* of this origin, the first one; NULL: none */
	uint32_t merging_thin;	 /* thin LV that is being merged into this one, or LEA_NONE */
	bool is_external_origin; /* thin LVs use it as their external origin */
};

struct lea_vg {
	const char *name;
	char id[LEA_ID_CHARS + 1];
	uint32_t seqno;
	uint32_t flags;
	enum lea_allocation allocation; /* for reports */
	uint32_t extent_sectors;
	const char *system_id; /* NULL or "": none. Unchecked bytes */
	const char *lock_type; /* NULL: local */
	bool pr_required;      /* persistent reservation: such VGs are handed over to lvm */
	bool has_profile;      /* the VG or an LV uses a profile, which lvm2 reads from a file */
	struct lea_strings tags;
	uint32_t pv_count, lv_count;
	struct lea_pv *pvs;	   /* in the order of the text */
	struct lea_lv *lvs;	   /* in the order of the text */
	const uint32_t *pvs_by_id; /* indexes into pvs, sorted by id */
	/* Why the VG must be handed over to lvm (static text); NULL: we activate it natively. Even
	 * then the VG is complete and checked, except for segments with segtype NULL. */
	const char *delegate_reason;
};

enum lea_vg_outcome {
	LEA_VG_REFUSED = 1, /* @why: what, and at which byte of the text if known */
};

/*
 * lea_vg_parse - metadata text to VG
 * @arena: owns the whole result
 * @text:  the committed text; need not end in NUL; borrowed, not kept
 * @why:   set for LEA_VG_REFUSED; may be NULL
 * Treats the text as hostile input: it is accepted as a whole or refused. Returns 0, LEA_VG_REFUSED
 * or -ENOMEM. Segments of unknown types are kept with segtype NULL.
 */
LEA_MUST_CHECK int lea_vg_parse(struct lea_arena *arena, const char *text, size_t len_bytes,
				struct lea_why *why, struct lea_vg **ret_vg);

/* Index into vg->pvs of the PV with this id (32 characters); LEA_NONE: no member. O(log n). */
uint32_t lea_vg_find_pv(const struct lea_vg *vg, const char *pvid);

/* Is @string one of them? Of tags, for one. */
bool lea_strings_have(const struct lea_strings *strings, const char *string);

/* Is this LV visible to users? As VISIBLE in the text, except for snapshots: snapshotN never is; a
 * COW LV is visible if its origin is (a virtual origin counts as visible) and it is not merging. */
bool lea_lv_is_visible(const struct lea_lv *lv);
