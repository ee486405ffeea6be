/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Device-mapper devices that cannot hold a PV. This reads sysfs and does not ask device-mapper,
 * whose status calls can wait for the device.
 */
#include "filter/filter_private.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/devname.h"
#include "base/file.h"
#include "base/id.h"

#define LV_UUID_CHARS (4U + 64U) /* "LVM-", VG id, LV id */

/* The LV's name, from a device-mapper name, which is cut; "": it has none. */
static const char *lv_of_dm_name(char *dm_name)
{
	char *lv = lea_devname_cut(dm_name) > 1 ? strchr(dm_name, '/') + 1 : NULL;

	if (!lv)
		return "";
	lv[strcspn(lv, "/")] = '\0';
	return lv;
}

/*
 * Does the LV consist of images of a mirror? sysfs does not name targets, but the images have names
 * that lvm2 reserves; those of RAID are others. A read of a mirror may wait forever: for a failed
 * image, which only lvm2's commands can take away, and they may wait for us.
 */
static int is_mirror(struct lea_world *world, struct lea_devno devno, bool *ret_is)
{
	char path[64], attribute[300], name[LEA_SYSFS_VALUE_BYTES];
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int sys_fd = lea_world_sys(world), r, s;

	snprintf(path, sizeof(path), "dev/block/%u:%u/slaves", devno.major, devno.minor);
	r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, path, &dir);
	if (r == -ENOENT)
		return 0;
	while (!*ret_is && (entry = lea_file_next(dir, &r))) {
		snprintf(attribute, sizeof(attribute), "slaves/%s/dm/name", entry->d_name);
		s = lea_sysfs_text(world, devno, attribute, name, sizeof(name));
		if (lea_is_shortage(s))
			return s;
		*ret_is = !s && strstr(lv_of_dm_name(name), "_mimage");
	}
	return r;
}

static int check_lv(struct lea_world *world, const struct lea_conf *conf, struct lea_devno devno,
		    const char *uuid, enum lea_exclusion *ret_excluded)
{
	char name[LEA_SYSFS_VALUE_BYTES];
	bool is_reserved;
	int r;

	if (!conf->scan_lvs) {
		*ret_excluded = LEA_EXCLUDED_LV;
		return 0;
	}
	if (strlen(uuid) > LV_UUID_CHARS) {
		*ret_excluded = LEA_EXCLUDED_RESERVED;
		return 0;
	}
	r = lea_sysfs_text(world, devno, "dm/name", name, sizeof(name));
	if (r)
		return r < 0 ? r : 0;
	is_reserved = lea_lv_name_is_reserved(lv_of_dm_name(name));
	if (!is_reserved && conf->ignore_lvm_mirrors)
		r = is_mirror(world, devno, &is_reserved);
	if (is_reserved)
		*ret_excluded = LEA_EXCLUDED_RESERVED;
	return r;
}

int lea_usable_check(struct lea_world *world, const struct lea_conf *conf,
		     const struct lea_type *type, struct lea_devno devno,
		     enum lea_exclusion *ret_excluded)
{
	char uuid[LEA_SYSFS_VALUE_BYTES];
	uint64_t suspended = 0;
	int r;

	*ret_excluded = LEA_NOT_EXCLUDED;
	if (!lea_type_is(type, "device-mapper"))
		return 0;
	r = lea_sysfs_text(world, devno, "dm/uuid", uuid, sizeof(uuid));
	if (r)
		return r < 0 ? r : 0;
	if (lea_after(uuid, "LVM-")) {
		r = check_lv(world, conf, devno, uuid, ret_excluded);
		if (r || *ret_excluded)
			return r;
	}
	if (lea_after(uuid, "CRYPT-TEMP") || lea_after(uuid, "CRYPT-SUBDEV") ||
	    lea_after(uuid, "stratis-1-private"))
		*ret_excluded = LEA_EXCLUDED_RESERVED;
	if (*ret_excluded || !conf->ignore_suspended_devices)
		return 0;
	r = lea_sysfs_number(world, devno, "dm/suspended", &suspended);
	if (r < 0)
		return r;
	if (suspended)
		*ret_excluded = LEA_EXCLUDED_SUSPENDED;
	return 0;
}
