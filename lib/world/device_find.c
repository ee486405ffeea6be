/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's uevent file has all that is wanted. */
#include "world/device_find.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "world/sysfs.h"

#define UEVENT_BYTES 4096U

/* Without a name it is no device's file, or the device has just gone. */
static int find(struct lea_world *world, const char *path, struct lea_device *ret_device)
{
	char text[UEVENT_BYTES], name[UEVENT_BYTES + 8] = "", *state = NULL;
	struct lea_devid id = {0};
	int sys_fd = lea_world_sys(world);
	int r = sys_fd < 0 ? sys_fd : lea_file_read_into(sys_fd, path, text, sizeof(text));

	/* ENODEV: it goes while it is read. */
	if (r)
		return r < 0 && r != -ENODEV ? r : LEA_DEVICE_GONE;
	for (const char *line = strtok_r(text, "\n", &state), *value; line;
	     line = strtok_r(NULL, "\n", &state)) {
		if ((value = lea_after(line, "DEVNAME=")))
			snprintf(name, sizeof(name), "/dev/%s", value);
		else if ((value = lea_after(line, "DISKSEQ=")))
			id.diskseq = strtoull(value, NULL, 10);
		else if ((value = lea_after(line, "MAJOR=")))
			id.major = (uint32_t)strtoul(value, NULL, 10);
		else if ((value = lea_after(line, "MINOR=")))
			id.minor = (uint32_t)strtoul(value, NULL, 10);
	}
	return name[0] ? lea_device_make(&id, name, ret_device) : LEA_DEVICE_GONE;
}

int lea_device_find(struct lea_world *world, const struct lea_devid *id,
		    struct lea_device *ret_device)
{
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	char path[64];
	int r;

	snprintf(path, sizeof(path), "dev/block/%u:%u/uevent", id->major, id->minor);
	r = find(world, path, &device);
	if (r)
		return r;
	device.major = id->major;
	device.minor = id->minor;
	/* Not every kernel gives it in the uevent of a partition. */
	if (!device.diskseq)
		r = lea_sysfs_diskseq(world, lea_device_devno(&device), &device.diskseq);
	if (r)
		return r;
	if (id->diskseq && device.diskseq != id->diskseq)
		return LEA_DEVICE_GONE;
	*ret_device = device;
	device = (struct lea_device){0};
	return 0;
}

int lea_device_find_name(struct lea_world *world, const char *name, struct lea_device *ret_device)
{
	char path[320];

	snprintf(path, sizeof(path), "class/block/%s/uevent", name);
	return find(world, path, ret_device);
}
