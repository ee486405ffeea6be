/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the runner does around its passes: it sleeps, waits for bursts to end, retries after
 * shortages, and reconciles. The process stays resident because a start by the service manager
 * for each event would come too late: in a burst of uevents the service manager is the busiest
 * process of all.
 *
 *	DRAIN --the queue is empty--> LOOK --nothing is due--> AWAKE --10 s of silence--> IDLE
 *
 * DRAIN: has the lock and works on entries (runner.c), until none is pending and no pass is in
 * flight; while passes are, it does what LOOK and AWAKE do. LOOK: reconciles if that was asked for
 * or is due, and queues VGs that have waited long enough. AWAKE, IDLE: sleeps without the lock; in
 * IDLE children are ended and memory is released. An entry in the queue, after a moment for the
 * rest of its burst, or a timer leads from each of them to DRAIN, and so to LOOK again. SHORT:
 * from DRAIN or LOOK, for lack of space, memory or processes: 0.5 to 16 s, then DRAIN. BUSY:
 * another process has the lock: 0.1 s, then DRAIN. LEAVE: settings, program or host name changed,
 * or the folder is gone: the caller starts again.
 *
 * What a crash leaves: in all states event/begun, by which the next runner reconciles as soon as
 * its queue is empty. DRAIN: also entries in taken/, which the next one takes first, one by one,
 * and claims of a dead owner, which do not count. LOOK: the request in event/compare, which goes
 * only when it is done. The others: pending entries, which the next one finds before it sleeps.
 * Timers, and the waits of incomplete VGs, begin again.
 */
#include "daemon/resident.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/libc.h"
#include "batch/incomplete.h"
#include "batch/partial.h"
#include "daemon/late.h"
#include "daemon/monitor_retry.h"
#include "daemon/reader_watch.h"
#include "daemon/reconcile.h"
#include "daemon/remember.h"
#include "daemon/rules_watch.h"
#include "daemon/runner.h"
#include "daemon/udev_wait.h"
#include "daemon/unfit.h"
#include "memory/needs_read.h"
#include "record/duplicates.h"
#include "record/outdated.h"
#include "record/recorded_marker.h"
#include "state/flag.h"
#include "state/gate.h"
#include "state/mark.h"
#include "state/queue_watch.h"
#include "state/reconcile_request.h"
#include "state/throttle_bounds.h"
#include "worker/pool.h"
#include "world/children.h"
#include "world/program.h"
#include "world/timeline.h"
#include "world/udev.h"

#define LINGER_MS      100U  /* without --stay: time to wait for a further event */
#define COALESCE_MS    20    /* start a pass after this time without a further event */
#define COALESCE_MOST  10U   /* coalesce at most this often in a row */
#define IDLE_MS	       10000 /* after this time without work, end children and release memory */
#define FAILED_MOST_MS (256U * 1000U) /* longest pause before udev is asked again */
#define ROOM_BYTES     16384U	      /* more than udev needs for a device */
#define TAG	       "lvmevent"
#define BEGUN	       "begun" /* in event/: a resident runner has started, and did not end by itself */

enum stay_outcome {
	STAY_CONF = 1, /* settings or program changed: restart */
	STAY_GONE,     /* the queue's folder is gone */
};

struct run {
	struct lea_session *session;
	struct lea_batch_options batch;
	struct lea_batch_summary summary;
	uint32_t vgs_again; /* of the summary, those that try_again_later knows of */
	struct lea_flight flight;
	struct lea_queue_watch watch;
	struct lea_monitor_retry later;
	struct lea_remember remember;
	int flag_fd;		       /* owned; the flag of a resident runner; -1 */
	struct lea_children *children; /* of before an exec; owned */
	uint32_t retry_ms;	       /* the last pause after a shortage; 0: there was none */
	uint64_t retried_ms;	       /* when that was over */
	bool is_compare_due;
	char *event_path; /* owned */
	const struct lea_udev *udev;
	struct lea_udevmon *monitor; /* NULL: udev cannot be heard */
	uint32_t failed_ms;	     /* the last pause before udev was asked again */
	uint32_t again_ms;	     /* the last pause before VGs were tried again */
	sd_event *loop;		     /* owned, as are its timers; NULL without --stay */
	sd_event_source *compare, *again, *failed, *late_timer;
	struct lea_late late;
	struct lea_needs *needs;	  /* owned; for late */
	struct lea_reader_watch *readers; /* owned; NULL without --stay */
	struct lea_rules_watch *rules;	  /* owned; NULL: changes of udev rules are not noticed */
	bool is_compare_time;		  /* the timer compare or again has elapsed */
	bool is_woken;			  /* the wait is over, with told as its outcome */
	int told;
};

/* Removes half-written files of our processes that were killed. */
static void remove_leftovers(const struct run *run)
{
	static const char *const folders[] = {"event",	       "event/queue",  "event/taken",
					      "event/failed",  "event/claims", "event/newest",
					      "pvs_online",    "pvs_lookup"};
	int run_fd = lea_world_run(run->session->world);

	for (size_t i = 0; run_fd >= 0 && i < ARRAY_SIZE(folders); i++)
		lea_file_tidy(run_fd, folders[i]);
	for (enum lea_mark mark = 0; run_fd >= 0 && mark < LEA_MARKS; mark++)
		lea_file_tidy(run->session->event_fd, lea_mark_folder(mark));
}

/* The process stays for months: what a burst needed is given back, also the texts of large VGs and
 * what malloc keeps. */
static void idle_release(struct run *run)
{
	/* The workers and the texts are those of the passes. */
	if (run->flight.first)
		return;
	remove_leftovers(run);
	lea_workers_stop(run->session->workers);
	lea_reader_drop(run->session->reader);
	lea_pass_cache_forget(&run->session->cache);
	malloc_trim(0);
}

/* The entries of the failed pass are pending again. Ends the children first, because they hold
 * memory and descriptors. */
static int retry_after_shortage(void *arg, int shortage)
{
	struct run *run = arg;
	const struct lea_world *world = run->session->world;

	run->retry_ms = lea_session_longer(run->retry_ms, LEA_RETRY_MOST_MS);
	lea_log(world->log, LEA_LOG_ERROR,
		"events: %s: %s; devices stay pending, retrying in %u.%u s", strerror(-shortage),
		lea_session_hint(shortage), run->retry_ms / 1000, run->retry_ms % 1000 / 100);
	idle_release(run);
	world->clock->sleep_ms(world->clock, run->retry_ms);
	run->retried_ms = lea_world_now_ms(world);
	return 0;
}

static bool is_running(sd_event_source *timer)
{
	return timer && sd_event_source_get_enabled(timer, NULL) > 0;
}

/* @ms: 0 stops the timer. */
static void set_timer(sd_event_source *timer, uint32_t ms)
{
	if (!timer)
		return;
	sd_event_source_set_time_relative(timer, ms * (uint64_t)1000);
	sd_event_source_set_enabled(timer, ms ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

/*
 * udev could not finish with a device, most likely because its database has no room; then it ran no
 * program and kept no record. udev is asked again, at growing intervals.
 */
static void ask_udev_later(struct run *run)
{
	if (is_running(run->failed))
		return;
	run->failed_ms = lea_session_longer(run->failed_ms, FAILED_MOST_MS);
	set_timer(run->failed, run->failed_ms);
}

/* VGs failed temporarily: a reconcile retries them, at growing intervals. */
static void try_again_later(struct run *run)
{
	if (is_running(run->again))
		return;
	run->again_ms = lea_session_longer(run->again_ms, FAILED_MOST_MS);
	set_timer(run->again, run->again_ms);
}

static int start(void *arg, struct lea_entry *entries, size_t count,
		 struct lea_batch_pass **ret_pass)
{
	struct run *run = arg;

	run->remember.passes++;
	for (size_t i = 0; i < count; i++)
		if (!entries[i].device.is_gone)
			lea_timeline_note_device(run->session->world, LEA_RING_SEEN,
						 &entries[i].device, (struct lea_timeline_note){0});
	return lea_batch_start(&run->batch, entries, count, &run->summary, ret_pass);
}

/* A detached worker ended without its VG, and not for the first time. */
static void see_to_put_off(struct run *run)
{
	if (lea_workers_has_put_off(run->session->workers))
		try_again_later(run);
}

static void ended(void *arg, const struct lea_entry *entries, size_t count, int result)
{
	struct run *run = arg;

	(void)entries, (void)count;
	see_to_put_off(run);
	if (run->summary.vgs_again > run->vgs_again)
		try_again_later(run);
	run->vgs_again = run->summary.vgs_again;
	/* There is room again: the next shortage begins with a short pause. Not so soon: where there
	 * is little room one pass succeeds and the next does not. While a reconcile lacks room a pass
	 * proves nothing, either: perhaps it is that of what the reconcile has queued. */
	if (result == 0 && !run->is_compare_due &&
	    lea_world_now_ms(run->session->world) - run->retried_ms >= run->retry_ms)
		run->retry_ms = 0;
}

/* Is there room in /run? Without it asking udev again is useless. */
static int check_room(const struct run *run)
{
	static const char room[ROOM_BYTES];
	int r = lea_file_replace(run->session->event_fd, "room", room, sizeof(room));

	if (r == 0)
		r = lea_file_remove(run->session->event_fd, "room");
	return r < 0 ? r : 0;
}

/* While the gate is closed another process reconciles all devices. */
static bool may_compare(const struct run *run)
{
	int run_fd = lea_world_run(run->session->world);

	return run_fd >= 0 && run->session->conf->event_activation && !lea_gate_is_closed(run_fd) &&
	       !lea_gate_is_aside(run_fd);
}

static int sweep(struct run *run, struct lea_reconcile_options *options,
		 struct lea_reconcile_result *ret_result)
{
	struct lea_session *session = run->session;

	/* Markers of devices that are gone would otherwise stay for as long as the machine runs. */
	options->world = session->world;
	options->has_lock = run->flight.first;
	options->reader = session->reader;
	options->conf = session->conf;
	options->event_fd = session->event_fd;
	lea_marker_tidy(session->world, session->event_fd);
	lea_newest_tidy(session->world, session->event_fd);
	return lea_reconcile(options, ret_result);
}

/* An enqueuer could not write an entry, or udev itself failed: reconciles all devices. */
static int compare_all(struct run *run)
{
	/* Without room in /run udev cannot finish devices either, so their events are repeated. */
	struct lea_reconcile_options options = {.retrigger = lea_udev_is_idle(run->session->world)};
	struct lea_reconcile_result result = {0};
	int r = may_compare(run) ? check_room(run) : 0;

	run->is_compare_due = true; /* until it is done */
	if (r == 0 && may_compare(run))
		r = sweep(run, &options, &result);
	r = r < 0 ? r : lea_reconcile_request_done(run->session->event_fd);
	if (r < 0)
		return lea_is_shortage(r) ? retry_after_shortage(run, r) : r;
	run->is_compare_due = false;
	run->retry_ms = 0;
	/* All devices were compared just now, which is what that timer is for. */
	set_timer(run->failed, 0);
	if (!result.unfinished)
		run->failed_ms = 0;
	if (result.unfinished && !options.retrigger)
		ask_udev_later(run);
	/* udev fails at a disk that hangs again and again, and nothing is lost by it; nor is it by another
	 * one, which is read again and again. */
	lea_log(run->session->world->log,
		result.enqueued > result.repeated ? LEA_LOG_PRINT : LEA_LOG_VERBOSE,
		"An event could not be queued, or udev has failed at one: %zu device(s) compared, "
		"%zu to be processed",
		result.devices, result.enqueued);
	return 0;
}

/*
 * The program that udev started for an event may have been killed. Then nothing is pending, and
 * only a reconcile finds the lost device.
 */
static void compare(struct run *run)
{
	struct lea_reconcile_options options = {0};
	struct lea_reconcile_result result = {0};
	int r;

	if (!may_compare(run))
		return;
	r = sweep(run, &options, &result);
	if (r < 0) {
		lea_log(run->session->world->log, LEA_LOG_WARNING, "reconcile: %s", strerror(-r));
		try_again_later(run);
		return;
	}
	if (result.unnamed)
		lea_log(run->session->world->log, LEA_LOG_VERBOSE,
			"reconcile: queued %zu device(s) whose content udev does not name",
			result.unnamed);
	if (result.enqueued)
		lea_log(run->session->world->log, LEA_LOG_WARNING,
			"reconcile: queued %zu device(s): their event was lost, they "
			"could not be read, or their VG failed temporarily",
			result.enqueued);
	/* Nothing is to be tried again: what fails next begins with a short pause. */
	if (!result.unnamed && !result.enqueued)
		run->again_ms = 0;
}

static void compare_if_due(struct run *run)
{
	if (!run->is_compare_time)
		return;
	run->is_compare_time = false;
	set_timer(run->compare, run->session->conf->compare_ms);
	set_timer(run->again, 0);
	compare(run);
}

/* Ends the wait with outcome @told: 0, an outcome of the queue, or -errno. */
static int wake(struct run *run, int told)
{
	run->is_woken = true;
	run->told = told;
	return 0;
}

static int read_watch(struct run *run)
{
	int told = lea_queue_watch_read(&run->watch);

	run->is_compare_due |= told == LEA_QUEUE_WATCH_RECONCILE;
	return told == LEA_QUEUE_WATCH_RECONCILE ? 0 : told;
}

static int on_queue(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct run *run = arg;

	(void)source, (void)fd, (void)events;
	return wake(run, read_watch(run));
}

/* The folder may be mounted over; inotify does not report that, and entries would go elsewhere. */
static int on_mounts(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct run *run = arg;

	(void)source, (void)fd, (void)events;
	return lea_queue_watch_is_gone(&run->watch) ? wake(run, LEA_QUEUE_WATCH_GONE) : 0;
}

static int on_udev(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct run *run = arg;

	(void)source, (void)fd, (void)events;
	if (run->udev->drain(run->monitor) == LEA_UDEVMON_FAILED)
		ask_udev_later(run);
	return 0;
}

/* A detached worker may have ended; then a device of its VG is pending. */
static int on_workers(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct run *run = arg;
	int r = lea_workers_step(run->session->workers);

	see_to_put_off(run);
	(void)source, (void)fd, (void)events;
	if (r)
		return wake(run, r);
	return lea_flight_has_ended(&run->flight) ? wake(run, LEA_QUEUE_WATCH_QUIET) : 0;
}

static int on_compare_time(sd_event_source *source, uint64_t at_us, void *arg)
{
	struct run *run = arg;

	(void)source, (void)at_us;
	run->is_compare_time = true;
	return wake(run, LEA_QUEUE_WATCH_QUIET);
}

static int on_failed_time(sd_event_source *source, uint64_t at_us, void *arg)
{
	struct run *run = arg;

	(void)source, (void)at_us;
	run->is_compare_due = true;
	return wake(run, LEA_QUEUE_WATCH_QUIET);
}

/*
 * @limit_ms: -1: no limit. Returns 0: check the queue; LEA_QUEUE_WATCH_QUIET; another outcome, with
 * which the runner leaves; or -errno.
 */
static int wait_for_event(struct run *run, int limit_ms)
{
	const uint64_t limit_us = limit_ms < 0 ? UINT64_MAX : (uint64_t)limit_ms * 1000;
	int r;

	run->is_woken = false;
	do
		r = sd_event_run(run->loop, limit_us);
	while (r > 0 && !run->is_woken);
	return r < 0 ? r : run->is_woken ? run->told : LEA_QUEUE_WATCH_QUIET;
}

static int add_inputs(struct run *run)
{
	const struct {
		int fd; /* -1: not open */
		uint32_t events;
		sd_event_io_handler_t handler;
	} inputs[] = {
		{run->watch.fd, EPOLLIN, on_queue},
		/* The kernel reports a change of mounts as an exceptional condition, once. */
		{run->watch.mounts_fd, EPOLLPRI, on_mounts},
		{run->monitor ? run->udev->fd(run->monitor) : -1, EPOLLIN, on_udev},
		{lea_workers_fd(run->session->workers), EPOLLIN, on_workers},
	};
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ARRAY_SIZE(inputs); i++)
		if (inputs[i].fd >= 0)
			r = sd_event_add_io(run->loop, NULL, inputs[i].fd, inputs[i].events,
					    inputs[i].handler, run);
	return r;
}

static int add_timer(struct run *run, sd_event_time_handler_t handler, uint32_t ms,
		     sd_event_source **ret_timer)
{
	int r = sd_event_add_time(run->loop, ret_timer, CLOCK_MONOTONIC, 0, 1000, handler, run);

	if (r >= 0)
		set_timer(*ret_timer, ms);
	return r;
}

static int on_late_time(sd_event_source *source, uint64_t at_us, void *arg)
{
	struct run *run = arg;
	const struct lea_session *session = run->session;
	int wait_ms;

	(void)at_us;
	if (!run->needs && lea_boot_needs_read(session->world, session->conf, &run->needs)) {
		set_timer(source, LEA_RETRY_MOST_MS);
		return 0;
	}
	wait_ms = lea_late_step(&run->late, session->world, run->needs, 0);
	set_timer(source, wait_ms < 0 ? 0 : (uint32_t)wait_ms);
	return 0;
}

/* What the boot waits for has a line, and process 1 waits for nothing in vain, after the boot as
 * well. The boot scan may have written a line just now. In a shortage it is not known yet what that is. */
static int watch_late(struct run *run)
{
	const uint64_t now = lea_world_now_ms(run->session->world);

	if (now > LEA_LATE_FIRST_MS)
		run->late.next_ms = now + LEA_LATE_PAUSE_MS;
	return add_timer(run, on_late_time, 1, &run->late_timer);
}

static int open_loop(struct run *run)
{
	int r = sd_event_new(&run->loop);

	r = r < 0 ? r : add_inputs(run);
	r = r < 0 ? r
		  : add_timer(run, on_compare_time, run->session->conf->compare_ms, &run->compare);
	r = r < 0 ? r : add_timer(run, on_compare_time, 0, &run->again);
	r = r < 0 ? r : add_timer(run, on_failed_time, 0, &run->failed);
	r = r < 0 ? r : watch_late(run);
	r = r < 0 ? r
		  : lea_reader_watch_new(run->session->world, run->session->event_fd, run->loop,
					 run->session->reader, &run->readers);
	if (r < 0)
		return r;
	r = lea_rules_watch_open(run->session->world, run->loop, &run->rules);
	if (r)
		lea_log(run->session->world->log, LEA_LOG_WARNING,
			"changes of the installed udev rules are not noticed: %s; after one run: "
			"lvmevent refresh",
			strerror(-r));
	return 0;
}

static void close_loop(struct run *run)
{
	sd_event_source_unref(run->compare);
	sd_event_source_unref(run->again);
	sd_event_source_unref(run->failed);
	sd_event_source_unref(run->late_timer);
	lea_needs_free(run->needs);
	lea_rules_watch_free(run->rules);
	lea_reader_watch_free(run->readers);
	sd_event_unref(run->loop);
}

static int outcome_of(int told)
{
	return told == LEA_QUEUE_WATCH_CONF   ? STAY_CONF
	       : told == LEA_QUEUE_WATCH_GONE ? STAY_GONE
					      : told;
}

/* Another pass is about to begin: with these settings? */
static int look(void *arg)
{
	const int told = read_watch(arg);

	return told == LEA_QUEUE_WATCH_QUIET ? 0 : outcome_of(told);
}

static bool must_compare_all(struct run *run)
{
	return run->is_compare_due ||
	       lea_reconcile_request_take(run->session->event_fd) == LEA_RECONCILE_DUE;
}

/* Registers LVs with dmeventd that could not be registered before. Returns 0, or 1 if devices are
 * pending again. *ret_wait_ms: when to call again; -1: not needed. */
static int watch_later(struct run *run, int *ret_wait_ms)
{
	int r = may_compare(run) ? lea_monitor_retry_step(&run->later, &run->batch, ret_wait_ms)
				 : 0;

	if (r < 0) {
		lea_log(run->session->world->log, LEA_LOG_WARNING,
			"registering VGs with dmeventd: %s", strerror(-r));
		*ret_wait_ms = LEA_RETRY_MOST_MS;
	}
	return r > 0;
}

static void earlier(int *wait_ms, int other_ms)
{
	if (other_ms >= 0 && (*wait_ms < 0 || other_ms < *wait_ms))
		*wait_ms = other_ms;
}

/* Queues incomplete VGs that have waited long enough. Returns and sets as watch_later, which comes
 * first. */
static int start_in_part(struct run *run, int *ret_wait_ms)
{
	struct lea_partial *partial = run->batch.partial;
	const bool is_idle =
		lea_partial_is_waiting(partial) && !lea_udev_is_busy(run->session->world);
	int wait_ms = -1;
	int r = may_compare(run) ? lea_partial_step(partial, &run->batch, is_idle, &wait_ms) : 0;

	if (r < 0)
		lea_log(run->session->world->log, LEA_LOG_WARNING,
			"incomplete VGs that are to be activated in part: %s", strerror(-r));
	earlier(ret_wait_ms, wait_ms);
	return r > 0;
}

/* One pass for a burst, not one for each of its events. The bound keeps a steady stream from
 * delaying the first event. @told: of the wait for the first one. */
static int wait_for_rest(struct run *run, int told)
{
	/* The name may be the system ID, by which the next entry's VG is ours or not. */
	if (told == 0 && lea_session_is_renamed(run->session->conf))
		return STAY_CONF;
	for (unsigned int i = 0; told == 0 && i < COALESCE_MOST; i++) {
		told = wait_for_event(run, COALESCE_MS);
		if (told == LEA_QUEUE_WATCH_QUIET)
			return 0;
	}
	return outcome_of(told);
}

/* After IDLE_MS without work. Returns as wait_for_event. */
static int sleep_idle(struct run *run)
{
	int wait_ms = -1;

	lea_repeats_done(&run->session->cache.repeats, run->session->world);
	idle_release(run);
	/* It may read the files of all PVs and LVs, so not while events come. */
	if (may_compare(run))
		wait_ms =
			lea_remember_step(&run->remember, run->session->world, run->session->conf);
	lea_children_reap(run->children);
	/* Only here: no pass of a burst waits for the restart after an upgrade. */
	if (lea_program_is_replaced(run->session->world))
		return LEA_QUEUE_WATCH_CONF;
	if (run->is_compare_time || run->is_compare_due)
		return LEA_QUEUE_WATCH_QUIET;
	earlier(&wait_ms, lea_incomplete_log(run->batch.waiting, run->session->world));
	return wait_for_event(run, wait_ms);
}

/* Sleeps until something is pending, and a moment longer, or, with passes in flight, until one of
 * them has ended. */
static int wait_for_work(void *arg)
{
	struct run *run = arg;
	int told, wait_ms = -1;

	if (must_compare_all(run))
		return compare_all(run);
	compare_if_due(run);
	if (watch_later(run, &wait_ms) || start_in_part(run, &wait_ms))
		return 0;
	told = wait_for_event(run, wait_ms >= 0 && wait_ms < IDLE_MS ? wait_ms : IDLE_MS);
	if (told == LEA_QUEUE_WATCH_QUIET && wait_ms < 0 && !run->flight.first)
		told = sleep_idle(run);
	/* a timer elapsed, or a pass has ended */
	return told == LEA_QUEUE_WATCH_QUIET ? 0 : wait_for_rest(run, told);
}

/* Nothing is pending, and nothing in flight. */
static int stay(void *arg)
{
	struct run *run = arg;

	lea_batch_report(&run->batch, &run->summary);
	run->summary = (struct lea_batch_summary){.is_off_said = run->summary.is_off_said};
	run->vgs_again = 0;
	return wait_for_work(run);
}

/*
 * The service manager kills the workers with the runner, also those that wait for the lock of a VG
 * whose entries are finished. Nothing is pending then, so the next runner reconciles first.
 */
static void note_begin(struct run *run)
{
	const struct lea_session *session = run->session;

	if (lea_file_create_empty(session->event_fd, BEGUN) == LEA_FILE_EXISTS)
		run->is_compare_time = session->conf->compare_ms;
}

static void note_end(const struct run *run)
{
	if (lea_file_remove(run->session->event_fd, BEGUN) < 0)
		lea_log(run->session->world->log, LEA_LOG_DEBUG,
			"The next runner will reconcile first.");
}

static int start_watching(struct run *run)
{
	struct lea_session *session = run->session;
	int r = lea_session_watch(session, &run->watch);
	int proc_fd = lea_world_proc(session->world);

	if (r == 0)
		r = proc_fd < 0 ? proc_fd
				: lea_queue_watch_mounts(&run->watch, session->event_fd, proc_fd,
							 run->event_path);
	/* Without the monitor failures of udev go unnoticed until somebody runs lvmevent sweep. */
	if (r == 0 && (!run->udev || run->udev->listen(TAG, &run->monitor)))
		run->monitor = NULL;
	/* For people only: if there is no room for the flag, lvmevent status does not show a
	 * sleeping runner. */
	if (r == 0 && lea_flag_show(session->event_fd, LEA_FLAG_RESIDENT, &run->flag_fd) < 0)
		run->flag_fd = -1;
	r = r ? r : open_loop(run);
	if (r == 0) {
		remove_leftovers(run);
		note_begin(run);
		sd_notify(0, "READY=1");
	}
	return r;
}

static bool is_awaited(void *arg)
{
	const struct run *run = arg;

	return lea_flight_is_awaited(&run->flight) ||
	       lea_reader_is_awaited(run->session->reader, run->session->event_fd);
}

static int run_all(struct run *run, bool stays)
{
	const struct lea_session *session = run->session;
	const struct lea_runner_options options = {.flight = &run->flight,
						   .stay = stays ? stay : NULL,
						   .wait = stays ? wait_for_work : NULL,
						   .look = stays ? look : NULL,
						   .retry = stays ? retry_after_shortage : NULL,
						   .arg = run,
						   .wait_ms = LINGER_MS,
						   .clock = session->world->clock};
	int r = stays ? start_watching(run) : 0;

	run->flight = (struct lea_flight){.event_fd = session->event_fd,
					  .start = start,
					  .ended = ended,
					  .arg = run,
					  .pool = run->batch.pool,
					  .workers = run->batch.workers,
					  .log = session->world->log};
	lea_reader_listen(session->reader, is_awaited, run);
	/* Settings may have changed, so that a device that was a copy may no longer be one. */
	if (r == 0 && may_compare(run))
		lea_duplicates_reconcile(session->world, session->conf, session->reader,
					 session->event_fd);
	r = r ? r : lea_runner_run(&options);
	/* The queue's folder was removed with all that was in it, and nothing works in a removed
	 * folder. */
	if (stays && run->watch.fd >= 0 && r != STAY_CONF && lea_queue_watch_is_gone(&run->watch))
		r = STAY_GONE;
	lea_batch_report(&run->batch, &run->summary);
	lea_incomplete_log(run->batch.waiting, session->world);
	/* The next runner takes over their VGs. Without --stay there may be no next runner, or only
	 * later. */
	if (stays) {
		lea_workers_hand_over(session->workers);
		note_end(run);
	}
	close_loop(run);
	if (run->watch.fd >= 0)
		lea_queue_watch_close(&run->watch);
	if (run->monitor)
		run->udev->close(run->monitor);
	lea_closep(&run->flag_fd);
	return r;
}

/* Returns 0, LEA_SESSION_FAILED, or LEA_RESIDENT_RESTART with other settings: a process that ended would be
 * started again every two seconds, and say each time why. */
static int begin_batches(struct run *run, bool stays)
{
	const int r = lea_session_begin_batches(run->session, &run->batch);

	if (r != LEA_SESSION_UNFIT || !stays)
		return r ? LEA_SESSION_FAILED : 0;
	return lea_unfit_stay(run->session) ? LEA_RESIDENT_RESTART : LEA_SESSION_FAILED;
}

int lea_resident_run(struct lea_session *session, bool stays, struct lea_resident_first *first)
{
	struct run run = {.session = session,
			  .udev = session->world->udev,
			  .batch = {.defers_watch = stays},
			  .watch = {.fd = -1},
			  .flag_fd = -1,
			  .is_compare_due = first->compare};
	int r = stays ? lea_children_new(session->world, &run.children) : 0;

	if (r)
		lea_log(session->world->log, LEA_LOG_WARNING,
			"children of the program before a restart are not waited for: %s",
			strerror(-r));
	/* Only now that the settings are watched: a later change makes this runner leave, too. */
	if (first->refresh)
		lea_rules_refresh(session->world);
	r = begin_batches(&run, stays);
	if (r) {
		*first = (struct lea_resident_first){.compare = run.is_compare_due, .refresh = true};
		return r;
	}
	r = stays ? lea_partial_new(session->world, session->conf, &session->partial) : 0;
	if (r)
		return lea_session_fail(session->world, r, "events");
	run.batch.partial = session->partial;
	/* For containers. Without them these keep to their own settings. */
	r = stays ? lea_throttle_bounds_write(session->world, session->event_fd, session->conf) : 0;
	if (r)
		lea_log(session->world->log, LEA_LOG_WARNING, "bounds of lvmevent throttle: %s",
			strerror(-r));
	run.event_path = lea_world_path(session->world, "/run/lvm/event");
	r = run.event_path ? run_all(&run, stays) : -ENOMEM;
	free(run.event_path);
	lea_children_free(run.children);
	*first = (struct lea_resident_first){.compare = run.is_compare_due || r == STAY_GONE,
					     .refresh = r == STAY_CONF};
	if (r < 0)
		return lea_session_fail(session->world, r, "events");
	return stays && (r == STAY_CONF || r == STAY_GONE) ? LEA_RESIDENT_RESTART : 0;
}
