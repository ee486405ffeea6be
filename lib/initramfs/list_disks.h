/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For an image: which disks carry the PVs of the VGs that it needs, so that it knows them from
 * copies. */
#pragma once

#include "base/devid.h"
#include "base/err.h"
#include "conf/conf.h"
#include "memory/image_needs.h"
#include "scan/scan.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* All zero: none. */
struct lea_list_disks {
	struct lea_devno *devno; /* owned: devices on which LVs lie, each once */
	size_t count, room;
};

/* 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_list_disks_add(struct lea_list_disks *disks, struct lea_devno devno);
void lea_list_disks_done(struct lea_list_disks *disks);

/*
 * lea_list_disks_print - the lines of all PVs of the VGs on these devices
 * Reads the devices for the VGs' metadata, with a deadline, then asks udev for their other PVs.
 * What fails costs lines, which an image can do without; it logs that.
 */
void lea_list_disks_print(struct lea_world *world, const struct lea_conf *conf,
			  const struct lea_list_disks *disks, FILE *out);

/* What a line is to say of this PV. False: its device has no id. */
bool lea_list_disk_of(struct lea_world *world, const struct lea_found *found,
		      struct lea_need_disk *ret_disk);
