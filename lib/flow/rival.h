/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two devices with one PVID: what is the one to the other? A copy must not be mixed up with the
 * original, while two paths of one disk, and a device with another one stacked on it, hold the
 * same bytes.
 */
#ifndef LEA_FLOW_RIVAL_H
#define LEA_FLOW_RIVAL_H

#include "base/err.h"
#include "flow/scan.h"
#include "world/conf.h"
#include "world/device.h"
#include "world/sysfs.h"
#include "world/world.h"

enum lea_rival_tie {
	LEA_RIVAL_COPY,	   /* nothing ties them */
	LEA_RIVAL_PATH,	   /* one disk reached in two ways: the same ids */
	LEA_RIVAL_STACKED, /* one holds the other: device-mapper, DRBD, md, loop */
};

/* Asks sysfs, and udev for ids that sysfs does not have. Never blocks on a device. */
enum lea_rival_tie lea_rival_tie(struct lea_world *world, const struct lea_device *a,
				 const struct lea_device *b);

/* Does @devno have a holder that is an LV of whatever VG? */
bool lea_rival_is_in_use(struct lea_world *world, struct lea_devno devno);

enum lea_rival_answer {
	LEA_RIVAL_GONE = 1, /* no such device, or another instance of it */
	LEA_RIVAL_OTHER,    /* excluded by a filter, or it carries something else */
	LEA_RIVAL_UNKNOWN,  /* it can't be read now */
};

/* Fills in name and instance of @device, a number. 0, LEA_RIVAL_GONE, or a fault; one instance is
 * as good as another where @device has none (0). */
LEA_MUST_CHECK int lea_rival_fill(struct lea_world *world, struct lea_device *device);

/*
 * lea_rival_read - does this device carry @pvid?
 * @device: as lea_rival_fill left it; borrowed
 * @options: of the scan that reads it
 * 0: it does; an outcome, or a fault. Blocks as the scan does.
 */
LEA_MUST_CHECK int lea_rival_read(struct lea_world *world, const struct lea_conf *conf,
				  const struct lea_scan_options *options,
				  const struct lea_device *device, const char *pvid);

#endif
