/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two queues (native, for the real lvm) and a list of workers. A batch is given to a worker when
 * fewer than the bound are at work and the LVs in flight leave room: to an idle one, or to a new
 * one. What it could not lock comes back to the end of its queue.
 */
#include "flow/workers.h"

#include "base/cleanup.h"
#include "flow/worker.h"
#include "flow/worker_left.h"
#include "policy/bounds.h"
#include "world/proc.h"

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

#define MOST_DEATHS 2U /* the second one of a worker that had nothing else: it is to blame */
#define MOST_LEFT   64U
#define LOOK_MS	    1000
#define STOP_MS	    1000U /* for all of them to end */

struct lea_workers {
	struct lea_worker_setting setting;
	struct lea_workers_options options;
	struct lea_jobs native, foreign;
	struct lea_worker *first;
	struct lea_left left;		     /* that hang: nobody waits for them */
	uint32_t running_count, running_lvs; /* with a batch in hand */
	uint32_t started_count;
	uint32_t most_workers, most_lvs, most_vgs;
	size_t open_count;
	int epoll_fd;
};

int lea_workers_new(struct lea_world *world, const struct lea_conf *conf,
		    const struct lea_workers_options *options, struct lea_workers **ret_workers)
{
	LEA_AUTO(lea_freep) struct lea_workers *workers = calloc(1, sizeof(*workers));
	const uint32_t cpus = lea_proc_cpus();

	if (!workers)
		return -ENOMEM;
	workers->options = *options;
	workers->setting = (struct lea_worker_setting){
		.world = world, .conf = conf, .options = &workers->options};
	workers->native.end = &workers->native.first;
	workers->foreign.end = &workers->foreign.first;
	workers->most_workers = lea_bound_workers(conf->workers, cpus);
	workers->most_lvs = lea_bound_lvs(conf->lvs_in_flight, cpus, options->is_alone);
	workers->most_vgs = conf->worker_vgs ? conf->worker_vgs : 1;
	if (workers->most_vgs > LEA_WORKER_MOST_VGS)
		workers->most_vgs = LEA_WORKER_MOST_VGS;
	workers->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (workers->epoll_fd < 0)
		return -errno;
	workers->left.epoll_fd = workers->epoll_fd;
	*ret_workers = LEA_TAKE(workers);
	return 0;
}

void lea_workers_listen(struct lea_workers *workers,
			void (*finished)(void *arg, const struct lea_worker_result *result),
			void *arg)
{
	workers->options.finished = finished;
	workers->options.arg = arg;
}

int lea_workers_add(struct lea_workers *workers, const struct lea_scan_vg *known)
{
	struct lea_job *job;
	int r = lea_job_new(known, &job);

	if (r)
		return r;
	job->finished = workers->options.finished;
	job->arg = workers->options.arg;
	lea_jobs_put(known->vg->delegate_reason ? &workers->foreign : &workers->native, job);
	workers->open_count++;
	return 0;
}

static int start_new(struct lea_workers *workers, struct lea_worker **ret_worker)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct lea_worker *worker;
	int r;

	workers->setting.others = workers->first;
	workers->setting.left = workers->left.first;
	workers->setting.epoll_fd = workers->epoll_fd;
	r = lea_worker_start(&workers->setting, workers->most_vgs, &worker);
	if (r)
		return r;
	event.data.ptr = worker;
	if (epoll_ctl(workers->epoll_fd, EPOLL_CTL_ADD, worker->fd, &event)) {
		r = -errno;
		lea_worker_free(worker);
		return r;
	}
	worker->next = workers->first;
	workers->first = worker;
	workers->started_count++;
	*ret_worker = worker;
	return 0;
}

static struct lea_worker *find_idle(const struct lea_workers *workers)
{
	struct lea_worker *worker = workers->first;

	while (worker && worker->job_count)
		worker = worker->next;
	return worker;
}

static void remove_worker(struct lea_workers *workers, struct lea_worker *worker)
{
	struct lea_worker **link = &workers->first;

	while (*link != worker)
		link = &(*link)->next;
	*link = worker->next;
	/* Closing it is not enough while another process may still have the descriptor. */
	epoll_ctl(workers->epoll_fd, EPOLL_CTL_DEL, worker->fd, NULL);
}

/* Fills and sends a batch. Without success the worker is gone and the queue has its VGs again. */
static int give_batch(struct lea_workers *workers, struct lea_worker *worker,
		      struct lea_jobs *queue, bool delegated)
{
	const struct lea_worker_share share = {.workers = workers->most_workers,
					       .lvs = workers->most_lvs,
					       .running_lvs = workers->running_lvs};
	int r;

	worker->delegated = delegated;
	lea_worker_fill(worker, queue, &share);
	worker->tries_only = worker->job_count && worker->job[0]->is_left;
	r = lea_worker_send(worker);
	if (!r) {
		workers->running_count++;
		workers->running_lvs += worker->lv_count;
		return 0;
	}
	lea_worker_give_back(worker, queue);
	remove_worker(workers, worker);
	lea_worker_free(worker);
	return r;
}

/* An idle worker that has died gives way to the next one, at last to a new one. */
static int start_one(struct lea_workers *workers, struct lea_jobs *queue, bool delegated)
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

/* Delegated VGs wait until no native one is left to start: fewer, fuller processes. */
static int start_what_may(struct lea_workers *workers)
{
	int r = 0;

	while (!r && workers->running_count < workers->most_workers) {
		if (workers->native.count &&
		    (!workers->running_count || workers->running_lvs < workers->most_lvs))
			r = start_one(workers, &workers->native, false);
		else if (workers->foreign.count &&
			 (!workers->native.count || workers->foreign.count >= workers->most_vgs))
			r = start_one(workers, &workers->foreign, true);
		else
			break;
	}
	/* Out of processes or memory while others run: their end makes room. */
	return workers->running_count ? 0 : r;
}

static void tell(struct lea_workers *workers, struct lea_job *job, bool delegated,
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
		.is_left = report->outcome == LEA_ACTIVATE_VG_BUSY,
		.left_why = job->left_why,
		.left_by = job->left_by,
		.reason = report->reason,
	};

	workers->open_count--;
	job->finished(job->arg, &result);
	lea_job_free(job);
}

static void take_report(struct lea_workers *workers, struct lea_worker *worker,
			const struct lea_worker_report *report)
{
	struct lea_job *job = LEA_TAKE(worker->job[report->index]);

	if (!job)
		return;
	if (!worker->delegated && report->outcome == LEA_ACTIVATE_VG_BUSY && !job->is_left)
		lea_jobs_put(&workers->native, job);
	else if (!worker->delegated && report->outcome == LEA_ACTIVATE_DELEGATE)
		lea_jobs_put(&workers->foreign, job);
	else
		tell(workers, job, worker->delegated, report);
}

static void rest(struct lea_workers *workers, struct lea_worker *worker)
{
	if (worker->job_count) {
		workers->running_count--;
		workers->running_lvs -= worker->lv_count;
	}
	lea_worker_clear(worker);
}

/* Killed for want of memory, say: nothing will ever happen again to that VG, if not now. */
static bool tries_again(struct lea_workers *workers, struct lea_worker *worker, uint32_t index)
{
	struct lea_job *job = worker->job[index];

	if (!job || ++job->deaths >= MOST_DEATHS)
		return false;
	lea_log(workers->setting.world->log, LEA_LOG_WARNING,
		"VG %s: its worker process ended early, it is tried again alone", job->vg_name);
	lea_jobs_put(worker->delegated ? &workers->foreign : &workers->native,
		     LEA_TAKE(worker->job[index]));
	return true;
}

/* What a dead worker left unreported is tried again, VG by VG; the others' are not touched. */
static void bury(struct lea_workers *workers, struct lea_worker *worker)
{
	int code;

	remove_worker(workers, worker);
	lea_worker_end(worker, &code);
	for (uint32_t i = 0; i < worker->job_count; i++) {
		struct lea_worker_report report = {.index = i, .outcome = -ECHILD};

		if (tries_again(workers, worker, i))
			continue;
		snprintf(report.reason, sizeof(report.reason),
			 "its worker process ended early (status %d)", code);
		take_report(workers, worker, &report);
	}
	rest(workers, worker);
	lea_worker_free(worker);
}

/* What it has reported. 0: all is reported; LEA_WORKER_QUIET; or it has ended. */
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

static void listen_to(struct lea_workers *workers, struct lea_worker *worker)
{
	const int r = take_reports(workers, worker);

	if (!r)
		rest(workers, worker);
	else if (r != LEA_WORKER_QUIET)
		bury(workers, worker);
}

static int wait_and_listen(struct lea_workers *workers, int timeout_ms)
{
	struct epoll_event event[16];
	int count = epoll_wait(workers->epoll_fd, event, (int)ARRAY_SIZE(event), timeout_ms);

	if (count < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < count; i++)
		if (event[i].data.ptr)
			listen_to(workers, event[i].data.ptr);
	lea_left_reap(&workers->left, &workers->setting);
	return 0;
}

int lea_workers_step(struct lea_workers *workers)
{
	int r = wait_and_listen(workers, 0);

	return r ? r : start_what_may(workers);
}

/* Asked before it is told: then it may get on. One that was left before keeps its first reason,
 * unless this one says more. */
static void note_why(struct lea_worker *worker)
{
	const uint32_t at = worker->progress->index;
	const struct lea_job *culprit = worker->job[at < worker->job_count ? at : 0];

	for (uint32_t i = 0; i < worker->job_count; i++) {
		struct lea_job *job = worker->job[i];
		const enum lea_left_why why = lea_worker_why(worker, i);

		if (!job || (job->is_left && why == LEA_LEFT_OTHER))
			continue;
		job->left_why = why;
		snprintf(job->left_by, sizeof(job->left_by), "%s",
			 why == LEA_LEFT_BESIDE && culprit ? culprit->vg_name : "");
	}
}

/* A disk can hang between our look at it and the worker's, under the VG's lock. That worker can't
 * be killed. What it has not reported is tried once more, by others, without waiting for locks:
 * what it holds is its own. */
static void leave(struct lea_workers *workers, struct lea_worker *worker)
{
	const struct lea_worker_report busy = {.outcome = LEA_ACTIVATE_VG_BUSY};

	remove_worker(workers, worker);
	note_why(worker);
	lea_worker_leave(worker);
	(void)take_reports(workers, worker);
	lea_worker_close(worker);
	lea_left_add(&workers->left, worker);
	for (uint32_t i = 0; i < worker->job_count; i++) {
		struct lea_job *job = LEA_TAKE(worker->job[i]);

		if (!job)
			continue;
		if (worker->delegated || job->is_left) {
			tell(workers, job, worker->delegated, &busy);
			continue;
		}
		job->is_left = true;
		lea_jobs_put(&workers->native, job);
	}
	rest(workers, worker);
}

static void leave_those_that_hang(struct lea_workers *workers)
{
	const struct lea_conf *conf = workers->setting.conf;
	struct lea_clock *clock = workers->setting.world->clock;
	struct lea_worker *worker, *next;

	for (worker = workers->first; worker && workers->left.count < MOST_LEFT; worker = next) {
		next = worker->next;
		if (lea_worker_hangs(worker, clock->now_ms(clock), lea_conf_patience_ms(conf),
				     conf->udev_deadline_ms))
			leave(workers, worker);
	}
}

int lea_workers_wait(struct lea_workers *workers, int timeout_ms)
{
	const size_t open_count = workers->open_count;
	int r = wait_and_listen(workers, timeout_ms);

	if (!r && workers->open_count == open_count)
		leave_those_that_hang(workers);
	return r ? r : start_what_may(workers);
}

int lea_workers_drain(struct lea_workers *workers)
{
	int r = lea_workers_step(workers);

	while (!r && workers->open_count)
		r = lea_workers_wait(workers, LOOK_MS);
	return r;
}

int lea_workers_fd(const struct lea_workers *workers)
{
	return workers->epoll_fd;
}

int lea_workers_timeout_ms(const struct lea_workers *workers)
{
	/* Every change of state comes through the descriptor, the death of a worker too. */
	if (workers->open_count && !workers->running_count)
		return 0;
	return workers->left.untold_count ? LOOK_MS : -1;
}

uint32_t lea_workers_started(const struct lea_workers *workers)
{
	return workers->started_count;
}

size_t lea_workers_open(const struct lea_workers *workers)
{
	return workers->open_count;
}

static void forget(struct lea_jobs *queue)
{
	while (queue->count)
		lea_job_free(lea_jobs_get(queue));
}

/* What it has in work it may still bring to an end, or hang in: it is told that it was left. */
static void let_go(struct lea_workers *workers, struct lea_worker *worker)
{
	remove_worker(workers, worker);
	if (worker->job_count)
		lea_worker_leave(worker);
	lea_worker_close(worker);
	lea_left_add(&workers->left, worker);
	lea_worker_clear(worker);
}

/* All are closed before the first is waited for: they end side by side. Idle ones do so at once. */
void lea_workers_stop(struct lea_workers *workers)
{
	struct lea_clock *clock = workers->setting.world->clock;
	const uint32_t left_before = workers->left.count;
	uint32_t waited_ms = 0;

	while (workers->first)
		let_go(workers, workers->first);
	lea_left_reap(&workers->left, &workers->setting);
	for (uint32_t pause_ms = 1; workers->left.count > left_before && waited_ms < STOP_MS;
	     pause_ms *= 2) {
		clock->sleep_ms(clock, pause_ms);
		waited_ms += pause_ms;
		lea_left_reap(&workers->left, &workers->setting);
	}
	forget(&workers->native);
	forget(&workers->foreign);
	workers->running_count = workers->running_lvs = 0;
	workers->open_count = 0;
}

void lea_workers_hand_over(struct lea_workers *workers)
{
	lea_left_hand_over(&workers->left, &workers->setting);
}

void lea_workers_free(struct lea_workers *workers)
{
	if (!workers)
		return;
	lea_workers_stop(workers);
	lea_left_forget(&workers->left);
	close(workers->epoll_fd);
	free(workers);
}

void lea_workers_freep(struct lea_workers **workers)
{
	lea_workers_free(*workers);
}
