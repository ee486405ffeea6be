/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block device's own memory.
 */
#include "world/device.h"

#include <stdlib.h>
#include <string.h>

void lea_device_done(struct lea_device *device)
{
	free(device->name);
	free(device->devlinks);
	free(device->properties);
	memset(device, 0, sizeof(*device));
}
