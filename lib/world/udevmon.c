/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libudev's monitor and enumerator; broadcasts are read from the monitor's socket as they are, as
 * long as they are understood.
 */
#include "world/udevmon.h"

#include <errno.h>
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "world/property.h"
#include "world/udevmsg.h"
#include "world/udevsock.h"

#define RECEIVE_BUFFER_BYTES (128 * 1024 * 1024)

/* One broadcast at most: udev's own limit is far below. */
#define MESSAGE_BYTES 65536U

struct lea_udevmon {
	struct udev *udev;
	struct udev_monitor *monitor;
	char tag[32];
	bool asks_library; /* broadcasts are not as world/udevmsg.h knows them */
	char bytes[MESSAGE_BYTES];
};

/* Lines that grow. */
struct text {
	char *chars; /* NULL, or ended by zero */
	size_t used, room;
};

static void text_done(struct text *text)
{
	free(text->chars);
}

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

/* Room for so many further bytes. */
static int make_room(struct text *text, size_t more)
{
	const size_t least = text->used + more,
		     room = least > text->room * 2 ? least : text->room * 2;
	char *bigger;

	if (least <= text->room)
		return 0;
	bigger = realloc(text->chars, room);
	if (!bigger)
		return -ENOMEM;
	bigger[text->used] = '\0';
	text->chars = bigger;
	text->room = room;
	return 0;
}

/* One line more, if it is one to keep. */
static int put_line(struct text *text, const char *key, size_t key_chars, const char *value)
{
	const size_t value_chars = strlen(value), more = key_chars + value_chars + 3;
	char *line;

	if (make_room(text, more))
		return -ENOMEM;
	line = text->chars + text->used;
	memcpy(line, key, key_chars);
	line[key_chars] = '=';
	memcpy(line + key_chars + 1, value, value_chars + 1);
	if (lea_property_is_kept(line)) {
		text->used += more - 1;
		text->chars[text->used - 1] = '\n';
	}
	text->chars[text->used] = '\0';
	return 0;
}

static int keep_message(const char *first, size_t len_bytes, struct text *text)
{
	const char *equals;
	int r = make_room(text, len_bytes + 2);

	for (const char *at = first; !r && at < first + len_bytes; at += strlen(at) + 1) {
		equals = strchr(at, '=');
		if (equals)
			r = put_line(text, at, (size_t)(equals - at), equals + 1);
	}
	return r;
}

static int keep_list(struct udev_list_entry *list, struct lea_udevmsg *msg, struct text *text)
{
	struct udev_list_entry *entry;
	int r = make_room(text, 1);

	udev_list_entry_foreach(entry, list)
	{
		const char *key = udev_list_entry_get_name(entry),
			   *value = udev_list_entry_get_value(entry);

		if (!value)
			continue;
		lea_udevmsg_note(msg, key, strlen(key), value);
		r = r ? r : put_line(text, key, strlen(key), value);
	}
	return r;
}

static bool is_pv(const struct lea_udevmon *monitor, const struct lea_udevmsg *msg)
{
	/* Tags stick; only the current ones tell what the last event thought. */
	return msg->fs_type && !strcmp(msg->fs_type, "LVM2_member") && msg->subsystem &&
	       !strcmp(msg->subsystem, "block") && lea_udevmsg_has_tag(msg, monitor->tag);
}

/* A change that made a PV, or another one, of a device in use. */
static bool is_changed(const struct lea_udevmsg *msg)
{
	return (!msg->action || !strcmp(msg->action, "change")) &&
	       lea_udevmsg_number(msg->is_new) != 1 && lea_udevmsg_number(msg->activation) != 1 &&
	       msg->first && msg->fs_uuid && strcmp(msg->first, msg->fs_uuid) != 0;
}

static int fill(const struct lea_udevmon *monitor, const struct lea_udevmsg *msg, struct text *text,
		struct lea_udevmon_event *event)
{
	struct lea_device *device = &event->device;

	memset(event, 0, sizeof(*event));
	device->major = (uint32_t)lea_udevmsg_number(msg->major);
	device->minor = (uint32_t)lea_udevmsg_number(msg->minor);
	device->diskseq = lea_udevmsg_number(msg->diskseq);
	device->seqnum = lea_udevmsg_number(msg->seqnum);
	device->is_gone = msg->action && !strcmp(msg->action, "remove");
	event->is_pv = is_pv(monitor, msg);
	event->is_changed = is_changed(msg);
	event->is_activation = lea_udevmsg_number(msg->activation) == 1;
	snprintf(event->fs_uuid, sizeof(event->fs_uuid), "%s", msg->fs_uuid ? msg->fs_uuid : "");
	device->properties = LEA_TAKE(text->chars);
	device->name = strdup(msg->name ? msg->name : "");
	device->devlinks = strdup(msg->links ? msg->links : "");
	if (device->name && device->devlinks && device->properties)
		return 0;
	lea_device_done(device);
	return -ENOMEM;
}

static int fill_from_library(const struct lea_udevmon *monitor, struct udev_device *from,
			     struct lea_udevmon_event *event)
{
	LEA_AUTO(text_done) struct text text = {0};
	struct lea_udevmsg msg = {0};
	int r = keep_list(udev_device_get_properties_list_entry(from), &msg, &text);

	return r ? r : fill(monitor, &msg, &text, event);
}

static int fill_from_message(const struct lea_udevmon *monitor, const char *first, size_t len_bytes,
			     struct lea_udevmon_event *event)
{
	LEA_AUTO(text_done) struct text text = {0};
	struct lea_udevmsg msg = {0};
	int r;

	lea_udevmsg_note_all(&msg, first, len_bytes);
	r = keep_message(first, len_bytes, &text);
	return r ? r : fill(monitor, &msg, &text, event);
}

static int receive_by_library(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	struct udev_device *from;
	int r;

	errno = 0;
	from = udev_monitor_receive_device(monitor->monitor);
	if (!from)
		return errno == ENOBUFS ? LEA_UDEVMON_OVERFLOW : LEA_UDEVMON_NONE;
	r = fill_from_library(monitor, from, ret_event);
	udev_device_unref(from);
	return r;
}

/* 0 with the properties of the next broadcast, or an outcome. */
static int read_message(struct lea_udevmon *monitor, const char **ret_first, size_t *ret_len)
{
	size_t len_bytes;
	int r = lea_udevsock_read(lea_udevmon_fd(monitor), monitor->bytes, sizeof(monitor->bytes),
				  &len_bytes);

	if (r)
		return r < 0 ? r : r == LEA_UDEVSOCK_LOST ? LEA_UDEVMON_OVERFLOW : LEA_UDEVMON_NONE;
	if (!lea_udevmsg_open(monitor->bytes, len_bytes, ret_first, ret_len))
		return 0;
	monitor->asks_library = true;
	return LEA_UDEVMON_UNKNOWN;
}

int lea_udevmon_receive(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event)
{
	const char *first;
	size_t len_bytes;
	int r;

	if (monitor->asks_library)
		return receive_by_library(monitor, ret_event);
	r = read_message(monitor, &first, &len_bytes);
	return r ? r : fill_from_message(monitor, first, len_bytes, ret_event);
}

/* true: something has come; *ret_failed: udev gave up on it, or nobody knows what it was. */
static bool pass_over(struct lea_udevmon *monitor, bool *ret_failed)
{
	struct lea_udevmsg msg = {0};
	struct udev_device *from;
	const char *first;
	size_t len_bytes;
	int r;

	if (!monitor->asks_library) {
		r = read_message(monitor, &first, &len_bytes);
		if (r == 0)
			lea_udevmsg_note_all(&msg, first, len_bytes);
		*ret_failed = r || lea_udevmsg_number(msg.failed);
		return r >= 0 && r != LEA_UDEVMON_NONE;
	}
	errno = 0;
	from = udev_monitor_receive_device(monitor->monitor);
	*ret_failed = !from || udev_device_get_property_value(from, "UDEV_WORKER_FAILED");
	if (!from)
		return errno == ENOBUFS;
	udev_device_unref(from);
	return true;
}

int lea_udevmon_drain(struct lea_udevmon *monitor)
{
	bool failed;
	int r = 0;

	while (pass_over(monitor, &failed))
		if (failed)
			r = LEA_UDEVMON_FAILED;
	return r;
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
		r = fill_from_library(monitor, from, &event);
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
