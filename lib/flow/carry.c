/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Upwards: every node is looked at before the first is touched, so that handing the VG over is
 * still possible; then step by step, LV by LV. A node that many LVs need is made once; if that
 * fails, all of them have failed. At the end what was made for nobody goes again.
 */
#include "flow/carry.h"

#include "flow/carry_run.h"
#include "world/dm.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void print_node(const struct lea_carry_run *run, const struct lea_plan_node *node)
{
	for (uint32_t i = 0; i < node->table.row_count; i++) {
		const struct lea_row *row = &node->table.row[i];

		lea_log(run->world->log, LEA_LOG_VERBOSE, "%s%s: %" PRIu64 " %" PRIu64 " %s %s",
			node->node.name, node->node.read_only ? " (read-only)" : "",
			row->start_sectors, row->length_sectors, row->target, row->params);
	}
}

static void explain(const struct lea_carry_run *run, uint32_t index)
{
	const struct lea_plan_lv *lv = &run->plan->lv[index];
	const char *reason = lea_select_reason(lv->selected);

	if (reason && lv->selected != LEA_SELECT_HIDDEN)
		lea_log(run->world->log, LEA_LOG_VERBOSE, "LV %s/%s is left out: %s.",
			run->plan->vg->name, run->plan->vg->lvs[index].name, reason);
}

static int do_step(struct lea_carry_run *run, const struct lea_plan_step *step)
{
	switch (step->kind) {
	case LEA_STEP_MAKE:
		print_node(run, &run->plan->node[step->node]);
		return run->how->test ? 0 : lea_carry_make(run, step);
	case LEA_STEP_RESUME:
		return run->how->test ? 0 : lea_carry_resume(run, step);
	case LEA_STEP_CHECK:
		return run->how->test ? 0 : lea_carry_check(run, step);
	case LEA_STEP_STATUS:
		return run->how->test ? 0 : lea_carry_status(run, step);
	case LEA_STEP_AGAIN:
	default:
		return run->how->test ? 0 : lea_carry_again(run, step);
	}
}

/* Its own node is active as it should be: whatever lies below is, too, and none of our business.
 * LVs on one move come up with the first of them. */
static bool is_active(const struct lea_carry_run *run, const struct lea_plan_lv *lv)
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

/* An LV without steps was to be made with another one. */
static int was_made(const struct lea_carry_run *run, const struct lea_plan_lv *lv)
{
	const struct lea_carry_node *now = lv->top != LEA_NONE ? &run->node[lv->top] : NULL;

	if (!now || lv->step_count || run->how->test)
		return 0;
	return now->is_there && !now->has_failed && !now->is_loaded ? 0 : -EIO;
}

/* Left so by a program that died: whoever uses it waits. */
static bool is_stuck(const struct lea_carry_node *now)
{
	return now->is_there && !now->is_new &&
	       (now->info.suspended || (now->info.live_table && now->info.inactive_table));
}

/* A snapshot that is to be merged can only be taken down with its origin. */
static int refuse(struct lea_carry_run *run, uint32_t index, uint32_t at)
{
	const struct lea_vg *vg = run->plan->vg;
	const struct lea_carry_node *now = &run->node[at];
	const uint32_t owner = run->plan->node[at].lv;
	const char *active = vg->lvs[now->obstacle_lv].name;
	const bool is_merging = now->obstacle_lv == vg->lvs[owner].merging_thin;

	lea_log(run->world->log, LEA_LOG_ERROR,
		"LV %s/%s is not activated: its %s %s/%s is active by itself%s. When nobody uses that "
		"any more: lvchange -an %s/%s, then activate %s/%s",
		vg->name, vg->lvs[index].name, is_merging ? "merging snapshot" : "component",
		vg->name, active, now->obstacle == LEA_NOT_NOW ? " and open" : "", vg->name,
		is_merging ? vg->lvs[owner].name : active, vg->name, vg->lvs[index].name);
	return now->obstacle;
}

static int do_lv(struct lea_carry_run *run, uint32_t index)
{
	const struct lea_plan_lv *lv = &run->plan->lv[index];
	const bool active = is_active(run, lv);
	const uint32_t obstacle = active ? LEA_NONE : lea_carry_obstacle(run, index);
	int r = 0;

	if (lv->refusal)
		lea_log(run->world->log, LEA_LOG_ERROR, "%s", lv->refusal);
	explain(run, index);
	if (obstacle != LEA_NONE)
		r = refuse(run, index, obstacle);
	for (uint32_t i = 0; i < lv->step_count; i++) {
		const struct lea_plan_step *step = &run->plan->step[lv->first_step + i];

		if (r ? lea_carry_is_for_others(run, step)
		      : !active || is_stuck(&run->node[step->node])) {
			int s = do_step(run, step);

			r = r ? r : s;
		}
	}
	if (!r)
		r = was_made(run, lv);
	return lv->refusal ? -EINVAL : r;
}

/* Which nodes are of use to an LV that is active now. */
struct keep {
	const struct lea_carry_run *run;
	bool *wanted; /* [node_count] */
};

static void keep_node(void *arg, uint32_t node)
{
	struct keep *keep = arg;

	if (keep->wanted[node])
		return;
	keep->wanted[node] = true;
	lea_carry_refs(keep->run, node, keep_node, keep);
}

static void keep_lv(struct keep *keep, const struct lea_plan_lv *lv)
{
	for (uint32_t i = 0; i < lv->step_count; i++)
		if (keep->run->plan->step[lv->first_step + i].kind == LEA_STEP_MAKE)
			keep_node(keep, keep->run->plan->step[lv->first_step + i].node);
}

/* Those that lie on others first. */
static void take_back_rest(struct lea_carry_run *run, const bool *wanted)
{
	for (uint32_t i = run->plan->step_count; i > 0; i--) {
		const struct lea_plan_step *step = &run->plan->step[i - 1];

		if (step->kind == LEA_STEP_MAKE && run->node[step->node].is_new &&
		    !wanted[step->node])
			lea_carry_take_back(run, step->node);
	}
}

static int take_back_unused(struct lea_carry_run *run, const bool *failed)
{
	struct keep keep = {.run = run};

	keep.wanted = lea_arena_alloc(run->how->arena, run->plan->node_count, sizeof(bool));
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

static int do_all(struct lea_carry_run *run)
{
	const uint32_t count = run->plan->vg->lv_count;
	bool *failed = lea_arena_alloc(run->how->arena, count, sizeof(*failed));
	uint32_t failures = 0;
	int r;

	if (count && !failed)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		r = do_lv(run, i);
		failed[i] = r != 0;
		failures += failed[i];
		if (lea_is_transient(r) && !run->result->shortage)
			run->result->shortage = r;
	}
	run->result->failed += failures;
	if (!failures)
		return 0;
	r = run->how->test ? 0 : take_back_unused(run, failed);
	return r ? r : LEA_ACTIVATE_FAILED;
}

int lea_carry_plan(struct lea_world *world, const struct lea_carry_up *how,
		   const struct lea_plan *plan, struct lea_activate_result *result)
{
	struct lea_carry_up idle = *how;
	struct lea_carry_run run = {
		.world = world, .dm = world->dm, .how = how, .plan = plan, .result = result};
	int r;

	run.node = lea_arena_alloc(how->arena, plan->node_count, sizeof(*run.node));
	if (plan->node_count && !run.node)
		return -ENOMEM;
	/* Without device-mapper nothing is active and nothing fails. */
	idle.test = how->test || !world->dm;
	run.how = &idle;
	r = idle.test ? 0 : lea_carry_look(&run);
	return r ? r : do_all(&run);
}

int lea_carry_count(struct lea_world *world, struct lea_arena *arena, const struct lea_vg *vg,
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
		if (!r)
			r = world->dm->info(world->dm, names.uuid, &info);
		if (r < 0)
			return r;
		count += !r && info.live_table;
	}
	*ret_count = count;
	return 0;
}
