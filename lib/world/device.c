/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block device's own memory.
 */
#include "world/device.h"

#include <stdlib.h>
#include <string.h>

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
