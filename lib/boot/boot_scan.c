/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The monitor is opened before the tag index is read: what udev finishes in between is seen twice
 * but never missed. Workers activate VGs while the next devices are received and scanned, since
 * the events of their LVs queue up behind those of all disks that udev knows of.
 *
 *	LISTEN --a device--> GATHER --a pause in the burst--> FLIGHT --all VGs reported--> LISTEN
 *
 * A PV that was on another disk in the last boot is held back until udev is idle (held_back.h).
 *
 * LISTEN: without the lock; the boot goes on (ready) when udev is idle, or at the deadline.
 * GATHER: devices wait in memory. FLIGHT: takes the lock, scans, and has the lock until no pass
 * is left; meanwhile it gathers. Entries of the queue are passes among the others.
 * CONF, before a pass: brings passes in flight to their end, and leaves. With new settings it
 * begins with udev's tags, but for what is recorded. SHORT, from each: forgets all passes, and
 * begins again with udev's tags after a second. END: once the gate is open, what was gathered is
 * brought to its end; VGs whose worker hangs are queued for the runner.
 *
 * What a crash leaves: no file says what was gathered, but udev's tags do: the restarted scan
 * begins with them, whatever the state was. Claims of the dead process do not count; its lock and
 * its flag are free, so that the gate opener does not wait for it, and the opener's reconciles
 * find what no scan got to. They do not believe the recorded markers that the scan has set.
 */
#include "boot/boot_scan.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "base/step.h"
#include "batch/decide.h"
#include "batch/incomplete.h"
#include "boot/deadline.h"
#include "boot/held_back.h"
#include "daemon/device_queue.h"
#include "daemon/flight.h"
#include "daemon/late.h"
#include "daemon/session.h"
#include "daemon/udev_wait.h"
#include "record/recorded_marker.h"
#include "state/flag.h"
#include "state/gate.h"
#include "state/mark.h"
#include "state/online.h"
#include "state/queue_watch.h"
#include "worker/pool.h"
#include "world/timeline.h"
#include "world/udev.h"

#define TAG	      "lvmevent"
#define COALESCE_MS   50U   /* if udev is idle: start a pass this long after the last device */
#define COALESCE_BUSY 200U  /* the same while udev works on other devices: fewer, fuller passes */
#define COALESCE_MAX  1000U /* start a pass anyway when a device has waited this long */
#define BUSY_MS	      20    /* pause while a runner holds the lock */
#define DRAIN_MS      100   /* pause between two looks into the queue behind the open gate */

struct boot {
	const struct lea_boot_scan_options *options;
	struct lea_world *world;
	const struct lea_udev *udev;
	struct lea_udevmon *monitor;
	struct lea_device_queue pending;
	struct lea_held_back held;
	/* Devices of passes that have begun since the scan has: numbers, PVIDs, and what that might
	 * cause. Those of passes that have ended well are in options->done, too. */
	struct lea_device_queue sent;
	struct lea_flight flight;
	bool is_locked_out;  /* another runner had the lock when it was tried last */
	int lock_fd;	     /* held while passes are in flight; -1 */
	uint64_t first_ms;   /* when the oldest pending device arrived */
	uint64_t overdue_ms; /* when the boot no longer waits; 0: that was noted */
	uint64_t last_ms;    /* when the last one arrived or was handled */
	uint32_t retry_ms;   /* the last pause after a shortage; 0: all went well since */
	bool is_ready;
	bool has_heard_last; /* of what udev told while the gate was closed */
	uint64_t drain_ms;   /* until when it takes what is queued behind the open gate; 0: not yet */
	struct lea_late late;
	struct lea_batch_summary summary;
};

/*
 * udev announces a disk twice, for the kernel's event and for coldplug. A device that this process
 * has recorded is not scanned again, since a removal would have dropped its marker or is still
 * pending; add() asks whether somebody has written to it before it got the marker. Where instances
 * are not numbered, or a dm device has a new table, a device counts as new. What a change led to
 * does not stand for an add: after a soft reboot udev's database still has the entries of the boot
 * before, and until coldplug is done they tell of changes of that boot.
 */
static bool is_done(struct boot *boot, struct lea_device_queue *by,
		    const struct lea_udevmon_event *event, const struct lea_entry *entry)
{
	const struct lea_device *device = &event->device;
	const struct lea_entry *done = lea_device_queue_find(by, device);

	return done && device->diskseq && !device->is_gone && !event->is_activation &&
	       !strcmp(done->pvid, entry->pvid) &&
	       lea_entry_kind_most(done->kind, entry->kind) == done->kind &&
	       !lea_device_queue_find(&boot->pending, device) &&
	       lea_marker_ask(boot->options->batch.event_fd, device, entry->pvid) > 0;
}

/*
 * What may a second event of a device cause that this boot has read? What a change tells of only an add
 * may activate: the VG may have been imported since, or, where instances are not numbered, taken down.
 * There an add after an add may be coldplug's, or that of a scan that begins again.
 */
static enum lea_entry_kind kind_again(struct boot *boot, const struct lea_udevmon_event *event,
				      struct lea_entry *entry)
{
	const struct lea_device *device = &event->device;
	const struct lea_entry *pending = lea_device_queue_find(&boot->pending, device), *seen;
	const int event_fd = boot->options->batch.event_fd;
	const bool may_be_repeated = !device->diskseq && !event->is_activation;
	bool has_marker;

	if (entry->kind != LEA_ENTRY_ADD || device->is_gone ||
	    (!event->is_change && !may_be_repeated))
		return entry->kind;
	if (pending)
		return event->is_change && !pending->device.is_gone ? pending->kind : entry->kind;
	seen = lea_device_queue_find(&boot->sent, device);
	if (!seen)
		seen = lea_device_queue_find(boot->options->done, device);
	if (!seen || (!event->is_change && seen->kind != LEA_ENTRY_ADD))
		return entry->kind;
	has_marker = lea_marker_ask(event_fd, device, entry->pvid) > 0;
	if (!event->is_change)
		return has_marker ? LEA_ENTRY_MISSED : entry->kind;
	lea_entry_set_key(entry);
	return has_marker || lea_mark_ask(event_fd, LEA_MARK_REFUSED, entry->key) > 0
		       ? LEA_ENTRY_CHANGE
		       : entry->kind;
}

static int add(void *arg, struct lea_udevmon_event *event)
{
	struct boot *boot = arg;
	struct lea_entry entry = {.kind = event->was_in_use ? LEA_ENTRY_CHANGE : LEA_ENTRY_ADD,
				  .device = event->device};
	bool was_done;
	int r;

	if (lea_id_parse(event->fs_uuid, entry.pvid) < 0)
		entry.pvid[0] = '\0';
	was_done = event->is_pv && (is_done(boot, &boot->sent, event, &entry) ||
				    is_done(boot, boot->options->done, event, &entry));
	if (!event->is_pv || (was_done && !event->is_written &&
			      !lea_online_look(lea_world_run(boot->world), entry.pvid))) {
		lea_device_done(&event->device);
		return 0;
	}
	/* Others have written to it since it was read, or have removed its record, as vgremove does. */
	entry.kind = was_done ? LEA_ENTRY_CHANGE : kind_again(boot, event, &entry);
	r = lea_held_back_take(&boot->held, boot->world, &entry);
	if (r != LEA_HELD_BACK_NOT)
		return r;
	if (!boot->pending.count)
		boot->first_ms = lea_world_now_ms(boot->world);
	/* The latest state of a device wins, as in the queue. */
	r = lea_device_queue_put(&boot->pending, &entry);
	if (r == 0)
		lea_timeline_note_device(boot->world, LEA_RING_SEEN, &event->device,
					 (struct lea_timeline_note){0});
	if (r == 0)
		LEA_CRASHPOINT("boot.got", (lea_entry_set_key(&entry), entry.key));
	return r;
}

/* Receives what udev has broadcast. *ret_any: was there anything? */
static int receive(struct boot *boot, bool *ret_any)
{
	struct lea_udevmon_event event;
	int r = 0;

	*ret_any = false;
	while (boot->pending.count < LEA_QUEUE_PASS_MAX) {
		r = boot->udev->receive(boot->monitor, &event);
		if (r == LEA_UDEVMON_NONE)
			return 0;
		*ret_any = true;
		boot->last_ms = lea_world_now_ms(boot->world);
		/* What was lost is not known, but each PV that udev has finished with has the tag.
		 */
		if (r == LEA_UDEVMON_OVERFLOW)
			r = boot->udev->enumerate(boot->monitor, add, boot);
		else if (r == 0)
			r = add(boot, &event);
		if (r < 0)
			return r;
	}
	return 0;
}

static int start(void *arg, struct lea_entry *entries, size_t count,
		 struct lea_batch_pass **ret_pass)
{
	struct boot *boot = arg;

	return lea_batch_start(&boot->options->batch, entries, count, &boot->summary, ret_pass);
}

/* Takes the lock unless it is held. LEA_QUEUE_RUNNING: an earlier runner still has it; devices go
 * on being gathered meanwhile. */
static int lock(struct boot *boot)
{
	const int r = boot->lock_fd >= 0
			      ? 0
			      : lea_queue_lock(boot->options->batch.event_fd, &boot->lock_fd);

	boot->is_locked_out = r == LEA_QUEUE_RUNNING;
	return r;
}

static void unlock(struct boot *boot)
{
	LEA_CRASHPOINT("lock.drop", NULL);
	lea_closep(&boot->lock_fd);
	boot->lock_fd = -1;
}

/* Of a PV the kind that allows most counts. */
static int note(struct lea_device_queue *queue, struct lea_entry entry)
{
	const struct lea_entry *before = lea_device_queue_find(queue, &entry.device);

	if (before && !entry.device.is_gone && !strcmp(before->pvid, entry.pvid))
		entry.kind = lea_entry_kind_most(before->kind, entry.kind);
	return lea_device_queue_note(queue, &entry);
}

/* Called before the devices are taken out of the entries. */
static int note_sent(struct boot *boot)
{
	int r = 0;

	for (size_t i = 0; !r && i < boot->pending.count; i++)
		r = note(&boot->sent, boot->pending.entry[i]);
	return r;
}

/* What a pass has scanned that ended well is done, even if a shortage or new settings have the scan
 * begin again, since a person may have taken the VGs down. What there is no memory for is scanned
 * once more. */
static void note_done(void *arg, const struct lea_entry *entries, size_t count, int result)
{
	struct boot *boot = arg;
	int r = 0;

	for (size_t i = 0; !result && i < count; i++)
		r |= note(boot->options->done, entries[i]);
	if (r)
		lea_log(boot->world->log, LEA_LOG_DEBUG, "boot scan: no memory for what is done");
}

/* Scans the pending devices. Their VGs are activated while the next devices are received. */
static int submit(struct boot *boot)
{
	struct lea_entry *entries;
	size_t count;
	int r = note_sent(boot);

	entries = lea_device_queue_take(&boot->pending, &count);
	if (!r)
		return lea_flight_add(&boot->flight, entries, count);
	lea_entries_free(entries, count);
	return r;
}

static bool has_heard(const struct boot *boot)
{
	struct pollfd heard = {.fd = boot->udev->fd(boot->monitor), .events = POLLIN};

	return poll(&heard, 1, 0) > 0;
}

/* Takes entries from lvmevent sweep, from a person, or left by an earlier runner. A slow disk may
 * come back each time: devices that udev announces do not wait for the end of that. */
static int take_queued(struct boot *boot)
{
	int r;

	do
		r = lea_flight_take(&boot->flight);
	while ((r == LEA_FLIGHT_MORE || (!r && !boot->flight.first)) && !has_heard(boot));
	return r < 0 ? r : 0;
}

/* Ends all passes whose VGs are done. After the last one it takes what is queued, or releases the
 * lock. */
static int reap_finished(struct boot *boot)
{
	int r = lea_flight_reap(&boot->flight);

	if (r || boot->lock_fd < 0)
		return r;
	r = boot->flight.first ? 0 : take_queued(boot);
	if (r || boot->flight.first)
		return r;
	unlock(boot);
	boot->retry_ms = 0;
	boot->last_ms = lea_world_now_ms(boot->world);
	return 0;
}

/* Another pass is about to begin: with these settings? The system ID may be the host's name, which
 * some boots set late. */
static bool has_new_settings(const struct boot *boot)
{
	const struct lea_queue_watch *watch = boot->options->watch;

	return (watch && lea_queue_watch_read(watch) == LEA_QUEUE_WATCH_CONF) ||
	       lea_session_is_renamed(boot->options->batch.conf);
}

static int submit_and_reap(struct boot *boot)
{
	int r = lock(boot);

	if (r)
		return r < 0 ? r : 0;
	if (has_new_settings(boot))
		return LEA_BOOT_SCAN_CONF;
	if (boot->pending.count)
		r = submit(boot);
	else if (boot->flight.first)
		r = take_queued(boot);
	return r ? r : reap_finished(boot);
}

/* Gives up the VGs of all passes that are in flight. */
static void abort_all(struct boot *boot, int fault)
{
	lea_flight_drop(&boot->flight, fault);
	if (boot->lock_fd >= 0)
		unlock(boot);
}

/*
 * Starts over: the tag index lists the devices of unfinished passes again; some are scanned twice.
 * If the shortage lasts until the gate opens, the runner finds them in its queue.
 */
static int begin_again(struct boot *boot, int shortage)
{
	struct lea_world *world = boot->world;

	boot->retry_ms = lea_session_longer(boot->retry_ms, LEA_RETRY_MOST_MS);
	lea_log(world->log, LEA_LOG_ERROR, "boot scan: %s; retrying in %u.%u s",
		strerror(-shortage), boot->retry_ms / 1000, boot->retry_ms % 1000 / 100);
	lea_device_queue_clear(&boot->pending);
	lea_held_back_clear(&boot->held);
	lea_device_queue_clear(&boot->sent);
	abort_all(boot, shortage);
	if (boot->options->batch.reader)
		lea_reader_drop(boot->options->batch.reader);
	world->clock->sleep_ms(world->clock, boot->retry_ms);
	return boot->udev->enumerate(boot->monitor, add, boot);
}

/* @r: result of a step. */
static int again_if_short(struct boot *boot, int r)
{
	return lea_is_shortage(r) ? begin_again(boot, r) : r;
}

/* @wait_ms: for the next broadcast or a worker. */
static int wait_and_receive(struct boot *boot, int wait_ms, bool *ret_any)
{
	const struct lea_pool *pool = boot->options->batch.pool;
	struct lea_workers *workers = boot->options->batch.workers;
	/* What there is no room for must not end the wait at once. */
	const bool has_room = boot->pending.count < LEA_QUEUE_PASS_MAX;
	struct pollfd heard[] = {
		{.fd = has_room ? boot->udev->fd(boot->monitor) : -1, .events = POLLIN},
		{.fd = pool->fd(workers), .events = POLLIN},
	};
	int r = 0;

	*ret_any = false;
	if (poll(heard, 2, wait_ms) < 0 && errno != EINTR)
		return -errno;
	if (heard[1].revents) {
		r = pool->step(workers);
		r = r ? r : reap_finished(boot);
	}
	return r ? r : receive(boot, ret_any);
}

static int release(struct boot *boot)
{
	boot->first_ms = lea_world_now_ms(boot->world);
	return lea_held_back_release(&boot->held, boot->world->log, &boot->pending);
}

/* udev's queue is checked first and the socket second: a udev worker broadcasts before it reports
 * its end. */
static int check_ready(struct boot *boot)
{
	bool is_quiet, any;
	int r;

	if (boot->overdue_ms && lea_world_now_ms(boot->world) >= boot->overdue_ms) {
		boot->overdue_ms = 0;
		lea_timeline_note(boot->world, LEA_RING_DEADLINE, &(struct lea_timeline_note){0});
	}
	is_quiet = !lea_udev_is_busy(boot->world) ||
		   lea_world_now_ms(boot->world) - boot->last_ms >= LEA_UDEV_QUIET_MS;
	r = receive(boot, &any);
	if (r || any || !is_quiet)
		return r;
	/* Their disks have not come; they are worked on before the boot goes on. A pool that is checked
	 * now, perhaps for minutes, is none of theirs. */
	if (boot->held.devices.count)
		return release(boot);
	if (boot->flight.first)
		return 0;
	lea_held_back_done(&boot->held);
	boot->is_ready = true;
	lea_timeline_note(boot->world, LEA_RING_READY, &(struct lea_timeline_note){0});
	boot->options->ready(boot->options->arg);
	return 0;
}

/*
 * Returns how long the pending devices should still wait for more, in ms; 0: start a pass. While
 * udev is busy its next disks are likely PVs, too, and the events of LVs come after theirs anyway.
 */
static int coalesce_ms(const struct boot *boot)
{
	const uint64_t now = lea_world_now_ms(boot->world), silent = now - boot->last_ms;

	if (boot->pending.count >= LEA_QUEUE_PASS_MAX || silent >= COALESCE_BUSY ||
	    now - boot->first_ms >= COALESCE_MAX)
		return 0;
	if (silent < COALESCE_MS)
		return (int)(COALESCE_MS - silent);
	return lea_udev_is_busy(boot->world) ? (int)COALESCE_MS : 0;
}

/* Pause until the next check of gate and queue; it grows with the time of silence. */
static int idle_ms(const struct boot *boot)
{
	return (int)lea_wait_pause_ms(lea_world_now_ms(boot->world) - boot->last_ms);
}

/* Is something in the queue that no pass of ours has? */
static bool has_queued(const struct boot *boot)
{
	const int event_fd = boot->options->batch.event_fd;

	return boot->flight.first ? lea_queue_has_pending(event_fd) : lea_queue_has_work(event_fd);
}

/* How long to wait for the next broadcast or a worker. Without room in flight only a worker's
 * report leads on. */
static int wait_ms(const struct boot *boot)
{
	const int ms = boot->pending.count && lea_flight_has_room(&boot->flight)
			       ? coalesce_ms(boot)
			       : idle_ms(boot);

	return boot->is_locked_out && ms < BUSY_MS ? BUSY_MS : ms;
}

static int step(struct boot *boot)
{
	bool any;
	int r;

	lea_late_step(&boot->late, boot->world, boot->options->batch.needs, boot->summary.pvs);
	r = wait_and_receive(boot, wait_ms(boot), &any);
	if (r)
		return r;
	/* A worker's report also ends the wait; it does not end the time to coalesce. */
	if (boot->pending.count)
		return !lea_flight_has_room(&boot->flight) || coalesce_ms(boot)
			       ? 0
			       : submit_and_reap(boot);
	if (any)
		return 0;
	/* While the gate is closed no other process takes what lvmevent sweep puts into the queue
	 * and waits for, or what a boot scan that died had taken. */
	if (has_queued(boot))
		return submit_and_reap(boot);
	boot->is_locked_out = false;
	return boot->is_ready ? 0 : check_ready(boot);
}

/* With the gate open nothing is held back: the runner takes what arrives, and what is pending here,
 * if it has the lock. What udev told while the last pass was busy, and the gate closed, has started
 * no process: nobody else knows that it was an add. */
static int is_to_go_on(struct boot *boot, int run_fd, bool *ret_is)
{
	const bool is_closed = lea_gate_is_closed(run_fd);
	bool any;
	int r = 0;

	if (!is_closed && !boot->has_heard_last) {
		r = receive(boot, &any);
		boot->has_heard_last = !r && boot->pending.count < LEA_QUEUE_PASS_MAX;
		r = again_if_short(boot, r);
	}
	r = r || is_closed || !boot->held.devices.count ? r : release(boot);
	*ret_is = is_closed || (boot->pending.count && !boot->is_locked_out);
	return r;
}

/* The runner has no lock as long as a pass is in flight. So what is queued meanwhile is taken here, as
 * long as the longest check of a pool may last, and with the settings that still hold. */
static bool takes_for_runner(struct boot *boot)
{
	const uint64_t now = lea_world_now_ms(boot->world);

	if (!boot->drain_ms)
		boot->drain_ms = now + boot->options->batch.conf->udev_deadline_ms;
	if (boot->drain_ms <= now || has_new_settings(boot))
		boot->drain_ms = now;
	return boot->drain_ms > now;
}

static int drain(struct boot *boot)
{
	const struct lea_pool *pool = boot->options->batch.pool;
	struct lea_workers *workers = boot->options->batch.workers;
	struct pollfd told = {.fd = pool->fd(workers), .events = POLLIN};
	int r;

	lea_late_step(&boot->late, boot->world, boot->options->batch.needs, boot->summary.pvs);
	if (poll(&told, 1, DRAIN_MS) < 0 && errno != EINTR)
		return -errno;
	r = pool->step(workers);
	r = r ? r : reap_finished(boot);
	if (r || !boot->flight.first || !takes_for_runner(boot))
		return r;
	r = take_queued(boot);
	/* What is in flight is not given up for it: the runner finds the entries. */
	if (lea_is_shortage(r))
		boot->drain_ms = lea_world_now_ms(boot->world);
	return lea_is_shortage(r) ? 0 : r;
}

static int scan_until_quiet(struct boot *boot)
{
	int r, run_fd = lea_world_run(boot->world);
	bool goes_on;

	if (run_fd < 0)
		return run_fd;
	boot->overdue_ms =
		lea_world_now_ms(boot->world) + boot->options->batch.conf->boot_deadline_ms;
	r = lea_deadline_start(boot->world->clock, boot->options->batch.conf->boot_deadline_ms,
			       boot->options->ready, boot->options->arg);
	r = r ? r : again_if_short(boot, boot->udev->enumerate(boot->monitor, add, boot));
	do {
		while (r == 0 && (r = is_to_go_on(boot, run_fd, &goes_on)) == 0 && goes_on)
			r = again_if_short(boot, step(boot));
		if (r == 0 && boot->flight.first)
			r = again_if_short(boot, drain(boot));
		/* A shortage while it drained has made devices pending again. */
		r = r ? r : is_to_go_on(boot, run_fd, &goes_on);
	} while (r == 0 && (goes_on || boot->flight.first));
	if (r == 0)
		LEA_CRASHPOINT("boot.end", NULL);
	return r;
}

/* Queues what is still pending, as the adds that they are: the opener's reconcile may know of some
 * only that they have no record. What cannot be queued, a later one finds. */
static void leave_pending(const struct boot *boot)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < boot->pending.count; i++) {
		const struct lea_entry *entry = &boot->pending.entry[i];

		r = lea_queue_put_device(boot->options->batch.event_fd, entry->kind, &entry->device,
					 entry->pvid);
	}
	if (r < 0)
		lea_log(boot->world->log, LEA_LOG_WARNING,
			"boot scan: queuing the devices that came last: %s", strerror(-r));
}

static bool is_awaited(void *arg)
{
	const struct boot *boot = arg;

	return has_heard(boot) || lea_flight_is_awaited(&boot->flight) ||
	       lea_reader_is_awaited(boot->options->batch.reader, boot->options->batch.event_fd);
}

/* What is in flight when settings have changed. */
static int land(struct boot *boot, int r)
{
	const int s = r > 0 ? lea_flight_drain(&boot->flight) : 0;

	if (r > 0)
		lea_log(boot->world->log, LEA_LOG_VERBOSE,
			"boot scan: settings may have changed; it begins again");
	return s < 0 ? s : r;
}

int lea_boot_scan_run(const struct lea_boot_scan_options *options)
{
	struct lea_world *world = options->batch.world;
	struct boot boot = {.options = options, .world = world, .udev = world->udev, .lock_fd = -1};
	LEA_AUTO(lea_closep) int flag_fd = -1;
	int r;

	boot.flight = (struct lea_flight){.event_fd = options->batch.event_fd,
					  .start = start,
					  .ended = note_done,
					  .arg = &boot,
					  .pool = options->batch.pool,
					  .workers = options->batch.workers,
					  .log = world->log};
	boot.last_ms = lea_world_now_ms(boot.world);
	lea_held_back_begin(&boot.held, world);
	r = boot.udev->listen(TAG, &boot.monitor);
	if (r) {
		lea_held_back_done(&boot.held);
		return r;
	}
	LEA_CRASHPOINT("boot.listen", NULL);
	/* The gate waits for the holder of this flag. Without the flag (/run is full) the gate only
	 * opens early. */
	r = lea_flag_raise(options->batch.event_fd, LEA_FLAG_BOOT, &flag_fd);
	if (r < 0)
		lea_log(boot.world->log, LEA_LOG_WARNING, "boot scan: locking event/boot: %s",
			strerror(-r));
	if (options->batch.reader)
		lea_reader_listen(options->batch.reader, is_awaited, &boot);
	r = land(&boot, scan_until_quiet(&boot));
	abort_all(&boot, r);
	leave_pending(&boot);
	options->batch.pool->hand_over(options->batch.workers);
	lea_batch_report(&options->batch, &boot.summary);
	lea_incomplete_log(options->batch.waiting, boot.world);
	lea_device_queue_done(&boot.pending);
	lea_device_queue_done(&boot.sent);
	lea_held_back_done(&boot.held);
	boot.udev->close(boot.monitor);
	return r;
}
