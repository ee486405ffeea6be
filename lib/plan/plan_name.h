/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and uuids of an LV's nodes. An LV has one node of its own and may have more below it; a
 * layer tells them apart. Pure.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "disk/vg.h"
#include "plan/lvm2_compat.h"

enum lea_layer {
	LEA_LAYER_NONE,
	LEA_LAYER_REAL,	 /* the data of an origin */
	LEA_LAYER_COW,	 /* the changed chunks of a snapshot */
	LEA_LAYER_TPOOL, /* the thin pool itself, below the pool LV that users see */
	LEA_LAYER_VPOOL, /* the same for a VDO pool */
	LEA_LAYER_CDATA, /* the two parts of a cache volume */
	LEA_LAYER_CMETA,
	LEA_LAYER_COUNT,
	LEA_LAYER_MISSING = LEA_LAYER_COUNT, /* stands in for an area on a missing PV */
};

struct lea_plan_names {
	const char *name, *uuid;
	const char *other_uuid; /* uuid in other lvm2 versions; NULL: all use the same */
};

/* 0, -ENOMEM, or -ENAMETOOLONG: device-mapper limits a name to 127 characters. */
LEA_MUST_CHECK int lea_plan_names(struct lea_arena *arena, const struct lea_vg *vg,
				  const struct lea_lv *lv, enum lea_layer layer,
				  struct lea_plan_names *ret_names);

/* Names of the stand-in for area at[1] of segment at[0]. */
LEA_MUST_CHECK int lea_plan_missing_names(struct lea_arena *arena, const struct lea_vg *vg,
					  const struct lea_lv *lv, const uint32_t at[static 2],
					  struct lea_plan_names *ret_names);

/* Swaps uuid and other_uuid if the installed lvm2 writes the other one. */
void lea_plan_names_follow(const struct lea_compat *compat, struct lea_plan_names *names);

/*
 * The layer of the pool itself, below the node that users see. LEA_LAYER_NONE: no pool, or a thin
 * pool that never had a thin LV: such a pool is a single node.
 */
enum lea_layer lea_plan_pool_layer(const struct lea_lv *lv);
