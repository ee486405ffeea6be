/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* How LVs lie on each other and on PVs, as the reports say it. */
#include "inventory/fields.h"

#include "disk/segments.h"
#include "disk/segtype.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum lea_family family_of_seg(const struct lea_lv_seg *seg)
{
	return seg->segtype ? seg->segtype->family : LEA_FAMILY_STRIPED;
}

bool lea_inventory_is_reported(const struct lea_lv *lv)
{
	return lv->role != LEA_ROLE_SNAPSHOT;
}

uint32_t lea_inventory_node_lv(const struct lea_vg *vg, uint32_t lv, enum lea_layer *ret_layer)
{
	const struct lea_lv *of = &vg->lvs[lv];

	*ret_layer = LEA_LAYER_NONE;
	if (of->role == LEA_ROLE_SNAPSHOT || of->role == LEA_ROLE_CACHE_POOL)
		return LEA_NONE;
	/* A snapshot that is being merged is a part of its origin. */
	if (of->role == LEA_ROLE_COW && of->cow->is_merging)
		return of->cow->origin;
	*ret_layer = lea_plan_pool_layer(of);
	return lv;
}

static bool is_measured(const struct lea_lv *lv)
{
	if (!lv->seg_count)
		return false;
	switch (family_of_seg(&lv->seg[0])) {
	case LEA_FAMILY_THIN_POOL:
	case LEA_FAMILY_THIN:
	case LEA_FAMILY_CACHE:
	case LEA_FAMILY_WRITECACHE:
	case LEA_FAMILY_RAID:
	case LEA_FAMILY_MIRROR:
	case LEA_FAMILY_VDO_POOL:
		return true;
	case LEA_FAMILY_STRIPED:
	case LEA_FAMILY_EMPTY:
	case LEA_FAMILY_SNAPSHOT:
	case LEA_FAMILY_CACHE_POOL:
	case LEA_FAMILY_INTEGRITY:
	case LEA_FAMILY_VDO:
	default:
		return false;
	}
}

bool lea_inventory_wants_status(const struct lea_vg *vg, uint32_t lv)
{
	const struct lea_lv *of = &vg->lvs[lv];

	return of->role == LEA_ROLE_COW || of->snapshots || is_measured(of);
}

bool lea_inventory_wants_real_status(const struct lea_vg *vg, uint32_t lv)
{
	const struct lea_lv *of = &vg->lvs[lv];

	return (of->snapshots || of->is_external_origin) && is_measured(of);
}

/* ---- partial */

/* 0: not known yet, 1: partial, 2: whole. A VG has no cycles and bounded depth: disk/vg_check.c */
static bool is_partial(const struct lea_vg *vg, const bool *is_there, uint8_t *verdict, uint32_t lv)
{
	const struct lea_lv *of = &vg->lvs[lv];
	bool found = false;

	if (verdict[lv])
		return verdict[lv] == 1;
	for (uint32_t s = 0; s < of->seg_count && !found; s++) {
		const struct lea_lv_seg *seg = &of->seg[s];
		uint32_t part;

		for (uint32_t i = 0; i < seg->area_count && !found; i++)
			found = seg->area[i].pv != LEA_NONE
					? !is_there[seg->area[i].pv] ||
						  vg->pvs[seg->area[i].pv].flags & LEA_FLAG_MISSING
					: is_partial(vg, is_there, verdict, seg->area[i].lv);
		for (uint32_t i = 0; seg->segtype && seg->segtype->part && !found &&
				     (part = seg->segtype->part(seg, i)) != LEA_NONE;
		     i++)
			found = is_partial(vg, is_there, verdict, part);
	}
	/* An origin is not activated without its snapshots. */
	for (const struct lea_seg_snapshot *s = of->snapshots; s && !found; s = s->next)
		found = is_partial(vg, is_there, verdict, s->cow);
	verdict[lv] = found ? 1 : 2;
	return found;
}

void lea_inventory_find_partial(const struct lea_vg *vg, const bool *is_there, bool *ret_partial)
{
	uint8_t *verdict = (uint8_t *)ret_partial;

	_Static_assert(sizeof(bool) == 1, "the array of answers holds the notes as well");
	memset(verdict, 0, vg->lv_count);
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (!is_partial(vg, is_there, verdict, i))
			verdict[i] = 2;
	for (uint32_t i = 0; i < vg->lv_count; i++)
		verdict[i] = verdict[i] == 1;
}

/* ---- fields */

const char *lea_inventory_segtype(const struct lea_lv_seg *seg)
{
	if (!strcmp(seg->type, "striped") && seg->area_count == 1)
		return "linear";
	return seg->type;
}

uint32_t lea_inventory_origin(const struct lea_vg *vg, uint32_t lv)
{
	const struct lea_lv *of = &vg->lvs[lv];
	const struct lea_lv_seg *seg = of->seg;

	if (of->role == LEA_ROLE_COW)
		return of->cow->origin;
	if (!of->seg_count)
		return LEA_NONE;
	switch (family_of_seg(seg)) {
	case LEA_FAMILY_THIN:
		return seg->own.thin->external != LEA_NONE ? seg->own.thin->external
							    : seg->own.thin->origin;
	case LEA_FAMILY_CACHE:
		return seg->own.cache->origin;
	case LEA_FAMILY_WRITECACHE:
		return seg->own.writecache->origin;
	case LEA_FAMILY_INTEGRITY:
		return seg->own.integrity->origin;
	case LEA_FAMILY_STRIPED:
	case LEA_FAMILY_EMPTY:
	case LEA_FAMILY_SNAPSHOT:
	case LEA_FAMILY_THIN_POOL:
	case LEA_FAMILY_CACHE_POOL:
	case LEA_FAMILY_RAID:
	case LEA_FAMILY_MIRROR:
	case LEA_FAMILY_VDO_POOL:
	case LEA_FAMILY_VDO:
	default:
		return LEA_NONE;
	}
}

uint32_t lea_inventory_pool(const struct lea_vg *vg, uint32_t lv)
{
	const struct lea_lv *of = &vg->lvs[lv];

	if (!of->seg_count)
		return LEA_NONE;
	switch (family_of_seg(&of->seg[0])) {
	case LEA_FAMILY_THIN:
		return of->seg[0].own.thin->pool;
	case LEA_FAMILY_CACHE:
		return of->seg[0].own.cache->pool;
	case LEA_FAMILY_WRITECACHE:
		return of->seg[0].own.writecache->fast;
	case LEA_FAMILY_VDO:
		return of->seg[0].own.vdo->pool;
	case LEA_FAMILY_STRIPED:
	case LEA_FAMILY_EMPTY:
	case LEA_FAMILY_SNAPSHOT:
	case LEA_FAMILY_THIN_POOL:
	case LEA_FAMILY_CACHE_POOL:
	case LEA_FAMILY_RAID:
	case LEA_FAMILY_MIRROR:
	case LEA_FAMILY_INTEGRITY:
	case LEA_FAMILY_VDO_POOL:
	default:
		return LEA_NONE;
	}
}

bool lea_inventory_has_link(const struct lea_lv *lv)
{
	return lea_lv_is_visible(lv) && lea_lv_family(lv) != LEA_FAMILY_THIN_POOL;
}

uint64_t lea_inventory_origin_extents(const struct lea_vg *vg, uint32_t lv)
{
	const struct lea_lv *of = &vg->lvs[lv];

	if (of->role == LEA_ROLE_COW)
		return vg->lvs[of->cow->origin].extent_count;
	if (lea_lv_family(of) == LEA_FAMILY_THIN && of->seg[0].own.thin->external != LEA_NONE)
		return vg->lvs[of->seg[0].own.thin->external].extent_count;
	return of->snapshots ? of->extent_count : 0;
}

uint32_t lea_inventory_chunk_sectors(const struct lea_vg *vg, uint32_t lv)
{
	const struct lea_lv *of = &vg->lvs[lv];
	const enum lea_family family = lea_lv_family(of);

	if (of->role == LEA_ROLE_COW)
		return of->cow->chunk_sectors;
	if (family == LEA_FAMILY_THIN_POOL)
		return of->seg[0].own.thin_pool->chunk_sectors;
	if (family == LEA_FAMILY_CACHE_POOL)
		return of->seg[0].own.cache_pool->options.chunk_sectors;
	if (family != LEA_FAMILY_CACHE)
		return 0;
	return of->seg[0].own.cache->is_volume
		       ? of->seg[0].own.cache->options.chunk_sectors
		       : lea_inventory_chunk_sectors(vg, of->seg[0].own.cache->pool);
}

uint64_t lea_inventory_metadata_sectors(const struct lea_vg *vg, uint32_t lv)
{
	const struct lea_lv *of = &vg->lvs[lv];
	const enum lea_family family = lea_lv_family(of);
	uint32_t metadata;

	if (family == LEA_FAMILY_CACHE && of->seg[0].own.cache->is_volume)
		return of->seg[0].own.cache->metadata.length_sectors;
	if (family == LEA_FAMILY_THIN_POOL)
		metadata = of->seg[0].own.thin_pool->metadata;
	else if (family == LEA_FAMILY_CACHE_POOL)
		metadata = of->seg[0].own.cache_pool->metadata;
	else
		return 0;
	return (uint64_t)vg->lvs[metadata].extent_count * vg->extent_sectors;
}

const char *lea_inventory_when_full(const struct lea_lv *lv)
{
	if (lea_lv_family(lv) != LEA_FAMILY_THIN_POOL)
		return "";
	return lv->flags & LEA_FLAG_ERROR_WHEN_FULL ? "error" : "queue";
}

void lea_inventory_count_used(const struct lea_vg *vg, uint64_t *ret_used)
{
	memset(ret_used, 0, vg->pv_count * sizeof(*ret_used));
	for (uint32_t l = 0; l < vg->lv_count; l++)
		for (uint32_t s = 0; s < vg->lvs[l].seg_count; s++) {
			const struct lea_lv_seg *seg = &vg->lvs[l].seg[s];

			for (uint32_t i = 0; i < seg->area_count; i++)
				if (seg->area[i].pv != LEA_NONE)
					ret_used[seg->area[i].pv] += seg->area_extents;
		}
}

/* The one LV below a segment that has no areas; LEA_NONE: none. */
static uint32_t below(const struct lea_lv_seg *seg)
{
	switch (family_of_seg(seg)) {
	case LEA_FAMILY_THIN_POOL:
		return seg->own.thin_pool->data;
	case LEA_FAMILY_CACHE_POOL:
		return seg->own.cache_pool->data;
	case LEA_FAMILY_CACHE:
		return seg->own.cache->origin;
	case LEA_FAMILY_WRITECACHE:
		return seg->own.writecache->origin;
	case LEA_FAMILY_INTEGRITY:
		return seg->own.integrity->origin;
	case LEA_FAMILY_VDO_POOL:
		return seg->own.vdo_pool->data;
	case LEA_FAMILY_VDO:
		return seg->own.vdo->pool;
	case LEA_FAMILY_STRIPED:
	case LEA_FAMILY_EMPTY:
	case LEA_FAMILY_SNAPSHOT:
	case LEA_FAMILY_THIN:
	case LEA_FAMILY_RAID:
	case LEA_FAMILY_MIRROR:
	default:
		return LEA_NONE;
	}
}

bool lea_inventory_area(const struct lea_lv_seg *seg, uint32_t i,
			struct lea_inventory_area *ret_area)
{
	struct lea_inventory_area area = {.pv = LEA_NONE, .lv = LEA_NONE};

	if (family_of_seg(seg) == LEA_FAMILY_RAID) {
		if (i >= seg->own.raid->count)
			return false;
		area.lv = seg->own.raid->image[i];
	} else if (i < seg->area_count) {
		area.pv = seg->area[i].pv;
		area.lv = seg->area[i].lv;
		/* lvm2 shows the first extent of an LV, wherever the area begins in it. */
		area.extent = area.pv == LEA_NONE ? 0 : seg->area[i].extent;
	} else if (!i && !seg->area_count) {
		area.lv = below(seg);
	}
	*ret_area = area;
	return area.pv != LEA_NONE || area.lv != LEA_NONE;
}

/* ---- generation: FNV-1a, 64 bits */

void lea_generation_begin(struct lea_generation *generation)
{
	generation->hash = 0xcbf29ce484222325U;
}

void lea_generation_add(struct lea_generation *generation, const void *bytes, size_t len)
{
	for (const uint8_t *at = bytes; len > 0; at++, len--)
		generation->hash = (generation->hash ^ *at) * 0x100000001b3U;
}

void lea_generation_add_text(struct lea_generation *generation, const char *text)
{
	lea_generation_add(generation, text, strlen(text) + 1);
}

void lea_generation_add_number(struct lea_generation *generation, uint64_t number)
{
	lea_generation_add(generation, &number, sizeof(number));
}

void lea_generation_write(const struct lea_generation *generation,
			  char ret_text[static LEA_GENERATION_BYTES])
{
	snprintf(ret_text, LEA_GENERATION_BYTES, "%016" PRIx64, generation->hash);
}
