/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which entries of a pass are not ordered with what has happened to their device's number since. udev queues the
 * events of a number one after the other, and a removal replaces what is pending of its instance; so an entry
 * names the instance that is there, unless the removal was lost, or it waits behind entries of later events.
 */
#pragma once

#include "base/err.h"
#include "state/queue.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: this process has handled nothing. What a dead one handled last is known only as far as it has left entries. */
struct lea_event_order {
	uint64_t newest; /* seqnum of the latest event that was handled */
	bool is_unknown; /* a dead runner may have handled later ones */
};

/* Sets ret_is_doubtful[i] where only the kernel knows which instance entries[i] is about. @ret_is_doubtful:
 * [@count], zeroed. 0 or -ENOMEM. No system calls. */
LEA_MUST_CHECK int lea_event_order_judge(const struct lea_event_order *order,
					 const struct lea_entry *entries, size_t count,
					 bool *ret_is_doubtful);
/* A pass has read what they are about. */
void lea_event_order_note(struct lea_event_order *order, const struct lea_entry *entries,
			  size_t count);
