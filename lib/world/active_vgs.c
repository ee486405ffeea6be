/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The uuid of an LV's device is "LVM-", the VG's id, the LV's id. Source: dmsetup info of LVs of
 * lvm2 2.03.16.
 */
#include "world/active_vgs.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PREFIX	 "LVM-"
#define ID_CHARS 32U

void lea_active_vgs_done(struct lea_active_vgs *vgs)
{
	free(vgs->id);
	*vgs = (struct lea_active_vgs){0};
}

static int by_id(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int add(struct lea_active_vgs *vgs, const char *id)
{
	if (lea_make_room(&vgs->id, &vgs->room, vgs->count + 1, sizeof(*vgs->id)))
		return -ENOMEM;
	memcpy(vgs->id[vgs->count++], id, ID_CHARS + 1);
	return 0;
}

/* LVs of one VG mostly have adjacent numbers, so comparing with the last id avoids most repeats. */
static int add_device(struct lea_active_vgs *vgs, int sys_fd, const char *name)
{
	char path[300], uuid[160], id[ID_CHARS + 1];

	snprintf(path, sizeof(path), "class/block/%s/dm/uuid", name);
	if (strncmp(name, "dm-", 3) != 0 || lea_file_read_into(sys_fd, path, uuid, sizeof(uuid)) ||
	    strncmp(uuid, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	snprintf(id, sizeof(id), "%.32s", uuid + strlen(PREFIX));
	if (!lea_id_ok(id) || (vgs->count && !strcmp(vgs->id[vgs->count - 1], id)))
		return 0;
	return add(vgs, id);
}

static void sort(struct lea_active_vgs *vgs)
{
	size_t kept = 0;

	if (!vgs->count)
		return;
	qsort(vgs->id, vgs->count, sizeof(*vgs->id), by_id);
	for (size_t i = 1; i < vgs->count; i++)
		if (strcmp(vgs->id[kept], vgs->id[i]) != 0)
			memmove(vgs->id[++kept], vgs->id[i], sizeof(*vgs->id));
	vgs->count = kept + 1;
}

int lea_active_vgs_read(struct lea_world *world, struct lea_active_vgs *ret_vgs)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	struct lea_active_vgs vgs = {0};
	const int sys_fd = lea_world_sys(world);
	const struct dirent *entry;
	int r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, "class/block", &dir);

	while (!r && (entry = readdir(dir)))
		r = add_device(&vgs, sys_fd, entry->d_name);
	if (r && r != -ENOENT) {
		lea_active_vgs_done(&vgs);
		return r;
	}
	sort(&vgs);
	*ret_vgs = vgs;
	return 0;
}

bool lea_active_vgs_has(const struct lea_active_vgs *vgs, const char *vg_id)
{
	return vgs->count && bsearch(vg_id, vgs->id, vgs->count, sizeof(*vgs->id), by_id);
}
