/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executes a plan through device-mapper, and undoes one. Nodes of an LV that could not be activated
 * completely are removed; an LV that is already active is left alone.
 */
#pragma once

#include "activate/transaction.h"
#include "base/arena.h"
#include "base/err.h"
#include "conf/conf.h"
#include "plan/plan.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* In the message about a table that the kernel refuses. */
#define LEA_DM_LOADING "loading its table"

struct lea_dm_exec_up {
	struct lea_arena *arena;
	const struct lea_conf *conf; /* tools and deadlines */
	bool test;		     /* only log what would be done */
	bool *was_active; /* [vg->lv_count], receives which LVs were active before; NULL: not asked
			   */
};

/*
 * lea_dm_activate - create, load and resume the plan's nodes
 * Returns 0, LEA_ACTIVATE_FAILED (some LVs failed, the others are active), LEA_ACTIVATE_DELEGATE
 * (nothing was changed; reason in result->why) or a fault. Adds to the counts in @result. Logs.
 * Blocks for pool checks and for udev, up to conf's deadlines.
 */
LEA_MUST_CHECK int lea_dm_activate(struct lea_world *world, const struct lea_dm_exec_up *options,
				   const struct lea_plan *plan, struct lea_activate_result *result);

/* Is each LV of the plan active as it should be, so that lea_dm_activate would do nothing? False
 * also without device-mapper. Returns 0 or a fault. */
LEA_MUST_CHECK int lea_dm_is_up(struct lea_world *world, const struct lea_dm_exec_up *options,
				const struct lea_plan *plan, bool *ret_is_up);

struct lea_dm_deactivate {
	struct lea_arena *arena;
	const struct lea_conf *conf;
	bool test, monitor; /* monitor: end dmeventd's monitoring first */
};

/*
 * lea_dm_deactivate - remove the nodes of a VG's LVs
 * @plan: must contain every node that may be active
 * Removes nothing if a visible LV is open. With activation/retry_deactivation, waits up to 5 s for
 * each open LV. Returns 0, LEA_ACTIVATE_FAILED or a fault. Logs.
 */
LEA_MUST_CHECK int lea_dm_deactivate(struct lea_world *world,
				     const struct lea_dm_deactivate *options,
				     const struct lea_plan *plan,
				     struct lea_activate_result *result);

/* Counts the visible LVs that have a live table, no matter which program activated them; 0 without
 * device-mapper. One ioctl for each visible LV. */
LEA_MUST_CHECK int lea_dm_count_active(struct lea_world *world, struct lea_arena *arena,
				       const struct lea_vg *vg, uint32_t *ret_count);
