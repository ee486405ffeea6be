/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Activation. The state of every node is read before the first change, so that the VG can still
 * be handed to the real lvm; then the plan's steps are executed LV by LV. A node that several LVs
 * need is created once; if that fails, all of these LVs fail. At the end, new nodes that no active
 * LV uses are removed.
 */
#include "activate/dm_activate.h"

#include "activate/activate_private.h"
#include "world/dm.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void print_node(const struct lea_dm_exec *run, const struct lea_plan_node *node)
{
	for (uint32_t i = 0; i < node->table.row_count; i++) {
		const struct lea_row *row = &node->table.row[i];

		lea_log(run->world->log, LEA_LOG_VERBOSE, "%s%s: %" PRIu64 " %" PRIu64 " %s %s",
			node->node.name, node->node.read_only ? " (read-only)" : "",
			row->start_sectors, row->length_sectors, row->target, row->params);
	}
}

static void explain(const struct lea_dm_exec *run, uint32_t index)
{
	const struct lea_plan_lv *lv = &run->plan->lv[index];
	const char *reason = lea_select_reason(lv->selected);

	if (reason && lv->selected != LEA_SELECT_HIDDEN)
		lea_log(run->world->log, LEA_LOG_VERBOSE, "LV %s/%s is left out: %s.",
			run->plan->vg->name, run->plan->vg->lvs[index].name, reason);
}

static int do_step(struct lea_dm_exec *run, const struct lea_plan_step *step)
{
	switch (step->kind) {
	case LEA_STEP_MAKE:
		print_node(run, &run->plan->node[step->node]);
		return run->options->test ? 0 : lea_dm_exec_make(run, step);
	case LEA_STEP_RESUME:
		return run->options->test ? 0 : lea_dm_exec_resume(run, step);
	case LEA_STEP_CHECK:
		return run->options->test ? 0 : lea_dm_exec_check(run, step);
	case LEA_STEP_STATUS:
		return run->options->test ? 0 : lea_dm_exec_status(run, step);
	case LEA_STEP_AGAIN:
	default:
		return run->options->test ? 0 : lea_dm_exec_again(run, step);
	}
}

/* For an LV without steps: the steps of another LV create its node. Did they? */
static int was_made(const struct lea_dm_exec *run, const struct lea_plan_lv *lv)
{
	const struct lea_dm_node_state *now = lv->top != LEA_NONE ? &run->node[lv->top] : NULL;

	if (!now || lv->step_count || run->options->test)
		return 0;
	return now->is_there && !now->has_failed && !now->is_loaded ? 0 : -EIO;
}

/* A program that died left the node suspended, or with a table it did not resume; I/O to a
 * suspended node blocks. */
static bool is_stuck(const struct lea_dm_node_state *now)
{
	return now->is_there && !now->is_new &&
	       (now->info.suspended || (now->info.live_table && now->info.inactive_table));
}

/* lvchange cannot deactivate a merging snapshot alone, so the advice names its origin. */
static int refuse_node(struct lea_dm_exec *run, uint32_t index, uint32_t at)
{
	const struct lea_vg *vg = run->plan->vg;
	const struct lea_dm_node_state *now = &run->node[at];
	const uint32_t owner = run->plan->node[at].lv;
	const char *active = vg->lvs[now->obstacle_lv].name;
	const bool is_merging = now->obstacle_lv == vg->lvs[owner].merging_thin;

	lea_log(run->world->log, LEA_LOG_ERROR,
		"LV %s/%s is not activated: its %s %s/%s is active by itself%s. When "
		"it is no longer in use: lvchange -an %s/%s, then activate %s/%s",
		vg->name, vg->lvs[index].name, is_merging ? "merging snapshot" : "component",
		vg->name, active, now->obstacle == LEA_NOT_NOW ? " and open" : "", vg->name,
		is_merging ? vg->lvs[owner].name : active, vg->name, vg->lvs[index].name);
	return now->obstacle;
}

static int do_lv(struct lea_dm_exec *run, uint32_t index)
{
	const struct lea_plan_lv *lv = &run->plan->lv[index];
	const bool active = lea_dm_exec_is_active(run, lv);
	const uint32_t obstacle = active ? LEA_NONE : lea_dm_exec_obstacle(run, index);
	int r = 0;

	if (run->options->was_active)
		run->options->was_active[index] = active;
	if (lv->refusal)
		lea_log(run->world->log, LEA_LOG_ERROR, "%s", lv->refusal);
	explain(run, index);
	if (obstacle != LEA_NONE)
		r = refuse_node(run, index, obstacle);
	for (uint32_t i = 0; i < lv->step_count; i++) {
		const struct lea_plan_step *step = &run->plan->step[lv->first_step + i];

		if (r ? lea_dm_exec_is_for_others(run, step)
		      : !active || is_stuck(&run->node[step->node])) {
			int s = do_step(run, step);

			r = r ? r : s;
		}
	}
	r = r ? r : was_made(run, lv);
	if (!r && !run->options->test)
		lea_dm_exec_tell_snapshots(run, index);
	return lv->refusal ? -EINVAL : r;
}

/* Marks the nodes that some active LV uses. */
struct keep {
	const struct lea_dm_exec *run;
	bool *wanted; /* [node_count] */
};

static void keep_node(void *arg, uint32_t node)
{
	struct keep *keep = arg;

	if (keep->wanted[node])
		return;
	keep->wanted[node] = true;
	lea_dm_exec_refs(keep->run, node, keep_node, keep);
}

static void keep_lv(struct keep *keep, const struct lea_plan_lv *lv)
{
	for (uint32_t i = 0; i < lv->step_count; i++)
		if (keep->run->plan->step[lv->first_step + i].kind == LEA_STEP_MAKE)
			keep_node(keep, keep->run->plan->step[lv->first_step + i].node);
}

/* Removes in reverse order of creation: a node before the nodes below it. */
static void take_back_rest(struct lea_dm_exec *run, const bool *wanted)
{
	for (uint32_t i = run->plan->step_count; i > 0; i--) {
		const struct lea_plan_step *step = &run->plan->step[i - 1];

		if (step->kind == LEA_STEP_MAKE && run->node[step->node].is_new &&
		    !wanted[step->node])
			lea_dm_exec_take_back(run, step->node);
	}
}

static int take_back_unused(struct lea_dm_exec *run, const bool *failed)
{
	struct keep keep = {.run = run};

	keep.wanted = lea_arena_alloc(run->options->arena, run->plan->node_count, sizeof(bool));
	if (!run->plan->node_count)
		return 0;
	if (!keep.wanted)
		return -ENOMEM;
	for (uint32_t i = 0; i < run->plan->vg->lv_count; i++)
		if (!failed[i])
			keep_lv(&keep, &run->plan->lv[i]);
	take_back_rest(run, keep.wanted);
	return 0;
}

static int do_all(struct lea_dm_exec *run)
{
	const uint32_t count = run->plan->vg->lv_count;
	bool *failed = lea_arena_alloc(run->options->arena, count, sizeof(*failed));
	uint32_t failures = 0;
	int r;

	if (count && !failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t lv = run->plan->order[i];

		r = do_lv(run, lv);
		failed[lv] = r != 0;
		failures += failed[lv];
		if (lea_is_transient(r) && !run->result->shortage)
			run->result->shortage = r;
	}
	run->result->failed += failures;
	if (!failures)
		return 0;
	r = run->options->test ? 0 : take_back_unused(run, failed);
	return r ? r : LEA_ACTIVATE_FAILED;
}

int lea_dm_activate(struct lea_world *world, const struct lea_dm_exec_up *options,
		    const struct lea_plan *plan, struct lea_activate_result *result)
{
	struct lea_dm_exec_up idle = *options;
	struct lea_dm_exec run = {.world = world,
				  .dm = world->dm,
				  .options = options,
				  .plan = plan,
				  .result = result};
	int r;

	run.node = lea_arena_alloc(options->arena, plan->node_count, sizeof(*run.node));
	if (plan->node_count && !run.node)
		return -ENOMEM;
	/* Without device-mapper, act as with --test. */
	idle.test = options->test || !world->dm;
	run.options = &idle;
	r = idle.test ? 0 : lea_dm_exec_look(&run);
	if (!r && !idle.test)
		lea_dm_exec_set_threshold(&run);
	return r ? r : do_all(&run);
}

static bool is_left_alone(const struct lea_dm_exec *run, const struct lea_plan_lv *lv)
{
	if (lv->refusal)
		return false;
	for (uint32_t i = 0; i < lv->step_count; i++)
		if (is_stuck(&run->node[run->plan->step[lv->first_step + i].node]))
			return false;
	return !lv->step_count || lea_dm_exec_is_active(run, lv);
}

int lea_dm_is_up(struct lea_world *world, const struct lea_dm_exec_up *options,
		 const struct lea_plan *plan, bool *ret_is_up)
{
	struct lea_activate_result result = {.lock_fd = -1}; /* says why lvm would be asked */
	struct lea_dm_exec run = {.world = world,
				  .dm = world->dm,
				  .options = options,
				  .plan = plan,
				  .result = &result};
	bool is_up = world->dm != NULL;
	int r;

	run.node = lea_arena_alloc(options->arena, plan->node_count, sizeof(*run.node));
	if (plan->node_count && !run.node)
		return -ENOMEM;
	r = is_up ? lea_dm_exec_look(&run) : 0;
	if (r > 0)
		is_up = false;
	for (uint32_t i = 0; !r && is_up && i < plan->vg->lv_count; i++)
		is_up = is_left_alone(&run, &plan->lv[i]);
	if (r >= 0)
		*ret_is_up = is_up;
	return r < 0 ? r : 0;
}

int lea_dm_count_active(struct lea_world *world, struct lea_arena *arena, const struct lea_vg *vg,
			uint32_t *ret_count)
{
	struct lea_plan_names names;
	struct lea_dm_info info;
	uint32_t count = 0;
	int r;

	for (uint32_t i = 0; world->dm && i < vg->lv_count; i++) {
		if (!lea_lv_is_visible(&vg->lvs[i]))
			continue;
		r = lea_plan_names(arena, vg, &vg->lvs[i], LEA_LAYER_NONE, &names);
		if (r == -ENAMETOOLONG)
			continue;
		r = r ? r : world->dm->info(world->dm, names.uuid, &info);
		if (r < 0)
			return r;
		count += !r && info.live_table;
	}
	*ret_count = count;
	return 0;
}
