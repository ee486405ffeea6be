/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids of a disk beyond its name: the wwid, and the designators of SCSI page 83 as sysfs gives them.
 * Source: lvmdevices(8) and traces of lvm2 2.03.16; SPC-4 page 83h.
 */
#pragma once

#include "base/err.h"
#include "world/sysfs.h"
#include "world/world.h"

#include <stdbool.h>

/* Converts an id to a form in which ids of devices and of devices files can be compared: blanks and
 * prefixes do not count. */
#define LEA_ID_BYTES 256U
void lea_id_normalise(const char *id, char ret_id[static LEA_ID_BYTES]);
/* Reads device/wwid or wwid of the whole disk from sysfs. Returns LEA_SYSFS_ABSENT if it has
 * none. */
LEA_MUST_CHECK int lea_id_wwid(struct lea_world *world, struct lea_devno devno, bool is_partition,
			       char ret_id[static LEA_ID_BYTES]);
/* Does a wwid identify one disk in the world? Those of registries do (naa, eui, uuid); what is made
 * of a vendor's name and a serial number ("t10.", "nvme.") does not, nor do zeros. Pure. */
bool lea_id_is_unique(const char *wwid);
enum lea_id_outcome { LEA_ID_ACCEPTED = 1 };
/* Calls @accepts for each page 83 designator, normalised and beginning with "naa.", "eui." or
 * "t10.", until it returns true. Returns LEA_ID_ACCEPTED then, 0 if it never did, or -errno. */
LEA_MUST_CHECK int lea_id_any_vpd83(struct lea_world *world, struct lea_devno devno,
				    bool is_partition,
				    bool (*accepts)(void *arg, const char *id), void *arg);
/*
 * lea_id_mark - an id by which copies of a device can be told apart: the wwid of its disk, or else
 * its serial number; of device-mapper and MD its uuid there A word. Returns LEA_SYSFS_ABSENT if
 * there is none.
 */
LEA_MUST_CHECK int lea_id_mark(struct lea_world *world, struct lea_devno devno, bool is_partition,
			       char ret_id[static LEA_ID_BYTES]);
