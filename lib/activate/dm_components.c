/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the state of the plan's nodes before the first change and decides what to do with each. A
 * node that is live as planned is used. What a run of ours may have left when it died is completed:
 * a node without a live table, a snapshot suspended over its own table, a component that is not
 * open. A component that a person has activated is an obstacle to the LVs above it. A VG with a
 * node in any other state, or on other disks, is handed to the real lvm.
 */
#include "activate/activate_private.h"

#include "world/blockdev.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

int lea_dm_find(struct lea_dm *dm, const char *uuid, const char *other_uuid,
		struct lea_dm_info *ret_info, const char **ret_uuid)
{
	int r = uuid ? dm->info(dm, uuid, ret_info) : LEA_DM_ABSENT;

	*ret_uuid = uuid;
	if (r != LEA_DM_ABSENT || !other_uuid)
		return r;
	*ret_uuid = other_uuid;
	return dm->info(dm, other_uuid, ret_info);
}

/* The steps of the first LV on a pvmove also contain the top nodes of the other LVs on it. */
bool lea_dm_exec_is_active(const struct lea_dm_exec *run, const struct lea_plan_lv *lv)
{
	if (lv->top == LEA_NONE || !run->node[lv->top].is_live)
		return false;
	for (uint32_t i = 0; i < lv->step_count; i++) {
		const uint32_t node = run->plan->step[lv->first_step + i].node;

		if (run->plan->lv[run->plan->node[node].lv].top == node && !run->node[node].is_live)
			return false;
	}
	return true;
}

/* Whose version was taken from libdevmapper's number: if lvm2 has changed since the node was made
 * that is as it should be, otherwise the number deceives. */
static void tell_version(struct lea_dm_exec *run, uint32_t index)
{
	const struct lea_dm_node *node = &run->plan->node[index].node;

	if (run->told_version || strcmp(run->node[index].uuid, node->uuid) == 0)
		return;
	run->told_version = true;
	lea_log(run->world->log, LEA_LOG_PRINT,
		"VG %s: device %s has the UUID %s, as another version of lvm2 writes it. Ours would be %s, "
		"for libdevmapper is 1.02.%" PRIu32 ".",
		run->plan->vg->name, node->name, run->node[index].uuid, node->uuid,
		run->dm->release);
}

static int look_at(struct lea_dm_exec *run, uint32_t index)
{
	const struct lea_dm_node *node = &run->plan->node[index].node;
	struct lea_dm_node_state *now = &run->node[index];
	int r;

	if (!node->name)
		return 0;
	r = lea_dm_find(run->dm, node->uuid, run->plan->node[index].other_uuid, &now->info,
			&now->uuid);
	if (r == LEA_DM_ABSENT)
		return 0;
	if (r)
		return lea_dm_fault(run, index, r, "asking for its state");
	/* The VG was renamed since: only the real lvm renames nodes. */
	if (strcmp(now->info.name, node->name) != 0) {
		run->result->why = "an LV is active under another name";
		return LEA_ACTIVATE_DELEGATE;
	}
	tell_version(run, index);
	now->is_there = true;
	now->is_live = now->info.live_table && !now->info.inactive_table && !now->info.suspended &&
		       now->info.read_only == node->read_only;
	now->major = now->info.major;
	now->minor = now->info.minor;
	return 0;
}

static void hold(void *arg, uint32_t node)
{
	const struct lea_dm_exec *run = arg;

	run->node[node].is_held = true;
}

static void put_obstacle(struct lea_dm_exec *run, uint32_t node, uint32_t lv, int obstacle)
{
	run->node[node].obstacle = obstacle;
	run->node[node].obstacle_lv = lv;
	run->has_obstacles = true;
}

/* The kernel reports the tables of other targets in another form than they were loaded in. */
static bool is_plain(const struct lea_table *table)
{
	for (uint32_t i = 0; i < table->row_count; i++)
		if (strcmp(table->row[i].target, "linear") != 0 &&
		    strcmp(table->row[i].target, "striped") != 0)
			return false;
	return true;
}

static int has_table(struct lea_dm_exec *run, uint32_t node, bool *ret_has)
{
	struct lea_table table;
	uint32_t missing;
	int r = lea_dm_exec_number_table(run, node, &table, &missing);

	*ret_has = false;
	if (r == -ENXIO)
		return 0;
	r = r ? r : run->dm->same_table(run->dm, run->node[node].uuid, &table, ret_has);
	return r ? lea_dm_fault(run, node, r, "reading its table") : 0;
}

/* Can a person have activated this node by itself? lvm2 allows that for hidden LVs. Layers are not
 * LVs, and a pvmove LV is active for the LVs on it, some of which may not be in the plan. */
static bool is_component(const struct lea_dm_exec *run, uint32_t index)
{
	const struct lea_plan_node *node = &run->plan->node[index];
	const struct lea_lv *lv = &run->plan->vg->lvs[node->lv];

	return node->layer == LEA_LAYER_NONE && index != run->plan->lv[node->lv].top &&
	       !lea_lv_is_visible(lv) && !(lv->flags & LEA_FLAG_PVMOVE);
}

/* Can a run of ours that died have left this live component? Then it has no link in /dev/VG; an LV
 * that was activated by itself has one. */
static int is_left_live(struct lea_dm_exec *run, uint32_t index, bool *ret_is)
{
	const struct lea_dm_node_state *now = &run->node[index];
	const char *link =
		lea_arena_printf(run->options->arena, "%s/%s/%s", run->options->conf->dev_dir,
				 run->plan->vg->name, lea_dm_lv_name(run, index));

	if (!link)
		return lea_dm_fault(run, index, -ENOMEM, "looking for its link");
	*ret_is = !lea_blockdev_is_at(run->world, link, now->major, now->minor);
	if (!*ret_is || !is_plain(&run->plan->node[index].table))
		return 0;
	return has_table(run, index, ret_is);
}

/* For a component whose parent node does not exist. */
static int judge_component(struct lea_dm_exec *run, uint32_t index)
{
	const struct lea_dm_node_state *now = &run->node[index];
	const uint32_t lv = run->plan->node[index].lv;
	bool is_detached = !now->info.live_table;
	int r = now->is_live ? is_left_live(run, index, &is_detached) : 0;

	if (r)
		return r;
	if (!is_detached)
		put_obstacle(run, index, lv, -EBUSY);
	else if (now->info.open_count)
		put_obstacle(run, index, lv, LEA_NOT_NOW);
	return 0;
}

/* Is the node merely suspended over the planned table? A run that dies between the suspend and the
 * second resume of a snapshot leaves it so. */
static int is_suspended_only(struct lea_dm_exec *run, uint32_t index, bool *ret_is)
{
	const struct lea_dm_info *info = &run->node[index].info;

	*ret_is = false;
	if (info->inactive_table || info->read_only != run->plan->node[index].node.read_only)
		return 0;
	return has_table(run, index, ret_is);
}

/* Below an LV that is to be activated a live node may lie on disks that have gone: who made it died
 * before the LV was up, and the disks came back with other numbers since. */
static int is_outdated(struct lea_dm_exec *run, uint32_t index, bool *ret_is)
{
	const struct lea_plan_node *node = &run->plan->node[index];
	bool has = true;
	int r = 0;

	if (run->node[index].is_due && index != run->plan->lv[node->lv].top &&
	    is_plain(&node->table))
		r = has_table(run, index, &has);
	*ret_is = !has;
	return r;
}

static int classify_node(struct lea_dm_exec *run, uint32_t index)
{
	const struct lea_dm_node_state *now = &run->node[index];
	bool is_detached;
	int r = 0;

	if (!now->is_held && is_component(run, index))
		return judge_component(run, index);
	if (now->is_live) {
		r = is_outdated(run, index, &is_detached);
		if (r || !is_detached)
			return r;
		run->result->why = "a part of it lies on other devices than it should";
		return LEA_ACTIVATE_DELEGATE;
	}
	is_detached = !now->info.live_table && (now->is_held || !now->info.open_count);
	if (now->info.live_table)
		r = is_suspended_only(run, index, &is_detached);
	if (r || is_detached)
		return r;
	run->result->why = "a device of it is there in another state than it should be";
	return LEA_ACTIVATE_DELEGATE;
}

/* An active LV with a merging snapshot shows the snapshot's content. While the snapshot is active
 * by itself the LV must not be activated: two devices would write to the same data. */
static int judge_merge(struct lea_dm_exec *run, uint32_t lv)
{
	const uint32_t top = run->plan->lv[lv].top, merging = run->plan->vg->lvs[lv].merging_thin;
	struct lea_plan_names names;
	struct lea_dm_info info;
	const char *uuid;
	int r;

	if (top == LEA_NONE || merging == LEA_NONE || run->node[top].is_there)
		return 0;
	r = lea_plan_names(run->options->arena, run->plan->vg, &run->plan->vg->lvs[merging],
			   LEA_LAYER_NONE, &names);
	/* The name is too long for any device, so the snapshot is not active. */
	if (r == -ENAMETOOLONG)
		return 0;
	r = r ? r : lea_dm_find(run->dm, names.uuid, names.other_uuid, &info, &uuid);
	if (r < 0)
		return lea_dm_fault(run, top, r, "asking for its snapshot's state");
	if (!r)
		put_obstacle(run, top, merging, -EBUSY);
	return 0;
}

/* With what lies below it: a part that several LVs share is made by the steps of the first one, which may
 * be active. */
static void make_due(void *arg, uint32_t node)
{
	struct lea_dm_exec *run = arg;

	if (run->node[node].is_due)
		return;
	run->node[node].is_due = true;
	lea_dm_exec_refs(run, node, make_due, run);
}

static void find_due(struct lea_dm_exec *run)
{
	const struct lea_plan *plan = run->plan;

	for (uint32_t i = 0; i < plan->vg->lv_count; i++)
		if (plan->lv[i].step_count && !lea_dm_exec_is_active(run, &plan->lv[i]))
			for (uint32_t k = 0; k < plan->lv[i].step_count; k++)
				make_due(run, plan->step[plan->lv[i].first_step + k].node);
}

static int judge_all(struct lea_dm_exec *run)
{
	int r = 0;

	find_due(run);

	for (uint32_t i = 0; i < run->plan->node_count; i++)
		if (run->node[i].is_there)
			lea_dm_exec_refs(run, i, hold, run);
	for (uint32_t i = 0; !r && i < run->plan->node_count; i++)
		if (run->node[i].is_there)
			r = classify_node(run, i);
	for (uint32_t i = 0; !r && i < run->plan->vg->lv_count; i++)
		r = judge_merge(run, i);
	return r;
}

int lea_dm_exec_look(struct lea_dm_exec *run)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < run->plan->node_count; i++)
		r = look_at(run, i);
	r = r ? r : judge_all(run);
	if (r >= 0)
		return r;
	run->result->shortage = lea_as_transient(r);
	return LEA_ACTIVATE_FAILED;
}

/* A search for the first obstacle below a node. */
struct below {
	struct lea_dm_exec *run;
	uint32_t found;
};

static void search(void *arg, uint32_t node);

static uint32_t obstacle_below(struct lea_dm_exec *run, uint32_t node)
{
	struct lea_dm_node_state *now = &run->node[node];
	struct below from = {run, LEA_NONE};

	if (now->is_searched)
		return now->obstacle_below;
	now->is_searched = true;
	if (now->obstacle)
		from.found = node;
	else
		lea_dm_exec_refs(run, node, search, &from);
	now->obstacle_below = from.found;
	return from.found;
}

static void search(void *arg, uint32_t node)
{
	struct below *from = arg;

	if (from->found == LEA_NONE)
		from->found = obstacle_below(from->run, node);
}

uint32_t lea_dm_exec_obstacle(struct lea_dm_exec *run, uint32_t lv)
{
	const struct lea_plan_lv *plan_lv = &run->plan->lv[lv];
	uint32_t found = LEA_NONE;

	if (!run->has_obstacles || plan_lv->top == LEA_NONE)
		return LEA_NONE;
	found = obstacle_below(run, plan_lv->top);
	/* The steps also create the LV's snapshots, which do not lie below its node. */
	for (uint32_t i = 0; found == LEA_NONE && i < plan_lv->step_count; i++)
		found = obstacle_below(run, run->plan->step[plan_lv->first_step + i].node);
	return found;
}
