/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A volume group as its metadata text describes it: arrays with counts, all in one arena,
 * names and ids validated, every reference resolved to an index. Pure.
 */
#ifndef LEA_DISK_VG_H
#define LEA_DISK_VG_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_ID_CHARS 32U	/* a PV, VG or LV id without hyphens */
#define LEA_NONE     UINT32_MAX /* "no such index" */

/* Words of the status and flags lists, as bits; one set for VG, PV and LV. */
enum lea_flag {
	LEA_FLAG_READ = 1U << 0,
	LEA_FLAG_WRITE = 1U << 1, /* WRITE, or WRITE_LOCKED */
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
	LEA_FLAG_DELTA_MINUS = 1U << 19, /* a reshape takes it away */
	LEA_FLAG_RESHAPE = 1U << 20,	 /* whatever else belongs to a reshape */
	LEA_FLAG_OTHER = 1U << 31,	 /* a known word without a meaning for activation */
};

struct lea_strings {
	const char *const *item;
	uint32_t count;
};

struct lea_pv {
	const char *name; /* pv0: a handle inside this text only */
	char id[LEA_ID_CHARS + 1];
	const char *device_hint; /* NULL: none. Unchecked bytes: escape before printing */
	uint32_t flags;
	struct lea_strings tags;
	uint64_t dev_sectors; /* 0: not recorded */
	uint64_t pe_start_sectors;
	uint32_t pe_count;
};

/* One area of a segment: a piece of a PV or of an LV. Exactly one index is not LEA_NONE. */
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
	const struct lea_segtype *segtype; /* NULL: we don't do this type natively */
	uint32_t stripe_sectors;	   /* 0: linear */
	uint32_t area_count;
	uint32_t area_extents; /* length of each */
	const struct lea_area *area;
	/* What the family says beyond that (disk/segments.h); by the segtype's family. */
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

/* What an LV is to the one that uses it. */
enum lea_lv_role {
	LEA_ROLE_NONE,
	LEA_ROLE_SNAPSHOT, /* snapshotN: links an origin and a COW LV, is nothing by itself */
	LEA_ROLE_COW,	   /* what people see as the snapshot */
	LEA_ROLE_THIN_DATA,
	LEA_ROLE_THIN_METADATA,
	LEA_ROLE_CACHE_POOL, /* has no node: its parts have */
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

struct lea_lv {
	const char *name;
	char id[LEA_ID_CHARS + 1];
	uint32_t flags;
	struct lea_strings tags;
	int32_t read_ahead;    /* as written: 0 auto, -1 none, else sectors */
	bool has_read_ahead;   /* false: the configured default counts */
	uint32_t major, minor; /* with LEA_FLAG_FIXED_MINOR */
	uint32_t extent_count; /* sum over the segments */
	uint32_t seg_count;
	const struct lea_lv_seg *seg; /* sorted, without gaps */
	enum lea_lv_role role;
	uint32_t user;			    /* LV that has it in this role; LEA_NONE: nobody */
	const struct lea_seg_snapshot *cow; /* its own link to its origin, for LEA_ROLE_COW */
	const struct lea_seg_snapshot *snapshots; /* of this origin, the first; NULL: none */
	uint32_t merging_thin;	 /* thin LV that this one is to become, or LEA_NONE */
	bool is_external_origin; /* thin LVs lie on it */
};

struct lea_vg {
	const char *name;
	char id[LEA_ID_CHARS + 1];
	uint32_t seqno;
	uint32_t flags;
	uint32_t extent_sectors;
	const char *system_id; /* NULL or "": none. Unchecked bytes */
	const char *lock_type; /* NULL: local */
	bool pr_required;      /* persistent reservation: we hand such VGs over */
	bool has_profile;      /* it or an LV of it: settings that lvm2 reads from a file */
	struct lea_strings tags;
	uint32_t pv_count, lv_count;
	struct lea_pv *pvs;	   /* in the text's order */
	struct lea_lv *lvs;	   /* in the text's order */
	const uint32_t *pvs_by_id; /* indexes into pvs, sorted by id: for bisection */
	/* First thing we can't do natively (static text), NULL: the whole VG is ours.
	 * The VG is complete and checked but for segments whose segtype is NULL. */
	const char *delegate_reason;
};

enum lea_vg_outcome {
	LEA_VG_REFUSED = 1, /* @why: what, and at which byte of the text where known */
};

/*
 * lea_vg_parse - metadata text to VG
 * @text:      the committed text; need not end in NUL; borrowed, not kept
 * @arena:     everything of the result lives there
 * Accepted whole or not at all: limits and refusals as for hostile input. Segment types without a
 * row in the table of segment types are kept with segtype NULL. Returns 0, LEA_VG_REFUSED, -ENOMEM.
 */
LEA_MUST_CHECK int lea_vg_parse(struct lea_arena *arena, const char *text, size_t len_bytes,
				struct lea_why *why, struct lea_vg **ret_vg);

/* Index into vg->pvs of the PV with this id (32 characters), LEA_NONE: not a member. O(log n). */
uint32_t lea_vg_find_pv(const struct lea_vg *vg, const char *pvid);

/* Is this LV shown to people? VISIBLE in the text, but for snapshots: the link snapshotN never is,
 * a COW LV is when its origin is (a virtual origin counts as shown) and it is not merging. */
bool lea_lv_is_visible(const struct lea_lv *lv);

#endif
