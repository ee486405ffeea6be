/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Masks and times as a dmeventd shows them after lvm2 registered (captured shape v31-monitored).
 */
#include "policy/watch.h"

#include "disk/segments.h"

/* Of dmeventd's interface: any error; and, for what fills up, each end of the time. */
#define ERRORS		  0x00ff00U
#define ERRORS_AND_TIME	  0x02ff00U
#define LOOK_EACH_SECONDS 10

static enum lea_watched watched_of(const struct lea_lv *lv)
{
	if (lv->cow)
		return lv->cow->is_merging ? LEA_WATCHED_NOT : LEA_WATCHED_SNAPSHOT;
	return lv->seg[0].segtype ? lv->seg[0].segtype->watched : LEA_WATCHED_NOT;
}

/* A COW with room for all of its origin can't fill up and is not watched; just when that is so,
 * lvm2 knows. */
static bool may_hold_all(const struct lea_vg *vg, const struct lea_lv *lv)
{
	return lv->extent_count >= vg->lvs[lv->cow->origin].extent_count;
}

static bool is_certain(const struct lea_vg *vg, const struct lea_lv *lv, enum lea_watched watched)
{
	if (lv->flags & (LEA_FLAG_PVMOVE | LEA_FLAG_LOCKED) || lv->is_external_origin)
		return false;
	if (watched == LEA_WATCHED_SNAPSHOT)
		return !may_hold_all(vg, lv);
	/* One without thin LVs is one node, and a special case. */
	if (watched == LEA_WATCHED_THIN)
		return lea_plan_pool_layer(lv) == LEA_LAYER_TPOOL;
	if (watched == LEA_WATCHED_MIRROR)
		return lv->role == LEA_ROLE_NONE;
	return watched == LEA_WATCHED_RAID;
}

int lea_watch_of(const struct lea_vg *vg, const struct lea_lv *lv, struct lea_watch *ret_watch)
{
	const enum lea_watched watched = watched_of(lv);
	const bool fills = watched == LEA_WATCHED_SNAPSHOT || watched == LEA_WATCHED_THIN;

	if (watched == LEA_WATCHED_NOT)
		return LEA_WATCH_NOBODY;
	if (!is_certain(vg, lv, watched))
		return LEA_WATCH_ASK;
	*ret_watch = (struct lea_watch){
		.watched = watched,
		.layer = watched == LEA_WATCHED_THIN ? LEA_LAYER_TPOOL
			 : lv->snapshots	     ? LEA_LAYER_REAL
						     : LEA_LAYER_NONE,
		.mask = fills ? ERRORS_AND_TIME : ERRORS,
		.timeout_s = fills ? LOOK_EACH_SECONDS : 0,
	};
	return 0;
}

bool lea_watch_asks(const struct lea_vg *vg)
{
	struct lea_watch watch;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_watch_of(vg, &vg->lvs[i], &watch) == LEA_WATCH_ASK)
			return true;
	return false;
}
