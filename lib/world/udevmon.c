/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libudev's monitor and enumerator. */
#include "world/udevmon.h"

#include <errno.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "world/property.h"

#define RECEIVE_BUFFER_BYTES (128 * 1024 * 1024)

struct lea_udevmon {
	struct udev *udev;
	struct udev_monitor *monitor;
	char tag[32];
};

LEA_DEFINE_FREEP(struct udev_device, device_unrefp, udev_device_unref);

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
	if (r >= 0 && monitor->tag[0])
		r = udev_monitor_filter_add_match_tag(monitor->monitor, monitor->tag);
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

/* The properties that filters may ask for, as lines; NULL: memory is short. */
static char *kept_lines(struct udev_device *from)
{
	struct udev_list_entry *entry;
	char *lines = NULL;
	size_t bytes;
	FILE *out = open_memstream(&lines, &bytes);

	if (!out)
		return NULL;
	udev_list_entry_foreach(entry, udev_device_get_properties_list_entry(from))
	{
		const char *key = udev_list_entry_get_name(entry),
			   *value = udev_list_entry_get_value(entry);

		if (value && lea_property_is_kept(key, value))
			fprintf(out, "%s=%s\n", key, value);
	}
	if (fclose(out) == 0)
		return lines;
	free(lines);
	return NULL;
}

/* "": the device has no such property. */
static const char *property(struct udev_device *from, const char *key)
{
	const char *value = udev_device_get_property_value(from, key);

	return value ? value : "";
}

static uint64_t number(struct udev_device *from, const char *key)
{
	return strtoull(property(from, key), NULL, 10);
}

/*
 * Tags stick; only the current ones, ":one:two:", tell what the last event thought. libudev's own
 * question after them takes the sticky ones where there are no current ones.
 */
static bool has_tag(const struct lea_udevmon *monitor, struct udev_device *from)
{
	char pattern[sizeof(monitor->tag) + 2];

	snprintf(pattern, sizeof(pattern), ":%s:", monitor->tag);
	return strstr(property(from, "CURRENT_TAGS"), pattern) != NULL;
}

static bool is_pv(const struct lea_udevmon *monitor, struct udev_device *from)
{
	return !strcmp(property(from, "ID_FS_TYPE"), "LVM2_member") &&
	       !strcmp(property(from, "SUBSYSTEM"), "block") && has_tag(monitor, from);
}

/* Was it in use before a change made this PV of it? */
static bool was_in_use(struct udev_device *from)
{
	const char *action = udev_device_get_property_value(from, "ACTION"),
		   *first = udev_device_get_property_value(from, "LVMEVENT_FIRST"),
		   *fs_uuid = udev_device_get_property_value(from, "ID_FS_UUID");

	return (!action || !strcmp(action, "change")) && number(from, "LVMEVENT_NEW") != 1 &&
	       number(from, "DM_ACTIVATION") != 1 && first && fs_uuid &&
	       strcmp(first, fs_uuid) != 0;
}

static bool is_change(struct udev_device *from)
{
	return !strcmp(property(from, "ACTION"), "change") && number(from, "LVMEVENT_NEW") != 1 &&
	       number(from, "DM_ACTIVATION") != 1;
}

static bool is_written(struct udev_device *from)
{
	return !strcmp(property(from, "ACTION"), "change") && *property(from, "SYNTH_UUID") &&
	       number(from, "LVMEVENT_SKIPPED") != number(from, "SEQNUM");
}

static int fill(const struct lea_udevmon *monitor, struct udev_device *from,
		struct lea_udevmon_event *event)
{
	struct lea_device *device = &event->device;
	const struct lea_devid id = {(uint32_t)number(from, "MAJOR"),
				     (uint32_t)number(from, "MINOR"), number(from, "DISKSEQ")};

	memset(event, 0, sizeof(*event));
	if (lea_device_make(&id, property(from, "DEVNAME"), device))
		return -ENOMEM;
	device->seqnum = number(from, "SEQNUM");
	device->is_gone = !strcmp(property(from, "ACTION"), "remove");
	event->is_pv = is_pv(monitor, from);
	event->is_change = is_change(from);
	event->was_in_use = was_in_use(from);
	event->is_written = is_written(from);
	event->is_activation = number(from, "DM_ACTIVATION") == 1;
	snprintf(event->fs_uuid, sizeof(event->fs_uuid), "%s", property(from, "ID_FS_UUID"));
	device->properties = kept_lines(from);
	device->devlinks = strdup(property(from, "DEVLINKS"));
	if (device->devlinks && device->properties)
		return 0;
	lea_device_done(device);
	return -ENOMEM;
}

/* 0 with the device of the next broadcast, which the caller unrefs; an outcome; or -ENOMEM. */
static int next_device(struct lea_udevmon *monitor, struct udev_device **ret_from)
{
	errno = 0;
	*ret_from = udev_monitor_receive_device(monitor->monitor);
	if (*ret_from)
		return 0;
	if (errno == ENOMEM)
		return -ENOMEM;
	return errno == ENOBUFS ? LEA_UDEVMON_OVERFLOW : LEA_UDEVMON_NONE;
}

int lea_udevmon_receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	LEA_AUTO(device_unrefp) struct udev_device *from = NULL;
	const int r = next_device(monitor, &from);

	return r ? r : fill(monitor, from, ret_event);
}

int lea_udevmon_drain(struct lea_udevmon *monitor)
{
	struct udev_device *from;
	bool failed = false;
	int r;

	do {
		r = next_device(monitor, &from);
		failed |= r < 0 || r == LEA_UDEVMON_OVERFLOW ||
			  (from && udev_device_get_property_value(from, "UDEV_WORKER_FAILED"));
		device_unrefp(&from);
	} while (r >= 0 && r != LEA_UDEVMON_NONE);
	return failed ? LEA_UDEVMON_FAILED : 0;
}

static int visit(struct lea_udevmon *monitor, const char *syspath,
		 int (*tell)(void *arg, struct lea_udevmon_event *event), void *arg)
{
	LEA_AUTO(device_unrefp)
	struct udev_device *from = udev_device_new_from_syspath(monitor->udev, syspath);
	struct lea_udevmon_event event;
	int r;

	if (!from)
		return 0; /* gone since */
	/* Not finished: its broadcast is still to come. */
	if (udev_device_get_is_initialized(from) <= 0 || *property(from, "ID_PROCESSING") == '1')
		return 0;
	r = fill(monitor, from, &event);
	return r < 0 ? r : tell(arg, &event);
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
			r = visit(monitor, udev_list_entry_get_name(entry), tell, arg);
			if (r)
				break;
		}
	}
	udev_enumerate_unref(all);
	return r;
}
