/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of it: whoever gets it may have to put it back on the queue. */
#include "world/device_wire.h"

#include <errno.h>

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
	/* Everybody prints it. */
	if (!device.name && !in->fault)
		in->fault = -EPROTO;
	return device;
}
