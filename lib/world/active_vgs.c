/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/active_vgs.h"

#include "base/cleanup.h"
#include "base/devname.h"
#include "base/file.h"
#include "base/order.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void lea_active_vgs_done(struct lea_active_vgs *vgs)
{
	free(vgs->lv);
	*vgs = (struct lea_active_vgs){0};
}

static int add_device(struct lea_active_vgs *vgs, int sys_fd, const char *name)
{
	struct lea_active_lv lv = {0};
	char path[300];
	int r;

	if (strncmp(name, "dm-", 3) != 0 || strlen(name) >= sizeof(lv.device))
		return 0;
	snprintf(path, sizeof(path), "class/block/%s/dm/uuid", name);
	r = lea_file_read_into(sys_fd, path, lv.uuid, sizeof(lv.uuid));
	if (r || strncmp(lv.uuid, LEA_ACTIVE_PREFIX, strlen(LEA_ACTIVE_PREFIX)) != 0)
		return lea_shortage_of(r);
	lv.uuid[strcspn(lv.uuid, "\n")] = '\0';
	snprintf(lv.device, sizeof(lv.device), "%s", name);
	lv.is_part = strlen(lv.uuid) > LEA_ACTIVE_LV_CHARS;
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

	while ((entry = lea_file_next(dir, &r)))
		r = add_device(&vgs, sys_fd, entry->d_name);
	if (r && r != -ENOENT) {
		lea_active_vgs_done(&vgs);
		return r;
	}
	if (vgs.count)
		/* An LV comes before its parts, whose uuids begin with its uuid. */
		qsort(vgs.lv, vgs.count, sizeof(*vgs.lv), lea_compare_text);
	*ret_vgs = vgs;
	return 0;
}

/* The first device of the VG, and with an @lv_id of the LV. */
static const struct lea_active_lv *find(const struct lea_active_vgs *vgs, const char *vg_id,
					const char *lv_id)
{
	size_t low = 0, high = vgs->count;
	char prefix[LEA_ACTIVE_LV_CHARS + 1];
	size_t chars;

	snprintf(prefix, sizeof(prefix), LEA_ACTIVE_PREFIX "%.32s%.32s", vg_id, lv_id);
	chars = strlen(prefix);
	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strncmp(vgs->lv[middle].uuid, prefix, chars) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < vgs->count && !strncmp(vgs->lv[low].uuid, prefix, chars) ? &vgs->lv[low]
									      : NULL;
}

bool lea_active_vgs_has(const struct lea_active_vgs *vgs, const char *vg_id)
{
	return find(vgs, vg_id, "") != NULL;
}

const struct lea_active_lv *lea_active_vgs_find(const struct lea_active_vgs *vgs, const char *vg_id,
						const char *lv_id)
{
	return find(vgs, vg_id, lv_id);
}

bool lea_active_lv_name(struct lea_world *world, const struct lea_active_lv *lv,
			char ret_name[static LEA_ACTIVE_NAME_BYTES])
{
	/* A part's name ends in the suffix of its uuid. */
	const char *suffix = strlen(lv->uuid) > LEA_ACTIVE_LV_CHARS ? lv->uuid + LEA_ACTIVE_LV_CHARS
								    : "";
	const int sys_fd = lea_world_sys(world);
	char path[64];
	size_t chars;

	snprintf(path, sizeof(path), "class/block/%s/dm/name", lv->device);
	if (sys_fd < 0 || lea_file_read_into(sys_fd, path, ret_name, LEA_ACTIVE_NAME_BYTES))
		return false;
	chars = strcspn(ret_name, "\n");
	if (strlen(suffix) < chars &&
	    !strncmp(ret_name + chars - strlen(suffix), suffix, strlen(suffix)))
		chars -= strlen(suffix);
	ret_name[chars] = '\0';
	return lea_devname_cut(ret_name) == 2;
}
