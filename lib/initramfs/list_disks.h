/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For an image: which disks carry the PVs of the VGs that it needs, so that it knows them from
 * copies. */
#pragma once

#include "base/devset.h"
#include "conf/conf.h"
#include "memory/image_needs.h"
#include "scan/scan.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * lea_list_disks_print - the lines of all PVs of the VGs on these devices
 * Reads the devices for the VGs' metadata, with a deadline, then asks udev for their other PVs.
 * What fails costs lines, which an image can do without; it logs that.
 */
void lea_list_disks_print(struct lea_world *world, const struct lea_conf *conf,
			  const struct lea_devset *disks, FILE *out);

/* What a line is to say of this PV. False: its device has no id. */
bool lea_list_disk_of(struct lea_world *world, const struct lea_found *found,
		      struct lea_need_disk *ret_disk);
