/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Masks and timeouts that dmeventd shows after lvm2 has registered an LV (test/data/golden). */
#include "activate/monitor_spec.h"

#include "disk/segments.h"

/* dmeventd's bits: all errors; and, for what can fill up, also the timeout. */
#define ERRORS		  0x00ff00U
#define ERRORS_AND_TIME	  0x02ff00U
#define LOOK_EACH_SECONDS 10

static enum lea_watched watched_of(const struct lea_lv *lv)
{
	if (lv->cow)
		return lv->cow->is_merging ? LEA_WATCHED_NOT : LEA_WATCHED_SNAPSHOT;
	return lv->seg[0].segtype ? lv->seg[0].segtype->watched : LEA_WATCHED_NOT;
}

/* lvm2 does not monitor a COW that can hold the whole origin, because it cannot fill up. Only lvm2
 * knows the exact limit. */
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
	/* A pool that never had thin LVs is a single node, a special case. */
	if (watched == LEA_WATCHED_THIN)
		return lea_plan_pool_layer(lv) == LEA_LAYER_TPOOL;
	if (watched == LEA_WATCHED_MIRROR)
		return lv->role == LEA_ROLE_NONE;
	return watched == LEA_WATCHED_RAID;
}

int lea_monitor_spec_of(const struct lea_vg *vg, const struct lea_lv *lv,
			struct lea_monitor_spec *ret_watch)
{
	const enum lea_watched watched = watched_of(lv);
	const bool fills = watched == LEA_WATCHED_SNAPSHOT || watched == LEA_WATCHED_THIN;

	if (watched == LEA_WATCHED_NOT)
		return LEA_MONITOR_SPEC_NONE;
	if (!is_certain(vg, lv, watched))
		return LEA_MONITOR_SPEC_ASK;
	*ret_watch = (struct lea_monitor_spec){
		.watched = watched,
		.layer = watched == LEA_WATCHED_THIN ? LEA_LAYER_TPOOL
			 : lv->snapshots	     ? LEA_LAYER_REAL
						     : LEA_LAYER_NONE,
		.mask = fills ? ERRORS_AND_TIME : ERRORS,
		.timeout_s = fills ? LOOK_EACH_SECONDS : 0,
	};
	return 0;
}

bool lea_monitor_spec_asks(const struct lea_vg *vg)
{
	struct lea_monitor_spec watch;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (lea_monitor_spec_of(vg, &vg->lvs[i], &watch) == LEA_MONITOR_SPEC_ASK)
			return true;
	return false;
}
