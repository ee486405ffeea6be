/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges the whole VG first: is every segment native? Only then it writes nodes, so that a VG is
 * never activated half natively.
 */
#include "plan/plan.h"

#include "disk/segments.h"
#include "disk/segtype.h"
#include "plan/emit.h"

#include <errno.h>
#include <string.h>

/* Create, resume, check or status, second resume. */
#define STEPS_PER_NODE 4U
#define MAX_NODES      (UINT32_MAX / STEPS_PER_NODE)

const char *lea_plan_foreign_type(const struct lea_lv *lv)
{
	for (uint32_t s = 0; s < lv->seg_count; s++)
		if (!lv->seg[s].segtype || !lea_emitter_find(lv->seg[s].type))
			return lv->seg[s].type;
	return NULL;
}

/* Reason to hand over a VG whose tables depend on settings that only lvm2 can apply. */
static const char *settings_reason(const struct lea_emit *emit)
{
	const struct lea_vg *vg = emit->vg;
	uint32_t families = 0;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (vg->lvs[i].seg[0].segtype)
			families |= 1U << vg->lvs[i].seg[0].segtype->family;
	/* Deactivation needs no tables. */
	if (emit->rules->select.everything)
		return NULL;
	if (families & emit->rules->lvms_families)
		return "a setting disables features of a type in it";
	if (vg->has_profile && families & 1U << LEA_FAMILY_THIN_POOL)
		return "a thin pool in it, whose low water mark may come from a profile";
	return NULL;
}

/* Why the VG must be handed over to lvm; NULL: all of it is native. */
static const char *delegate_reason(const struct lea_emit *emit)
{
	const struct lea_vg *vg = emit->vg;
	const char *reason = vg->delegate_reason;

	for (uint32_t i = 0; !reason && i < vg->lv_count; i++)
		if (lea_plan_foreign_type(&vg->lvs[i]))
			reason = "a segment type that is not done natively";
	for (uint32_t i = 0; !reason && i < vg->pv_count; i++)
		/* The PV came back: its data may be outdated, and lvm2 has rules for that. */
		if (emit->pvs[i].is_present && vg->pvs[i].flags & LEA_FLAG_MISSING)
			reason = "a PV that is present is marked as missing";
	return reason ? reason : settings_reason(emit);
}

/* lvm2 activates only RAID LVs themselves degraded: neither pools, caches nor thin LVs above them.
 * Source: lvm2 2.03.16, test/guest/cases/incomplete.sh. */
static bool is_raid(const struct lea_vg *vg, uint32_t lv)
{
	const struct lea_segtype *type = vg->lvs[lv].seg_count ? vg->lvs[lv].seg[0].segtype : NULL;

	return type && type->family == LEA_FAMILY_RAID;
}

/* Does the LV lack more than the mode permits? */
static bool is_refused(struct lea_emit *emit, uint32_t lv)
{
	const enum lea_plan_mode mode = emit->rules->mode;

	/* Deactivation: missing parts don't matter. */
	if (emit->rules->select.everything)
		return false;
	switch (lea_emit_group_availability(emit, lv)) {
	case LEA_AVAIL_ALL:
		return false;
	case LEA_DEGRADED:
		return mode == LEA_MODE_COMPLETE ||
		       (mode == LEA_MODE_DEGRADED && !is_raid(emit->vg, lv));
	case LEA_PARTIAL:
		return mode != LEA_MODE_PARTIAL;
	case LEA_AVAIL_NONE:
	default:
		return true;
	}
}

static const char *partial_text(struct lea_emit *emit, uint32_t lv)
{
	const char *way_out = "Use '--activationmode partial' to override.";

	if (lea_emit_group_availability(emit, lv) == LEA_DEGRADED && is_raid(emit->vg, lv))
		way_out = "Try '--activationmode degraded'.";
	if (emit->rules->mode == LEA_MODE_PARTIAL)
		way_out = "Nothing can replace its missing part.";
	return lea_arena_printf(emit->arena, "Refusing activation of partial LV %s/%s.  %s",
				emit->vg->name, emit->vg->lvs[lv].name, way_out);
}

static const char *fault_text(const struct lea_emit *emit, const struct lea_lv *lv, int fault)
{
	if (fault == -ENAMETOOLONG)
		return lea_arena_printf(
			emit->arena,
			"The device name of %s/%s is longer than device-mapper allows.",
			emit->vg->name, lv->name);
	if (fault == -ELOOP)
		return lea_arena_printf(emit->arena,
					"%s/%s lies on an LV that cannot carry other LVs.",
					emit->vg->name, lv->name);
	return lea_arena_printf(emit->arena, "%s/%s exceeds the size that a device can have.",
				emit->vg->name, lv->name);
}

static int refuse_lv(struct lea_plan_lv *plan_lv, const char *text)
{
	plan_lv->refusal = text;
	return text ? 0 : -ENOMEM;
}

static int plan_lv(struct lea_emit *emit, uint32_t index)
{
	const struct lea_lv *lv = &emit->vg->lvs[index];
	struct lea_plan *plan = emit->plan;
	struct lea_plan_lv *plan_lv = &plan->lv[index];
	int r;

	plan_lv->first_step = plan->step_count;
	plan_lv->top = LEA_NONE;
	plan_lv->selected = lea_select_lv(emit->vg, lv, &emit->rules->select);
	if (plan_lv->selected != LEA_SELECTED)
		return 0;
	if (is_refused(emit, index) && emit->rules->skips_lacking) {
		plan_lv->selected = LEA_SELECT_LACKS_PV;
		return 0;
	}
	if (is_refused(emit, index))
		return refuse_lv(plan_lv, partial_text(emit, index));
	r = lea_emit_root(emit, index, &plan_lv->top);
	if (lea_is_shortage(r))
		return r;
	if (r < 0) {
		/* Other LVs still need the shared nodes; the steps so far do no harm. */
		plan_lv->top = LEA_NONE;
		plan_lv->step_count = plan->step_count - plan_lv->first_step;
		return refuse_lv(plan_lv, fault_text(emit, lv, r));
	}
	plan_lv->step_count = plan->step_count - plan_lv->first_step;
	return 0;
}

/* Does the LV have a pool layer besides its own node? */
static bool is_pool(const struct lea_lv *lv)
{
	if (!lv->seg_count || !lv->seg[0].segtype)
		return false;
	return lv->seg[0].segtype->family == LEA_FAMILY_THIN_POOL ||
	       lv->seg[0].segtype->family == LEA_FAMILY_VDO_POOL;
}

/* Upper limit on the number of nodes of a plan for this VG. */
static uint64_t most_nodes(const struct lea_vg *vg, const struct lea_plan_pv *pvs)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->lvs[i];

		count += 1 + (lv->snapshots || lv->is_external_origin) + (lv->cow != NULL) +
			 2 * (lv->role == LEA_ROLE_CACHE_VOLUME) + is_pool(lv);
		for (uint32_t s = 0; s < lv->seg_count; s++)
			for (uint32_t a = 0; a < lv->seg[s].area_count; a++)
				if (lv->seg[s].area[a].pv != LEA_NONE)
					count += !pvs[lv->seg[s].area[a].pv].is_present;
	}
	return count;
}

static uint32_t move_below(const struct lea_vg *vg, const struct lea_lv *lv)
{
	for (uint32_t s = 0; s < lv->seg_count; s++)
		for (uint32_t a = 0; a < lv->seg[s].area_count; a++) {
			const uint32_t below = lv->seg[s].area[a].lv;

			if (below != LEA_NONE && vg->lvs[below].flags & LEA_FLAG_PVMOVE)
				return below;
		}
	return LEA_NONE;
}

/* Finds the selected LVs that lie on a common pvmove LV and so are activated together. */
static void find_companions(struct lea_emit *emit)
{
	const struct lea_vg *vg = emit->vg;

	for (uint32_t i = vg->lv_count; i > 0; i--) {
		const uint32_t lv = i - 1, move = move_below(vg, &vg->lvs[lv]);

		if (move == LEA_NONE ||
		    lea_select_lv(vg, &vg->lvs[lv], &emit->rules->select) != LEA_SELECTED ||
		    is_refused(emit, lv))
			continue;
		emit->next_moved[lv] = emit->first_moved[move];
		emit->first_moved[move] = lv;
	}
}

static int grow_steps(struct lea_emit *emit)
{
	const uint32_t lvs = emit->vg->lv_count;
	const uint64_t nodes = most_nodes(emit->vg, emit->pvs);
	struct lea_plan *plan = emit->plan;

	if (nodes > MAX_NODES)
		return -ENOMEM;
	emit->node_room = (uint32_t)nodes;
	emit->step_room = (uint32_t)nodes * STEPS_PER_NODE;
	plan->lv = lea_arena_alloc(emit->arena, lvs, sizeof(*plan->lv));
	plan->order = lea_arena_alloc(emit->arena, lvs, sizeof(*plan->order));
	plan->uses_pv = lea_arena_alloc(emit->arena, emit->vg->pv_count, sizeof(*plan->uses_pv));
	plan->node = lea_arena_alloc(emit->arena, emit->node_room, sizeof(*plan->node));
	plan->step = lea_arena_alloc(emit->arena, emit->step_room, sizeof(*plan->step));
	emit->late = lea_arena_alloc(emit->arena, emit->node_room, sizeof(*emit->late));
	emit->node_of = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->node_of));
	emit->ahead_of = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->ahead_of));
	emit->availability = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->availability));
	emit->first_moved = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->first_moved));
	emit->next_moved = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->next_moved));
	if (!lvs)
		return 0;
	if (!plan->uses_pv || !plan->lv || !plan->order || !plan->node || !plan->step ||
	    !emit->late || !emit->node_of || !emit->ahead_of || !emit->availability ||
	    !emit->first_moved || !emit->next_moved)
		return -ENOMEM;
	memset(emit->node_of, 0xff, lvs * sizeof(*emit->node_of));
	memset(emit->ahead_of, 0xff, lvs * sizeof(*emit->ahead_of));
	memset(emit->first_moved, 0xff, lvs * sizeof(*emit->first_moved));
	memset(emit->next_moved, 0xff, lvs * sizeof(*emit->next_moved));
	find_companions(emit);
	return 0;
}

/* A shared node is made in the steps of the first LV on it, so the order is part of the plan. */
static void order_lvs(const struct lea_emit *emit)
{
	const struct lea_vg *vg = emit->vg;
	uint32_t count = 0;

	for (int first = 1; first >= 0; first--)
		for (uint32_t i = 0; i < vg->lv_count; i++)
			if (lea_select_first(vg, &vg->lvs[i], &emit->rules->select) == first)
				emit->plan->order[count++] = i;
}

int lea_plan_vg(struct lea_arena *arena, const struct lea_vg *vg, const struct lea_plan_pv *pvs,
		const struct lea_plan_rules *rules, struct lea_plan **ret_plan)
{
	struct lea_emit emit = {
		.arena = arena, .vg = vg, .pvs = pvs, .rules = rules, .find = lea_emitter_find};
	struct lea_plan *plan = lea_arena_alloc(arena, 1, sizeof(*plan));
	int r;

	if (!plan)
		return -ENOMEM;
	plan->vg = vg;
	plan->delegate_reason = delegate_reason(&emit);
	if (plan->delegate_reason) {
		*ret_plan = plan;
		return LEA_PLAN_DELEGATE;
	}
	emit.plan = plan;
	r = grow_steps(&emit);
	if (!r)
		order_lvs(&emit);
	for (uint32_t i = 0; !r && i < vg->lv_count; i++)
		r = plan_lv(&emit, plan->order[i]);
	if (!r)
		*ret_plan = plan;
	return r;
}
