/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What device-mapper must contain so that the selected LVs of a VG are active: nodes with their
 * tables, and the steps that create them, in lvm2's order; what select.first names comes before the
 * rest. Pure; everything lives in one arena.
 * Source: lvm2 2.03.16 and 2.03.31, captured tables and ioctls.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "disk/vg.h"
#include "plan/lvm2_compat.h"
#include "plan/plan_name.h"
#include "plan/select.h"

#include <stdbool.h>
#include <stdint.h>

/* The current device of a PV; one entry for each of vg->pvs, in that order. */
struct lea_plan_pv {
	bool is_present;
	bool is_pmem; /* persistent memory */
	uint32_t major, minor;
	uint32_t read_ahead_sectors; /* of the device's queue */
};

enum lea_plan_mode { LEA_MODE_COMPLETE, LEA_MODE_DEGRADED, LEA_MODE_PARTIAL };

/* What replaces the areas of a missing PV. */
enum lea_filler { LEA_FILLER_ERROR, LEA_FILLER_ZERO, LEA_FILLER_DEVICE };

struct lea_plan_rules {
	struct lea_select_rules select;
	struct lea_compat compat;
	enum lea_plan_mode mode;
	bool skips_lacking; /* leave out LVs that lack more than the mode permits: no refusal */
	bool use_linear_target;	      /* false: write one stripe where lvm2 would write linear */
	uint32_t page_bytes;	      /* lower limit of a stripe */
	bool readahead_auto;	      /* for LVs without a read-ahead of their own; false: none */
	bool udev_rules;	      /* udev creates nodes and links */
	bool udev_fallback;	      /* libdevmapper completes what udev left undone */
	bool check_thin, check_cache; /* a tool checks the metadata before the pool is created */
	uint32_t thin_threshold_percent; /* autoextend threshold; 100: off */
	uint32_t region_sectors;	 /* of pvmoves in progress */
	bool no_mirror_errors;	/* mirrors are not repaired: the mirror's users get its errors */
	uint32_t lvms_families; /* 1U << enum lea_family: lvm.conf changes these: ask lvm */
	enum lea_filler filler;
	uint32_t filler_major, filler_minor; /* only with LEA_FILLER_DEVICE */
};

/* VDO's table names the device below by path. */
#define LEA_PLAN_DM_PATH "/dev/dm-"

struct lea_plan_node {
	struct lea_dm_node node;
	const char *other_uuid; /* uuid used by other lvm2 versions; NULL: all use the same */
	/* In params, "@7" is the number of node 7 of this plan, or its path after
	 * LEA_PLAN_DM_PATH. */
	struct lea_table table;
	uint32_t lv; /* index into vg->lvs */
	enum lea_layer layer;
};

enum lea_step_kind {
	LEA_STEP_MAKE,	 /* create the node and load its table */
	LEA_STEP_RESUME, /* @udev_flags: those of the node, or temporary ones */
	LEA_STEP_CHECK,	 /* wait for udev, then let the tool check @part; before MAKE */
	LEA_STEP_STATUS, /* compare the pool's transaction id with the metadata */
	LEA_STEP_AGAIN,	 /* wait for udev, then suspend and resume the node once more for udev */
};

struct lea_plan_step {
	enum lea_step_kind kind;
	uint32_t node;
	uint32_t part;	     /* CHECK: the node of the pool's metadata */
	uint16_t udev_flags; /* RESUME, AGAIN */
};

struct lea_plan_lv {
	enum lea_selected selected;
	const char *refusal; /* lvm2's message: the LV cannot be activated; NULL: none */
	uint32_t first_step, step_count;
	uint32_t top; /* its own node; LEA_NONE: none */
};

struct lea_plan {
	const struct lea_vg *vg;
	struct lea_plan_lv *lv; /* [vg->lv_count] */
	uint32_t *order;	/* [vg->lv_count]: the LVs in the order of their steps */
	struct lea_plan_node *node;
	uint32_t node_count;
	struct lea_plan_step *step; /* each node is created once */
	uint32_t step_count;
	bool *uses_pv; /* [vg->pv_count]: a table names the PV's device */
	const char *delegate_reason; /* only with LEA_PLAN_DELEGATE */
};

enum lea_plan_outcome {
	LEA_PLAN_DELEGATE = 1, /* hand the VG over to lvm; *ret_plan holds only the reason */
};

/* Returns 0, LEA_PLAN_DELEGATE or -ENOMEM. The plan borrows @vg and @pvs. */
LEA_MUST_CHECK int lea_plan_vg(struct lea_arena *arena, const struct lea_vg *vg,
			       const struct lea_plan_pv *pvs, const struct lea_plan_rules *rules,
			       struct lea_plan **ret_plan);

/* The type of this LV's first segment that is not native; NULL: none. Unchecked text from disk. */
const char *lea_plan_foreign_type(const struct lea_lv *lv);

/* The udev flags of one node of an LV. */
uint16_t lea_plan_udev_flags(const struct lea_vg *vg, const struct lea_lv *lv, enum lea_layer layer,
			     const struct lea_plan_rules *rules);
