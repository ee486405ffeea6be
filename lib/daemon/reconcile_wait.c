/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reconciles, each with the waits that belong to it. */
#include "daemon/reconcile_wait.h"

#include "base/cleanup.h"
#include "base/err.h"
#include "daemon/device_queue.h"
#include "daemon/session.h"
#include "daemon/udev_wait.h"
#include "record/recorded_marker.h"
#include "scan/reader.h"
#include "state/gate.h"
#include "state/queue.h"

#include <errno.h>
#include <string.h>

/* The boot scan handles a device at most a second after it hears of it. */
#define REST_MS 1500U

/* What the boot scan had not recorded at the time of the reconcile. */
struct unrecorded {
	struct lea_device_queue devices;
	size_t at; /* all before this one have a record */
};

static void unrecorded_done(struct unrecorded *unrecorded)
{
	lea_device_queue_done(&unrecorded->devices);
}

static int note_unrecorded(void *arg, const struct lea_entry *entry)
{
	struct unrecorded *unrecorded = arg;

	return lea_device_queue_note(&unrecorded->devices, entry);
}

/* Checks each device until it has a record, and not again after that. */
static bool are_recorded(const struct lea_reconcile_options *options, struct unrecorded *unrecorded)
{
	for (; unrecorded->at < unrecorded->devices.count; unrecorded->at++) {
		const struct lea_entry *entry = &unrecorded->devices.entry[unrecorded->at];

		if (lea_marker_ask(options->event_fd, &entry->device, entry->pvid) <= 0)
			return false;
	}
	return true;
}

/* udev never announced it: the udev worker was killed after it wrote the database. */
static int put(void *arg, const struct lea_entry *entry)
{
	const struct lea_reconcile_options *options = arg;

	return lea_queue_put_if_absent(options->event_fd, entry);
}

/* Returns 0; LEA_WAIT_TIMED_OUT; -ESRCH: the boot scan ended before all were recorded; -EAGAIN: it
 * is idle before that. */
static int wait_for_boot_scan(const struct lea_reconcile_options *options,
			      struct unrecorded *unrecorded, uint32_t deadline_ms)
{
	struct lea_wait wait = {
		.clock = options->world->clock, .deadline_ms = deadline_ms, .quiet_ms = REST_MS};
	int r = 0;

	while (!r && !are_recorded(options, unrecorded)) {
		if (lea_boot_scan_ask(options) == 0)
			return -ESRCH;
		r = lea_wait_pause(&wait, lea_queue_ask_running(options->event_fd) != 0);
	}
	return r == LEA_WAIT_QUIET ? -EAGAIN : r;
}

int lea_reconcile_and_wait(const struct lea_reconcile_options *options, uint32_t deadline_ms,
			   struct lea_reconcile_result *ret_result)
{
	LEA_AUTO(unrecorded_done) struct unrecorded unrecorded = {0};
	struct lea_clock *clock = options->world->clock;
	struct lea_reconcile_options leaving = *options;
	uint64_t begin, waited;
	int r;

	leaving.left = deadline_ms ? note_unrecorded : put;
	leaving.arg = deadline_ms ? (void *)&unrecorded : &leaving;
	r = lea_reconcile(&leaving, ret_result);
	if (r || !deadline_ms)
		return r;
	begin = clock->now_ms(clock);
	r = wait_for_boot_scan(options, &unrecorded, deadline_ms);
	/* Devices that a filter excludes, or that cannot be read, have no record, either; they are
	 * queued, too. */
	leaving.left = r == -EAGAIN ? put : NULL;
	leaving.arg = &leaving;
	if (r == -EAGAIN || r == -ESRCH)
		r = lea_reconcile(&leaving, ret_result);
	waited = clock->now_ms(clock) - begin;
	if (r || waited >= deadline_ms)
		return r ? r : LEA_WAIT_TIMED_OUT;
	return lea_wait_idle(options, deadline_ms - (uint32_t)waited);
}

/* When udev has done nothing for this long and is not idle, the devices it works on hang. */
#define NAME_AFTER_MS 10000U

/* udev gives up a hung device only after minutes. It is logged before that by another reconcile,
 * which also queues PVs whose event was missed so far. */
static void name_those_that_hang(const struct lea_reconcile_options *options)
{
	struct lea_reconcile_options naming = *options;
	struct lea_reconcile_result result;

	naming.names = true;
	if (lea_reconcile(&naming, &result) < 0)
		lea_log(options->world->log, LEA_LOG_DEBUG,
			"devices that udev has not finished: not all could be named");
}

/* Like lea_wait_udev without @quiet_ms, but logs devices that hang. */
static int wait_and_name(const struct lea_reconcile_options *options, uint32_t deadline_ms)
{
	struct lea_clock *clock = options->world->clock;
	const uint64_t begin = clock->now_ms(clock);
	int r = lea_wait_udev(options, deadline_ms, NAME_AFTER_MS);
	const uint64_t waited_ms = clock->now_ms(clock) - begin;

	if (r != LEA_WAIT_TIMED_OUT || waited_ms >= deadline_ms)
		return r;
	name_those_that_hang(options);
	return lea_wait_udev(options, deadline_ms - (uint32_t)waited_ms, 0);
}

/* Events that found the gate closed leave a record only when their udev worker has finished.
 * *ret_makes_progress: udev still makes progress, but has more to do than the time permits. */
static int wait_for_udev_workers(const struct lea_reconcile_options *options,
				 bool *ret_makes_progress)
{
	struct lea_clock *clock = options->world->clock;
	uint64_t begin;
	int r = wait_and_name(options, LEA_GATE_DEADLINE_MS);

	*ret_makes_progress = false;
	if (r != LEA_WAIT_TIMED_OUT)
		return r;
	begin = clock->now_ms(clock);
	r = lea_wait_udev(options, LEA_GATE_WAIT_MS, LEA_UDEV_QUIET_MS);
	*ret_makes_progress =
		r == LEA_WAIT_TIMED_OUT && clock->now_ms(clock) - begin >= LEA_GATE_WAIT_MS;
	return r;
}

static void tell_open(const struct lea_reconcile_options *options)
{
	if (options->opened)
		options->opened();
}

/* A shortage, as of room in /run, may last, and systemd starts a service that fails a few times
 * only. What waits for the gate does not wait for that. */
static int reconcile_at_last(const struct lea_reconcile_options *options)
{
	struct lea_clock *clock = options->world->clock;
	struct lea_reconcile_result result;
	uint32_t pause_ms = 0;
	int r;

	while (lea_is_shortage(r = lea_reconcile(options, &result)) && options->opened) {
		if (!pause_ms) {
			lea_log(options->world->log, LEA_LOG_WARNING,
				"comparing all devices with the records: %s; it will be repeated",
				strerror(-r));
			tell_open(options);
		}
		pause_ms = lea_session_longer(pause_ms, LEA_RETRY_MOST_MS);
		clock->sleep_ms(clock, pause_ms);
	}
	return r;
}

int lea_gate_open_and_reconcile(const struct lea_reconcile_options *options)
{
	/* One for all reconciles: it asks no disk again that hangs. */
	LEA_AUTO(lea_reader_freep) struct lea_reader *reader = NULL;
	struct lea_reconcile_options own = *options;
	bool makes_progress;
	int r, run_fd = lea_world_run(options->world);

	if (run_fd < 0)
		return run_fd;
	r = lea_gate_open(run_fd);
	r = r ? r : lea_reader_new(options->world, options->conf, &reader);
	own.reader = reader;
	r = r ? r : reconcile_at_last(&own);
	if (r)
		return r;
	tell_open(options);
	r = wait_for_udev_workers(options, &makes_progress);
	/* Devices that udev neither has finished nor works on were lost with a killed worker: if
	 * udev runs, their event is repeated. Events still in udev's queue are not lost. */
	own.retrigger = lea_udev_runs(options->world) && !makes_progress;
	return r < 0 ? r : reconcile_at_last(&own);
}
