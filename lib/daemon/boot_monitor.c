/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/boot_monitor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "policy/monitor_poll.h"
#include "policy/root_spec.h"
#include "world/dm.h"

/* Before the VG's id in a uuid, and both together. Source: dmsetup info of LVs of lvm2 2.03.16. */
#define PREFIX	 "LVM-"
#define VG_CHARS 36U
#define LV_CHARS 68U /* and the LV's id; parts of LVs have a suffix */

#define PATH_BYTES 300U

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
		if (last && !strncmp(last->uuid, node[i].uuid, VG_CHARS))
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

/* Reads one attribute of a device-mapper device; "": it has none. */
static void read_attribute(int sys_fd, const char *device, const char *attribute, char *text,
			   size_t bytes)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof(path), "class/block/%s/dm/%s", device, attribute);
	if (lea_file_read_into(sys_fd, path, text, bytes))
		*text = '\0';
	text[strcspn(text, "\n")] = '\0';
}

/* The nodes of LVs and of their parts (owned, free). From sysfs, since libdevmapper of lvm2 2.03.16
 * has the kernel list names alone. */
static int list_nodes(struct lea_world *world, struct lea_dm_listed **ret_nodes, size_t *ret_count)
{
	LEA_AUTO(lea_freep) struct lea_dm_listed *node = NULL;
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const int sys_fd = lea_world_sys(world);
	const struct dirent *entry;
	size_t room = 0, count = 0;
	int r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, "class/block", &dir);

	while (!r && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "dm-", 3) != 0)
			continue;
		if (lea_make_room(&node, &room, count + 1, sizeof(*node)))
			return -ENOMEM;
		read_attribute(sys_fd, entry->d_name, "uuid", node[count].uuid,
			       sizeof(node[count].uuid));
		read_attribute(sys_fd, entry->d_name, "name", node[count].name,
			       sizeof(node[count].name));
		count += !strncmp(node[count].uuid, PREFIX, strlen(PREFIX));
	}
	*ret_nodes = LEA_TAKE(node);
	*ret_count = count;
	return r;
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
	r = list_nodes(world, &node, &count);
	if (r || !count)
		return r;
	if (!world->dm)
		return LEA_BOOT_MONITOR_ALL;
	qsort(node, count, sizeof(*node), by_uuid);
	return add_vgs(world->dm, arena, node, count, *ret_names, ret_count);
}
