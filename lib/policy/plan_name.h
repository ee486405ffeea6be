/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names and uuids of an LV's nodes. An LV has one node of its own and may have others below it,
 * which are told apart by a layer. Pure.
 */
#ifndef LEA_POLICY_PLAN_NAME_H
#define LEA_POLICY_PLAN_NAME_H

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "disk/vg.h"
#include "policy/ways.h"

enum lea_layer {
	LEA_LAYER_NONE,
	LEA_LAYER_REAL,	 /* the data of an origin */
	LEA_LAYER_COW,	 /* the changed chunks of a snapshot */
	LEA_LAYER_TPOOL, /* the thin pool itself, below the pool that people see */
	LEA_LAYER_VPOOL, /* the same of a VDO pool */
	LEA_LAYER_CDATA, /* the two parts of a cache volume */
	LEA_LAYER_CMETA,
	LEA_LAYER_COUNT,
	LEA_LAYER_MISSING = LEA_LAYER_COUNT, /* stands in for an area on a missing PV */
};

struct lea_plan_names {
	const char *name, *uuid;
	const char *other_uuid; /* as lvm2 of other versions writes it; NULL: all alike */
};

/* 0, -ENOMEM, or -ENAMETOOLONG: device-mapper takes 127 characters of a name. */
LEA_MUST_CHECK int lea_plan_names(struct lea_arena *arena, const struct lea_vg *vg,
				  const struct lea_lv *lv, enum lea_layer layer,
				  struct lea_plan_names *ret_names);

/* Stand-in for area @area of segment @seg. */
LEA_MUST_CHECK int lea_plan_missing_names(struct lea_arena *arena, const struct lea_vg *vg,
					  const struct lea_lv *lv, const uint32_t at[static 2],
					  struct lea_plan_names *ret_names);

/* Swaps uuid and other_uuid where this is how the installed lvm2 writes it. */
void lea_plan_names_follow(const struct lea_ways *ways, struct lea_plan_names *names);

/*
 * The layer that is this LV's pool and lies below the node that people see. LEA_LAYER_NONE: no
 * pool, or a thin pool that never had a thin LV, which is one node; it is also how people may use
 * it.
 */
enum lea_layer lea_plan_pool_layer(const struct lea_lv *lv);

#endif
