/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The passes of one process that are in flight: their devices are read and recorded, and workers
 * still activate their VGs, while further passes begin. So a VG that takes long, for a check of its
 * pool, holds up no other device. The runner and the boot scan drive their passes by this; both
 * hold the runner's lock as long as anything is in flight.
 *
 * An entry of the queue stays in taken/ until its pass has ended, and a later entry of the same
 * device waits for that. An entry that a dead runner had taken is processed alone: nothing else is
 * in flight meanwhile.
 */
#pragma once

#include "base/err.h"
#include "batch/batch.h"
#include "state/queue.h"

#include <stdbool.h>
#include <stddef.h>

/* An entry is quarantined after this many runners died while handling it: once may be another
 * process's fault (the OOM killer), three times in a row are the entry's. */
#define LEA_FLIGHT_ATTEMPTS 3U

/* What is in flight at most, to limit memory and descriptors; what comes then stays pending. */
#define LEA_FLIGHT_PASSES  64U
#define LEA_FLIGHT_ENTRIES (8U * LEA_QUEUE_PASS_MAX)

struct lea_flight_pass;

/* The caller sets the borrowed members and zeroes the rest. */
struct lea_flight {
	int event_fd;
	/* As lea_batch_start. On a shortage only entries without is_settled are pending again. */
	int (*start)(void *arg, struct lea_entry *entries, size_t count,
		     struct lea_batch_pass **ret_pass);
	/* A pass of these entries (numbers, PVIDs, kinds; borrowed) has ended with this result of
	 * lea_batch_end, or was given up for this fault; NULL: not needed. */
	void (*ended)(void *arg, const struct lea_entry *entries, size_t count, int result);
	void *arg;
	const struct lea_pool *pool; /* with workers: those of all passes */
	struct lea_workers *workers;
	struct lea_log *log;
	struct lea_flight_pass *first; /* owned, as is each element */
	size_t pass_count, entry_count;
};

enum lea_flight_outcome {
	LEA_FLIGHT_NONE = 1, /* nothing is pending, or too much is in flight */
	LEA_FLIGHT_MORE,     /* more may be pending */
};

bool lea_flight_has_room(const struct lea_flight *flight);
/* Has some pass ended, so that lea_flight_reap has something to do? */
bool lea_flight_has_ended(const struct lea_flight *flight);

/* Does a worker wait for lea_flight_reap? VGs that have no worker yet may wait with it. */
bool lea_flight_is_awaited(const struct lea_flight *flight);

/*
 * lea_flight_take - begin a pass with what is pending in the queue
 * With nothing in flight, entries that a dead runner had taken come first: each is a pass of its
 * own, and is waited for. Returns 0: all that was pending is in flight or done; an outcome; or
 * -errno: a shortage, after which the entries are pending again, or another fault, which leaves
 * them in taken/ for the next runner.
 */
LEA_MUST_CHECK int lea_flight_take(struct lea_flight *flight);

/* Begins a pass with devices that are in no queue. Takes over @entries in every case. Returns 0 or
 * -errno. */
LEA_MUST_CHECK int lea_flight_add(struct lea_flight *flight, struct lea_entry *entries,
				  size_t count);

/* Ends the passes whose VGs are all reported and removes their entries. Never blocks. Returns 0 or
 * -errno, as lea_flight_take; on a fault some may be left for the next call. */
LEA_MUST_CHECK int lea_flight_reap(struct lea_flight *flight);

/* Waits until nothing is in flight. Returns as lea_flight_reap, but leaves nothing. */
LEA_MUST_CHECK int lea_flight_drain(struct lea_flight *flight);

/* Gives up what is in flight, and stops the workers. @fault: if it is a shortage, entries of the
 * queue are pending again; otherwise they stay in taken/. */
void lea_flight_drop(struct lea_flight *flight, int fault);
