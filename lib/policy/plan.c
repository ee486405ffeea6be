/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * First the whole VG is judged: is every segment one of ours? Only then nodes are written, so that
 * a VG is never half native.
 */
#include "policy/plan.h"

#include "disk/name.h"
#include "policy/emit.h"

#include <errno.h>
#include <string.h>

#define DM_NAME_CHARS 127U
#define DM_UUID_CHARS 128U

/* Joined by hyphens, so those inside are doubled. Returns what follows the copy. */
static char *put_doubled(char *to, const char *from)
{
	for (; *from; from++) {
		if (*from == '-')
			*to++ = '-';
		*to++ = *from;
	}
	return to;
}

int lea_plan_names(struct lea_arena *arena, const struct lea_vg *vg, const struct lea_lv *lv,
		   struct lea_dm_node *ret_node)
{
	char *name = lea_arena_alloc(arena, 2 * (strlen(vg->name) + strlen(lv->name)) + 2, 1);
	char *uuid = lea_arena_printf(arena, "LVM-%s%s", vg->id, lv->id);
	char *end;

	if (!name || !uuid)
		return -ENOMEM;
	end = put_doubled(name, vg->name);
	*end++ = '-';
	end = put_doubled(end, lv->name);
	if ((size_t)(end - name) > DM_NAME_CHARS || strlen(uuid) > DM_UUID_CHARS)
		return -ENAMETOOLONG;
	ret_node->name = name;
	ret_node->uuid = uuid;
	return 0;
}

uint16_t lea_plan_udev_flags(const struct lea_lv *lv, const struct lea_plan_rules *rules)
{
	unsigned int flags = 0;

	if (!lea_lv_is_visible(lv))
		flags |= LEA_DM_UDEV_DISABLE_SUBSYSTEM | LEA_DM_UDEV_DISABLE_DISK |
			 LEA_DM_UDEV_DISABLE_OTHER;
	else if (lea_lv_name_is_reserved(lv->name))
		flags |= LEA_DM_UDEV_DISABLE_DISK | LEA_DM_UDEV_DISABLE_OTHER;
	if (!rules->udev_rules)
		flags |= LEA_DM_UDEV_DISABLE_DM | LEA_DM_UDEV_DISABLE_SUBSYSTEM;
	else if (!rules->udev_fallback)
		flags |= LEA_DM_UDEV_DISABLE_FALLBACK;
	return (uint16_t)flags;
}

static bool lies_on_pvs(const struct lea_lv_seg *seg)
{
	for (uint32_t i = 0; i < seg->area_count; i++)
		if (seg->area[i].pv == LEA_NONE)
			return false;
	return seg->area_count > 0;
}

static bool is_partial(const struct lea_emit *emit, const struct lea_lv *lv)
{
	for (uint32_t s = 0; s < lv->seg_count; s++)
		for (uint32_t i = 0; i < lv->seg[s].area_count; i++)
			if (!emit->pvs[lv->seg[s].area[i].pv].is_present)
				return true;
	return false;
}

static const char *foreign_part(const struct lea_lv *lv)
{
	if (lv->flags & (LEA_FLAG_PVMOVE | LEA_FLAG_LOCKED))
		return "an LV is being moved";
	for (uint32_t s = 0; s < lv->seg_count; s++) {
		if (!lv->seg[s].segtype || !lea_emitter_find(lv->seg[s].type))
			return "a segment type that is not done natively";
		if (!lies_on_pvs(&lv->seg[s]))
			return "an LV that lies on other LVs";
	}
	return NULL;
}

/* The first thing in the VG that is not ours, NULL: all of it is. */
static const char *delegate_reason(const struct lea_emit *emit)
{
	const struct lea_vg *vg = emit->vg;
	const char *reason = vg->delegate_reason;
	bool is_missing = false;

	for (uint32_t i = 0; !reason && i < vg->lv_count; i++)
		reason = foreign_part(&vg->lvs[i]);
	for (uint32_t i = 0; !reason && i < vg->pv_count; i++) {
		is_missing |= !emit->pvs[i].is_present;
		/* It came back: what it holds may be old, and lvm2 has rules for that. */
		if (emit->pvs[i].is_present && vg->pvs[i].flags & LEA_FLAG_MISSING)
			reason = "a PV that is here is marked as missing";
	}
	if (!reason && is_missing && emit->rules->mode == LEA_MODE_PARTIAL)
		reason = "PVs are missing and partial activation was asked for";
	return reason;
}

/* Twice the widest stripe, or what the PVs have. */
static uint64_t automatic_read_ahead(const struct lea_emit *emit, const struct lea_lv *lv)
{
	uint64_t widest = 0, largest = 0;

	for (uint32_t s = 0; s < lv->seg_count; s++) {
		const struct lea_lv_seg *seg = &lv->seg[s];
		uint64_t wish = lea_emitter_find(seg->type)->read_ahead_sectors(emit, seg);

		widest = wish > widest ? wish : widest;
		for (uint32_t i = 0; i < seg->area_count; i++)
			if (emit->pvs[seg->area[i].pv].read_ahead_sectors > largest)
				largest = emit->pvs[seg->area[i].pv].read_ahead_sectors;
	}
	return widest ? widest : largest;
}

static void set_read_ahead(const struct lea_emit *emit, const struct lea_lv *lv,
			   struct lea_dm_node *node)
{
	uint64_t sectors;

	node->has_read_ahead = true;
	if (lv->has_read_ahead ? lv->read_ahead != 0 : !emit->rules->readahead_auto) {
		node->read_ahead_sectors =
			lv->has_read_ahead && lv->read_ahead > 0 ? (uint32_t)lv->read_ahead : 0;
		return;
	}
	sectors = automatic_read_ahead(emit, lv);
	node->read_ahead_sectors = sectors > INT32_MAX ? INT32_MAX : (uint32_t)sectors;
	node->read_ahead_is_minimum = true;
}

static int emit_table(const struct lea_emit *emit, const struct lea_lv *lv, struct lea_table *table)
{
	int r = 0;

	table->row = lea_arena_alloc(emit->arena, lv->seg_count, sizeof(*table->row));
	if (!table->row)
		return -ENOMEM;
	table->row_count = lv->seg_count;
	for (uint32_t s = 0; !r && s < lv->seg_count; s++) {
		const struct lea_lv_seg *seg = &lv->seg[s];
		struct lea_row *row = &table->row[s];

		row->start_sectors = (uint64_t)seg->start_extent * emit->vg->extent_sectors;
		row->length_sectors = (uint64_t)seg->extent_count * emit->vg->extent_sectors;
		r = lea_emitter_find(seg->type)->emit(emit, seg, row);
	}
	return r;
}

/* Plain LVs: one node each. */
static int emit_node(const struct lea_emit *emit, uint32_t index, struct lea_plan_node *plan_node)
{
	const struct lea_lv *lv = &emit->vg->lvs[index];
	struct lea_dm_node *node = &plan_node->node;
	int r = lea_plan_names(emit->arena, emit->vg, lv, node);

	if (!r)
		r = emit_table(emit, lv, &plan_node->table);
	if (r < 0)
		return r;
	plan_node->lv = index;
	node->read_only = !(lv->flags & LEA_FLAG_WRITE) ||
			  lea_select_read_only(emit->vg, lv, &emit->rules->select);
	node->fixed_minor = lv->flags & LEA_FLAG_FIXED_MINOR;
	node->major = lv->major;
	node->minor = lv->minor;
	node->udev_flags = lea_plan_udev_flags(lv, emit->rules);
	node->link_vg = emit->vg->name;
	node->link_lv = lv->name;
	set_read_ahead(emit, lv, node);
	return 0;
}

static const char *partial_text(const struct lea_emit *emit, const struct lea_lv *lv)
{
	return lea_arena_printf(
		emit->arena,
		"Refusing activation of partial LV %s/%s.  Use '--activationmode partial' to override.",
		emit->vg->name, lv->name);
}

static const char *fault_text(const struct lea_emit *emit, const struct lea_lv *lv, int fault)
{
	if (fault == -ENAMETOOLONG)
		return lea_arena_printf(
			emit->arena,
			"The device name of %s/%s is longer than device-mapper allows.",
			emit->vg->name, lv->name);
	return lea_arena_printf(emit->arena, "%s/%s lies beyond what a device can have.",
				emit->vg->name, lv->name);
}

static int plan_lv(const struct lea_emit *emit, struct lea_plan *plan, uint32_t index)
{
	const struct lea_lv *lv = &emit->vg->lvs[index];
	struct lea_plan_lv *plan_lv = &plan->lv[index];
	int r;

	plan_lv->first_node = plan->node_count;
	plan_lv->selected = lea_select_lv(emit->vg, lv, &emit->rules->select);
	if (plan_lv->selected != LEA_SELECTED)
		return 0;
	if (is_partial(emit, lv)) {
		plan_lv->refusal = partial_text(emit, lv);
		return plan_lv->refusal ? 0 : -ENOMEM;
	}
	r = emit_node(emit, index, &plan->node[plan->node_count]);
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		plan_lv->refusal = fault_text(emit, lv, r);
		return plan_lv->refusal ? 0 : -ENOMEM;
	}
	plan_lv->node_count = 1;
	plan->node_count++;
	return 0;
}

int lea_plan_vg(struct lea_arena *arena, const struct lea_vg *vg, const struct lea_plan_pv *pvs,
		const struct lea_plan_rules *rules, struct lea_plan **ret_plan)
{
	const struct lea_emit emit = {.arena = arena, .vg = vg, .pvs = pvs, .rules = rules};
	struct lea_plan *plan = lea_arena_alloc(arena, 1, sizeof(*plan));
	int r = 0;

	if (!plan)
		return -ENOMEM;
	plan->vg = vg;
	plan->delegate_reason = delegate_reason(&emit);
	if (plan->delegate_reason) {
		*ret_plan = plan;
		return LEA_PLAN_DELEGATE;
	}
	plan->lv = lea_arena_alloc(arena, vg->lv_count, sizeof(*plan->lv));
	plan->node = lea_arena_alloc(arena, vg->lv_count, sizeof(*plan->node));
	if (vg->lv_count && (!plan->lv || !plan->node))
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < vg->lv_count; i++)
		r = plan_lv(&emit, plan, i);
	if (!r)
		*ret_plan = plan;
	return r;
}
