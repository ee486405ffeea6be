/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disks below a device, as they are remembered: by wwid, else by address. */
#pragma once

#include "base/err.h"
#include "filter/device_id.h"
#include "memory/boot_memory.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* The ids of a disk, or of a partition's disk. */
struct lea_below_ids {
	uint32_t partition; /* its number; 0: the whole disk */
	char wwid[LEA_ID_BYTES];
	char address[LEA_BOOT_MEMORY_VALUE_BYTES + 1]; /* of a disk without wwid; "": unknown */
};

/* lea_below_ids_read - reads the ids from sysfs; what is not there is "". @partition: number; 0:
 * @devno is a whole disk. 0 or a shortage. */
LEA_MUST_CHECK int lea_below_ids_read(struct lea_world *world, struct lea_devno devno,
				      uint32_t partition, struct lea_below_ids *ret_ids);

/* Is this the remembered disk? A disk without ids is no remembered one. Pure. */
bool lea_below_is(const struct lea_boot_below *below, const struct lea_below_ids *ids);

/* What kind of device is this? LEA_BOOT_OTHER also if the kernel does not show it. 0 or a shortage. */
LEA_MUST_CHECK int lea_below_kind(struct lea_world *world, struct lea_devno devno,
				  enum lea_boot_kind *ret_kind);

/*
 * lea_below_each - call @tell for each disk or partition at the bottom of a device's stack
 * Non-zero ends the walk and is returned. Returns 0, what @tell returned, or -errno
 * (-ELOOP: the device lies on an LV).
 */
LEA_MUST_CHECK int lea_below_each(struct lea_world *world, struct lea_devno devno,
				  int (*tell)(void *arg, const struct lea_below_ids *ids),
				  void *arg);
