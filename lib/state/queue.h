/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queue entries in /run/lvm/event: queue/ (pending; published by rename of a hidden file), taken/
 * (of passes in flight), failed/ (quarantine), and the runner's lock. libc only, because the
 * enqueuer uses it.
 */
#pragma once

#include "base/err.h"
#include "state/entry_kind.h"
#include "world/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An entry. Key: "8:16-42" (devno, then DISKSEQ or 0). */
struct lea_entry {
	char key[64];
	enum lea_entry_kind kind;
	uint32_t attempts; /* runners that died while they processed this entry */
	struct lea_device device;
	char pvid[33];	  /* from ID_FS_UUID; "": unknown */
	bool is_leftover; /* a dead runner had taken it: process it alone */
	bool is_settled;  /* set by a pass that ran short of resources: this entry is finished */
};

/* Sets the key from device number and diskseq. */
void lea_entry_set_key(struct lea_entry *entry);

/*
 * lea_queue_put - publish a pending entry
 * @event_fd: /run/lvm/event, from lea_queue_open
 * Replaces a pending entry with the same key: the last event wins, but a change does not forget
 * that the device was added. 0 or -errno.
 */
LEA_MUST_CHECK int lea_queue_put(int event_fd, const struct lea_entry *entry);
/* The same, but keeps an existing entry, which is newer (reconcile), unless that allows less: the add of
 * a device is not lost behind a change of it. */
LEA_MUST_CHECK int lea_queue_put_if_absent(int event_fd, const struct lea_entry *entry);
/* The same for a device without an event of its own: @device as it is. @pvid: "": not known. */
LEA_MUST_CHECK int lea_queue_put_device(int event_fd, enum lea_entry_kind kind,
					const struct lea_device *device, const char *pvid);
/* The same for a removal of which no event told, by its number alone. Where instances are not numbered,
 * another device may have the number, and its entry the key: who takes the removal reads that device,
 * too, so it replaces the entry, as what that was, unless that is an add. 0 or -errno. */
LEA_MUST_CHECK int lea_queue_put_gone(int event_fd, const struct lea_devid *number,
				      const char *pvid);

/* Opens, and if necessary creates (0700), the event folder and its subfolders below @run_fd.
 * Returns the descriptor (owned) or -errno. */
LEA_MUST_CHECK int lea_queue_open(int run_fd);

/* Outcomes of lea_queue_lock and lea_queue_take. */
enum lea_queue_outcome {
	LEA_QUEUE_RUNNING = 1, /* another process is the runner */
	LEA_QUEUE_EMPTY,
};
/* Makes this process the runner, without blocking. 0 with *ret_lock_fd (owned; closing it ends the
 * role), LEA_QUEUE_RUNNING or -errno. */
LEA_MUST_CHECK int lea_queue_lock(int event_fd, int *ret_lock_fd);
/* Does a runner hold the lock? As lea_flag_ask answers. A process that holds the lock must not call
 * this: it would lose the lock. */
LEA_MUST_CHECK int lea_queue_ask_running(int event_fd);

/*
 * Takes entries for a pass; the caller holds the lock. Entries that a dead runner had taken come
 * first, as a pass of their own; then the pending ones, oldest event first. At most
 * LEA_QUEUE_PASS_MAX, to limit memory; the rest waits for the next pass. Malformed entries go to
 * failed/. 0 with an array (owned, lea_entries_free), LEA_QUEUE_EMPTY or -errno.
 */
#define LEA_QUEUE_PASS_MAX 2048U
LEA_MUST_CHECK int lea_queue_take(int event_fd, struct lea_entry **ret_entries, size_t *ret_count);
/* The same beside passes in flight: takes no leftovers, for taken/ has the entries of those passes,
 * and no pending entry whose key is there; it waits until that pass has ended. */
LEA_MUST_CHECK int lea_queue_take_beside(int event_fd, struct lea_entry **ret_entries,
					 size_t *ret_count);
/* Is anything pending (in queue/)? */
LEA_MUST_CHECK bool lea_queue_has_pending(int event_fd);
/* Is anything pending that @skips does not skip? */
LEA_MUST_CHECK bool lea_queue_has_pending_but(int event_fd,
					      bool (*skips)(void *arg, const char *key), void *arg);
/* Is anything pending or taken, even by a runner that has died? */
LEA_MUST_CHECK bool lea_queue_has_work(int event_fd);
/* Is this entry in taken/, even of a runner that has died? As lea_file_ask. */
LEA_MUST_CHECK int lea_queue_ask_taken(int event_fd, const struct lea_entry *entry);
/* Stores attempts + 1 before a risky step, so that the count survives a crash. After a fault @entry is as before. */
LEA_MUST_CHECK int lea_queue_attempt(int event_fd, struct lea_entry *entry);
/* Removes a taken entry whose effect is recorded. */
LEA_MUST_CHECK int lea_queue_done(int event_fd, const struct lea_entry *entry);
/* Undoes lea_queue_attempt after a step that a shortage stopped, which says nothing against the entry; needs no space.
 * @entry: as before lea_queue_attempt, whose text it overwrites */
LEA_MUST_CHECK int lea_queue_restore(int event_fd, const struct lea_entry *entry);
/* Moves a taken entry back to queue/ unchanged, which needs no space. A newer one that is there stays,
 * but allows what this one does. */
LEA_MUST_CHECK int lea_queue_requeue(int event_fd, const struct lea_entry *entry);
/* Moves a taken entry to failed/, with @reason. */
LEA_MUST_CHECK int lea_queue_fail(int event_fd, const struct lea_entry *entry, const char *reason);
/* Moves everything in failed/ back to queue/, with attempts 0. *ret_count: number of entries. */
LEA_MUST_CHECK int lea_queue_retry(int event_fd, size_t *ret_count);
void lea_entries_free(struct lea_entry *entries, size_t count);

/* Number of entries in a folder ("queue", "taken", "failed"), for reports. */
LEA_MUST_CHECK int lea_queue_count(int event_fd, const char *folder, size_t *ret_count);
