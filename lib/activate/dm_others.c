/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of the first LV on a shared node create that node. When this LV fails for a reason of
 * its own, the other LVs still need the node.
 */
#include "activate/activate_private.h"

struct walk {
	struct lea_dm_exec *run;
	uint32_t lv;
};

/* Descends through a node at most twice: for the first LV above it, and for the second, which makes
 * the node and all below it shared. */
static void mark(void *arg, uint32_t node)
{
	const struct walk *walk = arg;
	struct lea_dm_node_state *now = &walk->run->node[node];

	if (now->is_shared || now->lv_above == walk->lv + 1)
		return;
	now->is_shared = now->lv_above != 0;
	now->lv_above = walk->lv + 1;
	lea_dm_exec_refs(walk->run, node, mark, arg);
}

static void find_shared(struct lea_dm_exec *run)
{
	for (uint32_t i = 0; i < run->plan->vg->lv_count; i++) {
		struct walk walk = {run, i};

		if (run->plan->lv[i].top != LEA_NONE)
			mark(&walk, run->plan->lv[i].top);
	}
	run->knows_shared = true;
}

struct parts {
	const struct lea_dm_exec *run;
	bool lack;
};

static void look_at_part(void *arg, uint32_t node)
{
	struct parts *parts = arg;
	const struct lea_dm_node_state *now = &parts->run->node[node];

	parts->lack |= !now->is_there || now->has_failed || now->obstacle;
}

/* The plan's order creates parts first: if one is absent now, the node cannot be created. */
static bool lacks_part(const struct lea_dm_exec *run, uint32_t node)
{
	struct parts parts = {.run = run};

	lea_dm_exec_refs(run, node, look_at_part, &parts);
	return parts.lack;
}

bool lea_dm_exec_is_for_others(struct lea_dm_exec *run, const struct lea_plan_step *step)
{
	struct lea_dm_node_state *now = &run->node[step->node];

	if (!run->knows_shared)
		find_shared(run);
	if (!now->is_shared || now->has_failed || now->obstacle)
		return false;
	now->has_failed = !now->is_live && lacks_part(run, step->node);
	return !now->has_failed;
}
