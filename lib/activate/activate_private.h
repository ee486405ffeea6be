/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that execute a plan. For lib/activate only. */
#pragma once

#include "activate/dm_activate.h"
#include "world/dm.h"

/* Current state of a node of the plan. "Before us": before the first step. */
struct lea_dm_node_state {
	bool is_there;	/* exists, with this device number */
	bool is_live;	/* was active as planned before us */
	bool is_held;	/* was in the table of another node of the plan before us */
	bool is_due;	/* an LV on it was not active before us */
	bool is_new;	/* we created it, so we may remove it */
	bool is_loaded; /* has a table that a resume makes live */
	bool has_failed;
	bool is_shared;	   /* several LVs lie on it; with knows_shared */
	uint32_t lv_above; /* the last LV that mark() found above it, plus one; 0: none yet */
	uint32_t major, minor;
	/* Nonzero: the node and all nodes above it must not be changed: -EBUSY, or LEA_NOT_NOW if
	 * that may end by itself. */
	int obstacle;
	uint32_t obstacle_lv;	 /* with obstacle: the LV that is active by itself */
	uint32_t obstacle_below; /* with is_searched: node with an obstacle, here or below; or
				    LEA_NONE */
	bool is_searched;
	const char *uuid;	 /* the uuid under which it was found */
	struct lea_dm_info info; /* as read before us; with is_there and without is_new */
};

struct lea_dm_exec {
	struct lea_world *world;
	struct lea_dm *dm;
	const struct lea_dm_exec_up *options;
	const struct lea_plan *plan;
	struct lea_dm_node_state *node; /* [plan->node_count] */
	bool has_obstacles;		/* some node has an obstacle */
	bool told_version;		/* that a node has another version's uuid */
	bool knows_shared;		/* is_shared is filled in; only after an LV has failed */
	struct lea_activate_result *result;
};

/*
 * lea_dm_find - an LV's node, whichever version of lvm2 made it
 * @uuid: as the installed lvm2 writes it; NULL: it has no node
 * @other_uuid: as other versions write it; NULL: all alike
 * @ret_uuid: the one under which the node was found
 * 0, LEA_DM_ABSENT or -errno.
 */
LEA_MUST_CHECK int lea_dm_find(struct lea_dm *dm, const char *uuid, const char *other_uuid,
			       struct lea_dm_info *ret_info, const char **ret_uuid);

/* Name of the LV that a node is of. */
const char *lea_dm_lv_name(const struct lea_dm_exec *run, uint32_t node);
/* Logs and returns @fault. */
int lea_dm_fault(const struct lea_dm_exec *run, uint32_t node, int fault, const char *doing);

/* Calls @seen with each node that @node's table refers to. */
void lea_dm_exec_refs(const struct lea_dm_exec *run, uint32_t node,
		      void (*seen)(void *arg, uint32_t ref), void *arg);

/* Were the LV's own node and those that its steps make live? Then the nodes below are live, too, and
 * are left alone. */
bool lea_dm_exec_is_active(const struct lea_dm_exec *run, const struct lea_plan_lv *lv);

/* Reads the state of every node of the plan, before the first step. Returns 0, LEA_ACTIVATE_FAILED
 * (logged; result->shortage) or LEA_ACTIVATE_DELEGATE (result->why). */
LEA_MUST_CHECK int lea_dm_exec_look(struct lea_dm_exec *run);

/* Returns a node with an obstacle that this LV needs, or LEA_NONE. */
uint32_t lea_dm_exec_obstacle(struct lea_dm_exec *run, uint32_t lv);

/* For a step of an LV that has failed: does another LV need it, and are all its parts there? */
bool lea_dm_exec_is_for_others(struct lea_dm_exec *run, const struct lea_plan_step *step);

/* Returns the node's table with device numbers, in the arena. -ENXIO: the part *ret_missing is
 * absent or has failed. */
LEA_MUST_CHECK int lea_dm_exec_number_table(const struct lea_dm_exec *run, uint32_t node,
					    struct lea_table *ret_table, uint32_t *ret_missing);

/* Steps. Return 0 or a fault, which they have logged. After a transient fault (lea_is_transient)
 * the same step may succeed later; after any other it will not. check, again and wait block. */
LEA_MUST_CHECK int lea_dm_exec_make(struct lea_dm_exec *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_dm_exec_resume(struct lea_dm_exec *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_dm_exec_again(struct lea_dm_exec *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_dm_exec_check(struct lea_dm_exec *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_dm_exec_status(struct lea_dm_exec *run, const struct lea_plan_step *step);
LEA_MUST_CHECK int lea_dm_exec_wait(struct lea_dm_exec *run);

/* Sets the kernel's limit of copies in flight, if the plan makes the first snapshot of the boot and
 * event/snapshot_cow_threshold is set. Logs a failure. May run modprobe. */
void lea_dm_exec_set_threshold(const struct lea_dm_exec *run);
/* Logs each snapshot of this origin that we have made, if it is lost or nearly full. */
void lea_dm_exec_tell_snapshots(const struct lea_dm_exec *run, uint32_t index);

/* Removes a node that we created. Logs an error if that fails. May wait for udev. */
void lea_dm_exec_take_back(struct lea_dm_exec *run, uint32_t node);
