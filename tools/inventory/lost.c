/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LVs that are active on a disk that has gone. Examining the devices below every LV would cost as
 * much as the rest of the inventory. So a first pass asks whether each active part of a VG is a
 * holder of the disks on which its PVs are now. Only a VG that fails this test is examined.
 */
#include "inventory/collect.h"

#include <errno.h>
#include <stdio.h>

#include "world/lost_disk.h"
#include "world/sysfs.h"

#define NODE_BYTES 16U

static bool name_node(const struct lea_lv_state *state, char node[static NODE_BYTES])
{
	snprintf(node, NODE_BYTES, "dm-%u", state->minor);
	return state->activity == LEA_LV_ACTIVE;
}

/* Is the part @lv above each of its PVs? 1, 0 or a shortage. */
static int is_above_pvs(struct lea_world *world, const struct lea_inventory_vg *of, uint32_t lv,
			const char *node)
{
	const struct lea_lv *part = &of->vg->lvs[lv];
	const struct lea_inventory_pv *pv, *before = NULL;
	struct lea_inventory_area area;
	int r = 1;

	for (uint32_t s = 0; s < part->seg_count; s++)
		for (uint32_t i = 0; r > 0 && lea_inventory_area(&part->seg[s], i, &area); i++) {
			if (area.pv == LEA_NONE)
				continue;
			pv = of->pv[area.pv];
			if (pv && pv != before)
				r = lea_sysfs_has_holder(
					world, (struct lea_devno){pv->major, pv->minor}, node);
			before = pv;
			r = pv ? r : 0;
		}
	return r;
}

/* 1, 0 or a shortage. */
static int may_have_lost(struct lea_world *world, const struct lea_inventory_vg *of)
{
	char node[NODE_BYTES];
	int r = 1;

	for (uint32_t lv = 0; r > 0 && lv < of->vg->lv_count; lv++)
		if (name_node(&of->facts.state[lv], node))
			r = is_above_pvs(world, of, lv, node);
	return r < 0 ? r : !r;
}

/* What is not known is left out. */
static int look_below(struct lea_world *world, struct lea_inventory *inventory,
		      const struct lea_inventory_vg *of, uint32_t lv)
{
	struct lea_lv_state *state = (struct lea_lv_state *)(uintptr_t)&of->facts.state[lv];
	struct lea_active_lv active = {.is_part = false};
	char disk[LEA_LOST_DISK_BYTES];
	int r;

	if (!name_node(state, active.device))
		return 0;
	snprintf(active.uuid, sizeof(active.uuid), LEA_ACTIVE_PREFIX "%s%s", of->vg->id,
		 of->vg->lvs[lv].id);
	r = lea_lost_disk_of(world, &active, disk);
	if (r != LEA_LOST_DISK)
		return lea_shortage_of(r);
	state->lost_disk = lea_arena_strdup(inventory->arena, disk);
	return state->lost_disk ? 0 : -ENOMEM;
}

static int look_below_all(struct lea_world *world, struct lea_inventory *inventory,
			  const struct lea_inventory_vg *of)
{
	int r = 0;

	for (uint32_t lv = 0; !r && lv < of->vg->lv_count; lv++)
		if (of->chosen_lv[lv])
			r = look_below(world, inventory, of, lv);
	return r;
}

int lea_inventory_find_lost(struct lea_world *world, struct lea_inventory *inventory)
{
	int r = 0;

	for (size_t i = 0; !r && i < inventory->vg_count; i++) {
		const struct lea_inventory_vg *of = &inventory->vg[i];

		r = of->vg && of->is_chosen ? may_have_lost(world, of) : 0;
		if (r > 0)
			r = look_below_all(world, inventory, of);
	}
	return r;
}
