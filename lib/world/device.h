/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One block device as everybody hands it around, and what one event or argument knew of it.
 */
#ifndef LEA_WORLD_DEVICE_H
#define LEA_WORLD_DEVICE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_device {
	uint32_t major, minor;
	char *name;	/* owned: the name used in messages and in pvs_online, "/dev/sdb" */
	char *devlinks; /* owned, blank-separated; NULL: not known (ask udev when a filter needs it)
			 */
	char *properties; /* owned, "KEY=value" lines of udev's properties; NULL: not known */
	uint64_t diskseq; /* instance number; 0: the kernel has none */
	uint64_t seqnum;  /* of the uevent; 0: no uevent */
	bool is_gone;	  /* ACTION=remove, or named by number with nothing behind it */
};

/* Strings of its own. -ENOMEM: *ret_copy still needs lea_device_done. */
LEA_MUST_CHECK int lea_device_copy(const struct lea_device *from, struct lea_device *ret_copy);
void lea_device_done(struct lea_device *device);

#endif
