/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block device, with what an event or an argument said about it. What has only a number is a
 * struct lea_devid; a device has a name as well, so nothing checks for NULL. lea_device_make makes
 * one, and lea_device_find (device_find.h), lea_device_copy and lea_device_unpack.
 */
#pragma once

#include "base/devid.h"
#include "base/err.h"
#include "base/wire.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_device {
	uint32_t major, minor;
	char *name;	  /* owned: the name for messages and pvs_online, "/dev/sdb", or as long as
			     only the number is known that: "8:16" */
	char *devlinks;	  /* owned, separated by spaces; NULL: unknown (udev has them) */
	char *properties; /* owned, udev's properties as "KEY=value" lines; NULL: unknown */
	uint64_t diskseq; /* instance number; 0: the kernel provides none */
	uint64_t seqnum;  /* of the uevent; 0: no uevent */
	bool is_gone;	  /* ACTION=remove, or a number without a device */
};

static inline struct lea_devid lea_device_id(const struct lea_device *device)
{
	return (struct lea_devid){device->major, device->minor, device->diskseq};
}

static inline struct lea_devno lea_device_devno(const struct lea_device *device)
{
	return (struct lea_devno){device->major, device->minor};
}

/* The same for every instance. */
static inline struct lea_devid lea_device_number(const struct lea_device *device)
{
	return (struct lea_devid){device->major, device->minor, 0};
}

/* Is only the number known? */
static inline bool lea_device_is_nameless(const struct lea_device *device)
{
	return device->name[0] != '/';
}

/* @name: copied if it is a path; else, and with NULL, only the number is known. The rest is zero.
 * Returns 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_device_make(const struct lea_devid *id, const char *name,
				   struct lea_device *ret_device);
/* Strings of its own. -ENOMEM: *ret_copy still needs lea_device_done. */
LEA_MUST_CHECK int lea_device_copy(const struct lea_device *from, struct lea_device *ret_copy);
void lea_device_done(struct lea_device *device);

/* A device in a message, with all fields: the receiver may have to queue it again. */
void lea_device_pack(struct lea_wire_out *out, const struct lea_device *device);
/* Returns a device to release with lea_device_done, even if in->fault is set. */
struct lea_device lea_device_unpack(struct lea_wire_in *in);
