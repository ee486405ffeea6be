/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Read deadlines of slow devices. Each time a device had its whole deadline and did not answer, its
 * next deadline doubles, so that a slow device is read in the end. The last LEA_BACKOFF_DEVICES
 * devices are remembered, by instance; a device that was forgotten starts with the usual deadline.
 */
#pragma once

#include "world/device.h"

#include <stdbool.h>
#include <stdint.h>

#define LEA_BACKOFF_DEVICES 256U
#define LEA_BACKOFF_MOST_MS 120000U

/* Zeroed: no devices. */
struct lea_backoff {
	struct lea_backoff_device {
		bool is_used;
		bool is_silent; /* since it timed out last */
		bool owes_add;	/* likewise: one of those reads was for an add */
		char owed[33];	/* of this PV only, which was missed; "": of the device */
		struct lea_devid id;
		uint32_t times; /* how often its whole deadline was too short */
	} device[LEA_BACKOFF_DEVICES];
	uint32_t filled; /* number of leading slots that were ever used */
	uint32_t next;	 /* slot to overwrite next */
};

/* Returns the deadline of @device: at least @deadline_ms, which other devices get, and unless that
 * is larger at most LEA_BACKOFF_MOST_MS. */
uint32_t lea_backoff_deadline_ms(const struct lea_backoff *late, const struct lea_device *device,
				 uint32_t deadline_ms);
/* Remembers that @device timed out. @had_all: it had its whole deadline; false: it was abandoned
 * earlier because others waited, so its deadline does not grow. @owed: it was read for an add, of the
 * device: "", or for this PV, which was missed; NULL: for none */
void lea_backoff_note_timeout(struct lea_backoff *late, const struct lea_device *device,
			      bool had_all, const char *owed);
/* Forgets @device: it answered within the usual deadline. */
void lea_backoff_clear(struct lea_backoff *late, const struct lea_device *device);
/* It answered, late or not. */
void lea_backoff_note_answer(struct lea_backoff *late, const struct lea_device *device);
/* Has it timed out, and given no answer since? */
bool lea_backoff_is_silent(const struct lea_backoff *late, const struct lea_device *device);
/* The same, and did a read for an add time out, of the device, or of @pvid? @pvid: "": of any PV. */
bool lea_backoff_owes_add(const struct lea_backoff *late, const struct lea_device *device,
			  const char *pvid);
/* Is this device remembered? @key: key of a queue entry. */
bool lea_backoff_has_key(const struct lea_backoff *late, const char *key);
