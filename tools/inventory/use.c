/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * How full pools, snapshots and caches are, and how far RAID LVs are synchronized: from the status
 * lines of device-mapper's targets. Source: Linux, Documentation/admin-guide/device-mapper.
 */
#include "inventory/fields.h"

#include "disk/segments.h"
#include "disk/segtype.h"

#include <stdio.h>
#include <string.h>

#define FULL 10000U

/* Rounded, but never up to full or down to empty. */
static uint32_t percent_of(unsigned long long part, unsigned long long whole)
{
	uint32_t percent;

	if (!whole)
		return LEA_PERCENT_NONE;
	if (part >= whole)
		return FULL;
	if (!part)
		return 0;
	percent = (uint32_t)((long double)part * FULL / (long double)whole + 0.5L);
	return percent < 1 ? 1 : percent >= FULL ? FULL - 1 : percent;
}

/* "TRANSACTION METADATA/ALL DATA/ALL ..." */
static void thin_pool(const char *status, struct lea_inventory_use *use)
{
	unsigned long long used, all, meta_used, meta_all;

	if (sscanf(status, "%*u %llu/%llu %llu/%llu", &meta_used, &meta_all, &used, &all) != 4)
		return;
	use->metadata = percent_of(meta_used, meta_all);
	use->data = percent_of(used, all);
}

/* "MAPPED-SECTORS HIGHEST" */
static void thin(const char *status, uint64_t sectors, struct lea_inventory_use *use)
{
	unsigned long long mapped;

	if (sscanf(status, "%llu", &mapped) == 1)
		use->data = percent_of(mapped, sectors);
}

/* "USED/ALL METADATA": one that holds nothing but its own metadata is empty. */
static void snapshot(const char *status, struct lea_inventory_use *use)
{
	unsigned long long used, all, meta;
	const int count = sscanf(status, "%llu/%llu %llu", &used, &all, &meta);

	if (count >= 2)
		use->data = count == 3 && used == meta ? 0 : percent_of(used, all);
	else if (!strncmp(status, "Invalid", 7) || !strncmp(status, "Overflow", 8))
		use->data = FULL;
}

/* "METADATA-BLOCK METADATA/ALL CACHE-BLOCK USED/ALL ..." */
static void cache(const char *status, struct lea_inventory_use *use)
{
	unsigned long long used, all, meta_used, meta_all;

	if (sscanf(status, "%*u %llu/%llu %*u %llu/%llu", &meta_used, &meta_all, &used, &all) != 4)
		return;
	use->metadata = percent_of(meta_used, meta_all);
	use->data = percent_of(used, all);
}

/* "ERROR ALL FREE WRITEBACK ..." */
static void writecache(const char *status, struct lea_inventory_use *use)
{
	unsigned long long all, free_blocks;

	if (sscanf(status, "%*s %llu %llu", &all, &free_blocks) == 2 && free_blocks <= all)
		use->data = percent_of(all - free_blocks, all);
}

/* "LEVEL IMAGES HEALTH SYNCED/ALL ..." */
static void raid(const char *status, struct lea_inventory_use *use)
{
	unsigned long long done, all;

	if (sscanf(status, "%*s %*u %*s %llu/%llu", &done, &all) == 2)
		use->sync = percent_of(done, all);
}

static bool is_moved(const struct lea_lv_seg *seg)
{
	return seg->segtype && seg->segtype->family == LEA_FAMILY_MIRROR &&
	       lea_seg_mirror_is_moved(seg->own.mirror, seg->extent_count);
}

/*
 * "IMAGES DEVICE ... SYNCED/ALL ...": the only word with a slash. pvmove moves one segment after
 * the other: the status is that of the first one that is not moved yet.
 */
static void mirror(const struct lea_lv *lv, const char *status, struct lea_inventory_use *use)
{
	unsigned long long done, all, moved = 0;
	const char *at = strchr(status, '/');
	uint32_t s = 0;

	while (at && at > status && at[-1] != ' ')
		at--;
	if (!at || sscanf(at, "%llu/%llu", &done, &all) != 2)
		return;
	if (lv->seg_count == 1) {
		use->sync = percent_of(done, all);
		return;
	}
	for (; s < lv->seg_count && is_moved(&lv->seg[s]); s++)
		moved += lv->seg[s].extent_count;
	if (s < lv->seg_count && all && done <= all)
		moved += (unsigned long long)((long double)lv->seg[s].extent_count * done / all);
	use->sync = percent_of(moved, lv->extent_count);
}

/* "DEVICE MODE RECOVERY INDEX COMPRESSION USED ALL" */
static void vdo_pool(const char *status, struct lea_inventory_use *use)
{
	unsigned long long used, all;

	if (sscanf(status, "%*s %*s %*s %*s %*s %llu %llu", &used, &all) == 2)
		use->data = percent_of(used, all);
}

static void by_family(const struct lea_vg *vg, const struct lea_lv *lv, const char *status,
		      struct lea_inventory_use *use)
{
	switch (lv->seg[0].segtype->family) {
	case LEA_FAMILY_THIN_POOL:
		thin_pool(status, use);
		return;
	case LEA_FAMILY_THIN:
		thin(status, (uint64_t)lv->extent_count * vg->extent_sectors, use);
		return;
	case LEA_FAMILY_CACHE:
		cache(status, use);
		return;
	case LEA_FAMILY_WRITECACHE:
		writecache(status, use);
		return;
	case LEA_FAMILY_RAID:
		if (lv->seg[0].own.raid->level->kind != LEA_RAID_STRIPED)
			raid(status, use);
		return;
	case LEA_FAMILY_MIRROR:
		mirror(lv, status, use);
		return;
	case LEA_FAMILY_VDO_POOL:
		vdo_pool(status, use);
		return;
	case LEA_FAMILY_STRIPED:
	case LEA_FAMILY_EMPTY:
	case LEA_FAMILY_SNAPSHOT:
	case LEA_FAMILY_CACHE_POOL:
	case LEA_FAMILY_INTEGRITY:
	case LEA_FAMILY_VDO:
	default:
		return;
	}
}

void lea_inventory_find_use(const struct lea_inventory_vg_facts *facts, uint32_t lv,
			    struct lea_inventory_use *ret_use)
{
	const struct lea_lv *of = &facts->vg->lvs[lv];
	const struct lea_lv_state *state = &facts->state[lv];
	const char *own = state->real_status ? state->real_status : state->status;

	/* A cache pool has no device of its own: the status is that of the LV that it caches. */
	if (of->seg_count && of->seg[0].segtype && of->user != LEA_NONE &&
	    of->seg[0].segtype->family == LEA_FAMILY_CACHE_POOL) {
		lea_inventory_find_use(facts, of->user, ret_use);
		return;
	}
	*ret_use = (struct lea_inventory_use){LEA_PERCENT_NONE, LEA_PERCENT_NONE, LEA_PERCENT_NONE};
	if (state->activity != LEA_LV_ACTIVE || !own || !of->seg_count)
		return;
	if (of->role == LEA_ROLE_COW || (of->snapshots && !state->real_status))
		snapshot(own, ret_use);
	else if (of->seg[0].segtype)
		by_family(facts->vg, of, own, ret_use);
}
