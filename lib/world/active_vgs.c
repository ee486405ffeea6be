/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The uuid of an LV's device is "LVM-", the VG's id, the LV's id; those of its parts have a suffix.
 * Source: dmsetup info of LVs of lvm2 2.03.16.
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
	free(vgs->lv);
	*vgs = (struct lea_active_vgs){0};
}

/* The LV's own device comes before those of its parts. */
static int by_id(const void *a, const void *b)
{
	const struct lea_active_lv *one = a, *other = b;
	const int by_text = strcmp(one->id, other->id);

	return by_text ? by_text : !one->node[0] - !other->node[0];
}

static int add_device(struct lea_active_vgs *vgs, int sys_fd, const char *name)
{
	char path[300], uuid[160], vg_id[ID_CHARS + 1];
	struct lea_active_lv lv = {0};

	snprintf(path, sizeof(path), "class/block/%s/dm/uuid", name);
	if (strncmp(name, "dm-", 3) != 0 || lea_file_read_into(sys_fd, path, uuid, sizeof(uuid)) ||
	    strncmp(uuid, PREFIX, strlen(PREFIX)) != 0)
		return 0;
	uuid[strcspn(uuid, "\n")] = '\0';
	snprintf(lv.id, sizeof(lv.id), "%.64s", uuid + strlen(PREFIX));
	snprintf(vg_id, sizeof(vg_id), "%.32s", lv.id);
	if (!lea_id_ok(vg_id) || strlen(lv.id) != 2 * ID_CHARS)
		return 0;
	if (strlen(uuid) == strlen(PREFIX) + 2 * ID_CHARS)
		snprintf(lv.node, sizeof(lv.node), "%s", name);
	if (lea_make_room(&vgs->lv, &vgs->room, vgs->count + 1, sizeof(*vgs->lv)))
		return -ENOMEM;
	vgs->lv[vgs->count++] = lv;
	return 0;
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
	if (vgs.count)
		qsort(vgs.lv, vgs.count, sizeof(*vgs.lv), by_id);
	*ret_vgs = vgs;
	return 0;
}

/* The first LV whose id begins with @prefix. */
static const struct lea_active_lv *find(const struct lea_active_vgs *vgs, const char *prefix)
{
	const size_t chars = strlen(prefix);
	size_t low = 0, high = vgs->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strncmp(vgs->lv[middle].id, prefix, chars) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < vgs->count && !strncmp(vgs->lv[low].id, prefix, chars) ? &vgs->lv[low] : NULL;
}

bool lea_active_vgs_has(const struct lea_active_vgs *vgs, const char *vg_id)
{
	return find(vgs, vg_id) != NULL;
}

const struct lea_active_lv *lea_active_vgs_find(const struct lea_active_vgs *vgs, const char *vg_id,
						const char *lv_id)
{
	char id[2 * ID_CHARS + 1];

	snprintf(id, sizeof(id), "%.32s%.32s", vg_id, lv_id);
	return find(vgs, id);
}
