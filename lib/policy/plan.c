/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First the whole VG is judged: is every segment one of ours? Only then nodes are written, so that
 * a VG is never half native.
 */
#include "policy/plan.h"

#include "disk/name.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "policy/emit.h"

#include <errno.h>
#include <string.h>

/* A step to make a node, one to resume it, a check or a look at its state, a second resume. */
#define STEPS_PER_NODE 4U
#define MAX_NODES      (UINT32_MAX / STEPS_PER_NODE)

/* Is the node of the cache that uses this volume one that people see? */
static bool has_shown_user(const struct lea_vg *vg, const struct lea_lv *volume)
{
	const struct lea_lv *user = volume->user != LEA_NONE ? &vg->lvs[volume->user] : NULL;

	return user && lea_lv_is_visible(user) && !user->snapshots && !user->is_external_origin;
}

static bool is_hidden(const struct lea_vg *vg, const struct lea_lv *lv, enum lea_layer layer,
		      const struct lea_plan_rules *rules)
{
	/* Older lvm2 shows udev's rules the parts of a cache volume as it shows the cache itself. */
	if (layer == LEA_LAYER_CDATA || layer == LEA_LAYER_CMETA)
		return rules->ways.hides_cachevol_parts || !has_shown_user(vg, lv);
	return layer != LEA_LAYER_NONE || !lea_lv_is_visible(lv) ||
	       lea_plan_pool_layer(lv) != LEA_LAYER_NONE;
}

static bool is_for_lvm_only(const struct lea_lv *lv)
{
	return lea_lv_name_is_reserved(lv->name) ||
	       (lv->seg_count && lv->seg[0].segtype &&
		lv->seg[0].segtype->family == LEA_FAMILY_THIN_POOL);
}

uint16_t lea_plan_udev_flags(const struct lea_vg *vg, const struct lea_lv *lv,
			     enum lea_layer layer, const struct lea_plan_rules *rules)
{
	unsigned int flags = 0;

	if (layer == LEA_LAYER_MISSING)
		return 0;
	if (is_hidden(vg, lv, layer, rules))
		flags |= LEA_DM_UDEV_DISABLE_SUBSYSTEM | LEA_DM_UDEV_DISABLE_DISK |
			 LEA_DM_UDEV_DISABLE_OTHER;
	else if (layer == LEA_LAYER_NONE && is_for_lvm_only(lv))
		flags |= LEA_DM_UDEV_DISABLE_DISK | LEA_DM_UDEV_DISABLE_OTHER;
	if (lv->role == LEA_ROLE_COW)
		flags |= LEA_DM_UDEV_LOW_PRIORITY;
	if (!rules->udev_rules)
		flags |= LEA_DM_UDEV_DISABLE_DM | LEA_DM_UDEV_DISABLE_SUBSYSTEM;
	else if (!rules->udev_fallback)
		flags |= LEA_DM_UDEV_DISABLE_FALLBACK;
	return (uint16_t)flags;
}

const char *lea_plan_foreign_type(const struct lea_lv *lv)
{
	for (uint32_t s = 0; s < lv->seg_count; s++)
		if (!lv->seg[s].segtype || !lea_emitter_find(lv->seg[s].type))
			return lv->seg[s].type;
	return NULL;
}

/* What is to come up depends on settings that only lvm2 knows how to apply. */
static const char *settings_reason(const struct lea_emit *emit)
{
	const struct lea_vg *vg = emit->vg;
	uint32_t families = 0;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (vg->lvs[i].seg[0].segtype)
			families |= 1U << vg->lvs[i].seg[0].segtype->family;
	/* Whatever is up can be taken down. */
	if (emit->rules->select.everything)
		return NULL;
	if (families & emit->rules->lvms_families)
		return "a setting disables features of a type in it";
	if (vg->has_profile && families & 1U << LEA_FAMILY_THIN_POOL)
		return "a thin pool in it, whose low water mark may come from a profile";
	return NULL;
}

/* The first thing in the VG that is not ours, NULL: all of it is. */
static const char *delegate_reason(const struct lea_emit *emit)
{
	const struct lea_vg *vg = emit->vg;
	const char *reason = vg->delegate_reason;

	for (uint32_t i = 0; !reason && i < vg->lv_count; i++)
		if (lea_plan_foreign_type(&vg->lvs[i]))
			reason = "a segment type that is not done natively";
	for (uint32_t i = 0; !reason && i < vg->pv_count; i++)
		/* It came back: what it holds may be old, and lvm2 has rules for that. */
		if (emit->pvs[i].is_present && vg->pvs[i].flags & LEA_FLAG_MISSING)
			reason = "a PV that is here is marked as missing";
	return reason ? reason : settings_reason(emit);
}

/* It lacks more than the mode lets it. */
static bool is_refused(struct lea_emit *emit, uint32_t lv)
{
	const enum lea_plan_mode mode = emit->rules->mode;

	/* To be taken down: whatever may be there. */
	if (emit->rules->select.everything)
		return false;
	switch (lea_emit_group_wholeness(emit, lv)) {
	case LEA_WHOLE:
		return false;
	case LEA_DEGRADED:
		return mode == LEA_MODE_COMPLETE;
	case LEA_PARTIAL:
		return mode != LEA_MODE_PARTIAL;
	case LEA_LOST:
	default:
		return true;
	}
}

static const char *partial_text(struct lea_emit *emit, uint32_t lv)
{
	const char *way_out = "Use '--activationmode partial' to override.";

	if (lea_emit_group_wholeness(emit, lv) == LEA_DEGRADED)
		way_out = "Try '--activationmode degraded'.";
	if (emit->rules->mode == LEA_MODE_PARTIAL)
		way_out = "Nothing can stand in for what it lacks.";
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
		return lea_arena_printf(emit->arena, "%s/%s lies on what no LV can lie on.",
					emit->vg->name, lv->name);
	return lea_arena_printf(emit->arena, "%s/%s lies beyond what a device can have.",
				emit->vg->name, lv->name);
}

static int refuse(struct lea_plan_lv *plan_lv, const char *text)
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
	if (is_refused(emit, index))
		return refuse(plan_lv, partial_text(emit, index));
	r = lea_emit_root(emit, index, &plan_lv->top);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		/* What it shares with others is theirs to make; the steps so far do no harm. */
		plan_lv->top = LEA_NONE;
		plan_lv->step_count = plan->step_count - plan_lv->first_step;
		return refuse(plan_lv, fault_text(emit, lv, r));
	}
	plan_lv->step_count = plan->step_count - plan_lv->first_step;
	return 0;
}

/* Of LVs in it, whatever its own node would be. */
static bool is_pool(const struct lea_lv *lv)
{
	if (!lv->seg_count || !lv->seg[0].segtype)
		return false;
	return lv->seg[0].segtype->family == LEA_FAMILY_THIN_POOL ||
	       lv->seg[0].segtype->family == LEA_FAMILY_VDO_POOL;
}

/* No plan for this VG has more nodes. */
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

/* Which LVs come up together because one move is below them. */
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

static int make_room(struct lea_emit *emit)
{
	const uint32_t lvs = emit->vg->lv_count;
	const uint64_t nodes = most_nodes(emit->vg, emit->pvs);
	struct lea_plan *plan = emit->plan;

	if (nodes > MAX_NODES)
		return -ENOMEM;
	emit->node_room = (uint32_t)nodes;
	emit->step_room = (uint32_t)nodes * STEPS_PER_NODE;
	plan->lv = lea_arena_alloc(emit->arena, lvs, sizeof(*plan->lv));
	plan->node = lea_arena_alloc(emit->arena, nodes, sizeof(*plan->node));
	plan->step = lea_arena_alloc(emit->arena, emit->step_room, sizeof(*plan->step));
	emit->late = lea_arena_alloc(emit->arena, nodes, sizeof(*emit->late));
	emit->node_of = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->node_of));
	emit->ahead_of = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->ahead_of));
	emit->wholeness = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->wholeness));
	emit->first_moved = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->first_moved));
	emit->next_moved = lea_arena_alloc(emit->arena, lvs, sizeof(*emit->next_moved));
	if (!lvs)
		return 0;
	if (!plan->lv || !plan->node || !plan->step || !emit->late || !emit->node_of ||
	    !emit->ahead_of || !emit->wholeness || !emit->first_moved || !emit->next_moved)
		return -ENOMEM;
	memset(emit->node_of, 0xff, lvs * sizeof(*emit->node_of));
	memset(emit->ahead_of, 0xff, lvs * sizeof(*emit->ahead_of));
	memset(emit->first_moved, 0xff, lvs * sizeof(*emit->first_moved));
	memset(emit->next_moved, 0xff, lvs * sizeof(*emit->next_moved));
	find_companions(emit);
	return 0;
}

int lea_plan_vg(struct lea_arena *arena, const struct lea_vg *vg, const struct lea_plan_pv *pvs,
		const struct lea_plan_rules *rules, struct lea_plan **ret_plan)
{
	struct lea_emit emit = {.arena = arena, .vg = vg, .pvs = pvs, .rules = rules};
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
	r = make_room(&emit);
	for (uint32_t i = 0; !r && i < vg->lv_count; i++)
		r = plan_lv(&emit, i);
	if (!r)
		*ret_plan = plan;
	return r;
}
