/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An origin with its snapshots: they come up together, whichever is asked for. The snapshot segment
 * itself is on an LV that has no node.
 */
#include "policy/emit.h"

#include "disk/segments.h"

#include <errno.h>
#include <inttypes.h>

/* "REAL COW P CHUNK": lvm2's snapshots are always persistent. */
static int emit_link(struct lea_emit *emit, const struct lea_seg_snapshot *link, const char *target,
		     uint32_t node)
{
	uint32_t real, cow;
	int r = lea_emit_need(emit, link->origin, LEA_LAYER_REAL, &real);

	if (!r)
		r = lea_emit_need(emit, link->cow, LEA_LAYER_COW, &cow);
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

int lea_emit_origin(struct lea_emit *emit, uint32_t lv, uint32_t node)
{
	const struct lea_seg_snapshot *link = merging(&emit->vg->lvs[lv]);
	uint32_t real;
	int r;

	if (link)
		return emit_link(emit, link, "snapshot-merge", node);
	r = lea_emit_need(emit, lv, LEA_LAYER_REAL, &real);
	if (r)
		return r;
	return lea_emit_row(emit, node, lea_emit_sectors(emit, lv), "snapshot-origin",
			    lea_arena_printf(emit->arena, "@%" PRIu32, real));
}

/* What is being merged into the origin is nobody's to read any more. */
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

	if (!r)
		r = emit_store(emit, link, node);
	if (r)
		return r;
	/* In the errors that stand in for it lvm2 sees no stripes. */
	lea_emit_read_ahead(emit, link->origin, !link->is_merging, &emit->plan->node[node].node);
	r = lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_MAKE, node, 0, 0});
	return r ? r : lea_emit_late(emit, node);
}

int lea_emit_snapshots(struct lea_emit *emit, uint32_t lv)
{
	const struct lea_seg_snapshot *link = emit->vg->lvs[lv].snapshots;
	int r = 0;

	for (; link && !r; link = link->next)
		r = emit_one(emit, link);
	return r;
}

const struct lea_emitter lea_emit_snapshot = {.type = "snapshot", .target = "snapshot"};
