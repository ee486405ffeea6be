/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Listening comes first, the tag index second: what udev finishes in between is seen twice and
 * never missed. VGs come up in the workers while the next devices are received and looked at: their
 * LVs' events are behind those of all disks that udev knows of.
 */
#include "flow/bootpass.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/step.h"
#include "disk/name.h"
#include "flow/mark.h"
#include "flow/pending.h"
#include "flow/runner.h"
#include "flow/wait.h"
#include "flow/waiting.h"
#include "flow/workers.h"
#include "state/flag.h"
#include "state/gate.h"
#include "world/proc.h"
#include "world/udevmon.h"

#define TAG	      "lvmevent"
#define COALESCE_MS   50U   /* so long without a further device, and udev idle: work */
#define COALESCE_BUSY 200U  /* so long without one, while udev works on others: work */
#define COALESCE_MAX  1000U /* so long since the first one: work all the same */
#define BUSY_MS	      20U   /* a runner holds the lock */
#define SHORT_MS      1000U /* the machine is short of something */
#define TEND_MS	      1000  /* how often to look after workers that say nothing */

/* Devices that were looked at, as long as VGs of theirs are on their way. */
struct flight {
	struct flight *next;
	struct lea_pending devices;
	struct lea_batch_pass *pass;
};

struct boot {
	const struct lea_bootpass_how *how;
	struct lea_world *world;
	struct lea_udevmon *monitor;
	struct lea_pending pending;
	struct lea_pending done; /* what passes of ours looked at: numbers and PVIDs */
	struct flight *flights;
	int lock_fd;	    /* held while there are flights; -1 */
	uint64_t first_ms;  /* when the oldest pending one came */
	uint64_t last_ms;   /* when the last one came or was handled */
	uint64_t tended_ms; /* when the workers were looked after last */
	bool is_ready;
	struct lea_batch_summary summary;
};

static uint64_t now_ms(const struct boot *boot)
{
	return boot->world->clock->now_ms(boot->world->clock);
}

/*
 * udev tells of a disk twice, once for the kernel and once for the coldplug. What this process has
 * recorded since it began is not looked at again; a removal takes the record's mark along, or is
 * still pending. Where instances are not numbered, or a dm device has another table, all is new.
 */
static bool is_done(struct boot *boot, const struct lea_udevmon_event *event, const char *pvid)
{
	const struct lea_device *device = &event->device;
	const struct lea_entry *done = lea_pending_find(&boot->done, device);

	return done && device->diskseq && !device->is_gone && !event->is_activation &&
	       !strcmp(done->pvid, pvid) && !lea_pending_find(&boot->pending, device) &&
	       lea_mark_is_set(boot->how->batch.event_fd, device, pvid);
}

static int add(void *arg, struct lea_udevmon_event *event)
{
	struct boot *boot = arg;
	struct lea_entry entry = {.kind = event->is_changed ? LEA_ENTRY_CHANGE : LEA_ENTRY_ADD,
				  .device = event->device};
	int r;

	if (lea_id_parse(event->fs_uuid, entry.pvid) < 0)
		entry.pvid[0] = '\0';
	if (!event->is_pv || is_done(boot, event, entry.pvid)) {
		lea_device_done(&event->device);
		return 0;
	}
	if (!boot->pending.count)
		boot->first_ms = now_ms(boot);
	/* The last state of a device wins, as in the queue. */
	r = lea_pending_put(&boot->pending, &entry);
	if (r == 0)
		LEA_STEP("boot.got", (lea_entry_set_key(&entry), entry.key));
	return r;
}

/* Takes what has been broadcast. *ret_any: was there something? */
static int receive(struct boot *boot, bool *ret_any)
{
	struct lea_udevmon_event event;
	int r = 0;

	*ret_any = false;
	while (boot->pending.count < LEA_QUEUE_PASS_MAX) {
		r = lea_udevmon_receive(boot->monitor, &event);
		if (r == LEA_UDEVMON_NONE)
			return 0;
		*ret_any = true;
		boot->last_ms = now_ms(boot);
		if (r == LEA_UDEVMON_UNKNOWN)
			lea_log(boot->world->log, LEA_LOG_WARNING,
				"WARNING: udev's broadcasts have a new form: libudev reads them.");
		if (r == LEA_UDEVMON_OVERFLOW || r == LEA_UDEVMON_UNKNOWN)
			r = lea_udevmon_enumerate(boot->monitor, add, boot);
		else if (r == 0)
			r = add(boot, &event);
		if (r < 0)
			return r;
	}
	return 0;
}

/* For entries of a sweep, of a person, or that a runner of another time left. */
static int process_queued(void *arg, struct lea_entry *entries, size_t count)
{
	struct boot *boot = arg;

	return lea_batch_run(&boot->how->batch, entries, count, &boot->summary);
}

/* Held already, or by a runner of another time, which is waited for. */
static int lock(struct boot *boot)
{
	int r = 0;

	while (boot->lock_fd < 0) {
		r = lea_queue_lock(boot->how->batch.event_fd, &boot->lock_fd);
		if (r != LEA_QUEUE_RUNNING)
			return r;
		boot->world->clock->sleep_ms(boot->world->clock, BUSY_MS);
	}
	return 0;
}

static void unlock(struct boot *boot)
{
	LEA_STEP("lock.drop", NULL);
	lea_closep(&boot->lock_fd);
	boot->lock_fd = -1;
}

/* Before they are worked on, which takes the devices out of them. */
static int note_done(struct boot *boot)
{
	int r = 0;

	for (size_t i = 0; !r && i < boot->pending.count; i++) {
		const struct lea_entry *entry = &boot->pending.entry[i];
		struct lea_entry done = {.device = {.major = entry->device.major,
						    .minor = entry->device.minor,
						    .diskseq = entry->device.diskseq}};

		memcpy(done.pvid, entry->pvid, sizeof(done.pvid));
		r = lea_pending_put(&boot->done, &done);
	}
	return r;
}

static int end_flight(struct flight *flight)
{
	int r = lea_batch_end(flight->pass);

	lea_pending_done(&flight->devices);
	free(flight);
	if (r == 0)
		LEA_STEP("boot.worked", NULL);
	return r;
}

/* Looks at what pends. Its VGs come up while the next devices are received. */
static int take_off(struct boot *boot)
{
	struct flight *flight = calloc(1, sizeof(*flight));
	int r;

	if (!flight)
		return -ENOMEM;
	LEA_STEP("boot.work", NULL);
	r = note_done(boot);
	flight->devices = boot->pending;
	boot->pending = (struct lea_pending){0};
	r = r ? r
	      : lea_batch_start(&boot->how->batch, flight->devices.entry, flight->devices.count,
				&boot->summary, &flight->pass);
	if (r) {
		lea_pending_done(&flight->devices);
		free(flight);
		return r;
	}
	flight->next = boot->flights;
	boot->flights = flight;
	return lea_workers_step(boot->how->batch.workers);
}

/* All that have come down. The lock goes with the last one, when nothing is queued, either. */
static int land(struct boot *boot)
{
	const struct lea_runner_how runner = {
		.event_fd = boot->how->batch.event_fd,
		.process = process_queued,
		.arg = boot,
		.failed_attempts = boot->how->batch.conf->failed_attempts,
		.clock = boot->world->clock,
		.log = boot->world->log,
	};
	struct flight **link = &boot->flights, *flight;
	int r = 0;

	while (!r && (flight = *link)) {
		if (!lea_batch_is_done(flight->pass)) {
			link = &flight->next;
			continue;
		}
		*link = flight->next;
		r = end_flight(flight);
	}
	if (r || boot->flights || boot->lock_fd < 0)
		return r;
	r = lea_runner_drain(&runner);
	unlock(boot);
	boot->last_ms = now_ms(boot);
	return r;
}

static int work(struct boot *boot)
{
	int r = lock(boot);

	r = r || !boot->pending.count ? r : take_off(boot);
	return r ? r : land(boot);
}

/* What is left of them is given up. */
static void ground(struct boot *boot)
{
	struct flight *flight;

	if (boot->how->batch.workers)
		lea_workers_stop(boot->how->batch.workers);
	while ((flight = boot->flights)) {
		boot->flights = flight->next;
		lea_batch_drop(flight->pass);
		lea_pending_done(&flight->devices);
		free(flight);
	}
	if (boot->lock_fd >= 0)
		unlock(boot);
}

/*
 * Devices that were in hand are found once more by their tag; what was done with some of them costs
 * a look. If it goes on until the gate opens, the runner and its queue have them.
 */
static int begin_again(struct boot *boot, int shortage)
{
	struct lea_world *world = boot->world;

	lea_log(world->log, LEA_LOG_ERROR, "boot pass: %s; tried again in %u s",
		strerror(-shortage), SHORT_MS / 1000);
	lea_pending_clear(&boot->pending);
	lea_pending_clear(&boot->done);
	ground(boot);
	if (boot->how->batch.prober)
		lea_prober_drop(boot->how->batch.prober);
	world->clock->sleep_ms(world->clock, SHORT_MS);
	return lea_udevmon_enumerate(boot->monitor, add, boot);
}

/* @r: of a step. */
static int again_if_short(struct boot *boot, int r)
{
	return lea_is_shortage(r) ? begin_again(boot, r) : r;
}

static int tend(struct boot *boot, bool is_told)
{
	struct lea_workers *workers = boot->how->batch.workers;
	const uint64_t now = now_ms(boot);
	int r = 0;

	if (is_told || !lea_workers_timeout_ms(workers))
		r = lea_workers_step(workers);
	else if (now - boot->tended_ms >= TEND_MS)
		r = lea_workers_wait(workers, 0);
	else
		return 0;
	boot->tended_ms = now;
	return r ? r : land(boot);
}

/* @wait_ms: for the next broadcast, or for a worker. */
static int wait_and_receive(struct boot *boot, int wait_ms, bool *ret_any)
{
	const struct lea_workers *workers = boot->how->batch.workers;
	struct pollfd heard[] = {
		{.fd = lea_udevmon_fd(boot->monitor), .events = POLLIN},
		{.fd = lea_workers_fd(workers), .events = POLLIN},
	};
	int r = 0;

	*ret_any = false;
	if (poll(heard, 2, wait_ms) < 0 && errno != EINTR)
		return -errno;
	/* A worker that was left may also end when nothing else is open. */
	if (boot->flights || heard[1].revents || lea_workers_timeout_ms(workers) >= 0)
		r = tend(boot, heard[1].revents);
	return r ? r : receive(boot, ret_any);
}

/* udev is asked first and the socket after: a worker broadcasts before it reports its end. */
static int check_ready(struct boot *boot)
{
	const struct lea_conf *conf = boot->how->batch.conf;
	bool is_quiet, any;
	int r;

	is_quiet = !lea_udev_is_busy(boot->world) ||
		   now_ms(boot) - boot->last_ms >= conf->boot_quiet_ms;
	r = receive(boot, &any);
	if (r || any || !is_quiet)
		return r;
	boot->is_ready = true;
	boot->how->ready(boot->how->arg);
	return 0;
}

/*
 * How long until the next look whether what pends has waited long enough for more; 0: it has. While
 * udev is busy its next disks are likely PVs, too, and the events of LVs are behind theirs anyway.
 */
static int coalesce_ms(const struct boot *boot)
{
	const uint64_t now = now_ms(boot), silent = now - boot->last_ms;

	if (boot->pending.count >= LEA_QUEUE_PASS_MAX || silent >= COALESCE_BUSY ||
	    now - boot->first_ms >= COALESCE_MAX)
		return 0;
	if (silent < COALESCE_MS)
		return (int)(COALESCE_MS - silent);
	return lea_udev_is_busy(boot->world) ? (int)COALESCE_MS : 0;
}

/* Until the next look at gate and queue, when nothing comes: the rarer the longer it is silent. */
static int idle_ms(const struct boot *boot)
{
	return (int)lea_wait_pause_ms(now_ms(boot) - boot->last_ms);
}

static int step(struct boot *boot)
{
	bool any;
	int r;

	r = wait_and_receive(boot, boot->pending.count ? coalesce_ms(boot) : idle_ms(boot), &any);
	if (r)
		return r;
	/* A worker that reports wakes, too: the window is not over by that. */
	if (boot->pending.count)
		return coalesce_ms(boot) ? 0 : work(boot);
	if (any)
		return 0;
	/* While the gate is closed nobody else takes what a sweep puts there and waits for, or what
	 * one of us had taken that died. */
	if (lea_queue_has_work(boot->how->batch.event_fd))
		return work(boot);
	return boot->is_ready || boot->flights ? 0 : check_ready(boot);
}

/* A pass can be busy for long (a check of a thin pool): boot goes on at the deadline all the same.
 */
static void *say_ready_in_time(void *arg)
{
	const struct boot *boot = arg;

	boot->world->clock->sleep_ms(boot->world->clock, boot->how->batch.conf->boot_deadline_ms);
	boot->how->ready(boot->how->arg);
	return NULL;
}

static int come_down(struct boot *boot)
{
	int r = lea_workers_wait(boot->how->batch.workers, TEND_MS);

	return r ? r : land(boot);
}

static int run(struct boot *boot)
{
	int r, run_fd = lea_world_run(boot->world);

	if (run_fd < 0)
		return run_fd;
	r = lea_proc_threads(1, say_ready_in_time, boot);
	r = r < 0 ? r : again_if_short(boot, lea_udevmon_enumerate(boot->monitor, add, boot));
	do {
		while (r == 0 && (lea_gate_is_closed(run_fd) || boot->pending.count))
			r = again_if_short(boot, step(boot));
		/* Behind an open gate others take what comes. */
		if (r == 0 && boot->flights)
			r = again_if_short(boot, come_down(boot));
	} while (r == 0 && (boot->pending.count || boot->flights));
	if (r == 0)
		LEA_STEP("boot.end", NULL);
	return r;
}

static bool others_wait(void *arg)
{
	const struct boot *boot = arg;
	struct pollfd heard = {.fd = lea_udevmon_fd(boot->monitor), .events = POLLIN};

	return poll(&heard, 1, 0) > 0 ||
	       lea_prober_is_awaited(boot->how->batch.prober, boot->how->batch.event_fd);
}

int lea_bootpass_run(const struct lea_bootpass_how *how)
{
	/* Static: the thread of the deadline may outlive this call; the process ends soon after. */
	static struct boot boot;
	LEA_AUTO(lea_closep) int flag_fd = -1;
	int r;

	boot = (struct boot){.how = how, .world = how->batch.world, .lock_fd = -1};
	boot.last_ms = now_ms(&boot);
	r = lea_udevmon_open(TAG, &boot.monitor);
	if (r)
		return r;
	LEA_STEP("boot.listen", NULL);
	/* The gate waits for who has this flag; without it (/run is full) it opens early, that is
	 * all. */
	r = lea_flag_raise(how->batch.event_fd, LEA_FLAG_BOOT, &flag_fd);
	if (r < 0)
		lea_log(boot.world->log, LEA_LOG_WARNING, "boot pass: flag: %s", strerror(-r));
	if (how->batch.prober)
		lea_prober_listen(how->batch.prober, others_wait, &boot);
	r = run(&boot);
	ground(&boot);
	lea_workers_hand_over(how->batch.workers);
	lea_batch_report(&how->batch, &boot.summary);
	lea_waiting_tell(how->batch.waiting, boot.world);
	lea_pending_done(&boot.pending);
	lea_pending_done(&boot.done);
	lea_udevmon_close(boot.monitor);
	return r;
}
