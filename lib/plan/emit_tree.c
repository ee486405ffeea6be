/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Walks down an LV and plans what lies below before the node itself. A shared node is created by
 * the first LV that needs it. Which nodes are resumed at once, and which only when the LV's own
 * node is created, follows lvm2's order; correctness needs only parts before wholes.
 */
#include "plan/emit.h"

#include "disk/segments.h"
#include "disk/segtype.h"

#include <errno.h>
#include <inttypes.h>

/* More than any path that metadata allows: LEA_VG_MAX_DEPTH levels of LVs with up to three layers
 * each. */
#define MAX_DEPTH 128U

/* The node of a VDO pool that users see is a token of this size. */
#define VDO_POOL_SECTORS 8U

/* Maps the whole of another layer (VDO: a token). */
static int emit_over(struct lea_emit *emit, uint32_t lv, enum lea_layer below, uint32_t node)
{
	const char *params;
	uint32_t part;
	int r = lea_plan_require(emit, lv, below, &part);

	if (r)
		return r;
	params = lea_arena_printf(emit->arena, "@%" PRIu32 " 0", part);
	return lea_emit_row(emit, node,
			    below == LEA_LAYER_VPOOL ? VDO_POOL_SECTORS
						     : lea_emit_sectors(emit, lv),
			    "linear", params);
}

/* ---- origins and snapshots: activated together, whichever of them was selected */

/* "REAL COW P CHUNK": lvm2's snapshots are always persistent. */
static int emit_link(struct lea_emit *emit, const struct lea_seg_snapshot *link, const char *target,
		     uint32_t node)
{
	uint32_t real, cow;
	int r = lea_plan_require(emit, link->origin, LEA_LAYER_REAL, &real);

	r = r ? r : lea_plan_require(emit, link->cow, LEA_LAYER_COW, &cow);
	if (r)
		return r;
	return lea_emit_row(emit, node, lea_emit_sectors(emit, link->origin), target,
			    lea_arena_printf(emit->arena, "@%" PRIu32 " @%" PRIu32 " P %" PRIu32,
					     real, cow, link->chunk_sectors));
}

static const struct lea_seg_snapshot *merging(const struct lea_lv *origin)
{
	const struct lea_seg_snapshot *link = origin->snapshots;

	while (link && !link->is_merging)
		link = link->next;
	return link;
}

static int emit_origin(struct lea_emit *emit, uint32_t lv, uint32_t node)
{
	const struct lea_seg_snapshot *link = merging(&emit->vg->lvs[lv]);
	uint32_t real;
	int r;

	if (link)
		return emit_link(emit, link, "snapshot-merge", node);
	r = lea_plan_require(emit, lv, LEA_LAYER_REAL, &real);
	if (r)
		return r;
	return lea_emit_row(emit, node, lea_emit_sectors(emit, lv), "snapshot-origin",
			    lea_arena_printf(emit->arena, "@%" PRIu32, real));
}

/* A snapshot that is being merged into its origin must not be read. */
static int emit_store(struct lea_emit *emit, const struct lea_seg_snapshot *link, uint32_t node)
{
	if (link->is_merging)
		return lea_emit_row(emit, node, lea_emit_sectors(emit, link->origin), "error", "");
	return emit_link(emit, link, "snapshot", node);
}

static int emit_one(struct lea_emit *emit, const struct lea_seg_snapshot *link)
{
	uint32_t node;
	int r = lea_emit_node(emit, link->cow, LEA_LAYER_NONE, &node);

	r = r ? r : emit_store(emit, link, node);
	if (r)
		return r;
	/* The error target in its place has no stripes, as in lvm2. */
	lea_emit_read_ahead(emit, link->origin, !link->is_merging, &emit->plan->node[node].node);
	r = lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_MAKE, node, 0, 0});
	return r ? r : lea_plan_defer_resume(emit, node);
}

static int emit_snapshots(struct lea_emit *emit, uint32_t lv)
{
	const struct lea_seg_snapshot *link = emit->vg->lvs[lv].snapshots;
	int r = 0;

	for (; link && !r; link = link->next)
		r = emit_one(emit, link);
	return r;
}

/* ---- nodes */

static int emit_table(struct lea_emit *emit, uint32_t lv, enum lea_layer layer, uint32_t node)
{
	const struct lea_lv *what = &emit->vg->lvs[lv];

	if (layer != LEA_LAYER_NONE)
		return lea_emit_segments(emit, lv, node);
	if (what->snapshots)
		return emit_origin(emit, lv, node);
	if (what->is_external_origin)
		return emit_over(emit, lv, LEA_LAYER_REAL, node);
	if (lea_plan_pool_layer(what) != LEA_LAYER_NONE)
		return emit_over(emit, lv, lea_plan_pool_layer(what), node);
	return lea_emit_segments(emit, lv, node);
}

/* Mirrors start to copy when they become live. */
static bool is_memory_mirror(const struct lea_lv *lv)
{
	const struct lea_lv_seg *seg = &lv->seg[0];

	return seg->segtype->family == LEA_FAMILY_MIRROR && seg->own.mirror->log == LEA_NONE;
}

/*
 * Nodes whose resume is deferred. The data of an origin becomes live together with the origin and
 * its snapshots; that of an external origin with the thin LV on it. A pvmove becomes live with the
 * LVs on it, except below parts that the kernel reads immediately.
 */
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

	r = r ? r : emit_table(emit, lv, layer, node);
	if (r)
		return r;
	lea_emit_read_ahead(emit, lv, true, &emit->plan->node[node].node);
	r = lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_MAKE, node, 0, 0});
	if (!r && layer == LEA_LAYER_NONE)
		r = emit_snapshots(emit, lv);
	if (!r)
		r = is_late(emit, lv, layer) ? lea_plan_defer_resume(emit, node)
					     : emit_resume(emit, node, 0);
	if (!r && is_counting_pool(emit, lv, layer))
		r = lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_STATUS, node, 0, 0});
	*ret_node = node;
	return r;
}

int lea_plan_require(struct lea_emit *emit, uint32_t lv, enum lea_layer layer, uint32_t *ret_node)
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

int lea_plan_require_shared(struct lea_emit *emit, uint32_t lv, enum lea_layer layer,
			    uint32_t *ret_node)
{
	const bool is_read_only = emit->is_read_only;
	int r;

	emit->is_read_only = false;
	r = lea_plan_require(emit, lv, layer, ret_node);
	emit->is_read_only = is_read_only;
	return r;
}

/* ---- areas */

/* The stand-in is as long as the whole segment, whatever the area's share of it. */
static int emit_stand_in(struct lea_emit *emit, const struct lea_emit_seg *at, uint32_t area,
			 uint32_t *ret_node)
{
	const uint64_t sectors = (uint64_t)at->seg->extent_count * emit->vg->extent_sectors;
	const bool is_zero = emit->rules->filler == LEA_FILLER_ZERO;
	struct lea_plan_names names;
	uint32_t node = 0;
	int r = lea_emit_add_node(emit, at->lv, LEA_LAYER_MISSING, &node);

	if (!r)
		r = lea_plan_missing_names(emit->arena, emit->vg, &emit->vg->lvs[at->lv],
					   (const uint32_t[]){at->index, area}, &names);
	if (r)
		return r;
	lea_emit_put_names(emit, &names, node);
	lea_emit_read_ahead(emit, at->lv, false, &emit->plan->node[node].node);
	r = lea_emit_row(emit, node, sectors, is_zero ? "zero" : "error", "");
	r = r ? r : lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_MAKE, node, 0, 0});
	r = r ? r : lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_RESUME, node, 0, 0});
	*ret_node = node;
	return r;
}

static int emit_missing(struct lea_emit *emit, const struct lea_emit_seg *at, uint32_t area,
			struct lea_words *words)
{
	uint32_t node;
	int r;

	if (emit->rules->filler == LEA_FILLER_DEVICE) {
		lea_words_add(words, " %" PRIu32 ":%" PRIu32 " 0", emit->rules->filler_major,
			      emit->rules->filler_minor);
		return 0;
	}
	r = emit_stand_in(emit, at, area, &node);
	if (!r)
		lea_words_add(words, " @%" PRIu32 " 0", node);
	return r;
}

int lea_emit_area(struct lea_emit *emit, const struct lea_emit_seg *at, uint32_t area,
		  struct lea_words *words)
{
	const struct lea_area *where = &at->seg->area[area];
	uint64_t sector = (uint64_t)where->extent * emit->vg->extent_sectors;
	const struct lea_plan_pv *pv;
	uint32_t node;
	int r;

	if (where->pv == LEA_NONE) {
		r = lea_plan_require(emit, where->lv, LEA_LAYER_NONE, &node);
		if (!r)
			lea_words_add(words, " @%" PRIu32 " %" PRIu64, node, sector);
		return r;
	}
	pv = &emit->pvs[where->pv];
	if (!pv->is_present)
		return emit_missing(emit, at, area, words);
	emit->plan->uses_pv[where->pv] = true;
	if (__builtin_add_overflow(emit->vg->pvs[where->pv].pe_start_sectors, sector, &sector))
		return -ERANGE;
	lea_words_add(words, " %" PRIu32 ":%" PRIu32 " %" PRIu64, pv->major, pv->minor, sector);
	return 0;
}

/* ---- a whole LV */

static int emit_companion(struct lea_emit *emit, uint32_t lv)
{
	const bool is_read_only = emit->is_read_only;
	uint32_t node;
	int r;

	emit->is_read_only =
		lea_select_read_only(emit->vg, &emit->vg->lvs[lv], &emit->rules->select);
	r = lea_plan_require(emit, lv, LEA_LAYER_NONE, &node);
	emit->is_read_only = is_read_only;
	return r;
}

/* The other LVs on each pvmove LV that the current LV added (nodes from @first on). */
static int plan_pvmove_siblings(struct lea_emit *emit, uint32_t first)
{
	int r = 0;

	for (uint32_t i = first; !r && i < emit->plan->node_count; i++) {
		const struct lea_plan_node *node = &emit->plan->node[i];
		uint32_t lv =
			node->layer == LEA_LAYER_NONE ? emit->first_moved[node->lv] : LEA_NONE;

		for (; !r && lv != LEA_NONE; lv = emit->next_moved[lv])
			r = emit_companion(emit, lv);
	}
	return r;
}

static bool is_snapshot(const struct lea_emit *emit, const struct lea_plan_node *node)
{
	return node->layer == LEA_LAYER_NONE && emit->vg->lvs[node->lv].cow &&
	       !emit->vg->lvs[node->lv].cow->is_merging;
}

/* udev may read a snapshot only when its origin is live. */
static int emit_late_resume(struct lea_emit *emit, uint32_t index)
{
	uint16_t more = 0;

	if (emit->rules->compat.snapshots_twice && is_snapshot(emit, &emit->plan->node[index]))
		more = LEA_DM_UDEV_SUBSYSTEM0 | LEA_DM_UDEV_DISABLE_DISK |
		       LEA_DM_UDEV_DISABLE_OTHER;
	return emit_resume(emit, index, more);
}

/* If the origin is merging, lvm2 does not announce the other snapshots again; neither do we. */
static int emit_again(struct lea_emit *emit, uint32_t index)
{
	const struct lea_plan_node *node = &emit->plan->node[index];
	const struct lea_seg_snapshot *link = emit->vg->lvs[node->lv].cow;

	if (!emit->rules->compat.snapshots_twice || !is_snapshot(emit, node) ||
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
	r = lea_plan_require(emit, lv, LEA_LAYER_NONE, ret_node);
	r = r ? r : plan_pvmove_siblings(emit, first);
	for (uint32_t i = 0; !r && i < emit->late_count; i++)
		r = emit_late_resume(emit, emit->late[i]);
	for (uint32_t i = 0; !r && i < emit->late_count; i++)
		r = emit_again(emit, emit->late[i]);
	return r;
}
