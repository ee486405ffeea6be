/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What device-mapper must hold so that the selected LVs of a VG are active: nodes with their
 * tables, and the steps that make them in the order that lvm2 takes. Pure; all of it lives in one
 * arena.
 * Source: lvm2 2.03.16 and 2.03.31, captured tables and ioctls (device-mapper-activation 1 to 7).
 */
#ifndef LEA_POLICY_PLAN_H
#define LEA_POLICY_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "disk/vg.h"
#include "policy/plan_name.h"
#include "policy/select.h"
#include "policy/ways.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a PV is now; one for each of vg->pvs, in that order. */
struct lea_plan_pv {
	bool is_present;
	bool is_pmem; /* persistent memory */
	uint32_t major, minor;
	uint32_t read_ahead_sectors; /* of its queue */
};

enum lea_plan_mode { LEA_MODE_COMPLETE, LEA_MODE_DEGRADED, LEA_MODE_PARTIAL };

/* What stands in for the areas of a missing PV. */
enum lea_filler { LEA_FILLER_ERROR, LEA_FILLER_ZERO, LEA_FILLER_DEVICE };

struct lea_plan_rules {
	struct lea_select_rules select;
	struct lea_ways ways;
	enum lea_plan_mode mode;
	bool use_linear_target;		 /* false: one stripe where lvm2 would write linear */
	uint32_t page_bytes;		 /* no stripe may be smaller */
	bool readahead_auto;		 /* for LVs that say nothing themselves; false: none */
	bool udev_rules;		 /* udev makes nodes and links */
	bool udev_fallback;		 /* libdevmapper mends what udev leaves undone */
	bool check_thin, check_cache;	 /* a tool looks at the metadata before the pool is made */
	uint32_t thin_threshold_percent; /* autoextension; 100: none */
	uint32_t region_sectors;	 /* of moves in progress */
	bool no_mirror_errors;		 /* nobody will mend a mirror: its errors are its users' */
	uint32_t lvms_families; /* 1U << enum lea_family: settings change tables in lvm2's way */
	enum lea_filler filler;
	uint32_t filler_major, filler_minor; /* LEA_FILLER_DEVICE */
};

/* VDO's table names what is below by path. */
#define LEA_PLAN_DM_PATH "/dev/dm-"

struct lea_plan_node {
	struct lea_dm_node node;
	const char *other_uuid; /* lvm2 of other versions made it with this one; NULL: all alike */
	/* "@7" in params: node 7 of this plan by number, behind LEA_PLAN_DM_PATH by its path */
	struct lea_table table;
	uint32_t lv; /* index into vg->lvs */
	enum lea_layer layer;
};

enum lea_step_kind {
	LEA_STEP_MAKE,	 /* create and load */
	LEA_STEP_RESUME, /* @udev_flags: those of the node, or others for now */
	LEA_STEP_CHECK,	 /* udev's part is done; the tool may look at @part, before @node is made */
	LEA_STEP_STATUS, /* has this pool the transaction id that the metadata says? */
	LEA_STEP_AGAIN,	 /* udev's part is done; suspended and resumed for udev once more */
};

struct lea_plan_step {
	enum lea_step_kind kind;
	uint32_t node;
	uint32_t part;	     /* CHECK: the node of the pool's metadata */
	uint16_t udev_flags; /* RESUME, AGAIN */
};

struct lea_plan_lv {
	enum lea_selected selected;
	const char *refusal; /* lvm2's message; NULL: none. Such an LV has no steps and has failed
			      */
	uint32_t first_step, step_count;
	uint32_t top; /* its own node; LEA_NONE without one */
};

struct lea_plan {
	const struct lea_vg *vg;
	struct lea_plan_lv *lv; /* [vg->lv_count] */
	struct lea_plan_node *node;
	uint32_t node_count;
	struct lea_plan_step *step; /* LVs in the metadata's order; each node is made once */
	uint32_t step_count;
	const char *delegate_reason; /* set with LEA_PLAN_DELEGATE */
};

enum lea_plan_outcome {
	LEA_PLAN_DELEGATE =
		1, /* not ours as a whole; *ret_plan holds the reason and nothing else */
};

/* Returns 0, LEA_PLAN_DELEGATE, -ENOMEM. @vg and @pvs are borrowed as long as the plan lives. */
LEA_MUST_CHECK int lea_plan_vg(struct lea_arena *arena, const struct lea_vg *vg,
			       const struct lea_plan_pv *pvs, const struct lea_plan_rules *rules,
			       struct lea_plan **ret_plan);

/* The type of the first segment of this LV that is not done natively; NULL: none. Text from a disk.
 */
const char *lea_plan_foreign_type(const struct lea_lv *lv);

/* The udev flags of one of an LV's nodes. */
uint16_t lea_plan_udev_flags(const struct lea_vg *vg, const struct lea_lv *lv,
			     enum lea_layer layer, const struct lea_plan_rules *rules);

#endif
