/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of families, and the pieces that they put a plan together from.
 */
#include "policy/emit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FIRST_ROOM 64U

static const struct lea_emitter *const emitters[] = {
	&lea_emit_striped,  &lea_emit_linear,	  &lea_emit_error,  &lea_emit_zero,
	&lea_emit_snapshot, &lea_emit_thin_pool,  &lea_emit_thin,   &lea_emit_cache_pool,
	&lea_emit_cache,    &lea_emit_writecache, &lea_emit_mirror, &lea_emit_integrity,
	&lea_emit_vdo_pool, &lea_emit_vdo,
};

const struct lea_emitter *lea_emitter_find(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(emitters); i++)
		if (!strcmp(emitters[i]->type, type))
			return emitters[i];
	/* One for all levels. */
	return !strncmp(type, "raid", 4) ? &lea_emit_raid : NULL;
}

static int make_room(struct lea_words *words, size_t need)
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
		words->fault = make_room(words, words->used + (size_t)len + 1);
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

int lea_emit_late(struct lea_emit *emit, uint32_t node)
{
	if (emit->late_count == emit->node_room)
		return -ENOMEM;
	emit->late[emit->late_count++] = node;
	return 0;
}

/* A node without names yet. */
static int add_node(struct lea_emit *emit, uint32_t lv, enum lea_layer layer, uint32_t *ret_node)
{
	struct lea_plan_node *node;

	if (emit->plan->node_count == emit->node_room)
		return -ENOMEM;
	*ret_node = emit->plan->node_count++;
	node = &emit->plan->node[*ret_node];
	node->lv = lv;
	node->layer = layer;
	node->node.udev_flags = lea_plan_udev_flags(emit->vg, &emit->vg->lvs[lv], layer, emit->rules);
	return 0;
}

static void put_names(struct lea_emit *emit, struct lea_plan_names *names, uint32_t node)
{
	lea_plan_names_follow(&emit->rules->ways, names);
	emit->plan->node[node].node.name = names->name;
	emit->plan->node[node].node.uuid = names->uuid;
	emit->plan->node[node].other_uuid = names->other_uuid;
}

/* Snapshots' stores take what is written to their origin, whoever may write to the snapshot; RAID
 * keeps books on its parts even when nobody may write to it. */
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
	int r = add_node(emit, lv, layer, ret_node);

	if (r)
		return r;
	/* Whoever needs it from here on needs this one, even if it can't be made in the end. */
	emit->node_of[lv][layer] = *ret_node;
	r = lea_plan_names(emit->arena, emit->vg, what, layer, &names);
	if (r)
		return r;
	put_names(emit, &names, *ret_node);
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
	const struct lea_emitter *emitter = lea_emitter_find(at->seg->type);
	struct lea_words words = {.arena = emit->arena};
	int r;

	if (!emitter || !emitter->emit)
		return -ELOOP;
	row->start_sectors = (uint64_t)at->seg->start_extent * emit->vg->extent_sectors;
	row->length_sectors = (uint64_t)at->seg->extent_count * emit->vg->extent_sectors;
	row->target = emitter->target;
	r = emitter->emit(emit, at, row, &words);
	/* Parts put a blank ahead of themselves; the first one has none. */
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

/* Its length is that of the whole segment, whatever the area's share of it. */
static int emit_stand_in(struct lea_emit *emit, const struct lea_emit_seg *at, uint32_t area,
			 uint32_t *ret_node)
{
	const uint64_t sectors = (uint64_t)at->seg->extent_count * emit->vg->extent_sectors;
	const bool is_zero = emit->rules->filler == LEA_FILLER_ZERO;
	struct lea_plan_names names;
	uint32_t node = 0;
	int r = add_node(emit, at->lv, LEA_LAYER_MISSING, &node);

	if (!r)
		r = lea_plan_missing_names(emit->arena, emit->vg, &emit->vg->lvs[at->lv],
					   (const uint32_t[]){at->index, area}, &names);
	if (r)
		return r;
	put_names(emit, &names, node);
	lea_emit_read_ahead(emit, at->lv, false, &emit->plan->node[node].node);
	r = lea_emit_row(emit, node, sectors, is_zero ? "zero" : "error", "");
	if (!r)
		r = lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_MAKE, node, 0, 0});
	if (!r)
		r = lea_emit_step(emit, &(struct lea_plan_step){LEA_STEP_RESUME, node, 0, 0});
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
		r = lea_emit_need(emit, where->lv, LEA_LAYER_NONE, &node);
		if (!r)
			lea_words_add(words, " @%" PRIu32 " %" PRIu64, node, sector);
		return r;
	}
	pv = &emit->pvs[where->pv];
	if (!pv->is_present)
		return emit_missing(emit, at, area, words);
	if (__builtin_add_overflow(emit->vg->pvs[where->pv].pe_start_sectors, sector, &sector))
		return -ERANGE;
	lea_words_add(words, " %" PRIu32 ":%" PRIu32 " %" PRIu64, pv->major, pv->minor, sector);
	return 0;
}
