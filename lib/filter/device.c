/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filters before a device is opened, in lvm2's order; the first refusal ends the chain. A
 * filter that cannot apply to the device (another driver, no list configured) costs nothing.
 */
#include "filter/filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "filter/filter_private.h"
#include "world/udevdb.h"

#define SECTORS_PER_KIB 2U

static int check_names(struct lea_filter *filter, struct lea_device *device,
		       struct lea_filter_verdict *verdict)
{
	bool accepted = true;
	int r = 0;

	if (filter->global)
		r = lea_regex_accepts(filter->global, filter->world, device, &accepted);
	if (!r && accepted && filter->local)
		r = lea_regex_accepts(filter->local, filter->world, device, &accepted);
	if (!r && !accepted)
		verdict->excluded = LEA_EXCLUDED_NAME;
	return r;
}

static int check_type(struct lea_filter *filter, struct lea_device *device,
		      struct lea_filter_verdict *verdict)
{
	int r;

	if (!filter->types_known) {
		r = lea_types_read(filter->world, &filter->conf->types, &filter->types);
		if (r)
			return r;
		filter->types_known = true;
	}
	if (!lea_types_find(&filter->types, device->major))
		verdict->excluded = LEA_EXCLUDED_TYPE;
	return 0;
}

static int check_listed(struct lea_filter *filter, struct lea_device *device,
			struct lea_filter_verdict *verdict)
{
	if (filter->listed) {
		for (uint32_t i = 0; i < filter->listed_count; i++)
			if (!strcmp(filter->listed[i].name, device->name) ||
			    filter->listed[i].number == makedev(device->major, device->minor))
				return 0;
		verdict->excluded = LEA_EXCLUDED_NOT_IN_LIST;
		return 0;
	}
	return filter->file ? lea_devicesfile_check(filter, device, verdict) : 0;
}

void lea_filter_size(const struct lea_filter *filter, uint64_t size_sectors,
		     struct lea_filter_verdict *verdict)
{
	verdict->size_sectors = size_sectors;
	if (size_sectors < filter->conf->pv_min_kib * SECTORS_PER_KIB)
		verdict->excluded = size_sectors ? LEA_EXCLUDED_SMALL : LEA_EXCLUDED_EMPTY;
}

/* One read of sysfs serves two filters: does the device exist, and how large is it? */
static int check_size(struct lea_filter *filter, struct lea_device *device,
		      struct lea_filter_verdict *verdict)
{
	struct lea_devno devno = {device->major, device->minor};
	int r = lea_sysfs_number(filter->world, devno, "size", &verdict->size_sectors);

	if (r < 0)
		return r;
	if (r == LEA_SYSFS_ABSENT) {
		if (filter->conf->sysfs_scan)
			verdict->excluded = LEA_EXCLUDED_NO_SYSFS;
		return 0;
	}
	lea_filter_size(filter, verdict->size_sectors, verdict);
	return 0;
}

static int check_usable(struct lea_filter *filter, struct lea_device *device,
			struct lea_filter_verdict *verdict)
{
	return lea_usable_check(
		filter->world, filter->conf, lea_types_find(&filter->types, device->major),
		(struct lea_devno){device->major, device->minor}, &verdict->excluded);
}

static int check_multipath(struct lea_filter *filter, struct lea_device *device,
			   struct lea_filter_verdict *verdict)
{
	bool is_path = false;
	int r;

	if (!filter->conf->multipath_component_detection)
		return 0;
	r = lea_multipath_check(filter, device, &is_path);
	if (!r && is_path)
		verdict->excluded = LEA_EXCLUDED_MULTIPATH;
	return r;
}

/*
 * If a file system is mounted from the device itself, a label in front of it is a leftover. Not
 * checked if udev says that the device is a PV.
 */
static int check_mounted(struct lea_filter *filter, struct lea_device *device,
			 struct lea_filter_verdict *verdict)
{
	int r;

	if (lea_udevdb_is(device, "ID_FS_TYPE", "LVM2_member"))
		return 0;
	if (!filter->knows_mounts) {
		r = lea_mounts_read(filter->world, LEA_MOUNTINFO, &filter->mounts);
		if (r < 0)
			return r;
		filter->knows_mounts = true;
	}
	if (lea_mounts_find_device(&filter->mounts, device->major, device->minor))
		verdict->excluded = LEA_EXCLUDED_MOUNTED;
	return 0;
}

/*
 * Only udev answers for fwraid, so udev must have been asked by then. If udev was asked, here or by
 * the caller, and does not name the content, libblkid can.
 */
static int know_udev(struct lea_filter *filter, struct lea_device *device,
		     struct lea_filter_verdict *verdict)
{
	char type[2];
	int r = 0;

	if (filter->conf->fw_raid_component_detection)
		r = lea_udevdb_fill(filter->world, device);
	verdict->asks_blkid = device->properties &&
			      !lea_udevdb_property(device, "ID_FS_TYPE", type, sizeof(type));
	return r;
}

bool lea_filter_find_rejection(const struct lea_filter *filter, struct lea_device *device,
			       struct lea_filter_rejection *ret_rejection)
{
	const struct {
		const char *setting;
		const struct lea_regex *regex;
		const struct lea_list *patterns;
	} rows[] = {
		{"devices/global_filter", filter->global, &filter->conf->global_filter},
		{"devices/filter", filter->local, &filter->conf->filter},
	};
	bool is_accepted;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!rows[i].regex ||
		    lea_regex_accepts(rows[i].regex, filter->world, device, &is_accepted) ||
		    is_accepted)
			continue;
		ret_rejection->setting = rows[i].setting;
		return lea_regex_find(rows[i].regex, rows[i].patterns, device, ret_rejection);
	}
	return false;
}

int lea_filter_device(struct lea_filter *filter, struct lea_device *device,
		      bool leaves_size, struct lea_filter_verdict *ret_verdict)
{
	static int (*const checks[])(struct lea_filter * filter, struct lea_device * device,
				     struct lea_filter_verdict * verdict) = {
		check_names,  check_type,      check_listed,  check_size,
		check_usable, check_multipath, check_mounted, know_udev,
	};
	struct lea_filter_verdict verdict = {0};
	int r = 0;

	for (size_t i = 0; !r && !verdict.excluded && i < ARRAY_SIZE(checks); i++)
		if (checks[i] != check_size || !leaves_size)
			r = checks[i](filter, device, &verdict);
	if (!r)
		*ret_verdict = verdict;
	return r;
}

int lea_filter_pvid(struct lea_filter *filter, const struct lea_device *device, const char *pvid,
		    struct lea_filter_verdict *verdict)
{
	int r = lea_devicesfile_listing(filter, device, pvid, &verdict->listing);

	if (r)
		return r;
	if (verdict->listing == LEA_LISTED_NOT)
		verdict->excluded = LEA_EXCLUDED_PVID_NOT_IN_FILE;
	else if (verdict->listing == LEA_LISTED_OTHERWISE && filter->wants_own_id)
		verdict->excluded = LEA_EXCLUDED_NOT_IN_FILE;
	return 0;
}

int lea_filter_listing(struct lea_filter *filter, struct lea_device *device, const char *pvid,
		       enum lea_listing *ret_listing)
{
	struct lea_filter_verdict verdict = {0};
	int r = check_type(filter, device, &verdict);

	r = r || verdict.excluded ? r : check_listed(filter, device, &verdict);
	if (!r && verdict.check_pvid)
		r = lea_filter_pvid(filter, device, pvid, &verdict);
	else if (verdict.excluded)
		verdict.listing = LEA_LISTED_NOT;
	if (!r)
		*ret_listing = verdict.listing;
	return r;
}
