/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each LV is searched once, with all below it. */
#include "activate/refresh.h"

#include "activate/delegate.h"
#include "base/append.h"
#include "base/log_ids.h"
#include "disk/segments.h"
#include "disk/segtype.h"
#include "plan/plan_name.h"
#include "world/dm.h"

#include <errno.h>
#include <stdio.h>

#define NAMES_BYTES 256U

enum state { NOT_SEARCHED, CLEAN, STALE };

struct search {
	struct lea_world *world;
	struct lea_arena *arena;
	const struct lea_scan_vg *scanned;
	uint8_t *state; /* [lv_count], enum state */
};

static int find_node(const struct search *search, const struct lea_plan_names *names,
		     struct lea_dm_info *ret_info)
{
	struct lea_dm *dm = search->world->dm;
	int r = dm->info(dm, names->uuid, ret_info);

	return r == LEA_DM_ABSENT && names->other_uuid ? dm->info(dm, names->other_uuid, ret_info)
						       : r;
}

/* Sets *ret_is if device-mapper has a stand-in for this area. */
static int is_stand_in(const struct search *search, const struct lea_lv *lv,
		       const uint32_t at[static 2], bool *ret_is)
{
	struct lea_plan_names names;
	struct lea_dm_info info;
	int r = lea_plan_missing_names(search->arena, search->scanned->vg, lv, at, &names);

	if (!r)
		r = find_node(search, &names, &info);
	*ret_is = r == 0;
	return r < 0 && r != -ENAMETOOLONG ? r : 0;
}

static int search_lv(const struct search *search, uint32_t lv);

static int search_part(const struct search *search, uint32_t lv, uint32_t part)
{
	int r = search_lv(search, part);

	if (search->state[part] == STALE)
		search->state[lv] = STALE;
	return r;
}

static int search_seg(const struct search *search, uint32_t lv, uint32_t index)
{
	const struct lea_lv *what = &search->scanned->vg->lvs[lv];
	const struct lea_lv_seg *seg = &what->seg[index];
	bool is;
	int r = 0;

	for (uint32_t i = 0, part; !r; i++) {
		part = lea_seg_lv_below(seg, i);
		if (part != LEA_NONE) {
			r = search_part(search, lv, part);
			continue;
		}
		if (i >= seg->area_count)
			break;
		if (seg->area[i].pv == LEA_NONE || !search->scanned->pv[seg->area[i].pv])
			continue;
		r = is_stand_in(search, what, (const uint32_t[2]){index, i}, &is);
		if (!r && is)
			search->state[lv] = STALE;
	}
	return r;
}

/* Recurses at most as deep as metadata may nest. */
static int search_lv(const struct search *search, uint32_t lv)
{
	const struct lea_lv *what = &search->scanned->vg->lvs[lv];
	int r = 0;

	if (search->state[lv] != NOT_SEARCHED)
		return 0;
	search->state[lv] = CLEAN;
	for (uint32_t i = 0; !r && i < what->seg_count; i++)
		r = search_seg(search, lv, i);
	for (const struct lea_seg_snapshot *link = what->snapshots; !r && link; link = link->next)
		r = search_part(search, lv, link->cow);
	return r;
}

/* The LV is refreshed: other LVs need not be because of what is below it. */
static void settle(const struct search *search, uint32_t lv)
{
	const struct lea_lv *what = &search->scanned->vg->lvs[lv];

	if (search->state[lv] != STALE)
		return;
	search->state[lv] = CLEAN;
	for (uint32_t s = 0; s < what->seg_count; s++)
		for (uint32_t i = 0, part; (part = lea_seg_lv_below(&what->seg[s], i)) != LEA_NONE ||
					   i < what->seg[s].area_count;
		     i++)
			if (part != LEA_NONE)
				settle(search, part);
	for (const struct lea_seg_snapshot *link = what->snapshots; link; link = link->next)
		settle(search, link->cow);
}

static int is_active(const struct search *search, uint32_t lv, const bool *was_active, bool *ret_is)
{
	struct lea_plan_names names;
	struct lea_dm_info info = {0};
	int r;

	*ret_is = was_active && was_active[lv];
	if (was_active || !lea_lv_is_visible(&search->scanned->vg->lvs[lv]))
		return 0;
	r = lea_plan_names(search->arena, search->scanned->vg, &search->scanned->vg->lvs[lv],
			   LEA_LAYER_NONE, &names);
	if (!r)
		r = find_node(search, &names, &info);
	*ret_is = !r && info.live_table;
	return r < 0 && r != -ENAMETOOLONG ? r : 0;
}

static int look_at(struct search *search, uint32_t lv, const bool *was_active,
		   struct lea_refresh *refresh)
{
	const struct lea_vg *vg = search->scanned->vg;
	const char *name;
	bool is;
	int r = is_active(search, lv, was_active, &is);

	if (r || !is)
		return r;
	r = search_lv(search, lv);
	if (r || search->state[lv] != STALE)
		return r;
	settle(search, lv);
	name = lea_arena_printf(search->arena, "%s/%s", vg->name, vg->lvs[lv].name);
	if (!name)
		return -ENOMEM;
	refresh->name[refresh->count++] = name;
	return 0;
}

int lea_refresh_find(struct lea_world *world, struct lea_arena *arena,
		     const struct lea_scan_vg *scanned, const bool *was_active,
		     struct lea_refresh *ret_refresh)
{
	const uint32_t count = scanned->vg->lv_count;
	struct search search = {.world = world, .arena = arena, .scanned = scanned};
	struct lea_refresh refresh = {0};
	int r = 0;

	*ret_refresh = refresh;
	if (!world->dm || !count)
		return 0;
	search.state = lea_arena_alloc(arena, count, sizeof(*search.state));
	refresh.name = lea_arena_alloc(arena, count, sizeof(*refresh.name));
	if (!search.state || !refresh.name)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < count; i++)
		r = look_at(&search, i, was_active, &refresh);
	if (!r)
		*ret_refresh = refresh;
	return r;
}

static void list_names(const struct lea_refresh *refresh, char text[static NAMES_BYTES])
{
	text[0] = '\0';
	for (uint32_t i = 0; i < refresh->count; i++)
		lea_append(text, NAMES_BYTES, "%s%s", i ? ", " : "", refresh->name[i]);
}

void lea_refresh_run(struct lea_world *world, const char *lvm_path,
		     const struct lea_scan_vg *scanned, const struct lea_refresh *refresh)
{
	/* Without the option lvm refuses to refresh an LV that still lacks another PV. */
	static const char *const still_in_part[] = {"lvchange", "--refresh", "--activationmode",
						    "partial", NULL};
	static const char *const complete[] = {"lvchange", "--refresh", NULL};
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_BACK,
					      .vg = scanned->vg->name,
					      .vg_id = scanned->vg->id};
	char names[NAMES_BYTES];
	int code = 0, r;

	if (!refresh->count || !lvm_path)
		return;
	list_names(refresh, names);
	r = lea_delegate(world, lvm_path,
			 lea_scan_vg_is_complete(scanned) ? complete : still_in_part, refresh->name,
			 refresh->count, -1, &code);
	if (!r && !code)
		lea_log_with(world->log, LEA_LOG_PRINT, &fields,
			     "VG %s: a missing PV is back: refreshed: %s", scanned->vg->name, names);
	else
		lea_log_with(world->log, LEA_LOG_ERROR, &fields,
			     "VG %s: a missing PV is back, but LVs still do without it (status %d): "
			     "%s; try: lvchange --refresh %s",
			     scanned->vg->name, code, names, scanned->vg->name);
}
