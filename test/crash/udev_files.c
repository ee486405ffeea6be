/* SPDX-License-Identifier: GPL-2.0-or-later */
/* udev's database and its broadcasts as files. */
#include "crash/drive.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/file.h"
#include "crash/step.h"
#include "world/udevdb.h"
#include "world/udevmon.h"

#define DATA_MAX 65536U

struct lea_udevmon {
	int fd;
	char bytes[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
	size_t at, have;
};

static char data[256], broadcast[256];

/* Returns NULL if udev has no data of the device. */
static char *read_data(uint32_t major, uint32_t minor)
{
	char path[320], *text = NULL;

	snprintf(path, sizeof(path), "%s/b%" PRIu32 ":%" PRIu32, data, major, minor);
	return lea_file_read_config(path, DATA_MAX, &text, NULL) ? NULL : text;
}

static char *read_properties(const struct lea_device *device)
{
	char *text = read_data(device->major, device->minor);

	return text ? text : strdup("");
}

static int udev_open(const char *tag, struct lea_udevmon **ret_monitor)
{
	struct lea_udevmon *monitor = calloc(1, sizeof(*monitor));

	(void)tag;
	if (!monitor)
		return -ENOMEM;
	step_pause();
	monitor->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (monitor->fd < 0 ||
	    inotify_add_watch(monitor->fd, broadcast, IN_MOVED_TO | IN_CREATE) < 0)
		abort();
	step_resume();
	*ret_monitor = monitor;
	return 0;
}

static void udev_close(struct lea_udevmon *monitor)
{
	close(monitor->fd);
	free(monitor);
}

static int udev_fd(const struct lea_udevmon *monitor)
{
	return monitor->fd;
}

static uint64_t number(const struct lea_device *device, const char *key)
{
	char text[32];

	return lea_udevdb_property(device, key, text, sizeof(text)) ? strtoull(text, NULL, 10) : 0;
}

/* Fills @event for @name ("b8:16"), as a broadcast would. False: the device has gone. */
static bool fill(const char *name, struct lea_udevmon_event *event)
{
	struct lea_device device = {0};
	char node[128];

	memset(event, 0, sizeof(*event));
	if (sscanf(name, "b%" SCNu32 ":%" SCNu32, &device.major, &device.minor) != 2)
		return false;
	device.properties = read_data(device.major, device.minor);
	if (!device.properties)
		return false;
	device.diskseq = number(&device, "DISKSEQ");
	device.seqnum = number(&device, "SEQNUM");
	if (lea_udevdb_property(&device, "DEVNAME", node, sizeof(node)))
		device.name = strdup(node);
	device.devlinks = strdup("");
	if (!lea_udevdb_property(&device, "ID_FS_UUID", event->fs_uuid, sizeof(event->fs_uuid)))
		event->fs_uuid[0] = '\0';
	event->is_pv = lea_udevdb_is(&device, "ID_FS_TYPE", "LVM2_member");
	event->device = device;
	return true;
}

static int udev_receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	struct inotify_event event;
	ssize_t n;

	for (;;) {
		if (monitor->at >= monitor->have) {
			n = read(monitor->fd, monitor->bytes, sizeof(monitor->bytes));
			if (n <= 0)
				return LEA_UDEVMON_NONE;
			monitor->at = 0;
			monitor->have = (size_t)n;
		}
		memcpy(&event, monitor->bytes + monitor->at, sizeof(event));
		monitor->at += sizeof(event) + event.len;
		if (event.len && fill(monitor->bytes + monitor->at - event.len, ret_event))
			return 0;
	}
}

static int udev_enumerate(struct lea_udevmon *monitor,
			  int (*tell)(void *arg, struct lea_udevmon_event *event), void *arg)
{
	struct lea_udevmon_event event;
	struct dirent *entry;
	DIR *dir = opendir(data);
	int r = 0;

	(void)monitor;
	while (dir && r == 0 && (entry = readdir(dir)))
		if (fill(entry->d_name, &event))
			r = tell(arg, &event);
	if (dir)
		closedir(dir);
	return r;
}

/* No broadcast here is a failure. */
static int udev_drain(struct lea_udevmon *monitor)
{
	struct lea_udevmon_event event;

	while (!udev_receive(monitor, &event))
		lea_device_done(&event.device);
	return 0;
}

const struct lea_udev *drive_udev_open(const char *root)
{
	static const struct lea_udev udev = {
		.properties = read_properties,
		.listen = udev_open,
		.close = udev_close,
		.fd = udev_fd,
		.receive = udev_receive,
		.drain = udev_drain,
		.enumerate = udev_enumerate,
	};

	snprintf(data, sizeof(data), "%s/run/udev/data", root);
	snprintf(broadcast, sizeof(broadcast), "%s/run/udev/broadcast", root);
	return &udev;
}
