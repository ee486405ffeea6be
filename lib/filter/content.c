/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filters that need bytes of the device, or what udev or libblkid say of them. */
#include "filter/filter.h"

#include <string.h>

#include "filter/filter_private.h"
#include "world/udevdb.h"

/* Can this device have partitions at all? Called only for devices with a partition table. 0 or a
 * shortage. */
static int ask_partitionable(struct lea_filter *filter, const struct lea_device *device,
			     bool *ret_is)
{
	const struct lea_type *type = lea_types_find(&filter->types, device->major);
	struct lea_devno devno = {device->major, device->minor};
	uint64_t number = 0;
	int r = 0;

	if (lea_type_is(type, "device-mapper") || lea_type_is(type, "md") ||
	    lea_type_is(type, "mdp")) {
		*ret_is = true;
	} else if (lea_type_is(type, "loop")) {
		r = lea_sysfs_number(filter->world, devno, "loop/partscan", &number);
		*ret_is = !r && number;
	} else if (!strncmp(device->name, "/dev/nvme", strlen("/dev/nvme"))) {
		r = lea_sysfs_number(filter->world, devno, "partition", &number);
		*ret_is = r == LEA_SYSFS_ABSENT;
	} else {
		*ret_is = type && type->minors > 1 && device->minor % type->minors == 0;
	}
	return lea_shortage_of(r);
}

static int ask_partitioned(struct lea_filter *filter, const struct lea_device *device,
			   enum lea_partitions partitions, bool *ret_is)
{
	char table[16];

	*ret_is = false;
	switch (partitions) {
	case LEA_PARTITIONS_USED:
		return ask_partitionable(filter, device, ret_is);
	case LEA_PARTITIONS_UNKNOWN:
		/* Either udev has read it, or it counts as used. */
		return !device->properties || lea_udevdb_property(device, "ID_PART_TABLE_TYPE",
								  table, sizeof(table))
			       ? ask_partitionable(filter, device, ret_is)
			       : 0;
	case LEA_PARTITIONS_NONE:
	default:
		return 0;
	}
}

static bool is_fwraid(const char *type)
{
	static const char member[] = "_raid_member";
	size_t bytes = strlen(type);

	return strcmp(type, "linux_raid_member") != 0 && bytes >= strlen(member) &&
	       !strcmp(type + bytes - strlen(member), member);
}

static bool finds_md(const struct lea_filter *filter)
{
	return filter->md != LEA_FILTER_MD_CONF || filter->conf->md_component_detection;
}

/* The reason for a name that libblkid, and through it udev, gives to the content. */
static enum lea_exclusion exclusion_by_type(const struct lea_filter *filter, const char *type)
{
	if (finds_md(filter) && !strcmp(type, "linux_raid_member"))
		return LEA_EXCLUDED_MD;
	if (filter->conf->fw_raid_component_detection && is_fwraid(type))
		return LEA_EXCLUDED_FIRMWARE_RAID;
	return LEA_NOT_EXCLUDED;
}

int lea_filter_head(struct lea_filter *filter, const struct lea_device *device,
		    const struct lea_head_signs *signs, struct lea_filter_verdict *verdict)
{
	char type[64];
	bool is_partitioned;
	const int r = ask_partitioned(filter, device, signs->partitions, &is_partitioned);

	if (r)
		return r;
	if (is_partitioned)
		verdict->excluded = LEA_EXCLUDED_PARTITIONED;
	else if (signs->has_foreign_label)
		verdict->excluded = LEA_EXCLUDED_SIGNATURE;
	else if (finds_md(filter) && signs->has_md)
		verdict->excluded = LEA_EXCLUDED_MD;
	else if (lea_udevdb_property(device, "ID_FS_TYPE", type, sizeof(type)))
		verdict->excluded = exclusion_by_type(filter, type);
	return 0;
}

void lea_filter_probed(const struct lea_filter *filter, const char *type,
		       struct lea_filter_verdict *verdict)
{
	if (filter->conf->multipath_component_detection && !strcmp(type, "mpath_member"))
		verdict->excluded = LEA_EXCLUDED_MULTIPATH;
	else if (!strcmp(type, "LVM1_member"))
		verdict->excluded = LEA_EXCLUDED_SIGNATURE;
	else
		verdict->excluded = exclusion_by_type(filter, type);
}

bool lea_filter_wants_tail(const struct lea_filter *filter)
{
	return filter->md == LEA_FILTER_MD_FULL ||
	       (finds_md(filter) && !strcmp(filter->conf->md_component_checks, "full"));
}

void lea_filter_md_tail(const struct lea_filter *filter, const struct lea_device *device,
			struct lea_filter_verdict *verdict)
{
	/* An array shows its members' metadata at its own end if that has the old format. */
	if (!lea_type_is(lea_types_find(&filter->types, device->major), "md"))
		verdict->excluded = LEA_EXCLUDED_MD;
}
