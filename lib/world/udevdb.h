/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What udev knows about one device: properties and links from the event, or else from its database
 * entry. The only user of libudev in the event path.
 */
#pragma once

#include "base/err.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * lea_udevdb_fill - fill in device->properties and device->devlinks
 * Keeps values that are set, at no cost. "" afterwards: udev has none (no entry, not initialized
 * yet, or a world without udev). Returns 0 or -ENOMEM.
 */
LEA_MUST_CHECK int lea_udevdb_fill(struct lea_world *world, struct lea_device *device);

/* Has udev finished with the device, whose properties are filled in? */
bool lea_udevdb_has_finished(const struct lea_device *device);

/*
 * lea_udevdb_property - look up one property in device->properties, without asking udev
 * @ret_value: cut to @size_bytes - 1; untouched if there is no such property
 */
bool lea_udevdb_property(const struct lea_device *device, const char *key, char *ret_value,
			 size_t size_bytes);

/* Does the property have exactly this value? */
bool lea_udevdb_is(const struct lea_device *device, const char *key, const char *value);

/* Which PV does udev say is on the device, whose properties are filled in? False: none. */
bool lea_udevdb_pvid(const struct lea_device *device, char ret_pvid[static 33]);
