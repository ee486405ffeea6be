/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How are two devices with the same PVID related? A copy must not be confused with the original;
 * two paths to one disk, or a device stacked on the other, hold the same bytes.
 */
#pragma once

#include "base/err.h"
#include "conf/conf.h"
#include "scan/scan.h"
#include "world/device.h"
#include "world/sysfs.h"
#include "world/world.h"

enum lea_duplicate_tie {
	LEA_DUPLICATE_COPY,    /* unrelated devices */
	LEA_DUPLICATE_PATH,    /* two paths to one disk: the same unique id */
	LEA_DUPLICATE_STACKED, /* one lies on the other: device-mapper, DRBD, md, loop */
};

/* Reads sysfs, never a device. */
enum lea_duplicate_tie lea_duplicate_tie(struct lea_world *world, const struct lea_device *a,
					 const struct lea_device *b);

/* Does any LV hold @devno? */
bool lea_duplicate_is_in_use(struct lea_world *world, struct lea_devno devno);

enum lea_duplicate_answer {
	LEA_DUPLICATE_GONE = 1, /* no such device, or another instance has its number */
	LEA_DUPLICATE_OTHER,	/* excluded by a filter, or not this PV */
	LEA_DUPLICATE_UNKNOWN,	/* unreadable now */
};

/*
 * lea_duplicate_read - does this device carry @pvid?
 * @options: for the scan that reads the device
 * @device:  from lea_device_find; borrowed
 * Returns 0 (it does), an enum lea_duplicate_answer or a fault. Blocks as the scan does.
 */
LEA_MUST_CHECK int lea_duplicate_read(struct lea_world *world, const struct lea_conf *conf,
				      const struct lea_scan_options *options,
				      const struct lea_device *device, const char *pvid);
