/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of carrying a plan out share. For lib/flow/carry*.c only.
 */
#ifndef LEA_FLOW_CARRY_RUN_H
#define LEA_FLOW_CARRY_RUN_H

#include "flow/carry.h"
#include "world/dm.h"

/* A node of the plan as it is now. */
struct lea_carry_node {
	bool is_there;	/* with this number */
	bool is_live;	/* was so, as it should be, before we came */
	bool is_held;	/* was in the table of another node of the plan before we came */
	bool is_new;	/* made by us: ours to take back */
	bool is_loaded; /* its table waits for a resume */
	bool has_failed;
	bool is_shared;	   /* several LVs lie on it; known once an LV has failed */
	uint32_t lv_above; /* with that: the first LV that lies on it, plus one; 0: none yet */
	uint32_t major, minor;
	/* Not to be touched, and what lies on it not to be made: -EBUSY, or LEA_NOT_NOW if it may end by
	 * itself; 0: free. */
	int obstacle;
	uint32_t obstacle_lv;	 /* the LV that is active by itself */
	uint32_t obstacle_below; /* with is_searched: the node that has one; or LEA_NONE */
	bool is_searched;
	const char *uuid;	 /* under which it was found */
	struct lea_dm_info info; /* as it was found, with is_there and not is_new */
};

struct lea_carry_run {
	struct lea_world *world;
	struct lea_dm *dm;
	const struct lea_carry_up *how;
	const struct lea_plan *plan;
	struct lea_carry_node *node; /* [plan->node_count] */
	bool has_obstacles;	     /* some node has one */
	bool knows_shared;
	struct lea_activate_result *result;
};

/* Name of the LV that a node is of. */
const char *lea_carry_lv_name(const struct lea_carry_run *run, uint32_t node);
/* Logs and returns @fault. */
int lea_carry_fault(const struct lea_carry_run *run, uint32_t node, int fault, const char *doing);

/* Calls @seen with each node that @node's table refers to. */
void lea_carry_refs(const struct lea_carry_run *run, uint32_t node,
		    void (*seen)(void *arg, uint32_t ref), void *arg);

/* Every node of the plan, before the first step. 0, LEA_ACTIVATE_FAILED (logged) or
 * LEA_ACTIVATE_DELEGATE (result->why). */
LEA_MUST_CHECK int lea_carry_look(struct lea_carry_run *run);

/* A node with an obstacle that this LV needs, LEA_NONE: none. */
uint32_t lea_carry_obstacle(struct lea_carry_run *run, uint32_t lv);

/* Of an LV that has failed: is this step needed by another one, and can it be done? */
bool lea_carry_is_for_others(struct lea_carry_run *run, const struct lea_plan_step *step);

/* The table as the kernel takes it. -ENXIO with *ret_missing: a part is not there. */
LEA_MUST_CHECK int lea_carry_number_table(const struct lea_carry_run *run, uint32_t node,
					  struct lea_table *ret_table, uint32_t *ret_missing);

/* Steps. 0, or a fault that has been logged: a transient one (lea_is_transient) if the same may well
 * succeed later, anything else is a verdict. */
LEA_MUST_CHECK int lea_carry_make(struct lea_carry_run *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_carry_resume(struct lea_carry_run *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_carry_again(struct lea_carry_run *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_carry_check(struct lea_carry_run *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_carry_status(struct lea_carry_run *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_carry_wait(struct lea_carry_run *run);

/* Removes what was made here; says so when it stays. */
void lea_carry_take_back(struct lea_carry_run *run, uint32_t node);

#endif
