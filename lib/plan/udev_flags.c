/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What udev's rules are to leave undone for a node. */
#include "plan/plan.h"

#include "base/id.h"
#include "disk/segments.h"
#include "disk/segtype.h"

/* Do users see the node of the cache that uses this volume? */
static bool has_shown_user(const struct lea_vg *vg, const struct lea_lv *volume)
{
	const struct lea_lv *user = volume->user != LEA_NONE ? &vg->lvs[volume->user] : NULL;

	return user && lea_lv_is_visible(user) && !user->snapshots && !user->is_external_origin;
}

static bool is_hidden(const struct lea_vg *vg, const struct lea_lv *lv, enum lea_layer layer,
		      const struct lea_plan_rules *rules)
{
	/* Older lvm2 shows the parts of a cache volume to udev's rules like the cache itself. */
	if (layer == LEA_LAYER_CDATA || layer == LEA_LAYER_CMETA)
		return rules->compat.hides_cachevol_parts || !has_shown_user(vg, lv);
	return layer != LEA_LAYER_NONE || !lea_lv_is_visible(lv) ||
	       lea_plan_pool_layer(lv) != LEA_LAYER_NONE;
}

static bool is_for_lvm_only(const struct lea_lv *lv)
{
	return lea_lv_name_is_reserved(lv->name) ||
	       (lv->seg_count && lv->seg[0].segtype &&
		lv->seg[0].segtype->family == LEA_FAMILY_THIN_POOL);
}

uint16_t lea_plan_udev_flags(const struct lea_vg *vg, const struct lea_lv *lv, enum lea_layer layer,
			     const struct lea_plan_rules *rules)
{
	unsigned int flags = 0;

	if (layer == LEA_LAYER_MISSING)
		return 0;
	if (is_hidden(vg, lv, layer, rules))
		flags |= LEA_DM_UDEV_DISABLE_SUBSYSTEM | LEA_DM_UDEV_DISABLE_DISK |
			 LEA_DM_UDEV_DISABLE_OTHER;
	else if (layer == LEA_LAYER_NONE && is_for_lvm_only(lv))
		flags |= LEA_DM_UDEV_DISABLE_DISK | LEA_DM_UDEV_DISABLE_OTHER;
	if (lv->role == LEA_ROLE_COW)
		flags |= LEA_DM_UDEV_LOW_PRIORITY;
	if (!rules->udev_rules)
		flags |= LEA_DM_UDEV_DISABLE_DM | LEA_DM_UDEV_DISABLE_SUBSYSTEM;
	else if (!rules->udev_fallback)
		flags |= LEA_DM_UDEV_DISABLE_FALLBACK;
	return (uint16_t)flags;
}
