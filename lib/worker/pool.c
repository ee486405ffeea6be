/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two queues (native, and for the real lvm) and a list of workers, which knows all the rest: a
 * worker is idle, busy with a batch, or left (worker/detached.h). A batch goes to an idle worker,
 * or to a new one, when fewer workers than the bound have one and the LVs in flight leave room. VGs
 * that a worker could not lock return to the end of their queue.
 */
#include "worker/pool.h"

#include "activate/settings.h"
#include "base/cleanup.h"
#include "plan/bounds.h"
#include "worker/detached.h"
#include "worker/worker.h"
#include "world/proc.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-event.h>

#define MOST_DEATHS 2U /* deaths alone in a worker, then the VG is to blame */
#define LOOK_US	    (LEA_WORKER_LOOK_MS * UINT64_C(1000))
#define STOP_MS	    1000U		  /* for all of them together */
#define LEAST_VGS   8U			  /* for fewer, a process costs more than it gains */
#define BATCH_BYTES (16U * 1024U * 1024U) /* no VG is added to a batch of this size */

struct lea_workers {
	struct lea_worker_setting setting;
	struct lea_workers_options options;
	struct lea_requests native, foreign;
	struct lea_worker *first; /* owned, as is each element */
	uint32_t most_workers, most_lvs;
	/* Owned; has the descriptors of all workers. Between two calls it is prepared, so that the
	 * timer also makes its own descriptor readable. */
	sd_event *loop;
	bool has_put_off;
	sd_event_source *look; /* timer of the check for workers that hang; NULL: not needed yet */
};

/* What the workers do. */
struct load {
	uint32_t busy, left;
	uint32_t checking; /* of the busy ones, those that wait for the check of a pool */
	uint32_t lvs;	   /* of the batches of the others */
	uint32_t places;   /* for further batches */
	size_t open;	   /* VGs in batches and in the queues */
	bool is_polled;	   /* the end of some left worker wakes nobody */
};

/* A check may take minutes, and udev gets nothing to do from it. So it holds up no other VG, but as
 * many checks as may run beside other workers are enough. Workers that hang hold places, too, when
 * there are too many. */
static uint32_t places(const struct lea_workers *workers, const struct load *load)
{
	const uint32_t most = workers->most_workers;
	const uint32_t hanging = load->left > LEA_WORKERS_LEFT ? load->left - LEA_WORKERS_LEFT : 0;
	const uint32_t taken =
		load->busy - (load->checking < most ? load->checking : most) + hanging;

	return taken < most ? most - taken : 0;
}

static struct load load_of(const struct lea_workers *workers)
{
	struct load load = {.open = workers->native.count + workers->foreign.count};

	for (const struct lea_worker *worker = workers->first; worker; worker = worker->next) {
		switch (worker->state) {
		case LEA_WORKER_IDLE:
			break;
		case LEA_WORKER_BUSY:
			load.busy++;
			load.open += worker->open_count;
			if (lea_worker_checks(worker))
				load.checking++;
			else
				load.lvs += worker->lv_count;
			break;
		case LEA_WORKER_LEFT:
			load.left++;
			load.is_polled |= lea_detached_is_polled(worker);
			break;
		}
	}
	load.places = places(workers, &load);
	return load;
}

static void close_loop(struct lea_workers *workers)
{
	sd_event_source_unref(workers->look);
	sd_event_unref(workers->loop);
}

static int open_loop(struct lea_workers *workers)
{
	int r = sd_event_new(&workers->loop);

	if (r < 0)
		return r;
	r = sd_event_prepare(workers->loop);
	if (r < 0)
		close_loop(workers);
	return r;
}

int lea_workers_new(struct lea_world *world, const struct lea_conf *conf,
		    const struct lea_workers_options *options, struct lea_workers **ret_workers)
{
	LEA_AUTO(lea_freep) struct lea_workers *workers = calloc(1, sizeof(*workers));
	const uint32_t cpus = lea_proc_cpus();
	int r;

	if (!workers)
		return -ENOMEM;
	workers->options = *options;
	workers->setting = (struct lea_worker_setting){
		.world = world, .conf = conf, .options = &workers->options};
	workers->most_workers = lea_bound_workers(conf->workers, cpus);
	workers->most_lvs = lea_bound_lvs(conf->lvs_in_flight, cpus, options->is_alone);
	r = open_loop(workers);
	if (r < 0)
		return r;
	*ret_workers = LEA_TAKE(workers);
	return 0;
}

int lea_workers_add(struct lea_workers *workers, const struct lea_scan_vg *scanned,
		    void (*finished)(void *arg, const struct lea_worker_result *result), void *arg)
{
	struct lea_request *job;
	int r = lea_request_new(scanned, lea_is_needed_by_tag(workers->setting.conf, scanned->vg),
				&job);

	if (r)
		return r;
	job->finished = finished;
	job->arg = arg;
	job->class = lea_need_of_vg(workers->options.needs, scanned->vg);
	/* lvm would activate one that is only to be watched. */
	lea_requests_put(scanned->vg->delegate_reason && !scanned->watch_only ? &workers->foreign
									      : &workers->native,
			 job);
	return 0;
}

static int listen_to(sd_event_source *source, int fd, uint32_t events, void *arg);

static int start_new(struct lea_workers *workers, struct lea_worker **ret_worker)
{
	struct lea_worker *worker;
	int r;

	r = lea_worker_start(&workers->setting, &worker);
	if (r)
		return r;
	worker->pool = workers;
	r = sd_event_add_io(workers->loop, &worker->source, worker->fd, EPOLLIN, listen_to, worker);
	if (r < 0) {
		lea_worker_free(worker);
		return r;
	}
	worker->next = workers->first;
	workers->first = worker;
	*ret_worker = worker;
	return 0;
}

static struct lea_worker *find_idle(const struct lea_workers *workers)
{
	struct lea_worker *worker = workers->first;

	while (worker && worker->state != LEA_WORKER_IDLE)
		worker = worker->next;
	return worker;
}

static void unlink_worker(struct lea_workers *workers, struct lea_worker *worker)
{
	struct lea_worker **link = &workers->first;

	while (*link != worker)
		link = &(*link)->next;
	*link = worker->next;
}

static void free_worker(struct lea_workers *workers, struct lea_worker *worker)
{
	unlink_worker(workers, worker);
	worker->source = sd_event_source_unref(worker->source);
	lea_worker_free(worker);
}

static void reap_left(struct lea_workers *workers)
{
	struct lea_worker *worker, *next;
	bool is_over;

	for (worker = workers->first; worker; worker = next) {
		next = worker->next;
		if (worker->state != LEA_WORKER_LEFT)
			continue;
		is_over = lea_detached_is_over(worker, &workers->setting);
		workers->has_put_off |= worker->has_put_off;
		worker->has_put_off = false;
		if (is_over)
			free_worker(workers, worker);
	}
}

bool lea_workers_has_put_off(struct lea_workers *workers)
{
	const bool has = workers->has_put_off;

	workers->has_put_off = false;
	return has;
}

/* A VG that takes time gets a worker of its own, so that it and the others do not wait for each
 * other: one for which a disk is read that may be slow, or whose pools are checked. So does a VG
 * whose worker died. A transaction has VGs of one class: it ends when udev has processed all its
 * LVs. */
static bool needs_own_batch(const struct lea_worker *worker, const struct lea_request *next)
{
	const struct lea_request *last =
		worker->job_count ? worker->job[worker->job_count - 1] : NULL;

	return last && (next->class != last->class || next->deaths || last->deaths ||
			next->has_copies || last->has_copies ||
			next->is_detached != last->is_detached ||
			(worker->delegated && (next->in_part || last->in_part)) ||
			(!worker->delegated && (next->takes_time || last->takes_time)));
}

/* The worker's part of the native queue. Parts get smaller, so that all workers end at about the
 * same time. The real lvm is best started once, with all VGs. */
static uint32_t part_of(const struct lea_worker *worker, const struct lea_requests *queue,
			uint32_t workers)
{
	size_t part = queue->count / workers;

	if (part < LEAST_VGS)
		part = LEAST_VGS;
	return worker->delegated || part > LEA_BOUND_VGS ? LEA_BOUND_VGS : (uint32_t)part;
}

/* Moves VGs from the front of @queue into the batch, as many as this worker may take with the LVs
 * that are free. */
static void fill(const struct lea_workers *workers, struct lea_worker *worker,
		 struct lea_requests *queue)
{
	const uint32_t most = part_of(worker, queue, workers->most_workers);
	/* If one worker took all LVs that are allowed, the others would have nothing to do. */
	const uint32_t even = workers->most_lvs / workers->most_workers + 1;
	const uint32_t lvs = load_of(workers).lvs;
	uint32_t room = lvs < workers->most_lvs ? workers->most_lvs - lvs : 0;

	if (room > even)
		room = even;
	while (queue->count && worker->job_count < most && worker->packed_bytes < BATCH_BYTES) {
		/* The first VG always fits: one with more LVs than the bound would never begin. */
		if (!worker->delegated && worker->job_count &&
		    worker->lv_count + queue->first->lv_count > room)
			break;
		if (needs_own_batch(worker, queue->first))
			break;
		lea_worker_take(worker, lea_requests_get(queue));
	}
}

/* Puts a batch that cannot be sent back to the front of @queue, so that a fault loses no VG. */
static void give_back(struct lea_worker *worker, struct lea_requests *queue)
{
	for (uint32_t i = worker->job_count; i > 0; i--)
		lea_requests_put_first(queue, LEA_TAKE(worker->job[i - 1]));
	lea_worker_clear(worker);
}

/* Fills a batch and sends it. On failure the worker is freed and its VGs are back in the queue. */
static int give_batch(struct lea_workers *workers, struct lea_worker *worker,
		      struct lea_requests *queue, bool delegated)
{
	int r;

	worker->delegated = delegated;
	fill(workers, worker, queue);
	worker->tries_only = worker->job_count && worker->job[0]->is_detached;
	r = lea_worker_send(worker);
	if (!r)
		return 0;
	give_back(worker, queue);
	free_worker(workers, worker);
	return r;
}

/* If an idle worker has died, the next one is tried, and at last a new one is started. */
static int start_one(struct lea_workers *workers, struct lea_requests *queue, bool delegated)
{
	struct lea_worker *worker;
	int r = LEA_WORKER_ENDED;

	while (r == LEA_WORKER_ENDED && (worker = find_idle(workers)))
		r = give_batch(workers, worker, queue, delegated);
	if (r != LEA_WORKER_ENDED)
		return r;
	r = start_new(workers, &worker);
	if (r)
		return r;
	r = give_batch(workers, worker, queue, delegated);
	return r == LEA_WORKER_ENDED ? -ECHILD : r;
}

/* Does a delegated VG come before all native ones? */
static bool is_foreign_first(const struct lea_workers *workers)
{
	return workers->foreign.count &&
	       (!workers->native.count ||
		workers->foreign.first->class < workers->native.first->class);
}

static void report_result(struct lea_request *job, bool delegated,
			  const struct lea_worker_report *report)
{
	const struct lea_worker_result result = {
		.vg_name = job->vg_name,
		.vg_id = job->vg_id,
		.outcome = report->outcome,
		.active = report->active,
		.failed = report->failed,
		.shortage = report->outcome < 0 ? report->outcome : report->shortage,
		.delegated = delegated,
		.is_detached = report->outcome == LEA_ACTIVATE_VG_BUSY,
		.detached_why = job->detached_why,
		.detached_by = job->detached_by,
		.detached_s = job->detached_s,
		.reason = report->reason,
	};

	job->finished(job->arg, &result);
	lea_request_free(job);
}

/* Delegated VGs wait until all native VGs of their class are started: that makes fewer and fuller
 * processes. */
static int start_next(struct lea_workers *workers, const struct load *load, bool *ret_any)
{
	*ret_any = true;
	if (workers->native.count && !is_foreign_first(workers) &&
	    (load->busy == load->checking || load->lvs < workers->most_lvs))
		return start_one(workers, &workers->native, false);
	if (workers->foreign.count &&
	    (is_foreign_first(workers) || workers->foreign.count >= LEA_BOUND_VGS))
		return start_one(workers, &workers->foreign, true);
	*ret_any = false;
	return 0;
}

/* All places are held by workers that hang, so nothing of ours will end. */
static void refuse_all(struct lea_workers *workers, uint32_t left)
{
	struct lea_worker_report report = {.outcome = LEA_ACTIVATE_FAILED, .shortage = LEA_NOT_NOW};
	const struct lea_worker_report busy = {.outcome = LEA_ACTIVATE_VG_BUSY};
	struct lea_requests *const queues[] = {&workers->native, &workers->foreign};

	snprintf(report.reason, sizeof(report.reason),
		 "%" PRIu32 " activations hang (see journalctl -k)", left);
	for (size_t i = 0; i < ARRAY_SIZE(queues); i++)
		/* A listener may add VGs: these are refused, too. */
		for (size_t count = queues[i]->count; count; count--) {
			struct lea_request *job = lea_requests_get(queues[i]);

			report_result(job, queues[i] == &workers->foreign,
				      job->is_detached ? &busy : &report);
		}
}

static int start_what_may(struct lea_workers *workers)
{
	struct load load = load_of(workers);
	bool any = true;
	int r = 0;

	while (!r && any && load.places) {
		r = start_next(workers, &load, &any);
		load = load_of(workers);
	}
	if (!load.places && !load.busy)
		refuse_all(workers, load.left);
	/* Out of processes or memory while other workers run: when they end there is room again. */
	return load.busy ? 0 : r;
}

static void take_report(struct lea_workers *workers, struct lea_worker *worker,
			const struct lea_worker_report *report)
{
	struct lea_request *job = LEA_TAKE(worker->job[report->index]);

	if (!job)
		return;
	/* A busy VG waits for its turn again, but not one whose worker hangs: it may have the lock.
	 */
	if (!worker->delegated && report->outcome == LEA_ACTIVATE_VG_BUSY && !job->is_detached)
		lea_requests_put(&workers->native, job);
	else if (!worker->delegated && report->outcome == LEA_ACTIVATE_DELEGATE)
		lea_requests_put(&workers->foreign, job);
	else
		report_result(job, worker->delegated, report);
}

/* The worker may have been killed for lack of memory. No event would lead to the VG again, so it is
 * tried again here. */
static bool tries_again(struct lea_workers *workers, struct lea_worker *worker, uint32_t index)
{
	struct lea_request *job = worker->job[index];

	if (!job || ++job->deaths >= MOST_DEATHS)
		return false;
	lea_log_with(
		workers->setting.world->log, LEA_LOG_WARNING,
		&(const struct lea_log_fields){.vg = job->vg_name},
		"VG %s: its worker process ended early; retrying the VG in a worker of its own",
		job->vg_name);
	lea_requests_put(worker->delegated ? &workers->foreign : &workers->native,
			 LEA_TAKE(worker->job[index]));
	return true;
}

/* The VG may have made it crash. Who is killed, as for lack of memory, or finds none, says nothing of
 * the VG. */
static int fault_of(int code)
{
	return code == LEA_PROC_SIGNAL + SIGKILL || code == LEA_WORKER_SHORT ? LEA_NOT_NOW : -ECHILD;
}

/* Retries each VG that a dead worker left unreported, in a worker of its own; the VGs of other
 * workers are not affected. */
static void handle_death(struct lea_workers *workers, struct lea_worker *worker)
{
	int code;

	unlink_worker(workers, worker);
	worker->source = sd_event_source_unref(worker->source);
	lea_worker_end(worker, &code);
	for (uint32_t i = 0; i < worker->job_count; i++) {
		struct lea_worker_report report = {.index = i, .outcome = fault_of(code)};

		if (tries_again(workers, worker, i))
			continue;
		snprintf(report.reason, sizeof(report.reason),
			 "its worker process ended early (status %d)", code);
		take_report(workers, worker, &report);
	}
	lea_worker_free(worker);
}

/* Takes the reports of one worker. Returns 0: all VGs are reported; LEA_WORKER_QUIET; or a value
 * that means it has ended. */
static int take_reports(struct lea_workers *workers, struct lea_worker *worker)
{
	struct lea_worker_report report;
	int r;

	while (!(r = lea_worker_read(worker, &report))) {
		take_report(workers, worker, &report);
		if (!--worker->open_count)
			return 0;
	}
	return r;
}

static int listen_to(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct lea_worker *worker = arg;
	struct lea_workers *workers = worker->pool;
	const int r = take_reports(workers, worker);

	(void)source, (void)fd, (void)events;
	if (!r)
		lea_worker_clear(worker);
	else if (r != LEA_WORKER_QUIET)
		handle_death(workers, worker);
	return 0;
}

/* A disk can hang after it was scanned, while a worker holds the VG's lock. Such a worker cannot be
 * killed. VGs that it has not reported are tried once more by other workers, which do not wait for
 * locks: the hung worker keeps the locks that it holds. */
static void detach(struct lea_workers *workers, struct lea_worker *worker)
{
	const struct lea_worker_report busy = {.outcome = LEA_ACTIVATE_VG_BUSY};

	worker->source = sd_event_source_unref(worker->source);
	lea_detached_note(worker, &workers->setting);
	/* From here on it ends its claims itself. What it has reported is in the socket: these VGs
	 * are not tried once more. */
	lea_worker_detach(worker);
	(void)take_reports(workers, worker);
	lea_worker_close(worker);
	lea_detached_begin(worker, workers->loop);
	for (uint32_t i = 0; i < worker->job_count; i++) {
		struct lea_request *job = LEA_TAKE(worker->job[i]);

		if (!job)
			continue;
		if (worker->delegated || job->is_detached) {
			report_result(job, worker->delegated, &busy);
			continue;
		}
		job->is_detached = true;
		lea_requests_put(&workers->native, job);
	}
	lea_worker_clear(worker);
}

static void detach_hung(struct lea_workers *workers)
{
	const struct lea_conf *conf = workers->setting.conf;
	struct lea_clock *clock = workers->setting.world->clock;

	for (struct lea_worker *worker = workers->first; worker; worker = worker->next)
		if (lea_worker_hangs(worker, clock->now_ms(clock), lea_conf_patience_ms(conf),
				     conf->udev_deadline_ms))
			detach(workers, worker);
}

static int look(sd_event_source *source, uint64_t at_us, void *arg)
{
	(void)source, (void)at_us;
	detach_hung(arg);
	return 0;
}

/* The timer costs a descriptor, and most runners never need it. */
static int set_timer(struct lea_workers *workers, bool is_wanted)
{
	int r;

	if (!workers->look)
		return is_wanted ? sd_event_add_time_relative(workers->loop, &workers->look,
							      CLOCK_MONOTONIC, LOOK_US, 1000, look,
							      workers)
				 : 0;
	if (is_wanted == (sd_event_source_get_enabled(workers->look, NULL) > 0))
		return 0;
	r = sd_event_source_set_time_relative(workers->look, LOOK_US);
	return r < 0 ? r
		     : sd_event_source_set_enabled(workers->look,
						   is_wanted ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
}

/* @pending: what sd_event_wait or sd_event_prepare returned. */
static int dispatch(struct lea_workers *workers, int pending)
{
	int r = pending > 0 ? sd_event_dispatch(workers->loop) : pending;

	if (r < 0)
		return r;
	reap_left(workers);
	return start_what_may(workers);
}

/* Handles everything that arrived. @comes_back: the caller waits for the loop's descriptor, so the
 * timer must wake it while a worker may hang. */
static int advance(struct lea_workers *workers, int pending, bool comes_back)
{
	struct load load;
	int s, r = 0;

	do {
		s = dispatch(workers, pending);
		r = r ? r : s;
		load = load_of(workers);
		s = set_timer(workers, load.is_polled || (comes_back && load.busy));
		r = r || s >= 0 ? r : s;
		pending = sd_event_prepare(workers->loop);
	} while (pending > 0);
	return r ? r : pending;
}

int lea_workers_step(struct lea_workers *workers)
{
	return advance(workers, sd_event_wait(workers->loop, 0), true);
}

/* Like lea_workers_step, but waits up to a second for something to do. */
static int wait_for_report(struct lea_workers *workers)
{
	const int pending = sd_event_wait(workers->loop, LOOK_US);

	if (!pending)
		detach_hung(workers);
	return advance(workers, pending, false);
}

int lea_workers_drain(struct lea_workers *workers)
{
	int r = advance(workers, sd_event_wait(workers->loop, 0), false);

	while (!r && load_of(workers).open)
		r = wait_for_report(workers);
	return r;
}

int lea_workers_fd(const struct lea_workers *workers)
{
	return sd_event_get_fd(workers->loop);
}

static void free_all(struct lea_requests *queue)
{
	while (queue->count)
		lea_request_free(lea_requests_get(queue));
}

/* A worker that has a batch may finish it later or hang in it: lea_worker_detach lets it know. */
static void close_and_detach(struct lea_workers *workers, struct lea_worker *worker)
{
	worker->source = sd_event_source_unref(worker->source);
	if (worker->state == LEA_WORKER_BUSY)
		lea_worker_detach(worker);
	lea_worker_close(worker);
	lea_detached_begin(worker, workers->loop);
	lea_worker_clear(worker);
}

/* Closes all workers before it waits for the first, so that they end in parallel; idle workers end
 * at once. One behind a lock or a disk may never end: the runner, or the boot, would wait with it,
 * so the wait has a limit. */
void lea_workers_stop(struct lea_workers *workers)
{
	struct lea_clock *clock = workers->setting.world->clock;
	const uint32_t left_before = load_of(workers).left;
	uint32_t waited_ms = 0;

	for (struct lea_worker *worker = workers->first; worker; worker = worker->next)
		if (worker->state != LEA_WORKER_LEFT)
			close_and_detach(workers, worker);
	reap_left(workers);
	for (uint32_t pause_ms = 1; load_of(workers).left > left_before && waited_ms < STOP_MS;
	     pause_ms *= 2) {
		clock->sleep_ms(clock, pause_ms);
		waited_ms += pause_ms;
		reap_left(workers);
	}
	free_all(&workers->native);
	free_all(&workers->foreign);
	if (load_of(workers).is_polled)
		advance(workers, sd_event_wait(workers->loop, 0), false);
}

void lea_workers_hand_over(struct lea_workers *workers)
{
	for (struct lea_worker *worker = workers->first; worker; worker = worker->next)
		if (worker->state == LEA_WORKER_LEFT)
			lea_detached_hand_over(worker, &workers->setting);
}

void lea_workers_free(struct lea_workers *workers)
{
	struct lea_worker *worker;

	if (!workers)
		return;
	lea_workers_stop(workers);
	while ((worker = workers->first)) {
		workers->first = worker->next;
		lea_detached_forget(worker);
	}
	close_loop(workers);
	free(workers);
}

const struct lea_pool lea_pool_real = {
	.add = lea_workers_add,
	.fd = lea_workers_fd,
	.step = lea_workers_step,
	.wait = wait_for_report,
	.drain = lea_workers_drain,
	.stop = lea_workers_stop,
	.hand_over = lea_workers_hand_over,
};
