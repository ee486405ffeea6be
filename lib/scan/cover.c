/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One PV on two devices of which one is stacked on the other, or of which the devices file means
 * one: a scan of the whole machine finds both. Other copies are not handled here.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "scan/scan_private.h"
#include "world/sysfs.h"

#define DM_PREFIX "/dev/dm-"

static int by_pvid(const void *a, const void *b)
{
	const struct lea_found *const *x = a, *const *y = b;

	return strcmp((*x)->label.pvid, (*y)->label.pvid);
}

/* Is the device as large as the PV in the VG's metadata? */
static bool fits(const struct lea_found *found)
{
	uint32_t index = found->vg ? lea_vg_find_pv(found->vg, found->label.pvid) : LEA_NONE;

	return index != LEA_NONE && found->vg->pvs[index].dev_sectors == found->size_sectors;
}

/* Is @upper a device-mapper device that lies on @lower? */
static bool lies_on(const struct lea_scan *scan, const struct lea_found *upper,
		    const struct lea_found *lower)
{
	char attribute[64], number[LEA_SYSFS_VALUE_BYTES], expected[32];

	snprintf(attribute, sizeof(attribute), "holders/dm-%u/dev", upper->device.minor);
	snprintf(expected, sizeof(expected), "%u:%u", upper->device.major, upper->device.minor);
	return !lea_sysfs_text(scan->world, lea_device_devno(&lower->device), attribute, number,
			       sizeof(number)) &&
	       !strcmp(number, expected);
}

/* The size decides first (DRBD keeps its own data at the end of the disk), then which device is
 * stacked on which. */
static bool covers(const struct lea_scan *scan, const struct lea_found *upper,
		   const struct lea_found *lower)
{
	if (fits(upper) != fits(lower))
		return fits(upper);
	return lies_on(scan, upper, lower);
}

static bool is_one_pv(const struct lea_found *a, const struct lea_found *b)
{
	return !strcmp(a->label.pvid, b->label.pvid) &&
	       (a->device.major != b->device.major || a->device.minor != b->device.minor);
}

static void exclude(struct lea_found *found)
{
	found->kind = LEA_FOUND_EXCLUDED;
	found->excluded = LEA_EXCLUDED_NOT_IN_FILE;
}

/* Of the PVs with one PVID that stand on devices of their own, those remain that the devices file
 * lists best. */
static void keep_best_listed(struct lea_found **pvs, size_t count)
{
	enum lea_listing best = LEA_LISTED_NOT;

	for (size_t i = 0; i < count; i++)
		if (!pvs[i]->is_covered && pvs[i]->listing < best)
			best = pvs[i]->listing;
	for (size_t i = 0; i < count; i++)
		if (!pvs[i]->is_covered && pvs[i]->listing > best)
			exclude(pvs[i]);
}

int lea_scan_cover(struct lea_scan *scan)
{
	LEA_AUTO(lea_freep)
	struct lea_found **pvs = calloc(scan->found_count + 1, sizeof(struct lea_found *));
	size_t count = 0;

	if (!pvs)
		return -ENOMEM;
	for (size_t i = 0; i < scan->found_count; i++)
		if (lea_found_is_pv(scan->found[i]))
			pvs[count++] = scan->found[i];
	qsort(pvs, count, sizeof(struct lea_found *), by_pvid);
	for (size_t i = 0; i < count; i++)
		for (size_t k = i + 1; k < count && is_one_pv(pvs[i], pvs[k]); k++) {
			pvs[i]->is_covered |= covers(scan, pvs[k], pvs[i]);
			pvs[k]->is_covered |= covers(scan, pvs[i], pvs[k]);
		}
	for (size_t i = 0, k; i < count; i = k) {
		for (k = i + 1; k < count && is_one_pv(pvs[i], pvs[k]);)
			k++;
		keep_best_listed(&pvs[i], k - i);
	}
	return 0;
}

int lea_scan_use_mapper_names(struct lea_scan *scan)
{
	for (size_t i = 0; i < scan->found_count; i++) {
		struct lea_device *device = &scan->found[i]->device;
		LEA_AUTO(lea_freep) char *path = NULL;
		char name[LEA_SYSFS_VALUE_BYTES], *full = NULL;

		if (!lea_found_is_pv(scan->found[i]) ||
		    strncmp(device->name, DM_PREFIX, strlen(DM_PREFIX)) != 0 ||
		    lea_sysfs_text(scan->world, lea_device_devno(device), "dm/name", name,
				   sizeof(name)) ||
		    strchr(name, '/'))
			continue;
		if (asprintf(&full, "/dev/mapper/%s", name) < 0)
			return -ENOMEM;
		path = lea_world_path(scan->world, full);
		if (path && access(path, F_OK) == 0) {
			free(device->name);
			device->name = LEA_TAKE(full);
		}
		free(full);
	}
	return 0;
}
