/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pass whose VGs are all reported when it has begun is never in the list. */
#include "daemon/flight.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/log_ids.h"
#include "base/step.h"
#include "worker/pool.h"
#include "world/device.h"

#define RISKY_REASON "processing this device repeatedly crashed the runner"

struct lea_flight_pass {
	struct lea_flight_pass *next;
	struct lea_batch_pass *pass; /* owned; NULL: it has nothing to wait for */
	struct lea_entry *entries;   /* [count]; owned */
	size_t count;
	bool is_queued; /* its entries are in taken/ */
};

/*
 * Removes entries from the queue, now that their effect is recorded. After a shortage the others
 * are pending again; an entry that cannot be moved stays in taken/, where the next runner, or this
 * one when nothing is in flight, finds it first.
 */
static int finish(const struct lea_flight *flight, const struct lea_entry *entries, size_t count,
		  int result)
{
	const bool is_short = lea_is_shortage(result);
	int r = result, s;

	for (size_t i = 0; i < count && (!r || is_short); i++) {
		s = !result || entries[i].is_settled
			    ? lea_queue_done(flight->event_fd, &entries[i])
			    : lea_queue_requeue(flight->event_fd, &entries[i]);
		r = r ? r : s;
	}
	return r;
}

/* @fault: the pass is given up for this reason, or could not begin; 0: waits for its VGs. */
static int conclude(const struct lea_flight *flight, struct lea_batch_pass *pass,
		    const struct lea_entry *entries, size_t count, int fault)
{
	int r = fault;

	if (fault)
		lea_batch_drop(pass);
	else
		r = lea_batch_end(pass);
	if (flight->ended)
		flight->ended(flight->arg, entries, count, r);
	return r;
}

/* @fault: as of conclude. Frees @pass. */
static int end_pass(const struct lea_flight *flight, struct lea_flight_pass *pass, int fault)
{
	int r = conclude(flight, pass->pass, pass->entries, pass->count, fault);

	if (r == 0)
		LEA_CRASHPOINT(pass->is_queued ? "work.end" : "boot.worked", NULL);
	if (pass->is_queued)
		r = finish(flight, pass->entries, pass->count, r);
	lea_entries_free(pass->entries, pass->count);
	free(pass);
	return r;
}

static struct lea_flight_pass *unlink_pass(struct lea_flight *flight, struct lea_flight_pass **link)
{
	struct lea_flight_pass *pass = *link;

	*link = pass->next;
	flight->pass_count--;
	flight->entry_count -= pass->count;
	return pass;
}

/* Begins @pass, which is taken over in every case. */
static int begin(struct lea_flight *flight, struct lea_flight_pass *pass)
{
	int r, s;

	LEA_CRASHPOINT(pass->is_queued ? "work.begin" : "boot.work", NULL);
	r = flight->start(flight->arg, pass->entries, pass->count, &pass->pass);
	if (r)
		return end_pass(flight, pass, r);
	r = lea_batch_is_done(pass->pass) ? 0 : flight->pool->step(flight->workers);
	if (lea_batch_is_done(pass->pass)) {
		s = end_pass(flight, pass, 0);
		return r ? r : s;
	}
	pass->next = flight->first;
	flight->first = pass;
	flight->pass_count++;
	flight->entry_count += pass->count;
	return r;
}

static int begin_with(struct lea_flight *flight, struct lea_entry *entries, size_t count,
		      bool is_queued)
{
	struct lea_flight_pass *pass = calloc(1, sizeof(*pass));

	if (!pass) {
		if (is_queued)
			finish(flight, entries, count, -ENOMEM);
		lea_entries_free(entries, count);
		return -ENOMEM;
	}
	*pass = (struct lea_flight_pass){
		.entries = entries, .count = count, .is_queued = is_queued};
	return begin(flight, pass);
}

/* To its end, with nothing else in flight. */
static int process_alone(const struct lea_flight *flight, struct lea_entry *entry)
{
	struct lea_batch_pass *pass = NULL;
	int r;

	LEA_CRASHPOINT("work.begin", NULL);
	r = flight->start(flight->arg, entry, 1, &pass);
	r = conclude(flight, pass, entry, 1, r);
	if (r == 0)
		LEA_CRASHPOINT("work.end", NULL);
	return r;
}

/* An entry that a dead runner was handling: its attempt is counted first, and it is handled
 * alone. */
static int process_leftover(const struct lea_flight *flight, struct lea_entry *entry)
{
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_QUARANTINED,
					      .pvid = entry->pvid,
					      .device = entry->device.name,
					      .reason = RISKY_REASON};
	struct lea_entry before = *entry;
	int r;

	if (entry->attempts >= LEA_FLIGHT_ATTEMPTS) {
		lea_log_with(flight->log, LEA_LOG_ERROR, &fields,
			     "%s (%s): quarantined: " RISKY_REASON "; to try again: lvmevent retry",
			     entry->device.name, entry->key);
		return lea_queue_fail(flight->event_fd, entry, RISKY_REASON);
	}
	r = lea_device_copy(&entry->device, &before.device);
	r = r ? r : lea_queue_attempt(flight->event_fd, entry);
	r = r ? r : process_alone(flight, entry);
	/* A shortage says nothing against the entry: the attempt does not count. */
	if (lea_is_shortage(r) && entry->attempts > before.attempts &&
	    lea_queue_restore(flight->event_fd, &before))
		lea_log(flight->log, LEA_LOG_DEBUG, "%s: its count of attempts could not be reset",
			entry->key);
	lea_device_done(&before.device);
	return finish(flight, entry, 1, r);
}

/* Handles what a change led to, or all others. */
static int process_some(const struct lea_flight *flight, struct lea_entry *entries, size_t count,
			bool are_changes)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < count; i++)
		if ((entries[i].kind == LEA_ENTRY_CHANGE) == are_changes)
			r = process_leftover(flight, &entries[i]);
	return r;
}

/* As in one pass a change must not hide what else brings the device: the removal that a reconcile has
 * found leads to whatever has the number now. */
static int process_leftovers(const struct lea_flight *flight, struct lea_entry *entries,
			     size_t count)
{
	int r = process_some(flight, entries, count, false);

	r = r ? r : process_some(flight, entries, count, true);
	lea_entries_free(entries, count);
	return r ? r : LEA_FLIGHT_MORE;
}

bool lea_flight_has_room(const struct lea_flight *flight)
{
	return flight->pass_count < LEA_FLIGHT_PASSES && flight->entry_count < LEA_FLIGHT_ENTRIES;
}

bool lea_flight_is_awaited(const struct lea_flight *flight)
{
	struct pollfd told = {.fd = flight->first ? flight->pool->fd(flight->workers) : -1,
			      .events = POLLIN};

	return told.fd >= 0 && poll(&told, 1, 0) > 0;
}

int lea_flight_take(struct lea_flight *flight)
{
	struct lea_entry *entries;
	size_t count;
	int r;

	if (!lea_flight_has_room(flight))
		return LEA_FLIGHT_NONE;
	r = flight->first ? lea_queue_take_beside(flight->event_fd, &entries, &count)
			  : lea_queue_take(flight->event_fd, &entries, &count);
	if (r)
		return r == LEA_QUEUE_EMPTY ? LEA_FLIGHT_NONE : r;
	if (entries[0].is_leftover)
		return process_leftovers(flight, entries, count);
	r = begin_with(flight, entries, count, true);
	return r || count < LEA_QUEUE_PASS_MAX ? r : LEA_FLIGHT_MORE;
}

int lea_flight_add(struct lea_flight *flight, struct lea_entry *entries, size_t count)
{
	return begin_with(flight, entries, count, false);
}

bool lea_flight_has_ended(const struct lea_flight *flight)
{
	const struct lea_flight_pass *pass = flight->first;

	while (pass && !lea_batch_is_done(pass->pass))
		pass = pass->next;
	return pass;
}

int lea_flight_reap(struct lea_flight *flight)
{
	struct lea_flight_pass **link = &flight->first;
	int r = 0;

	while (!r && *link) {
		if (lea_batch_is_done((*link)->pass))
			r = end_pass(flight, unlink_pass(flight, link), 0);
		else
			link = &(*link)->next;
	}
	return r;
}

/* @fault: of passes that are not done; 0: their entries come back. */
static int end_all(struct lea_flight *flight, int fault)
{
	const int of_undone = fault ? fault : -EAGAIN;
	struct lea_flight_pass *pass;
	int r = 0, s;

	while (flight->first) {
		pass = unlink_pass(flight, &flight->first);
		s = end_pass(flight, pass, lea_batch_is_done(pass->pass) ? 0 : of_undone);
		r = r ? r : s;
	}
	return r;
}

int lea_flight_drain(struct lea_flight *flight)
{
	const int fault = flight->first ? flight->pool->drain(flight->workers) : 0;

	return end_all(flight, fault);
}

void lea_flight_drop(struct lea_flight *flight, int fault)
{
	if (!flight->first)
		return;
	flight->pool->stop(flight->workers);
	if (end_all(flight, fault ? fault : -ECANCELED))
		lea_log(flight->log, LEA_LOG_DEBUG, "passes in flight were given up");
}
