/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that were late: each time that one has had its whole time and not answered, it gets twice
 * as much the next time, so that one that is merely slow is read in the end. A few are remembered,
 * by instance; one that is forgotten begins anew.
 */
#ifndef LEA_FLOW_LATE_H
#define LEA_FLOW_LATE_H

#include "world/device.h"

#include <stdint.h>

#define LEA_LATE_DEVICES 32U
#define LEA_LATE_MOST_MS 120000U

/* Zeroed: none. */
struct lea_late {
	struct {
		uint32_t major, minor, times; /* times: 0, nobody */
		uint64_t diskseq;
	} device[LEA_LATE_DEVICES];
	uint32_t next; /* to be written over */
};

/* @deadline_ms of the others; what this one gets: at most LEA_LATE_MOST_MS, and never less. */
uint32_t lea_late_deadline_ms(const struct lea_late *late, const struct lea_device *device,
			      uint32_t deadline_ms);
void lea_late_note(struct lea_late *late, const struct lea_device *device);
void lea_late_forget(struct lea_late *late, const struct lea_device *device);

#endif
