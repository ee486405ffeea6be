/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes, rows and steps of a plan, and the rows of an LV from its segments. */
#include "plan/emit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIRST_ROOM 64U

static int grow_words(struct lea_words *words, size_t need)
{
	size_t room = words->room ? words->room : FIRST_ROOM;
	char *wider;

	while (room < need)
		room *= 2;
	if (room == words->room)
		return 0;
	wider = lea_arena_alloc(words->arena, room, 1);
	if (!wider)
		return -ENOMEM;
	if (words->used)
		memcpy(wider, words->text, words->used);
	words->text = wider;
	words->room = room;
	return 0;
}

void lea_words_add(struct lea_words *words, const char *format, ...)
{
	char text[192];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(text))
		words->fault = -ENAMETOOLONG;
	if (!words->fault)
		words->fault = grow_words(words, words->used + (size_t)len + 1);
	if (words->fault)
		return;
	memcpy(words->text + words->used, text, (size_t)len + 1);
	words->used += (size_t)len;
}

uint64_t lea_emit_sectors(const struct lea_emit *emit, uint32_t lv)
{
	return (uint64_t)emit->vg->lvs[lv].extent_count * emit->vg->extent_sectors;
}

int lea_emit_step(struct lea_emit *emit, const struct lea_plan_step *step)
{
	if (emit->plan->step_count == emit->step_room)
		return -ENOMEM;
	emit->plan->step[emit->plan->step_count++] = *step;
	return 0;
}

int lea_plan_defer_resume(struct lea_emit *emit, uint32_t node)
{
	if (emit->late_count == emit->node_room)
		return -ENOMEM;
	emit->late[emit->late_count++] = node;
	return 0;
}

int lea_emit_add_node(struct lea_emit *emit, uint32_t lv, enum lea_layer layer, uint32_t *ret_node)
{
	struct lea_plan_node *node;

	if (emit->plan->node_count == emit->node_room)
		return -ENOMEM;
	*ret_node = emit->plan->node_count++;
	node = &emit->plan->node[*ret_node];
	node->lv = lv;
	node->layer = layer;
	node->node.udev_flags =
		lea_plan_udev_flags(emit->vg, &emit->vg->lvs[lv], layer, emit->rules);
	return 0;
}

void lea_emit_put_names(struct lea_emit *emit, struct lea_plan_names *names, uint32_t node)
{
	lea_plan_names_follow(&emit->rules->compat, names);
	emit->plan->node[node].node.name = names->name;
	emit->plan->node[node].node.uuid = names->uuid;
	emit->plan->node[node].other_uuid = names->other_uuid;
}

/* A snapshot's COW takes writes to the origin even if the snapshot is read-only; RAID writes its
 * metadata even if the LV is read-only. */
static bool is_read_only(const struct lea_emit *emit, const struct lea_lv *lv, enum lea_layer layer)
{
	if (layer == LEA_LAYER_COW || lv->role == LEA_ROLE_RAID_IMAGE ||
	    lv->role == LEA_ROLE_RAID_METADATA)
		return false;
	if (layer == LEA_LAYER_NONE && lea_plan_pool_layer(lv) != LEA_LAYER_NONE)
		return true;
	return emit->is_read_only || !(lv->flags & LEA_FLAG_WRITE);
}

static bool has_link(const struct lea_lv *lv, enum lea_layer layer)
{
	return layer == LEA_LAYER_NONE && lea_lv_is_visible(lv) &&
	       lea_plan_pool_layer(lv) == LEA_LAYER_NONE;
}

int lea_emit_node(struct lea_emit *emit, uint32_t lv, enum lea_layer layer, uint32_t *ret_node)
{
	const struct lea_lv *what = &emit->vg->lvs[lv];
	struct lea_plan_names names;
	struct lea_dm_node *node;
	int r = lea_emit_add_node(emit, lv, layer, ret_node);

	if (r)
		return r;
	/* Register the node even if a later step fails: other LVs must not create it again. */
	emit->node_of[lv][layer] = *ret_node;
	r = lea_plan_names(emit->arena, emit->vg, what, layer, &names);
	if (r)
		return r;
	lea_emit_put_names(emit, &names, *ret_node);
	node = &emit->plan->node[*ret_node].node;
	node->read_only = is_read_only(emit, what, layer);
	if (layer == LEA_LAYER_NONE && lea_lv_is_visible(what)) {
		node->fixed_minor = what->flags & LEA_FLAG_FIXED_MINOR;
		node->major = what->major;
		node->minor = what->minor;
	}
	if (has_link(what, layer)) {
		node->link_vg = emit->vg->name;
		node->link_lv = what->name;
	}
	return 0;
}

int lea_emit_row(struct lea_emit *emit, uint32_t node, uint64_t length_sectors, const char *target,
		 const char *params)
{
	struct lea_table *table = &emit->plan->node[node].table;

	table->row = params ? lea_arena_alloc(emit->arena, 1, sizeof(*table->row)) : NULL;
	if (!table->row)
		return -ENOMEM;
	table->row_count = 1;
	*table->row = (struct lea_row){
		.length_sectors = length_sectors, .target = target, .params = params};
	return 0;
}

static int emit_segment(struct lea_emit *emit, const struct lea_emit_seg *at, struct lea_row *row)
{
	const struct lea_emitter *emitter = emit->find(at->seg->type);
	struct lea_words words = {.arena = emit->arena};
	int r;

	if (!emitter || !emitter->emit)
		return -ELOOP;
	row->start_sectors = (uint64_t)at->seg->start_extent * emit->vg->extent_sectors;
	row->length_sectors = (uint64_t)at->seg->extent_count * emit->vg->extent_sectors;
	row->target = emitter->target;
	r = emitter->emit(emit, at, row, &words);
	/* Each word puts a space in front of itself; skip the first one. */
	row->params = words.text ? words.text + (words.text[0] == ' ') : "";
	return r ? r : words.fault;
}

int lea_emit_segments(struct lea_emit *emit, uint32_t lv, uint32_t node)
{
	const struct lea_lv *what = &emit->vg->lvs[lv];
	struct lea_row *row = lea_arena_alloc(emit->arena, what->seg_count, sizeof(*row));
	int r = 0;

	if (!row)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < what->seg_count; i++)
		r = emit_segment(emit,
				 &(struct lea_emit_seg){
					 .lv = lv, .index = i, .node = node, .seg = &what->seg[i]},
				 &row[i]);
	emit->plan->node[node].table = (struct lea_table){what->seg_count, row};
	return r;
}
