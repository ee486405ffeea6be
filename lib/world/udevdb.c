/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Properties are "KEY=value" lines in one string, as stored in the queue. */
#include "world/udevdb.h"

#include <errno.h>
#include <inttypes.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "world/udev.h"

LEA_DEFINE_FREEP(struct udev_device, device_unrefp, udev_device_unref);

LEA_DEFINE_FREEP(struct udev, udev_unrefp, udev_unref);

/* The value of @key in lines of "KEY=value", and its length; NULL: absent. */
static const char *value_of(const char *lines, const char *key, size_t *ret_bytes)
{
	size_t key_bytes = strlen(key), bytes;

	for (; lines && *lines; lines += bytes + (lines[bytes] == '\n')) {
		bytes = strcspn(lines, "\n");
		if (bytes > key_bytes && lines[key_bytes] == '=' &&
		    !strncmp(lines, key, key_bytes)) {
			*ret_bytes = bytes - key_bytes - 1;
			return lines + key_bytes + 1;
		}
	}
	return NULL;
}

bool lea_udevdb_property(const struct lea_device *device, const char *key, char *ret_value,
			 size_t size_bytes)
{
	size_t bytes = 0;
	const char *value = value_of(device->properties, key, &bytes);

	if (!value || !size_bytes)
		return false;
	if (bytes > size_bytes - 1)
		bytes = size_bytes - 1;
	memcpy(ret_value, value, bytes);
	ret_value[bytes] = '\0';
	return true;
}

bool lea_udevdb_is(const struct lea_device *device, const char *key, const char *value)
{
	size_t bytes = 0;
	const char *found = value_of(device->properties, key, &bytes);

	return found && bytes == strlen(value) && !memcmp(found, value, bytes);
}

/* Omits a value with a line break, because it would read as another property. */
static void print_properties(FILE *out, struct udev_device *entry)
{
	struct udev_list_entry *item;
	const char *value;

	udev_list_entry_foreach(item, udev_device_get_properties_list_entry(entry))
	{
		value = udev_list_entry_get_value(item);
		if (value && !strchr(value, '\n'))
			fprintf(out, "%s=%s\n", udev_list_entry_get_name(item), value);
	}
}

/*
 * Without this file udev has not initialized the device: libudev would say the same after some
 * sixty system calls in sysfs. Source: systemd 252, libudev, black-box.
 */
static bool has_entry(const struct lea_device *device)
{
	char path[64];

	snprintf(path, sizeof(path), "/run/udev/data/b%" PRIu32 ":%" PRIu32, device->major,
		 device->minor);
	return !access(path, F_OK) || errno != ENOENT;
}

/* Returns 0 with *ret_entry, which is NULL where udev has initialized no such device, or a
 * shortage: what udev knows is not known then. */
static int find_entry(struct udev *udev, const struct lea_device *device,
		      struct udev_device **ret_entry)
{
	LEA_AUTO(device_unrefp) struct udev_device *entry = NULL;
	bool is_initialized;

	errno = 0;
	entry = udev_device_new_from_devnum(udev, 'b', makedev(device->major, device->minor));
	is_initialized = entry && udev_device_get_is_initialized(entry) > 0;
	if (!is_initialized && lea_is_shortage(-errno))
		return -errno;
	*ret_entry = is_initialized ? LEA_TAKE(entry) : NULL;
	return 0;
}

static char *read_database(const struct lea_device *device)
{
	LEA_AUTO(udev_unrefp) struct udev *udev = NULL;
	LEA_AUTO(device_unrefp) struct udev_device *entry = NULL;
	char *lines = NULL;
	size_t bytes;
	FILE *out;

	if (!has_entry(device))
		return strdup("");
	udev = udev_new();
	if (!udev || find_entry(udev, device, &entry))
		return NULL;
	if (!entry)
		return strdup("");
	out = open_memstream(&lines, &bytes);
	if (!out)
		return NULL;
	print_properties(out, entry);
	if (fclose(out) == 0)
		return lines;
	free(lines);
	return NULL;
}

const struct lea_udev lea_udev_real = {
	.properties = read_database,
	.listen = lea_udevmon_open,
	.close = lea_udevmon_close,
	.fd = lea_udevmon_fd,
	.receive = lea_udevmon_receive,
	.drain = lea_udevmon_drain,
	.enumerate = lea_udevmon_enumerate,
};

int lea_udevdb_fill(struct lea_world *world, struct lea_device *device)
{
	const char *links;
	size_t bytes = 0;

	if (!device->properties)
		device->properties = world->udev ? world->udev->properties(device) : strdup("");
	if (!device->properties)
		return -ENOMEM;
	if (device->devlinks)
		return 0;
	links = value_of(device->properties, "DEVLINKS", &bytes);
	device->devlinks = strndup(links ? links : "", bytes);
	return device->devlinks ? 0 : -ENOMEM;
}

bool lea_udevdb_has_finished(const struct lea_device *device)
{
	return device->properties && device->properties[0] &&
	       !lea_udevdb_is(device, "ID_PROCESSING", "1");
}

bool lea_udevdb_pvid(const struct lea_device *device, char ret_pvid[static 33])
{
	char uuid[64];

	return lea_udevdb_is(device, "ID_FS_TYPE", "LVM2_member") &&
	       lea_udevdb_property(device, "ID_FS_UUID", uuid, sizeof(uuid)) &&
	       !lea_id_parse(uuid, ret_pvid);
}
