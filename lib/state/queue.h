/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pending devices in /run/lvm/event: queue/ (published by rename from a hidden name), taken/ (of
 * the running pass), failed/ (quarantine), and the runner's lock. libc only: the enqueuer uses it.
 */
#ifndef LEA_STATE_QUEUE_H
#define LEA_STATE_QUEUE_H

#include "base/err.h"
#include "world/device.h"

#include <stddef.h>
#include <stdint.h>

/* Key of an entry: "8:16-42" (devno, then DISKSEQ, 0 where there is none). */
struct lea_entry {
	char key[64];
	uint32_t attempts;          /* runs that failed with this entry in hand */
	struct lea_device device;
	char pvid[33];              /* from ID_FS_UUID, "": not known */
};

/*
 * lea_queue_put - publish a pending entry
 * @event_fd: /run/lvm/event (created by lea_queue_open)
 * An entry under the same key that nobody has taken yet is replaced: the last state wins.
 */
LEA_MUST_CHECK int lea_queue_put(int event_fd, const struct lea_entry *entry);

/* Opens (creates, 0700) the event folder and its folders below @run_fd; returns a descriptor. */
LEA_MUST_CHECK int lea_queue_open(int run_fd);

/* The "running" flag. 0 with *ret_lock_fd (owned), or LEA_QUEUE_RUNNING. */
enum lea_queue_outcome {
	LEA_QUEUE_RUNNING = 1, /* somebody else is the runner */
	LEA_QUEUE_EMPTY,
};
LEA_MUST_CHECK int lea_queue_lock(int event_fd, int *ret_lock_fd);

/* Under the lock: what a dead runner had taken comes first, then all entries there are now.
 * Malformed ones go to failed/. 0 with an array (owned, lea_entries_free), or LEA_QUEUE_EMPTY. */
LEA_MUST_CHECK int lea_queue_take(int event_fd, struct lea_entry **ret_entries, size_t *ret_count);
/* The effect of this entry is recorded: forget it. */
LEA_MUST_CHECK int lea_queue_done(int event_fd, const struct lea_entry *entry);
/* Put a taken entry back for a later pass, or into failed/ with @reason. */
LEA_MUST_CHECK int lea_queue_requeue(int event_fd, const struct lea_entry *entry);
LEA_MUST_CHECK int lea_queue_fail(int event_fd, const struct lea_entry *entry, const char *reason);
void lea_entries_free(struct lea_entry *entries, size_t count);

#endif
