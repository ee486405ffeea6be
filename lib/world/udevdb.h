/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What udev knows of one device: the properties and links that came with the event, or else its
 * database entry by number. The only user of libudev in the event path.
 */
#ifndef LEA_WORLD_UDEVDB_H
#define LEA_WORLD_UDEVDB_H

#include "base/err.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * lea_udevdb_fill - make device->properties and device->devlinks known
 * What is there already stays and costs nothing. "" afterwards: udev has nothing (no entry, not
 * finished yet, or a scratch tree, which has no udev). Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_udevdb_fill(struct lea_world *world, struct lea_device *device);

/*
 * lea_udevdb_property - one of the properties at hand; asks nobody
 * @ret_value: cut to @size_bytes - 1; untouched when there is no such property
 */
bool lea_udevdb_property(const struct lea_device *device, const char *key, char *ret_value,
			 size_t size_bytes);

/* Is the property there, with exactly this value? */
bool lea_udevdb_is(const struct lea_device *device, const char *key, const char *value);

#endif
