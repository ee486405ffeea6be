/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The records of PVs, for a reconcile: which PVs have one, and which of them are of a device that
 * has gone. Such a record would stay for good: its removal was lost, and nothing else leads to it.
 */
#pragma once

#include "base/devset.h"
#include "base/err.h"
#include "conf/conf.h"
#include "state/queue.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>

struct lea_recorded_pv {
	char pvid[33];
	struct lea_devid number; /* its device */
	bool is_met;		 /* udev names this PV on it */
};

/* Zeroed: no records. */
struct lea_records {
	struct lea_recorded_pv *pv; /* sorted by PVID; owned */
	size_t count, room;
	struct lea_devset named; /* numbers of the devices on which udev names a PV */
};

/* Two system calls a record. 0 or -errno; lea_records_done in any case. */
LEA_MUST_CHECK int lea_records_read(struct lea_world *world, struct lea_records *records);
void lea_records_done(struct lea_records *records);

/* @number: of the record's device; NULL: any. */
bool lea_records_have(const struct lea_records *records, const char *pvid,
		      const struct lea_devid *number);
/* udev names PV @pvid on the device @number. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_records_meet(struct lea_records *records, const char *pvid,
				    const struct lea_devid *number);

/* The devices that the kernel lists, each number once; udev's properties of them may be filled in.
 * Borrowed. */
struct lea_records_devices {
	struct lea_world *world;
	int event_fd;
	struct lea_device *device; /* [count] */
	size_t count;
	bool has_markers; /* what was recorded on devices that are there has its marker */
};

/*
 * lea_records_queue_gone - queue what the removal of a recorded device would have queued
 * Call it when all PVs were met. A record is of a device that has gone if its number is nobody's.
 * With @has_markers it may also be if udev names no such PV on the device with that number, which
 * has no marker of it, and came into use after event activation took charge: then a pass reads the
 * device, and only what that shows decides. So a disk that was wiped in place, or got another PVID,
 * keeps its record, as with stock lvm2.
 * Costs no system call for a PV that was met. *ret_queued is added to. 0 or -errno.
 */
LEA_MUST_CHECK int lea_records_queue_gone(struct lea_records *records,
					  const struct lea_records_devices *devices,
					  size_t *ret_queued);
