/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * What lvm2's pvs, vgs and lvs report of a VG, from its metadata, the PVs that are there, and
 * device-mapper's answers about its LVs. Sizes are in extents or sectors of 512 bytes. Pure.
 * Source: lvs(8), vgs(8), pvs(8) and reports of lvm2 2.03.16 and 2.03.31, black-box.
 */
#pragma once

#include "base/err.h"
#include "disk/vg.h"
#include "plan/plan_name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEA_LV_ATTR_BYTES 11U
#define LEA_VG_ATTR_BYTES 7U
#define LEA_PV_ATTR_BYTES 4U

/* What device-mapper says about the node of an LV. */
enum lea_lv_activity {
	LEA_LV_INACTIVE,
	LEA_LV_ACTIVE,
	LEA_LV_UNKNOWN, /* device-mapper did not answer in time */
};

struct lea_lv_state {
	enum lea_lv_activity activity;
	/* Only if active. */
	bool suspended, live_table, inactive_table, read_only, is_open;
	uint32_t major, minor;
	const char *status; /* of the target, as the kernel writes it; NULL: not asked */
	/* The same of the LV's own data, below the node that shows an origin; NULL: no such node. */
	const char *real_status;
	const char *lost_disk; /* a disk below it that has gone; NULL: none, or not known */
};

/* "": none. */
static inline const char *lea_inventory_lost_disk(const struct lea_lv_state *state)
{
	return state->lost_disk ? state->lost_disk : "";
}

struct lea_inventory_vg_facts {
	const struct lea_vg *vg;
	const bool *is_there;		  /* [pv_count] */
	const struct lea_lv_state *state; /* [lv_count] */
	const bool *is_partial;		  /* [lv_count]: see lea_inventory_find_partial */
	const struct lea_compat *compat;  /* of the installed lvm2; NULL: of 2.03.16 */
};

/* ---- device-mapper */

/* The LV whose node, and the layer of it, tell the state of LV @lv; LEA_NONE: it has no node. */
uint32_t lea_inventory_node_lv(const struct lea_vg *vg, uint32_t lv, enum lea_layer *ret_layer);
/* Is the target's status needed for a field of this LV or of one of its parts? */
bool lea_inventory_wants_status(const struct lea_vg *vg, uint32_t lv);
/* The same for the layer LEA_LAYER_REAL below the LV's node. */
bool lea_inventory_wants_real_status(const struct lea_vg *vg, uint32_t lv);

/* ---- fields */

/* Is this an LV of its own, with a row in lvs -a? False for the links of snapshots. */
bool lea_inventory_is_reported(const struct lea_lv *lv);
/* Does an area of an LV, or of anything below it, lie on a PV that is not there? For all LVs. */
void lea_inventory_find_partial(const struct lea_vg *vg, const bool *is_there, bool *ret_partial);

void lea_inventory_lv_attr(const struct lea_inventory_vg_facts *facts, uint32_t lv,
			   char ret_attr[static LEA_LV_ATTR_BYTES]);
void lea_inventory_vg_attr(const struct lea_inventory_vg_facts *facts,
			   char ret_attr[static LEA_VG_ATTR_BYTES]);
/* @pv: index; LEA_NONE: a PV of no VG. */
void lea_inventory_pv_attr(const struct lea_inventory_vg_facts *facts, uint32_t pv,
			   char ret_attr[static LEA_PV_ATTR_BYTES]);
/* "linear" for an area without stripes. Borrowed. */
const char *lea_inventory_segtype(const struct lea_lv_seg *seg);
/* The origin, the pool, and the data and metadata LVs of an LV: indexes, or LEA_NONE. */
uint32_t lea_inventory_origin(const struct lea_vg *vg, uint32_t lv);
uint32_t lea_inventory_pool(const struct lea_vg *vg, uint32_t lv);
/* Has udev a link /dev/VG/LV for it while it is active? */
bool lea_inventory_has_link(const struct lea_lv *lv);
/* The size of what an LV is a snapshot of, or its own if it is a thick origin; 0: neither. */
uint64_t lea_inventory_origin_extents(const struct lea_vg *vg, uint32_t lv);
/* Of a thick snapshot, a pool or a cache; 0: none of them. */
uint32_t lea_inventory_chunk_sectors(const struct lea_vg *vg, uint32_t lv);
/* Room for the metadata of a pool, or of a cache on a cache volume; 0: none of them. */
uint64_t lea_inventory_metadata_sectors(const struct lea_vg *vg, uint32_t lv);
/* What a thin pool does with writes that it has no room for, "error" or "queue"; "": no pool. */
const char *lea_inventory_when_full(const struct lea_lv *lv);
/* Allocated extents of each PV: [pv_count]. */
void lea_inventory_count_used(const struct lea_vg *vg, uint64_t *ret_used);

/* One device below a segment: index of the PV or of the LV, the other is LEA_NONE. */
struct lea_inventory_area {
	uint32_t pv, lv;
	uint64_t extent;
};
/* The @i-th (from 0) device of the field "devices"; false: no more. */
bool lea_inventory_area(const struct lea_lv_seg *seg, uint32_t i,
			struct lea_inventory_area *ret_area);

/* ---- how full */

#define LEA_PERCENT_NONE UINT32_MAX /* unknown, or not of this type */
/* In hundredths of a percent. 0 and 10000 only if exactly empty and full. */
struct lea_inventory_use {
	uint32_t data, metadata, sync;
};
void lea_inventory_find_use(const struct lea_inventory_vg_facts *facts, uint32_t lv,
			    struct lea_inventory_use *ret_use);

/* ---- has anything changed? */

#define LEA_GENERATION_BYTES 17U
/* A checksum of everything that is reported. Begin with lea_generation_begin. */
struct lea_generation {
	uint64_t hash;
};
void lea_generation_begin(struct lea_generation *generation);
void lea_generation_add(struct lea_generation *generation, const void *bytes, size_t len);
void lea_generation_add_text(struct lea_generation *generation, const char *text);
void lea_generation_add_number(struct lea_generation *generation, uint64_t number);
/* 16 hexadecimal digits. */
void lea_generation_write(const struct lea_generation *generation,
			  char ret_text[static LEA_GENERATION_BYTES]);
