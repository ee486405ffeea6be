/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "boot/keep_off.h"

#include <string.h>

static const char *why_by_kind(enum lea_boot_kind kind)
{
	switch (kind) {
	case LEA_BOOT_DISK:
	case LEA_BOOT_PARTITION:
		return NULL;
	case LEA_BOOT_MULTIPATH:
		return "it was on a multipath map";
	case LEA_BOOT_MD:
		return "it was on an MD array";
	case LEA_BOOT_LUKS:
		return "it was on an encrypted device";
	case LEA_BOOT_LV:
	case LEA_BOOT_LOOP:
	case LEA_BOOT_OTHER:
	default:
		return "it was on no plain disk";
	}
}

/* What only udev can tell. */
static const char *why_in_doubt(const struct lea_keep_off_device *device)
{
	if (device->wwid[0] && device->with_wwid != 1)
		return "several disks have its wwid";
	if (!device->wwid[0] && device->has_multipathd)
		return "its disk has no wwid, and may be a path of multipath";
	if (device->has_multipathd && !device->had_multipathd)
		return "multipath, which was not there at the last boot, may want its disk";
	if (device->is_held)
		return "another device lies on its disk";
	if (device->has_filters && !device->has_links)
		return "filters are set, and udev has not yet named the disk's links";
	return NULL;
}

const char *lea_keep_off_device(const struct lea_boot_pv *remembered,
				const struct lea_keep_off_device *device, bool *ret_is_for_udev)
{
	const char *why = why_by_kind(remembered->kind);

	*ret_is_for_udev = why && remembered->below_count;
	if (why)
		return why;
	if (!device->is_there)
		return "its disk is not there yet";
	if (strcmp(remembered->wwid, device->wwid) != 0)
		return "another disk is in its place";
	if (remembered->size_sectors != device->size_sectors)
		return "its device has another size";
	if (device->is_partitioned)
		return "its disk is partitioned now";
	why = why_in_doubt(device);
	*ret_is_for_udev = why;
	return why;
}

const char *lea_keep_off_content(const struct lea_boot_vg *vg, const struct lea_boot_pv *remembered,
				 const struct lea_keep_off_content *content)
{
	if (!content->is_read)
		return "its disk could not be read in time";
	if (content->excluded_why)
		return content->excluded_why;
	if (strcmp(content->type, "LVM2_member") != 0)
		return "its disk has another signature";
	if (strcmp(content->pvid, remembered->pvid) != 0)
		return "its disk carries another PV, or none";
	/* A PV without metadata names no VG; the metadata of the others lists it. */
	if (content->vg_id[0] && strcmp(content->vg_id, vg->id) != 0)
		return "its disk belongs to another VG";
	return NULL;
}
