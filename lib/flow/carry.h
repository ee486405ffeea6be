/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plan carried out through device-mapper, and its reverse. An LV that got half-way is taken back;
 * one that is active already is left alone.
 */
#ifndef LEA_FLOW_CARRY_H
#define LEA_FLOW_CARRY_H

#include "base/arena.h"
#include "base/err.h"
#include "flow/activate.h"
#include "policy/plan.h"
#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_carry_up {
	struct lea_arena *arena;
	const struct lea_conf *conf; /* tools and deadlines */
	bool test;		     /* only say what would be done */
};

/*
 * lea_carry_plan - make the plan's nodes
 * Returns 0, LEA_ACTIVATE_FAILED (some LV; the others are done), LEA_ACTIVATE_DELEGATE (nothing was
 * done; result->why) or a fault. Logs. Adds to @result.
 */
LEA_MUST_CHECK int lea_carry_plan(struct lea_world *world, const struct lea_carry_up *how,
				  const struct lea_plan *plan, struct lea_activate_result *result);

struct lea_carry_down {
	struct lea_arena *arena;
	const struct lea_conf *conf;
	bool test, monitor; /* @monitor: dmeventd is told, too */
};

/*
 * lea_carry_down - remove the nodes of a VG's LVs
 * @plan: of everything that may be active
 * Nothing is touched when a visible LV is open. Returns 0, LEA_ACTIVATE_FAILED or a fault. Logs.
 */
LEA_MUST_CHECK int lea_carry_down(struct lea_world *world, const struct lea_carry_down *how,
				  const struct lea_plan *plan, struct lea_activate_result *result);

/* Visible LVs that have a live table now, whoever made them; 0 without device-mapper. */
LEA_MUST_CHECK int lea_carry_count(struct lea_world *world, struct lea_arena *arena,
				   const struct lea_vg *vg, uint32_t *ret_count);

#endif
