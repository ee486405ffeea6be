/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker whose process has ended stays in the list, without its number, until its VGs are
 * reported. */
#include "worker/detached.h"

#include "base/cleanup.h"
#include "world/proc.h"

#include <string.h>
#include <systemd/sd-event.h>

/* Only wakes the loop; lea_detached_reap finds out which worker has ended. */
static int wake(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	(void)source, (void)fd, (void)events, (void)arg;
	return 0;
}

/* Without a process descriptor (an old kernel, or no descriptor free) only polling notices its
 * end. */
static void listen_for_end(const struct lea_detached *left, struct lea_worker *worker)
{
	worker->end_fd = lea_proc_open(worker->pid);
	if (worker->end_fd >= 0 &&
	    sd_event_add_io(left->loop, &worker->source, worker->end_fd, EPOLLIN, wake, NULL) < 0) {
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

static void count(struct lea_detached *left)
{
	left->count = left->untold_count = 0;
	for (const struct lea_worker *worker = left->first; worker; worker = worker->next) {
		left->count++;
		left->untold_count += worker->end_fd < 0;
	}
}

static void keep_ids(struct lea_worker *worker)
{
	worker->detached_count = 0;
	for (uint32_t i = 0; i < worker->job_count; i++)
		if (worker->job[i])
			memcpy(worker->detached_id[worker->detached_count++], worker->job[i]->vg_id,
			       sizeof(worker->detached_id[0]));
}

void lea_detached_add(struct lea_detached *left, struct lea_worker *worker)
{
	keep_ids(worker);
	listen_for_end(left, worker);
	worker->next = left->first;
	left->first = worker;
	count(left);
}

/* VGs that could not be reported stay. */
static void queue_lost(const struct lea_worker_setting *setting, struct lea_worker *worker)
{
	const struct lea_workers_options *options = setting->options;

	while (worker->detached_count && options->lost) {
		if (options->lost(setting->world, worker->detached_id[worker->detached_count - 1]) <
		    0)
			return;
		worker->detached_count--;
	}
	worker->detached_count = 0;
}

/* Has it ended, and are all its VGs reported? */
static bool is_over(const struct lea_worker_setting *setting, struct lea_worker *worker)
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
	queue_lost(setting, worker);
	return !worker->detached_count;
}

void lea_detached_reap(struct lea_detached *left, const struct lea_worker_setting *setting)
{
	struct lea_worker **link = &left->first, *worker;

	if (!left->first)
		return;
	while ((worker = *link)) {
		if (!is_over(setting, worker)) {
			link = &worker->next;
			continue;
		}
		*link = worker->next;
		lea_worker_free(worker);
	}
	count(left);
}

void lea_detached_hand_over(struct lea_detached *left, const struct lea_worker_setting *setting)
{
	lea_detached_reap(left, setting);
	for (struct lea_worker *worker = left->first; worker; worker = worker->next)
		queue_lost(setting, worker);
}

void lea_detached_forget(struct lea_detached *left)
{
	struct lea_worker *worker;

	while ((worker = left->first)) {
		left->first = worker->next;
		stop_listening(worker);
		worker->pid = 0;
		lea_worker_free(worker);
	}
	count(left);
}
