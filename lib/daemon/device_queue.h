/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that wait in memory for the next pass: each once, in the order of first arrival, with its
 * latest state. The cost of adding one does not depend on their number.
 */
#pragma once

#include "base/devset.h"
#include "base/err.h"
#include "state/queue.h"

#include <stddef.h>

/* Zeroed: empty. */
struct lea_device_queue {
	struct lea_entry *entry; /* owned */
	size_t count;
	size_t room;
	struct lea_devset ids; /* of the entries */
};

/* Adds @entry or replaces the one of the same device. Takes over the entry's device, even on
 * failure, and sets the key. Returns 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_device_queue_put(struct lea_device_queue *pending,
					const struct lea_entry *entry);
/* Adds only the ids of @entry's device and PV, and its kind; @entry keeps its strings. Returns 0
 * or -ENOMEM. */
LEA_MUST_CHECK int lea_device_queue_note(struct lea_device_queue *pending,
					 const struct lea_entry *entry);
/* The entry of the same instance of a device; NULL: none. Borrowed until the next put. */
const struct lea_entry *lea_device_queue_find(struct lea_device_queue *pending,
					      const struct lea_device *device);
/* Gives all entries to the caller (lea_entries_free) and leaves @pending empty. */
struct lea_entry *lea_device_queue_take(struct lea_device_queue *pending, size_t *ret_count);
/* Removes all entries and keeps the memory. */
void lea_device_queue_clear(struct lea_device_queue *pending);
void lea_device_queue_done(struct lea_device_queue *pending);
