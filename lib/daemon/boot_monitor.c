/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/boot_monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "policy/monitor_poll.h"
#include "policy/root_spec.h"
#include "world/dm.h"

/* Before the VG's id in a uuid, and both together. Source: dmsetup info of LVs of lvm2 2.03.16. */
#define PREFIX	 "LVM-"
#define VG_CHARS 36U
#define LV_CHARS 68U /* and the LV's id; parts of LVs have a suffix */

static int by_uuid(const void *a, const void *b)
{
	return strcmp(((const struct lea_dm_listed *)a)->uuid,
		      ((const struct lea_dm_listed *)b)->uuid);
}

/* The name of the VG, from that of a node; a part's name and its uuid have the same suffix. NULL: it
 * has another form. */
static const char *vg_name_of(const struct lea_dm_listed *node, struct lea_arena *arena)
{
	char name[LEA_DM_NAME_BYTES];
	const char *suffix = node->uuid + LV_CHARS;
	const size_t chars = strlen(node->name), more = strlen(suffix);

	memcpy(name, node->name, chars + 1);
	if (more < chars && !strcmp(name + chars - more, suffix))
		name[chars - more] = '\0';
	if (!lea_root_demangle(name))
		return NULL;
	name[strcspn(name, "/")] = '\0';
	return lea_name_ok(name) ? lea_arena_strdup(arena, name) : NULL;
}

/* The nodes of a VG are neighbours. */
static int add_vgs(struct lea_dm *dm, struct lea_arena *arena, const struct lea_dm_listed *node,
		   size_t count, const char **names, size_t *ret_count)
{
	const struct lea_dm_listed *last = NULL;
	bool is_watched;

	for (size_t i = 0; i < count; i++) {
		if (strncmp(node[i].uuid, PREFIX, strlen(PREFIX)) != 0 ||
		    (last && !strncmp(last->uuid, node[i].uuid, VG_CHARS)))
			continue;
		if (dm->has_row(dm, node[i].uuid, lea_monitor_poll_concerns, &is_watched) ||
		    strlen(node[i].uuid) < LV_CHARS)
			return LEA_BOOT_MONITOR_ALL;
		if (!is_watched)
			continue;
		if (*ret_count == LEA_BOOT_MONITOR_MOST)
			return LEA_BOOT_MONITOR_ALL;
		last = &node[i];
		names[*ret_count] = vg_name_of(last, arena);
		if (!names[(*ret_count)++])
			return LEA_BOOT_MONITOR_ALL;
	}
	return 0;
}

/* Without the driver there is no LV, and asking would load it. */
static bool has_driver(struct lea_world *world)
{
	const int sys_fd = lea_world_sys(world);

	return sys_fd < 0 || faccessat(sys_fd, "class/misc/device-mapper", F_OK, 0) == 0 ||
	       errno != ENOENT;
}

int lea_boot_monitor(struct lea_world *world, struct lea_arena *arena, const char ***ret_names,
		     size_t *ret_count)
{
	LEA_AUTO(lea_freep) struct lea_dm_listed *node = NULL;
	size_t count = 0;
	int r;

	*ret_count = 0;
	*ret_names = lea_arena_alloc(arena, LEA_BOOT_MONITOR_MOST, sizeof(**ret_names));
	if (!*ret_names)
		return -ENOMEM;
	if (!has_driver(world))
		return 0;
	r = world->dm ? world->dm->list(world->dm, &node, &count) : LEA_BOOT_MONITOR_ALL;
	if (r)
		return r < 0 ? r : LEA_BOOT_MONITOR_ALL;
	if (count)
		qsort(node, count, sizeof(*node), by_uuid);
	return add_vgs(world->dm, arena, node, count, *ret_names, ret_count);
}
