/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that nobody waited for to the end: each time that one had its whole time and did not
 * answer, it gets twice as much the next time, so that one that is merely slow is read in the end.
 * The last ones are remembered, by instance; one that is forgotten begins anew.
 */
#ifndef LEA_FLOW_LATE_H
#define LEA_FLOW_LATE_H

#include "world/device.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_LATE_DEVICES 256U
#define LEA_LATE_MOST_MS 120000U

/* Zeroed: none. */
struct lea_late {
	struct lea_late_device {
		bool is_used;
		uint32_t major, minor;
		uint64_t diskseq;
		uint32_t times; /* that its whole time was too short */
	} device[LEA_LATE_DEVICES];
	uint32_t next; /* to be written over */
};

/* @deadline_ms of the others; what this one gets: at most LEA_LATE_MOST_MS, and never less. */
uint32_t lea_late_deadline_ms(const struct lea_late *late, const struct lea_device *device,
			      uint32_t deadline_ms);
/* @had_all: the whole time; else others waited, and it was left before. */
void lea_late_note(struct lea_late *late, const struct lea_device *device, bool had_all);
/* It has answered as fast as any other. */
void lea_late_forget(struct lea_late *late, const struct lea_device *device);
/* Is it remembered? @key: of a queue's entry. */
bool lea_late_has_key(const struct lea_late *late, const char *key);

#endif
