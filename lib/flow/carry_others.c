/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A node that several LVs lie on is made by the steps of the first of them. When that one fails for
 * a reason of its own, the others still need the node.
 */
#include "flow/carry_run.h"

struct walk {
	struct lea_carry_run *run;
	uint32_t lv;
};

/* Once for the first LV above a node, once for the second: then all below it is shared, too. */
static void mark(void *arg, uint32_t node)
{
	const struct walk *walk = arg;
	struct lea_carry_node *now = &walk->run->node[node];

	if (now->is_shared || now->lv_above == walk->lv + 1)
		return;
	now->is_shared = now->lv_above != 0;
	now->lv_above = walk->lv + 1;
	lea_carry_refs(walk->run, node, mark, arg);
}

static void find_shared(struct lea_carry_run *run)
{
	for (uint32_t i = 0; i < run->plan->vg->lv_count; i++) {
		struct walk walk = {run, i};

		if (run->plan->lv[i].top != LEA_NONE)
			mark(&walk, run->plan->lv[i].top);
	}
	run->knows_shared = true;
}

struct parts {
	const struct lea_carry_run *run;
	bool lack;
};

static void look_at_part(void *arg, uint32_t node)
{
	struct parts *parts = arg;
	const struct lea_carry_node *now = &parts->run->node[node];

	parts->lack |= !now->is_there || now->has_failed || now->obstacle;
}

/* Parts come before wholes: by now all of them are there, or it can't be made. */
static bool lacks_part(const struct lea_carry_run *run, uint32_t node)
{
	struct parts parts = {.run = run};

	lea_carry_refs(run, node, look_at_part, &parts);
	return parts.lack;
}

bool lea_carry_is_for_others(struct lea_carry_run *run, const struct lea_plan_step *step)
{
	struct lea_carry_node *now = &run->node[step->node];

	if (!run->knows_shared)
		find_shared(run);
	if (!now->is_shared || now->has_failed || now->obstacle)
		return false;
	now->has_failed = !now->is_live && lacks_part(run, step->node);
	return !now->has_failed;
}
