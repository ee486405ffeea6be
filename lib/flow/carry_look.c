/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan's nodes as they are before the first is touched, and whose they are. What is active as it
 * should be is used. What a run of ours that died may have left is finished: a node without a live
 * table, a snapshot that is suspended over its own table, a component that nobody has opened. A
 * component that a person has activated is an obstacle to the LVs above it. Any other node that is
 * not as it should be is for the real lvm.
 */
#include "flow/carry_run.h"

#include "world/blockdev.h"

#include <errno.h>
#include <string.h>

/* Under the uuid that the installed lvm2 gives it, or under that of another version. */
static int find_uuid(struct lea_carry_run *run, const struct lea_plan_names *names,
		     struct lea_dm_info *ret_info, const char **ret_uuid)
{
	int r = run->dm->info(run->dm, names->uuid, ret_info);

	*ret_uuid = names->uuid;
	if (r != LEA_DM_ABSENT || !names->other_uuid)
		return r;
	*ret_uuid = names->other_uuid;
	return run->dm->info(run->dm, names->other_uuid, ret_info);
}

static int look_at(struct lea_carry_run *run, uint32_t index)
{
	const struct lea_dm_node *node = &run->plan->node[index].node;
	const struct lea_plan_names names = {node->name, node->uuid,
					     run->plan->node[index].other_uuid};
	struct lea_carry_node *now = &run->node[index];
	int r;

	if (!node->name)
		return 0;
	r = find_uuid(run, &names, &now->info, &now->uuid);
	if (r == LEA_DM_ABSENT)
		return 0;
	if (r)
		return lea_carry_fault(run, index, r, "asking for its state");
	/* Made under the VG's former name: renaming nodes is the real lvm's. */
	if (strcmp(now->info.name, node->name) != 0) {
		run->result->why = "an LV is active under another name";
		return LEA_ACTIVATE_DELEGATE;
	}
	now->is_there = true;
	now->is_live = now->info.live_table && !now->info.inactive_table && !now->info.suspended &&
		       now->info.read_only == node->read_only;
	now->major = now->info.major;
	now->minor = now->info.minor;
	return 0;
}

static void hold(void *arg, uint32_t node)
{
	const struct lea_carry_run *run = arg;

	run->node[node].is_held = true;
}

static void put_obstacle(struct lea_carry_run *run, uint32_t node, uint32_t lv, int obstacle)
{
	run->node[node].obstacle = obstacle;
	run->node[node].obstacle_lv = lv;
	run->has_obstacles = true;
}

/* The kernel writes other tables down in words of its own. */
static bool is_plain(const struct lea_table *table)
{
	for (uint32_t i = 0; i < table->row_count; i++)
		if (strcmp(table->row[i].target, "linear") != 0 &&
		    strcmp(table->row[i].target, "striped") != 0)
			return false;
	return true;
}

static int has_table(struct lea_carry_run *run, uint32_t node, bool *ret_has)
{
	struct lea_table table;
	uint32_t missing;
	int r = lea_carry_number_table(run, node, &table, &missing);

	*ret_has = false;
	if (r == -ENXIO)
		return 0;
	if (!r)
		r = run->dm->same_table(run->dm, run->node[node].uuid, &table, ret_has);
	return r ? lea_carry_fault(run, node, r, "reading its table") : 0;
}

/* lvm2 lets people activate a hidden LV by itself: a layer is none, and a move is made for the LVs on
 * it, of which some may not be in the plan. */
static bool is_component(const struct lea_carry_run *run, uint32_t index)
{
	const struct lea_plan_node *node = &run->plan->node[index];
	const struct lea_lv *lv = &run->plan->vg->lvs[node->lv];

	return node->layer == LEA_LAYER_NONE && index != run->plan->lv[node->lv].top &&
	       !lea_lv_is_visible(lv) && !(lv->flags & LEA_FLAG_PVMOVE);
}

/* Live, as a run that died may have left it? What was activated by itself has a link, too; a part of
 * an active LV has none. */
static int is_left_live(struct lea_carry_run *run, uint32_t index, bool *ret_is)
{
	const struct lea_carry_node *now = &run->node[index];
	const char *link = lea_arena_printf(run->how->arena, "%s/%s/%s", run->how->conf->dev_dir,
					    run->plan->vg->name, lea_carry_lv_name(run, index));

	if (!link)
		return lea_carry_fault(run, index, -ENOMEM, "looking for its link");
	*ret_is = !lea_blockdev_is_at(run->world, link, now->major, now->minor);
	if (!*ret_is || !is_plain(&run->plan->node[index].table))
		return 0;
	return has_table(run, index, ret_is);
}

/* There without the node that it is a part of. */
static int judge_component(struct lea_carry_run *run, uint32_t index)
{
	const struct lea_carry_node *now = &run->node[index];
	const uint32_t lv = run->plan->node[index].lv;
	bool is_left = !now->info.live_table;
	int r = now->is_live ? is_left_live(run, index, &is_left) : 0;

	if (r)
		return r;
	if (!is_left)
		put_obstacle(run, index, lv, -EBUSY);
	else if (now->info.open_count)
		put_obstacle(run, index, lv, LEA_NOT_NOW);
	return 0;
}

/* Suspended, as a run that dies between the two leaves a snapshot that is resumed once more? */
static int is_suspended_only(struct lea_carry_run *run, uint32_t index, bool *ret_is)
{
	const struct lea_dm_info *info = &run->node[index].info;

	*ret_is = false;
	if (info->inactive_table || info->read_only != run->plan->node[index].node.read_only)
		return 0;
	return has_table(run, index, ret_is);
}

static int judge(struct lea_carry_run *run, uint32_t index)
{
	const struct lea_carry_node *now = &run->node[index];
	bool is_left;
	int r = 0;

	if (!now->is_held && is_component(run, index))
		return judge_component(run, index);
	if (now->is_live)
		return 0;
	is_left = !now->info.live_table && (now->is_held || !now->info.open_count);
	if (now->info.live_table)
		r = is_suspended_only(run, index, &is_left);
	if (r || is_left)
		return r;
	run->result->why = "a device of it is there in another state than it should be";
	return LEA_ACTIVATE_DELEGATE;
}

/* From now on the LV has the content of the snapshot that is merged into it: two devices must not
 * write to that. */
static int judge_merge(struct lea_carry_run *run, uint32_t lv)
{
	const uint32_t top = run->plan->lv[lv].top, merging = run->plan->vg->lvs[lv].merging_thin;
	struct lea_plan_names names;
	struct lea_dm_info info;
	const char *uuid;
	int r;

	if (top == LEA_NONE || merging == LEA_NONE || run->node[top].is_there)
		return 0;
	r = lea_plan_names(run->how->arena, run->plan->vg, &run->plan->vg->lvs[merging],
			   LEA_LAYER_NONE, &names);
	/* No device can have that name, so none has. */
	if (r == -ENAMETOOLONG)
		return 0;
	r = r ? r : find_uuid(run, &names, &info, &uuid);
	if (r < 0)
		return lea_carry_fault(run, top, r, "asking for its snapshot's state");
	if (!r)
		put_obstacle(run, top, merging, -EBUSY);
	return 0;
}

static int judge_all(struct lea_carry_run *run)
{
	int r = 0;

	for (uint32_t i = 0; i < run->plan->node_count; i++)
		if (run->node[i].is_there)
			lea_carry_refs(run, i, hold, run);
	for (uint32_t i = 0; !r && i < run->plan->node_count; i++)
		if (run->node[i].is_there)
			r = judge(run, i);
	for (uint32_t i = 0; !r && i < run->plan->vg->lv_count; i++)
		r = judge_merge(run, i);
	return r;
}

int lea_carry_look(struct lea_carry_run *run)
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

/* What lies below a node, up to the first obstacle. */
struct below {
	struct lea_carry_run *run;
	uint32_t found;
};

static void search(void *arg, uint32_t node);

static uint32_t obstacle_below(struct lea_carry_run *run, uint32_t node)
{
	struct lea_carry_node *now = &run->node[node];
	struct below from = {run, LEA_NONE};

	if (now->is_searched)
		return now->obstacle_below;
	now->is_searched = true;
	if (now->obstacle)
		from.found = node;
	else
		lea_carry_refs(run, node, search, &from);
	now->obstacle_below = from.found;
	return from.found;
}

static void search(void *arg, uint32_t node)
{
	struct below *from = arg;

	if (from->found == LEA_NONE)
		from->found = obstacle_below(from->run, node);
}

uint32_t lea_carry_obstacle(struct lea_carry_run *run, uint32_t lv)
{
	const struct lea_plan_lv *plan_lv = &run->plan->lv[lv];
	uint32_t found = LEA_NONE;

	if (!run->has_obstacles || plan_lv->top == LEA_NONE)
		return LEA_NONE;
	found = obstacle_below(run, plan_lv->top);
	/* Its snapshots come with it and lie beside it. */
	for (uint32_t i = 0; found == LEA_NONE && i < plan_lv->step_count; i++)
		found = obstacle_below(run, run->plan->step[plan_lv->first_step + i].node);
	return found;
}
