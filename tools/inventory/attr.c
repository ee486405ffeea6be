/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* The attributes of VGs, PVs and LVs, one character a property. */
#include "inventory/fields.h"

#include "base/id.h"
#include "disk/segments.h"
#include "disk/segtype.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool is_of_cache(const struct lea_lv *lv)
{
	const enum lea_family family = lea_lv_family(lv);

	return family == LEA_FAMILY_CACHE || family == LEA_FAMILY_CACHE_POOL ||
	       family == LEA_FAMILY_WRITECACHE || lv->role == LEA_ROLE_CACHE_VOLUME ||
	       lv->flags & LEA_FLAG_CACHE_VOL;
}

static bool is_thick_origin(const struct lea_lv *lv)
{
	return lv->snapshots != NULL;
}

static bool is_merging_cow(const struct lea_lv *lv)
{
	return lv->role == LEA_ROLE_COW && lv->cow->is_merging;
}

static bool has_merging_snapshot(const struct lea_lv *lv)
{
	if (lv->merging_thin != LEA_NONE)
		return true;
	for (const struct lea_seg_snapshot *s = lv->snapshots; s; s = s->next)
		if (s->is_merging)
			return true;
	return false;
}

static bool is_spare(const struct lea_lv *lv)
{
	const char *end = strstr(lv->name, "_pmspare");

	return end && !strcmp(end, "_pmspare");
}

static bool is_metadata(const struct lea_lv *lv)
{
	return lv->role == LEA_ROLE_THIN_METADATA || lv->role == LEA_ROLE_CACHE_METADATA ||
	       lv->role == LEA_ROLE_RAID_METADATA || lv->role == LEA_ROLE_INTEGRITY_METADATA ||
	       is_spare(lv);
}

/* The word of a status with the health of each image, "AADa"; NULL: unknown. */
static const char *health_of(const struct lea_lv *user, const struct lea_lv_state *state,
			     char word[static 64])
{
	unsigned int count = 0;
	int skip = 0;
	const char *status = state->real_status ? state->real_status : state->status;

	if (!status || state->activity != LEA_LV_ACTIVE)
		return NULL;
	if (lea_lv_family(user) == LEA_FAMILY_RAID)
		return sscanf(status, "%*s %*u %63s", word) == 1 ? word : NULL;
	/* a mirror: the number of images, their devices, regions, a number, the word */
	if (sscanf(status, "%u%n", &count, &skip) != 1)
		return NULL;
	for (const char *at = status + skip; *at; at += skip) {
		skip = 0;
		if (sscanf(at, " %63s%n", word, &skip) != 1 || !skip)
			return NULL;
		if (strspn(word, "ADFSRU") == strlen(word) && strlen(word) == count)
			return word;
	}
	return NULL;
}

static uint32_t image_number(const struct lea_lv_seg *seg, uint32_t lv)
{
	const bool is_raid = seg->segtype && seg->segtype->family == LEA_FAMILY_RAID;
	const uint32_t count = is_raid ? seg->own.raid->count : seg->area_count;

	for (uint32_t i = 0; i < count; i++)
		if ((is_raid ? seg->own.raid->image[i] : seg->area[i].lv) == lv)
			return i;
	return LEA_NONE;
}

/* The letter of an image in its LV's status; '\0': unknown. */
static char image_health(const struct lea_inventory_vg_facts *facts, uint32_t lv)
{
	const uint32_t user = facts->vg->lvs[lv].user;
	const struct lea_lv *above = user == LEA_NONE ? NULL : &facts->vg->lvs[user];
	char word[64];
	const char *health = above && above->seg_count
				     ? health_of(above, &facts->state[user], word)
				     : NULL;
	const uint32_t number = health ? image_number(&above->seg[0], lv) : LEA_NONE;

	return number < sizeof(word) && number < strlen(health) ? health[number] : '\0';
}

static char image_char(const struct lea_inventory_vg_facts *facts, uint32_t lv)
{
	if (lea_lv_family(&facts->vg->lvs[lv]) == LEA_FAMILY_INTEGRITY)
		return 'g';
	return image_health(facts, lv) == 'A' ? 'i' : 'I';
}

static bool has_no_data(const struct lea_lv *lv)
{
	for (uint32_t i = 0; i < lv->seg_count; i++)
		if (lv->seg[i].segtype && lv->seg[i].segtype->family == LEA_FAMILY_EMPTY)
			return true;
	return false;
}

static char by_family(const struct lea_lv *lv)
{
	const bool is_synced = !(lv->flags & LEA_FLAG_NOTSYNCED);

	switch (lea_lv_family(lv)) {
	case LEA_FAMILY_RAID:
		return is_synced ? 'r' : 'R';
	case LEA_FAMILY_MIRROR:
		return is_synced ? 'm' : 'M';
	case LEA_FAMILY_THIN:
		return lv->seg[0].own.thin->merge != LEA_NONE ? 'S' : 'V';
	case LEA_FAMILY_THIN_POOL:
		return 't';
	case LEA_FAMILY_VDO_POOL:
		return 'd';
	case LEA_FAMILY_VDO:
	case LEA_FAMILY_EMPTY:
		return 'v';
	case LEA_FAMILY_INTEGRITY:
		return 'g';
	case LEA_FAMILY_STRIPED:
	case LEA_FAMILY_SNAPSHOT:
	case LEA_FAMILY_CACHE_POOL:
	case LEA_FAMILY_CACHE:
	case LEA_FAMILY_WRITECACHE:
	default:
		return '-';
	}
}

static char volume_char(const struct lea_inventory_vg_facts *facts, uint32_t index)
{
	const struct lea_lv *lv = &facts->vg->lvs[index];

	if (lv->flags & LEA_FLAG_PVMOVE)
		return 'p';
	if (is_thick_origin(lv) || lv->is_external_origin || lv->merging_thin != LEA_NONE)
		return has_merging_snapshot(lv) ? 'O' : 'o';
	if (is_metadata(lv))
		return 'e';
	if (is_of_cache(lv) || lv->role == LEA_ROLE_CACHE_DATA)
		return 'C';
	if (lv->role == LEA_ROLE_RAID_IMAGE || lv->role == LEA_ROLE_MIRROR_IMAGE)
		return image_char(facts, index);
	/* Newer releases show the data below an image with integrity as an image. */
	if (lv->role == LEA_ROLE_INTEGRITY_ORIGIN && facts->compat &&
	    facts->compat->integrity_data_is_image)
		return image_health(facts, lv->user) == 'A' ? 'i' : 'I';
	if (lv->role == LEA_ROLE_MIRROR_LOG)
		return 'l';
	if (lv->role == LEA_ROLE_COW)
		return is_merging_cow(lv) ? 'S' : 's';
	if (by_family(lv) != '-')
		return by_family(lv);
	if (has_no_data(lv))
		return 'v';
	return lv->role == LEA_ROLE_CACHE_ORIGIN  ? 'o'
	       : lv->role == LEA_ROLE_THIN_DATA	  ? 'T'
	       : lv->role == LEA_ROLE_VDO_DATA	  ? 'D'
						  : '-';
}

static char permission_char(const struct lea_lv *lv, const struct lea_lv_state *state)
{
	if (lv->flags & LEA_FLAG_PVMOVE)
		return '-';
	if (!(lv->flags & LEA_FLAG_WRITE))
		return 'r';
	return state->activity == LEA_LV_ACTIVE && state->read_only ? 'R' : 'w';
}

static char allocation_char(enum lea_allocation allocation, uint32_t flags)
{
	static const char letters[] = {
		[LEA_ALLOCATION_INHERIT] = 'i',	   [LEA_ALLOCATION_NORMAL] = 'n',
		[LEA_ALLOCATION_CONTIGUOUS] = 'c', [LEA_ALLOCATION_CLING] = 'l',
		[LEA_ALLOCATION_ANYWHERE] = 'a',
	};

	return flags & LEA_FLAG_LOCKED ? (char)toupper(letters[allocation]) : letters[allocation];
}

static bool begins(const char *status, const char *word)
{
	return status && lea_after(status, word);
}

/* Snapshots that overflowed, and pools that need a check, have letters of their own. */
static char special_char(const struct lea_lv *lv, const struct lea_lv_state *state)
{
	const bool asleep = state->suspended;

	if (lv->role == LEA_ROLE_COW &&
	    (begins(state->status, "Invalid") || begins(state->status, "Overflow")))
		return asleep ? 'S' : 'I';
	if (lv->role == LEA_ROLE_COW && begins(state->status, "Merge failed"))
		return asleep ? 'M' : 'm';
	if (lea_lv_family(lv) == LEA_FAMILY_THIN_POOL && state->status &&
	    strstr(state->status, "needs_check"))
		return asleep ? 'C' : 'c';
	return '\0';
}

static char state_char(const struct lea_lv *lv, const struct lea_lv_state *state)
{
	if (state->activity != LEA_LV_ACTIVE)
		return state->activity == LEA_LV_UNKNOWN ? 'X' : '-';
	if (special_char(lv, state))
		return special_char(lv, state);
	if (state->suspended)
		return 's';
	return state->live_table ? 'a' : state->inactive_table ? 'i' : 'd';
}

static char open_char(const struct lea_lv_state *state)
{
	if (state->activity == LEA_LV_UNKNOWN)
		return 'X';
	return state->activity == LEA_LV_ACTIVE && state->is_open ? 'o' : '-';
}

static char target_char(const struct lea_lv *lv)
{
	const enum lea_family family = lea_lv_family(lv);

	if (family == LEA_FAMILY_THIN || family == LEA_FAMILY_THIN_POOL)
		return 't';
	if (is_of_cache(lv) || lv->role == LEA_ROLE_CACHE_ORIGIN)
		return 'C';
	if (family == LEA_FAMILY_RAID || lv->role == LEA_ROLE_RAID_IMAGE ||
	    lv->role == LEA_ROLE_RAID_METADATA)
		return 'r';
	if (family == LEA_FAMILY_MIRROR || lv->role == LEA_ROLE_MIRROR_IMAGE ||
	    lv->role == LEA_ROLE_MIRROR_LOG)
		return 'm';
	if (is_thick_origin(lv) || lv->role == LEA_ROLE_COW)
		return 's';
	if (family == LEA_FAMILY_VDO_POOL || family == LEA_FAMILY_VDO)
		return 'v';
	if (lv->seg_count && !lv->seg[0].segtype)
		return 'u';
	return has_no_data(lv) ? 'v' : '-';
}

static bool is_zeroing(const struct lea_vg *vg, const struct lea_lv *lv)
{
	const enum lea_family family = lea_lv_family(lv);

	if (family == LEA_FAMILY_THIN)
		lv = &vg->lvs[lv->seg[0].own.thin->pool];
	return lea_lv_family(lv) == LEA_FAMILY_THIN_POOL && lv->seg[0].own.thin_pool->zero;
}

/* "raid1 3 AAA 8192/8192 idle 12 0 -": the sixth word counts mismatches. */
static char raid_health_char(const struct lea_lv *lv, const struct lea_lv_state *state)
{
	unsigned long long mismatches = 0;
	char word[64];
	const char *status = state->real_status ? state->real_status : state->status;
	const char *health = health_of(lv, state, word);

	if (health && strchr(health, 'D'))
		return 'r';
	if (health &&
	    sscanf(status, "%*s %*u %*s %*s %*s %llu", &mismatches) == 1 && mismatches)
		return 'm';
	return '-';
}

/* An image that is active while its LV is not, or that failed, needs a refresh. */
static char raid_image_health_char(const struct lea_inventory_vg_facts *facts, uint32_t index)
{
	const struct lea_lv *lv = &facts->vg->lvs[index];
	const char health = image_health(facts, index);

	/* A visible one was split off. */
	if (facts->state[index].activity == LEA_LV_ACTIVE && !lea_lv_is_visible(lv) &&
	    health != 'A' && health != 'a')
		return 'r';
	return lv->flags & LEA_FLAG_WRITEMOSTLY ? 'w' : '-';
}

static char pool_health_char(const struct lea_lv_state *state)
{
	if (begins(state->status, "Fail") || begins(state->status, "Error"))
		return 'F';
	if (!state->status)
		return '-';
	if (strstr(state->status, " out_of_data_space"))
		return 'D';
	return strstr(state->status, " ro ") ? 'M' : '-';
}

static char health_char(const struct lea_inventory_vg_facts *facts, uint32_t index)
{
	const struct lea_lv *lv = &facts->vg->lvs[index];
	const struct lea_lv_state *state = &facts->state[index];

	if (facts->is_partial[index])
		return 'p';
	if (state->activity == LEA_LV_UNKNOWN)
		return 'X';
	if (lea_lv_family(lv) == LEA_FAMILY_RAID)
		return raid_health_char(lv, state);
	if (lv->role == LEA_ROLE_RAID_IMAGE)
		return raid_image_health_char(facts, index);
	if (lea_lv_family(lv) == LEA_FAMILY_THIN_POOL)
		return pool_health_char(state);
	return lea_lv_family(lv) == LEA_FAMILY_THIN && begins(state->status, "Fail") ? 'F' : '-';
}

void lea_inventory_lv_attr(const struct lea_inventory_vg_facts *facts, uint32_t lv,
			   char ret_attr[static LEA_LV_ATTR_BYTES])
{
	const struct lea_lv *of = &facts->vg->lvs[lv];
	const struct lea_lv_state *state = &facts->state[lv];
	const char attr[LEA_LV_ATTR_BYTES] = {
		volume_char(facts, lv),
		permission_char(of, state),
		allocation_char(of->allocation, of->flags),
		of->flags & LEA_FLAG_FIXED_MINOR ? 'm' : '-',
		state_char(of, state),
		open_char(state),
		target_char(of),
		is_zeroing(facts->vg, of) ? 'z' : '-',
		health_char(facts, lv),
		of->flags & LEA_FLAG_ACTIVATION_SKIP ? 'k' : '-',
		'\0',
	};

	memcpy(ret_attr, attr, sizeof(attr));
}

static bool lacks_a_pv(const struct lea_inventory_vg_facts *facts)
{
	for (uint32_t i = 0; i < facts->vg->pv_count; i++)
		if (!facts->is_there[i] || facts->vg->pvs[i].flags & LEA_FLAG_MISSING)
			return true;
	return false;
}

void lea_inventory_vg_attr(const struct lea_inventory_vg_facts *facts,
			   char ret_attr[static LEA_VG_ATTR_BYTES])
{
	const struct lea_vg *vg = facts->vg;
	const char attr[LEA_VG_ATTR_BYTES] = {
		vg->flags & LEA_FLAG_WRITE ? 'w' : 'r',
		vg->flags & LEA_FLAG_RESIZEABLE ? 'z' : '-',
		vg->flags & LEA_FLAG_EXPORTED ? 'x' : '-',
		lacks_a_pv(facts) ? 'p' : '-',
		vg->allocation == LEA_ALLOCATION_INHERIT
			? 'n'
			: allocation_char(vg->allocation, 0),
		vg->flags & LEA_FLAG_CLUSTERED ? 'c'
		: vg->lock_type		       ? 's'
					       : '-',
		'\0',
	};

	memcpy(ret_attr, attr, sizeof(attr));
}

void lea_inventory_pv_attr(const struct lea_inventory_vg_facts *facts, uint32_t pv,
			   char ret_attr[static LEA_PV_ATTR_BYTES])
{
	const struct lea_pv *of = pv == LEA_NONE ? NULL : &facts->vg->pvs[pv];
	const bool is_exported =
		of && (of->flags | facts->vg->flags) & LEA_FLAG_EXPORTED;
	const bool is_missing =
		of && (of->flags & LEA_FLAG_MISSING || !facts->is_there[pv]);
	const char attr[LEA_PV_ATTR_BYTES] = {
		!of					     ? '-'
		: of->flags & LEA_FLAG_ALLOCATABLE	     ? 'a'
							     : 'u',
		is_exported ? 'x' : '-',
		is_missing ? 'm' : '-',
		'\0',
	};

	memcpy(ret_attr, attr, sizeof(attr));
}
