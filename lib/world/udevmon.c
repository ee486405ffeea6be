/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libudev's monitor and enumerator.
 */
#include "world/udevmon.h"

#include <errno.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"

#define RECEIVE_BUFFER_BYTES (128 * 1024 * 1024)

struct lea_udevmon {
	struct udev *udev;
	struct udev_monitor *monitor;
	char tag[32];
};

void lea_udevmon_close(struct lea_udevmon *monitor)
{
	if (!monitor)
		return;
	if (monitor->monitor)
		udev_monitor_unref(monitor->monitor);
	if (monitor->udev)
		udev_unref(monitor->udev);
	free(monitor);
}

static int start(struct lea_udevmon *monitor)
{
	int r;

	monitor->udev = udev_new();
	if (!monitor->udev)
		return -ENOMEM;
	monitor->monitor = udev_monitor_new_from_netlink(monitor->udev, "udev");
	if (!monitor->monitor)
		return -errno;
	r = udev_monitor_filter_add_match_subsystem_devtype(monitor->monitor, "block", NULL);
	r = r < 0 ? r : udev_monitor_filter_add_match_tag(monitor->monitor, monitor->tag);
	/* A smaller buffer only means more overflows, and those are handled. */
	if (r >= 0 &&
	    udev_monitor_set_receive_buffer_size(monitor->monitor, RECEIVE_BUFFER_BYTES) < 0)
		r = 0;
	return r < 0 ? r : udev_monitor_enable_receiving(monitor->monitor);
}

int lea_udevmon_open(const char *tag, struct lea_udevmon **ret_monitor)
{
	struct lea_udevmon *monitor = calloc(1, sizeof(*monitor));
	int r;

	if (!monitor)
		return -ENOMEM;
	snprintf(monitor->tag, sizeof(monitor->tag), "%s", tag);
	r = start(monitor);
	if (r < 0) {
		lea_udevmon_close(monitor);
		return r;
	}
	*ret_monitor = monitor;
	return 0;
}

int lea_udevmon_fd(const struct lea_udevmon *monitor)
{
	return udev_monitor_get_fd(monitor->monitor);
}

static uint64_t number(struct udev_device *from, const char *key)
{
	const char *text = udev_device_get_property_value(from, key);

	return text ? strtoull(text, NULL, 10) : 0;
}

static int join(struct udev_list_entry *list, bool with_value, char separator, char **ret_text)
{
	struct udev_list_entry *entry;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return -ENOMEM;
	udev_list_entry_foreach(entry, list)
	{
		const char *value = with_value ? udev_list_entry_get_value(entry) : NULL;

		/* A line end in a value would pass for another property. */
		if (value && strchr(value, '\n'))
			continue;
		fprintf(out, "%s%s%s%c", udev_list_entry_get_name(entry), value ? "=" : "",
			value ? value : "", separator);
	}
	if (fclose(out) != 0) {
		free(text);
		return -ENOMEM;
	}
	*ret_text = text;
	return 0;
}

static bool is_pv(const struct lea_udevmon *monitor, struct udev_device *from)
{
	const char *type = udev_device_get_property_value(from, "ID_FS_TYPE");

	/* Tags stick; only the current ones tell what the last event thought. */
	return type && !strcmp(type, "LVM2_member") &&
	       udev_device_has_current_tag(from, monitor->tag) > 0;
}

static int fill(const struct lea_udevmon *monitor, struct udev_device *from,
		struct lea_udevmon_event *event)
{
	const char *action = udev_device_get_action(from), *name = udev_device_get_devnode(from),
		   *uuid = udev_device_get_property_value(from, "ID_FS_UUID");
	dev_t number_of = udev_device_get_devnum(from);
	int r;

	memset(event, 0, sizeof(*event));
	event->device.major = major(number_of);
	event->device.minor = minor(number_of);
	event->device.diskseq = number(from, "DISKSEQ");
	event->device.seqnum = number(from, "SEQNUM");
	event->device.is_gone = action && !strcmp(action, "remove");
	event->is_pv = is_pv(monitor, from);
	event->is_activation = number(from, "DM_ACTIVATION") == 1;
	snprintf(event->fs_uuid, sizeof(event->fs_uuid), "%s", uuid ? uuid : "");
	event->device.name = strdup(name ? name : "");
	r = event->device.name ? 0 : -ENOMEM;
	r = r ? r
	      : join(udev_device_get_devlinks_list_entry(from), false, ' ',
		     &event->device.devlinks);
	r = r ? r
	      : join(udev_device_get_properties_list_entry(from), true, '\n',
		     &event->device.properties);
	if (r)
		lea_device_done(&event->device);
	return r;
}

int lea_udevmon_receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	struct udev_device *from;
	int r;

	errno = 0;
	from = udev_monitor_receive_device(monitor->monitor);
	if (!from)
		return errno == ENOBUFS ? LEA_UDEVMON_OVERFLOW : LEA_UDEVMON_NONE;
	r = fill(monitor, from, ret_event);
	udev_device_unref(from);
	return r;
}

int lea_udevmon_drain(struct lea_udevmon *monitor)
{
	struct udev_device *from;
	int r = 0;

	for (;;) {
		errno = 0;
		from = udev_monitor_receive_device(monitor->monitor);
		if (!from && errno != ENOBUFS)
			return r;
		if (!from || number(from, "UDEV_WORKER_FAILED"))
			r = LEA_UDEVMON_FAILED;
		if (from)
			udev_device_unref(from);
	}
}

static int tell_one(struct lea_udevmon *monitor, const char *syspath,
		    int (*tell)(void *arg, struct lea_udevmon_event *event), void *arg)
{
	struct udev_device *from = udev_device_new_from_syspath(monitor->udev, syspath);
	struct lea_udevmon_event event;
	const char *processing;
	int r = 0;

	if (!from)
		return 0; /* gone since */
	processing = udev_device_get_property_value(from, "ID_PROCESSING");
	/* Not finished: its broadcast is still to come. */
	if (udev_device_get_is_initialized(from) > 0 && !(processing && *processing == '1'))
		r = fill(monitor, from, &event);
	else
		r = 1;
	udev_device_unref(from);
	return r ? (r < 0 ? r : 0) : tell(arg, &event);
}

int lea_udevmon_enumerate(struct lea_udevmon *monitor,
			  int (*tell)(void *arg, struct lea_udevmon_event *event), void *arg)
{
	struct udev_enumerate *all = udev_enumerate_new(monitor->udev);
	struct udev_list_entry *entry;
	int r;

	if (!all)
		return -ENOMEM;
	r = udev_enumerate_add_match_subsystem(all, "block");
	r = r < 0 ? r : udev_enumerate_add_match_tag(all, monitor->tag);
	r = r < 0 ? r : udev_enumerate_scan_devices(all);
	if (r >= 0) {
		r = 0;
		udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(all))
		{
			r = tell_one(monitor, udev_list_entry_get_name(entry), tell, arg);
			if (r)
				break;
		}
	}
	udev_enumerate_unref(all);
	return r;
}
