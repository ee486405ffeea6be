/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LV by LV. */
#include "policy/follow.h"

#include "disk/segments.h"
#include "disk/segtype.h"
#include "policy/watch.h"

bool lea_follow_takes_time(const struct lea_vg *vg)
{
	for (uint32_t i = 0; vg->lvs && i < vg->lv_count; i++) {
		const struct lea_segtype *type =
			vg->lvs[i].seg_count ? vg->lvs[i].seg[0].segtype : NULL;

		if (type &&
		    (type->family == LEA_FAMILY_THIN_POOL || type->family == LEA_FAMILY_CACHE ||
		     type->family == LEA_FAMILY_VDO_POOL))
			return true;
	}
	return false;
}

struct lea_follow lea_follow_of(const struct lea_vg *vg)
{
	struct lea_follow follow = {false, false};
	struct lea_watch watch;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->lvs[i];

		follow.monitor |= lea_watch_of(vg, lv, &watch) != LEA_WATCH_NOBODY;
		follow.poll |= lv->flags & LEA_FLAG_PVMOVE || lv->merging_thin != LEA_NONE ||
			       (lv->cow && lv->cow->is_merging);
	}
	return follow;
}
