/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The role of each LV. Names matter only for the virtual origin, which lvm2 also recognizes by
 * name.
 */
#include "disk/segments.h"
#include "disk/segtype.h"
#include "disk/vg_parser.h"

#include <string.h>

void lea_vg_claim(struct lea_vg_parser *parser, uint32_t lv, enum lea_lv_role role, uint32_t user)
{
	struct lea_lv *claimed = &parser->vg->lvs[lv];

	if (claimed->role != LEA_ROLE_NONE)
		lea_vg_delegate(parser, "an LV with two uses");
	claimed->role = role;
	claimed->user = user;
}

bool lea_vg_is_of(const struct lea_vg_parser *parser, uint32_t lv, unsigned int family)
{
	const struct lea_segtype *type = parser->vg->lvs[lv].seg[0].segtype;

	return !type || type->family == (enum lea_family)family;
}

static int claim_parts(struct lea_vg_parser *parser, uint32_t index)
{
	const struct lea_lv *lv = &parser->vg->lvs[index];
	int r = 0;

	for (uint32_t i = 0; !r && i < lv->seg_count; i++) {
		const struct lea_segtype *type = lv->seg[i].segtype;

		if (type && type->is_alone && lv->seg_count > 1)
			return lea_vg_refuse(parser, "several segments where one must be");
		if (type && type->claim)
			r = type->claim(parser, index, &lv->seg[i]);
	}
	return r;
}

static bool is_shown(const struct lea_vg *vg, const struct lea_lv *lv)
{
	const struct lea_lv *origin = lv->cow ? &vg->lvs[lv->cow->origin] : NULL;

	if (lv->role == LEA_ROLE_SNAPSHOT)
		return false;
	if (!origin)
		return lv->flags & LEA_FLAG_VISIBLE;
	return !lv->cow->is_merging &&
	       (origin->flags & LEA_FLAG_VISIBLE || strstr(origin->name, "_vorigin"));
}

int lea_vg_assign_roles(struct lea_vg_parser *parser)
{
	struct lea_vg *vg = parser->vg;
	int r = 0;

	for (uint32_t i = 0; i < vg->lv_count; i++)
		vg->lvs[i].user = vg->lvs[i].merging_thin = LEA_NONE;
	for (uint32_t i = vg->lv_count; !r && i > 0; i--)
		r = claim_parts(parser, i - 1);
	for (uint32_t i = 0; i < vg->lv_count; i++) {
		struct lea_lv *lv = &vg->lvs[i];

		if (lv->role != LEA_ROLE_SNAPSHOT && lv->role != LEA_ROLE_COW)
			continue;
		if (lv->snapshots)
			lea_vg_delegate(parser, "a snapshot of a snapshot");
		lv->flags &= ~(uint32_t)LEA_FLAG_VISIBLE;
		if (is_shown(vg, lv))
			lv->flags |= LEA_FLAG_VISIBLE;
	}
	return r;
}
