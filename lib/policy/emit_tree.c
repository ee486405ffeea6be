/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Down an LV and up again: what it lies on first, then the node itself. A node that many need is
 * made by the first of them. Which nodes are resumed at once, and which only when the LV's own node
 * is made, is lvm2's order; semantics need no more than parts before wholes.
 */
#include "policy/emit.h"

#include "disk/segments.h"
#include "disk/segtype.h"

#include <errno.h>
#include <inttypes.h>

/* Longer than any way down that metadata can have: what is read is LEA_VG_MAX_DEPTH deep at most,
 * and an LV has up to three layers. */
#define MAX_DEPTH 128U

/* What people see of a VDO pool: a token of it. */
#define VDO_POOL_SECTORS 8U

/* Over another layer: the whole of it, but for VDO. */
static int emit_over(struct lea_emit *emit, uint32_t lv, enum lea_layer below, uint32_t node)
{
	const char *params;
	uint32_t part;
	int r = lea_emit_need(emit, lv, below, &part);

	if (r)
		return r;
	params = lea_arena_printf(emit->arena, "@%" PRIu32 " 0", part);
	return lea_emit_row(emit, node,
			    below == LEA_LAYER_VPOOL ? VDO_POOL_SECTORS
						     : lea_emit_sectors(emit, lv),
			    "linear", params);
}

static int emit_table(struct lea_emit *emit, uint32_t lv, enum lea_layer layer, uint32_t node)
{
	const struct lea_lv *what = &emit->vg->lvs[lv];

	if (layer != LEA_LAYER_NONE)
		return lea_emit_segments(emit, lv, node);
	if (what->snapshots)
		return lea_emit_origin(emit, lv, node);
	if (what->is_external_origin)
		return emit_over(emit, lv, LEA_LAYER_REAL, node);
	if (lea_plan_pool_layer(what) != LEA_LAYER_NONE)
		return emit_over(emit, lv, lea_plan_pool_layer(what), node);
	return lea_emit_segments(emit, lv, node);
}

/* Mirrors begin to copy when they go live. */
static bool is_memory_mirror(const struct lea_lv *lv)
{
	const struct lea_lv_seg *seg = &lv->seg[0];

	return seg->segtype->family == LEA_FAMILY_MIRROR && seg->own.mirror->log == LEA_NONE;
}

/* The data of an origin goes live together with the origin and its snapshots, not before; that of
 * an external origin when the thin LV on it does. A move goes live with the LVs on it; below parts
 * that the kernel reads at once it can't wait. */
static bool is_late(const struct lea_emit *emit, uint32_t lv, enum lea_layer layer)
{
	const struct lea_lv *what = &emit->vg->lvs[lv];

	if (layer == LEA_LAYER_NONE)
		return emit->depth == 1 || (emit->depth == 2 && what->flags & LEA_FLAG_PVMOVE &&
					    is_memory_mirror(what));
	if (layer != LEA_LAYER_REAL)
		return false;
	if (what->snapshots)
		return !what->snapshots->is_merging;
	return lv != emit->root;
}

static int emit_resume(struct lea_emit *emit, uint32_t node, uint16_t more_flags)
{
	const uint16_t flags = emit->plan->node[node].node.udev_flags;

	return lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_RESUME, node, 0,
							   (uint16_t)(flags | more_flags)});
}

static bool is_counting_pool(const struct lea_emit *emit, uint32_t lv, enum lea_layer layer)
{
	return layer == LEA_LAYER_TPOOL &&
	       lea_plan_pool_layer(&emit->vg->lvs[lv]) == LEA_LAYER_TPOOL;
}

static int emit_new(struct lea_emit *emit, uint32_t lv, enum lea_layer layer, uint32_t *ret_node)
{
	uint32_t node;
	int r = lea_emit_node(emit, lv, layer, &node);

	if (!r)
		r = emit_table(emit, lv, layer, node);
	if (r)
		return r;
	lea_emit_read_ahead(emit, lv, true, &emit->plan->node[node].node);
	r = lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_MAKE, node, 0, 0});
	if (!r && layer == LEA_LAYER_NONE)
		r = lea_emit_snapshots(emit, lv);
	if (!r)
		r = is_late(emit, lv, layer) ? lea_emit_late(emit, node)
					     : emit_resume(emit, node, 0);
	if (!r && is_counting_pool(emit, lv, layer))
		r = lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_STATUS, node, 0, 0});
	*ret_node = node;
	return r;
}

int lea_emit_need(struct lea_emit *emit, uint32_t lv, enum lea_layer layer, uint32_t *ret_node)
{
	int r;

	*ret_node = emit->node_of[lv][layer];
	if (*ret_node != LEA_NONE)
		return 0;
	if (emit->depth == MAX_DEPTH)
		return -ELOOP;
	emit->depth++;
	r = emit_new(emit, lv, layer, ret_node);
	emit->depth--;
	return r;
}

int lea_emit_need_shared(struct lea_emit *emit, uint32_t lv, enum lea_layer layer,
			 uint32_t *ret_node)
{
	const bool is_read_only = emit->is_read_only;
	int r;

	emit->is_read_only = false;
	r = lea_emit_need(emit, lv, layer, ret_node);
	emit->is_read_only = is_read_only;
	return r;
}

static bool is_snapshot(const struct lea_emit *emit, const struct lea_plan_node *node)
{
	return node->layer == LEA_LAYER_NONE && emit->vg->lvs[node->lv].cow &&
	       !emit->vg->lvs[node->lv].cow->is_merging;
}

/* udev may look into a snapshot only when its origin is there. */
static int emit_late_resume(struct lea_emit *emit, uint32_t index)
{
	uint16_t more = 0;

	if (emit->rules->ways.snapshots_twice && is_snapshot(emit, &emit->plan->node[index]))
		more = LEA_DM_UDEV_SUBSYSTEM0 | LEA_DM_UDEV_DISABLE_DISK |
		       LEA_DM_UDEV_DISABLE_OTHER;
	return emit_resume(emit, index, more);
}

/* With a merging origin lvm2 leaves the other snapshots as they are, and so do we. */
static int emit_again(struct lea_emit *emit, uint32_t index)
{
	const struct lea_plan_node *node = &emit->plan->node[index];
	const struct lea_seg_snapshot *link = emit->vg->lvs[node->lv].cow;

	if (!emit->rules->ways.snapshots_twice || !is_snapshot(emit, node) ||
	    emit->vg->lvs[link->origin].snapshots->is_merging)
		return 0;
	return lea_emit_step(
		emit, &(struct lea_plan_step){LEA_STEP_AGAIN, index, 0, node->node.udev_flags});
}

int lea_emit_root(struct lea_emit *emit, uint32_t lv, uint32_t *ret_node)
{
	const uint32_t first = emit->plan->node_count;
	int r;

	emit->root = lv;
	emit->late_count = 0;
	emit->is_read_only =
		lea_select_read_only(emit->vg, &emit->vg->lvs[lv], &emit->rules->select);
	r = lea_emit_need(emit, lv, LEA_LAYER_NONE, ret_node);
	if (!r)
		r = lea_emit_companions(emit, first);
	for (uint32_t i = 0; !r && i < emit->late_count; i++)
		r = emit_late_resume(emit, emit->late[i]);
	for (uint32_t i = 0; !r && i < emit->late_count; i++)
		r = emit_again(emit, emit->late[i]);
	return r;
}
