/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What device-mapper must hold so that the selected LVs of a VG are active: nodes in the order of
 * their dependencies, each with its table. Pure; all of it lives in one arena.
 * Source: lvm2 2.03.16 and 2.03.31, captured tables and ioctls (device-mapper-activation 1 to 7).
 */
#ifndef LEA_POLICY_PLAN_H
#define LEA_POLICY_PLAN_H

#include "base/arena.h"
#include "base/err.h"
#include "base/table.h"
#include "disk/vg.h"
#include "policy/select.h"

#include <stdbool.h>
#include <stdint.h>

/* Where a PV is now; one for each of vg->pvs, in that order. */
struct lea_plan_pv {
	bool is_present;
	uint32_t major, minor;
	uint32_t read_ahead_sectors; /* of its queue */
};

enum lea_plan_mode { LEA_MODE_COMPLETE, LEA_MODE_DEGRADED, LEA_MODE_PARTIAL };

struct lea_plan_rules {
	struct lea_select_rules select;
	enum lea_plan_mode mode;
	bool use_linear_target; /* false: one stripe where lvm2 would write linear */
	uint32_t page_bytes;	/* no stripe may be smaller */
	bool readahead_auto;	/* for LVs that say nothing themselves; false: none */
	bool udev_rules;	/* udev makes nodes and links */
	bool udev_fallback;	/* libdevmapper mends what udev leaves undone */
};

struct lea_plan_node {
	struct lea_dm_node node;
	struct lea_table table;
	uint32_t lv;  /* index into vg->lvs */
	bool is_made; /* false; set by whoever carries the plan out and may have to take it back */
};

struct lea_plan_lv {
	enum lea_selected selected;
	const char
		*refusal; /* lvm2's message; NULL: none. Such an LV has no nodes and has failed */
	uint32_t first_node, node_count;
};

struct lea_plan {
	const struct lea_vg *vg;
	struct lea_plan_lv *lv;	    /* [vg->lv_count] */
	struct lea_plan_node *node; /* children before parents, LVs in the metadata's order */
	uint32_t node_count;
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

/* Name and uuid alone, for LVs that go away: 0, -ENOMEM, -ENAMETOOLONG. */
LEA_MUST_CHECK int lea_plan_names(struct lea_arena *arena, const struct lea_vg *vg,
				  const struct lea_lv *lv, struct lea_dm_node *ret_node);

/* The udev flags of an LV's own node. */
uint16_t lea_plan_udev_flags(const struct lea_lv *lv, const struct lea_plan_rules *rules);

#endif
