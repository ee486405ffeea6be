/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Combines the answers for each LV of a VG. */
#include "activate/monitor_poll.h"

#include "activate/monitor_spec.h"
#include "disk/segments.h"
#include "disk/segtype.h"

bool lea_monitor_poll_concerns(const char *target)
{
	/* The pool of a thin LV has a node of its own. */
	static const char *const plain[] = {"linear", "striped", "thin", "error", "zero"};

	for (size_t i = 0; i < ARRAY_SIZE(plain); i++)
		if (!strcmp(target, plain[i]))
			return false;
	return true;
}

bool lea_monitor_poll_takes_time(const struct lea_vg *vg)
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

struct lea_monitor_poll lea_monitor_poll_of(const struct lea_vg *vg)
{
	struct lea_monitor_poll follow = {false, false};
	struct lea_monitor_spec watch;

	for (uint32_t i = 0; i < vg->lv_count; i++) {
		const struct lea_lv *lv = &vg->lvs[i];

		follow.monitor |= lea_monitor_spec_of(vg, lv, &watch) != LEA_MONITOR_SPEC_NONE;
		follow.poll |= lv->flags & LEA_FLAG_PVMOVE || lv->merging_thin != LEA_NONE ||
			       (lv->cow && lv->cow->is_merging);
	}
	return follow;
}
