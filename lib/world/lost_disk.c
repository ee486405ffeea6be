/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/lost_disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "world/sysfs.h"

#define MOST_LEVELS  16U
#define MOST_DEVICES 4096U /* each counted once for each way to it */

struct search {
	int sys_fd;
	const char *uuid;  /* of the LV */
	unsigned int left; /* devices */
	char *disk;	   /* of LEA_LOST_DISK_BYTES */
};

/* The kernel keeps the link to a disk that goes while a device above uses it, until that is closed. */
static bool is_lost(int sys_fd, const char *path)
{
	return faccessat(sys_fd, path, F_OK, 0) < 0 && errno == ENOENT &&
	       !faccessat(sys_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

/* A part of the LV, or an LV that it lies on. */
static int is_of_vg(const struct search *search, const char *node, bool *ret_is)
{
	char path[300], uuid[LEA_SYSFS_VALUE_BYTES];
	int r;

	*ret_is = false;
	snprintf(path, sizeof(path), "class/block/%s/dm/uuid", node);
	r = lea_file_read_into(search->sys_fd, path, uuid, sizeof(uuid));
	if (!r)
		*ret_is = !strncmp(uuid, search->uuid, LEA_ACTIVE_VG_CHARS);
	return lea_shortage_of(r);
}

static int search_below(struct search *search, const char *node, unsigned int levels)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	char path[600];
	bool is_part;
	int r;

	if (!levels || !search->left--)
		return -E2BIG;
	snprintf(path, sizeof(path), "class/block/%s/slaves", node);
	r = lea_file_list(search->sys_fd, path, &dir);
	if (r == -ENOENT)
		return 0;
	while ((entry = lea_file_next(dir, &r))) {
		snprintf(path, sizeof(path), "class/block/%.256s/slaves/%s", node, entry->d_name);
		if (is_lost(search->sys_fd, path)) {
			snprintf(search->disk, LEA_LOST_DISK_BYTES, "%.60s", entry->d_name);
			return LEA_LOST_DISK;
		}
		r = is_of_vg(search, entry->d_name, &is_part);
		r = r || !is_part ? r : search_below(search, entry->d_name, levels - 1);
	}
	return r;
}

int lea_lost_disk_of(struct lea_world *world, const struct lea_active_lv *lv,
		     char ret_disk[static LEA_LOST_DISK_BYTES])
{
	struct search search = {.sys_fd = lea_world_sys(world),
				.uuid = lv->uuid,
				.left = MOST_DEVICES,
				.disk = ret_disk};

	return search.sys_fd < 0 ? search.sys_fd : search_below(&search, lv->device, MOST_LEVELS);
}

/* Has another device of the VG this one below it? */
static int is_below(struct lea_world *world, const struct lea_active_lv *lv, bool *ret_is)
{
	struct lea_devno devno;
	char vg[LEA_ACTIVE_VG_CHARS + 1];
	int r;

	*ret_is = false;
	snprintf(vg, sizeof(vg), "%.36s", lv->uuid);
	r = lea_sysfs_find(world, lv->device, &devno);
	return r > 0 ? lea_sysfs_holder(world, devno, "holders", vg, ret_is) : r;
}

int lea_lost_disk_each(struct lea_world *world, const struct lea_active_vgs *active,
		       int (*take)(void *arg, const struct lea_active_lv *lv, const char *name,
				   const char *disk),
		       void *arg)
{
	char name[LEA_ACTIVE_NAME_BYTES], disk[LEA_LOST_DISK_BYTES];
	int r = 0;

	for (size_t i = 0; !r && i < active->count; i++) {
		const struct lea_active_lv *lv = &active->lv[i];
		bool is_part = lv->is_part;

		r = is_part ? 0 : lea_lost_disk_of(world, lv, disk);
		if (r != LEA_LOST_DISK) {
			r = lea_shortage_of(r);
			continue;
		}
		r = lea_shortage_of(is_below(world, lv, &is_part));
		if (!r && !is_part && lea_active_lv_name(world, lv, name))
			r = take(arg, lv, name, disk);
	}
	return r;
}
