/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pending devices in /run/lvm/event: queue/ (published by rename from a hidden name), taken/ (of
 * the running pass), failed/ (quarantine), and the runner's lock. libc only: the enqueuer uses it.
 */
#ifndef LEA_STATE_QUEUE_H
#define LEA_STATE_QUEUE_H

#include "base/err.h"
#include "world/device.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an entry may lead to. */
enum lea_entry_kind {
	/* The device came into use: its VG is activated, as stock lvm2 does at an add event. */
	LEA_ENTRY_ADD,
	/* Without an event of its own: a comparison found it, or a pass is repeated. A VG that was
	 * activated, or failed for good, with the same instances stays as it is. */
	LEA_ENTRY_MISSED,
	/* dmeventd is to be told of what is active of the VG, nothing else. */
	LEA_ENTRY_WATCH,
	/* A change of a device that was in use before: recorded and counted, activates nothing. */
	LEA_ENTRY_CHANGE,
	LEA_ENTRY_KINDS
};

/* Key of an entry: "8:16-42" (devno, then DISKSEQ, 0 where there is none). */
struct lea_entry {
	char key[64];
	enum lea_entry_kind kind;
	uint32_t attempts; /* runners that died with this entry in hand */
	struct lea_device device;
	char pvid[33];	  /* from ID_FS_UUID, "": not known */
	bool is_leftover; /* a dead runner had taken it: look at it alone */
	bool is_settled;  /* set by a pass that ended with a shortage: this one is done with */
};

/* Sets the key from the device's number and instance. */
void lea_entry_set_key(struct lea_entry *entry);

/*
 * lea_queue_put - publish a pending entry
 * @event_fd: /run/lvm/event (created by lea_queue_open)
 * An entry under the same key that nobody has taken yet is replaced: the last state wins.
 */
LEA_MUST_CHECK int lea_queue_put(int event_fd, const struct lea_entry *entry);
/* The same, but an entry that is there is newer and stays (sweep). */
LEA_MUST_CHECK int lea_queue_put_if_absent(int event_fd, const struct lea_entry *entry);

/* Opens (creates, 0700) the event folder and its folders below @run_fd; returns a descriptor. */
LEA_MUST_CHECK int lea_queue_open(int run_fd);

/* The "running" flag. 0 with *ret_lock_fd (owned), or LEA_QUEUE_RUNNING. */
enum lea_queue_outcome {
	LEA_QUEUE_RUNNING = 1, /* somebody else is the runner */
	LEA_QUEUE_EMPTY,
};
LEA_MUST_CHECK int lea_queue_lock(int event_fd, int *ret_lock_fd);
/* Is a runner at work? For people and for waiting; the answer is old when it comes. Never called by
 * a process that holds the lock: it would let go of it. */
bool lea_queue_is_running(int event_fd);

/* Under the lock: what a dead runner had taken comes first, then the entries there are now, oldest
 * event first; at most LEA_QUEUE_PASS_MAX, so that memory is bounded, the rest is for the next
 * pass. Malformed ones go to failed/. 0 with an array (owned, lea_entries_free), or
 * LEA_QUEUE_EMPTY. */
#define LEA_QUEUE_PASS_MAX 2048U
LEA_MUST_CHECK int lea_queue_take(int event_fd, struct lea_entry **ret_entries, size_t *ret_count);
/* Is anything pending (taken by nobody)? */
LEA_MUST_CHECK bool lea_queue_has_pending(int event_fd);
/* Is anything pending for which @skips says no? */
LEA_MUST_CHECK bool lea_queue_has_pending_but(int event_fd,
					      bool (*skips)(void *arg, const char *key), void *arg);
/* As lea_queue_has_pending, or is something in taken/, of whoever is at work or has died? */
LEA_MUST_CHECK bool lea_queue_has_work(int event_fd);
/* Is it in taken/, of whoever is at work or has died? One look at /run. */
LEA_MUST_CHECK bool lea_queue_is_taken(int event_fd, const struct lea_entry *entry);
/* Writes attempts + 1 before a risky look, so that the count survives a crash. */
LEA_MUST_CHECK int lea_queue_attempt(int event_fd, struct lea_entry *entry);
/* The effect of this entry is recorded: forget it. */
LEA_MUST_CHECK int lea_queue_done(int event_fd, const struct lea_entry *entry);
/* Takes that count back, for the runner lives: @entry as it was before. */
LEA_MUST_CHECK int lea_queue_restore(int event_fd, const struct lea_entry *entry);
/* Put a taken entry back for a later pass, as it was stored (a newer one there wins). Needs no
 * space. */
LEA_MUST_CHECK int lea_queue_requeue(int event_fd, const struct lea_entry *entry);
/* Into failed/ with @reason. */
LEA_MUST_CHECK int lea_queue_fail(int event_fd, const struct lea_entry *entry, const char *reason);
/* Everything in failed/ is pending again, attempts 0. *ret_count: how many. */
LEA_MUST_CHECK int lea_queue_retry(int event_fd, size_t *ret_count);
void lea_entries_free(struct lea_entry *entries, size_t count);

/* How many entries a folder ("queue", "taken", "failed") holds; for people. */
LEA_MUST_CHECK int lea_queue_count(int event_fd, const char *folder, size_t *ret_count);

#endif
