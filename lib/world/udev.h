/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that we ask udev, as a table of functions for lea_world: libudev's, or those of a test. */
#pragma once

#include "world/udevmon.h"

struct lea_udev {
	/* What udev knows of the device, as lines of "KEY=value"; "": nothing yet. Owned (free);
	 * NULL: out of memory. */
	char *(*properties)(const struct lea_device *device);
	/* As lea_udevmon_open, lea_udevmon_close and so on. */
	int (*listen)(const char *tag, struct lea_udevmon **ret_monitor);
	void (*close)(struct lea_udevmon *monitor);
	int (*fd)(const struct lea_udevmon *monitor);
	int (*receive)(struct lea_udevmon *monitor, struct lea_udevmon_event *ret_event);
	int (*drain)(struct lea_udevmon *monitor);
	int (*enumerate)(struct lea_udevmon *monitor,
			 int (*tell)(void *arg, struct lea_udevmon_event *event), void *arg);
};
extern const struct lea_udev lea_udev_real;
