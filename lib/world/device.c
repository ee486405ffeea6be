/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes, copies, releases, packs and unpacks a device. */
#include "world/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int lea_device_make(const struct lea_devid *id, const char *name, struct lea_device *ret_device)
{
	struct lea_device device = {.major = id->major, .minor = id->minor, .diskseq = id->diskseq};
	char number[24];

	snprintf(number, sizeof(number), "%u:%u", id->major, id->minor);
	device.name = strdup(name && name[0] == '/' ? name : number);
	if (!device.name)
		return -ENOMEM;
	*ret_device = device;
	return 0;
}

int lea_device_copy(const struct lea_device *from, struct lea_device *ret_copy)
{
	struct lea_device copy = *from;

	copy.name = from->name ? strdup(from->name) : NULL;
	copy.devlinks = from->devlinks ? strdup(from->devlinks) : NULL;
	copy.properties = from->properties ? strdup(from->properties) : NULL;
	*ret_copy = copy;
	return (from->name && !copy.name) || (from->devlinks && !copy.devlinks) ||
			       (from->properties && !copy.properties)
		       ? -ENOMEM
		       : 0;
}

void lea_device_done(struct lea_device *device)
{
	free(device->name);
	free(device->devlinks);
	free(device->properties);
	memset(device, 0, sizeof(*device));
}

void lea_device_pack(struct lea_wire_out *out, const struct lea_device *device)
{
	lea_wire_put_u32(out, device->major);
	lea_wire_put_u32(out, device->minor);
	lea_wire_put_u32(out, device->is_gone);
	lea_wire_put_u64(out, device->diskseq);
	lea_wire_put_u64(out, device->seqnum);
	lea_wire_put_text(out, device->name);
	lea_wire_put_text(out, device->devlinks);
	lea_wire_put_text(out, device->properties);
}

struct lea_device lea_device_unpack(struct lea_wire_in *in)
{
	struct lea_device device = {0};

	device.major = lea_wire_get_u32(in);
	device.minor = lea_wire_get_u32(in);
	device.is_gone = lea_wire_get_u32(in) != 0;
	device.diskseq = lea_wire_get_u64(in);
	device.seqnum = lea_wire_get_u64(in);
	device.name = lea_wire_get_text(in);
	device.devlinks = lea_wire_get_text(in);
	device.properties = lea_wire_get_text(in);
	/* All users print the name. */
	if (!device.name && !in->fault)
		in->fault = -EPROTO;
	return device;
}
