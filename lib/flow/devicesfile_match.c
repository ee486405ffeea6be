/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a device in the devices file? Its ids are read, those that the file has entries for, and each
 * is looked up. What it is compared with depends on the driver.
 */
#include "flow/devicesfile_parts.h"

#include <stdio.h>
#include <string.h>

#define VPD_TYPES                                                                                  \
	(LEA_IDTYPE_WWID | LEA_IDTYPE_NAA | LEA_IDTYPE_EUI | LEA_IDTYPE_T10 | LEA_IDTYPE_PAGE83)

struct subject {
	const struct lea_devicesfile *file;
	struct lea_world *world;
	const struct lea_type *type;
	const struct lea_device *device;
	struct lea_devno devno;
	unsigned long partition;
};

/* An attribute of sysfs as an id of one of these types. @partition: must be the entry's. */
static bool attribute_is_listed(const struct subject *s, const char *attribute, unsigned int types,
				const unsigned long *partition)
{
	char text[LEA_ID_BYTES], id[LEA_ID_BYTES];

	if (!(s->file->types & types) ||
	    lea_sysfs_text(s->world, s->devno, attribute, text, sizeof(text)))
		return false;
	lea_id_normalise(text, id);
	return lea_devicesfile_find(s->file, id, types, partition, false);
}

static bool designator_is_listed(void *arg, const char *text)
{
	const struct subject *s = arg;
	unsigned int types = LEA_IDTYPE_WWID | LEA_IDTYPE_PAGE83;

	if (!strncmp(text, "naa.", 4))
		types |= LEA_IDTYPE_NAA;
	else if (!strncmp(text, "eui.", 4))
		types |= LEA_IDTYPE_EUI;
	else
		types |= LEA_IDTYPE_T10;
	return lea_devicesfile_find(s->file, text, types, &s->partition, true) ||
	       lea_devicesfile_find(s->file, text + strlen("naa."), types, &s->partition, true);
}

static bool wwid_is_listed(struct subject *s)
{
	char id[LEA_ID_BYTES];

	if ((s->file->types & LEA_IDTYPE_WWID) &&
	    !lea_id_wwid(s->world, s->devno, s->partition != 0, id) &&
	    lea_devicesfile_find(s->file, id, LEA_IDTYPE_WWID, &s->partition, false))
		return true;
	return (s->file->types & VPD_TYPES) &&
	       lea_id_any_vpd83(s->world, s->devno, s->partition != 0, designator_is_listed, s);
}

static bool disk_is_listed(struct subject *s)
{
	const bool part = s->partition != 0;

	return wwid_is_listed(s) ||
	       attribute_is_listed(s, part ? "../device/serial" : "device/serial",
				   LEA_IDTYPE_SERIAL, &s->partition) ||
	       attribute_is_listed(s, part ? "../serial" : "serial", LEA_IDTYPE_SERIAL,
				   &s->partition) ||
	       attribute_is_listed(s, "nguid", LEA_IDTYPE_NGUID, &s->partition) ||
	       attribute_is_listed(s, "wwid", LEA_IDTYPE_NVME, &s->partition);
}

static bool id_is_listed(struct subject *s)
{
	if (lea_type_is(s->type, "device-mapper"))
		return attribute_is_listed(s, "dm/uuid", LEA_IDTYPE_DM_UUID, NULL);
	if (lea_type_is(s->type, "md"))
		return attribute_is_listed(s, "md/uuid", LEA_IDTYPE_MD_UUID, NULL);
	if (lea_type_is(s->type, "loop"))
		return attribute_is_listed(s, "loop/backing_file", LEA_IDTYPE_LOOP_FILE, NULL);
	return disk_is_listed(s);
}

/* Each of the blank-separated links. */
static bool link_is_listed(const struct subject *s)
{
	const char *links = s->device->devlinks;
	char name[1024];
	size_t len;

	for (; links && *links; links += len + (links[len] == ' ')) {
		len = strcspn(links, " ");
		if (len && len < sizeof(name)) {
			memcpy(name, links, len);
			name[len] = '\0';
			if (lea_devicesfile_has_bare_name(s->file, name))
				return true;
		}
	}
	return false;
}

static bool mapper_name_is_listed(const struct subject *s)
{
	char text[LEA_ID_BYTES], name[sizeof("/dev/mapper/") + LEA_ID_BYTES];

	if (!lea_type_is(s->type, "device-mapper") ||
	    lea_sysfs_text(s->world, s->devno, "dm/name", text, sizeof(text)))
		return false;
	snprintf(name, sizeof(name), "/dev/mapper/%s", text);
	return lea_devicesfile_has_bare_name(s->file, name);
}

/* By name, and the file doesn't say which PV that name has: then there is nothing to compare. */
static bool name_is_enough(const struct subject *s)
{
	return (s->file->types & LEA_IDTYPE_DEVNAME) &&
	       (lea_devicesfile_has_bare_name(s->file, s->device->name) || link_is_listed(s) ||
		mapper_name_is_listed(s));
}

int lea_devicesfile_check(const struct lea_devicesfile *file, struct lea_world *world,
			  const struct lea_type *type, const struct lea_device *device,
			  struct lea_filter_verdict *verdict)
{
	struct subject s = {.file = file,
			    .world = world,
			    .type = type,
			    .device = device,
			    .devno = {device->major, device->minor}};
	uint64_t partition = 0;
	int r;

	r = lea_sysfs_number(world, s.devno, "partition", &partition);
	if (r < 0)
		return r;
	s.partition = partition;
	/* A name alone proves nothing: names move from disk to disk. */
	if (id_is_listed(&s))
		return 0;
	if (!file->relaxed)
		verdict->excluded_why = "device is not in devices file";
	else
		verdict->check_pvid = !name_is_enough(&s);
	return 0;
}
