/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/boot_monitor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "activate/monitor_poll.h"
#include "base/id.h"
#include "world/active_vgs.h"
#include "world/dm.h"

/* NULL: the node's name has another form. */
static const char *vg_name_of(struct lea_world *world, const struct lea_active_lv *node,
			      struct lea_arena *arena)
{
	char name[LEA_ACTIVE_NAME_BYTES];

	if (!lea_active_lv_name(world, node, name))
		return NULL;
	name[strcspn(name, "/")] = '\0';
	return lea_name_ok(name) ? lea_arena_strdup(arena, name) : NULL;
}

/* The nodes of a VG are neighbours. */
static int add_vgs(struct lea_world *world, struct lea_arena *arena,
		   const struct lea_active_vgs *active, const char **names, size_t *ret_count)
{
	const struct lea_active_lv *last = NULL;
	bool is_watched;

	for (const struct lea_active_lv *lv = active->lv; lv < active->lv + active->count; lv++) {
		if (last && !strncmp(last->uuid, lv->uuid, LEA_ACTIVE_VG_CHARS))
			continue;
		if (strlen(lv->uuid) < LEA_ACTIVE_LV_CHARS ||
		    world->dm->has_row(world->dm, lv->uuid, lea_monitor_poll_concerns, &is_watched))
			return LEA_BOOT_MONITOR_ALL;
		if (!is_watched)
			continue;
		if (*ret_count == LEA_BOOT_MONITOR_MOST)
			return LEA_BOOT_MONITOR_ALL;
		last = lv;
		names[*ret_count] = vg_name_of(world, lv, arena);
		if (!names[(*ret_count)++])
			return LEA_BOOT_MONITOR_ALL;
	}
	return 0;
}

int lea_boot_monitor(struct lea_world *world, struct lea_arena *arena, const char ***ret_names,
		     size_t *ret_count)
{
	struct lea_active_vgs active;
	int r;

	*ret_count = 0;
	*ret_names = lea_arena_alloc(arena, LEA_BOOT_MONITOR_MOST, sizeof(**ret_names));
	if (!*ret_names)
		return -ENOMEM;
	if (lea_world_sys(world) < 0)
		return LEA_BOOT_MONITOR_ALL;
	r = lea_active_vgs_read(world, &active);
	if (r)
		return r;
	if (active.count)
		r = world->dm ? add_vgs(world, arena, &active, *ret_names, ret_count)
			      : LEA_BOOT_MONITOR_ALL;
	lea_active_vgs_done(&active);
	return r;
}
