/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that wait in memory for the next pass: each once, in the order in which they first came,
 * with the last state told of it. Adding one costs the same however many there are.
 */
#ifndef LEA_FLOW_PENDING_H
#define LEA_FLOW_PENDING_H

#include "base/err.h"
#include "state/queue.h"

#include <stddef.h>
#include <stdint.h>

/* Zeroed: empty. */
struct lea_pending {
	struct lea_entry *entry; /* owned */
	size_t count;
	uint32_t *slot;	   /* owned, twice as many as entries have room: index + 1, 0 is free */
	size_t room;	   /* of entries, a power of two */
	uint64_t compared; /* pairs of devices compared so far: what adding has cost */
};

/* Takes over the entry's device, even when it fails (-ENOMEM). Sets the entry's key. */
LEA_MUST_CHECK int lea_pending_put(struct lea_pending *pending, const struct lea_entry *entry);
/* The entry of the same instance of a device, NULL: there is none. Borrowed until the next put. */
const struct lea_entry *lea_pending_find(struct lea_pending *pending,
					 const struct lea_device *device);
/* Forgets all of them, keeps the memory. */
void lea_pending_clear(struct lea_pending *pending);
void lea_pending_done(struct lea_pending *pending);

#endif
