/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker whose process has ended loses its number, and stays until its VGs are brought to their
 * end. */
#include "worker/detached.h"

#include "base/cleanup.h"
#include "world/proc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-event.h>

/* The LVs are set up, so the lock protects nothing any more, and other commands would wait for it
 * as long as the worker hangs. Another worker can finish the VG now. */
static bool unlock(const struct lea_worker *worker, const struct lea_worker_setting *setting,
		   uint32_t index)
{
	const char *name = worker->job[index]->vg_name;
	int r = lea_worker_unlock(worker, setting, index);

	if (r < 0 && r != -ENOLCK)
		lea_log(setting->world->log, LEA_LOG_DEBUG,
			"VG %s: the lock of a detached worker cannot be released: %s", name,
			strerror(-r));
	return !r;
}

/* For how long has the worker done what it does? */
static uint32_t step_s(const struct lea_worker *worker, const struct lea_worker_setting *setting)
{
	const uint64_t now = lea_world_now_ms(setting->world);
	const uint64_t since = worker->progress->step.since_us / 1000;

	return since && since < now ? (uint32_t)((now - since) / 1000) : 0;
}

/* A VG that was detached before keeps its first reason unless the new one says more. */
void lea_detached_note(struct lea_worker *worker, const struct lea_worker_setting *setting)
{
	const uint32_t at = worker->progress->index;
	const struct lea_request *culprit = worker->job[at < worker->job_count ? at : 0];

	for (uint32_t i = 0; i < worker->job_count; i++) {
		struct lea_request *job = worker->job[i];
		enum lea_detached_why why = lea_worker_why(worker, i);

		if (!job || (job->is_detached && why == LEA_DETACHED_OTHER))
			continue;
		if (why == LEA_DETACHED_BESIDE && culprit && at < worker->job_count &&
		    unlock(worker, setting, i)) {
			lea_log(setting->world->log, LEA_LOG_WARNING,
				"VG %s: its LVs are set up, and udev may not have finished with "
				"them; its lock is released, since its worker hangs in VG %s",
				job->vg_name, culprit->vg_name);
			why = LEA_DETACHED_LOCK;
		}
		job->detached_why = why;
		job->detached_s = step_s(worker, setting);
		snprintf(job->detached_by, sizeof(job->detached_by), "%s",
			 why == LEA_DETACHED_BESIDE && culprit ? culprit->vg_name : "");
	}
}

/* Only wakes the loop; lea_detached_is_over finds out which worker has ended. */
static int wake(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	(void)source, (void)fd, (void)events, (void)arg;
	return 0;
}

/* Without a process descriptor (an old kernel, or no descriptor free) only polling notices its
 * end. */
static void listen_for_end(struct lea_worker *worker, struct sd_event *loop)
{
	worker->end_fd = lea_proc_open(worker->pid);
	if (worker->end_fd >= 0 &&
	    sd_event_add_io(loop, &worker->source, worker->end_fd, EPOLLIN, wake, NULL) < 0) {
		lea_closep(&worker->end_fd);
		worker->end_fd = -1;
	}
}

/* Closing the descriptor alone is not enough while another process may still have it open. */
static void stop_listening(struct lea_worker *worker)
{
	worker->source = sd_event_source_unref(worker->source);
	lea_closep(&worker->end_fd);
	worker->end_fd = -1;
}

static void keep_ids(struct lea_worker *worker)
{
	worker->detached_count = 0;
	for (uint32_t i = 0; i < worker->job_count; i++)
		if (worker->job[i])
			memcpy(worker->detached_id[worker->detached_count++], worker->job[i]->vg_id,
			       sizeof(worker->detached_id[0]));
}

void lea_detached_begin(struct lea_worker *worker, struct sd_event *loop)
{
	keep_ids(worker);
	listen_for_end(worker, loop);
	worker->state = LEA_WORKER_LEFT;
}

bool lea_detached_is_polled(const struct lea_worker *worker)
{
	return worker->end_fd < 0;
}

/* VGs that could not be reported stay. */
static void queue_lost(const struct lea_worker_setting *setting, struct lea_worker *worker,
		       bool is_last)
{
	const struct lea_workers_options *options = setting->options;
	int r;

	while (worker->detached_count && options->lost) {
		r = options->lost(setting->world, worker->detached_id[worker->detached_count - 1],
				  is_last);
		if (r < 0)
			return;
		worker->has_put_off |= r == LEA_WORKERS_LATER;
		worker->detached_count--;
	}
	worker->detached_count = 0;
}

bool lea_detached_is_over(struct lea_worker *worker, const struct lea_worker_setting *setting)
{
	int code;

	if (worker->pid && !lea_proc_has_ended(worker->pid, &code))
		return false;
	if (worker->pid) {
		stop_listening(worker);
		worker->pid = 0;
		if (!code)
			worker->detached_count = 0;
	}
	queue_lost(setting, worker, false);
	return !worker->detached_count;
}

void lea_detached_hand_over(struct lea_worker *worker, const struct lea_worker_setting *setting)
{
	if (!lea_detached_is_over(worker, setting))
		queue_lost(setting, worker, true);
}

void lea_detached_forget(struct lea_worker *worker)
{
	stop_listening(worker);
	worker->pid = 0;
	lea_worker_free(worker);
}
