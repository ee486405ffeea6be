/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that has ended stays in the list, without its number, until its VGs were told. */
#include "flow/worker_left.h"

#include "base/cleanup.h"
#include "world/proc.h"

#include <string.h>
#include <sys/epoll.h>

/* Without a descriptor (an old kernel, or none to be had) its end is seen by looking. */
static void listen_for_end(const struct lea_left *left, struct lea_worker *worker)
{
	struct epoll_event event = {.events = EPOLLIN};

	worker->end_fd = lea_proc_open(worker->pid);
	if (worker->end_fd >= 0 &&
	    epoll_ctl(left->epoll_fd, EPOLL_CTL_ADD, worker->end_fd, &event)) {
		lea_closep(&worker->end_fd);
		worker->end_fd = -1;
	}
}

/* Closing it is not enough while another process may still have the descriptor. */
static void stop_listening(const struct lea_left *left, struct lea_worker *worker)
{
	if (worker->end_fd >= 0)
		epoll_ctl(left->epoll_fd, EPOLL_CTL_DEL, worker->end_fd, NULL);
	lea_closep(&worker->end_fd);
	worker->end_fd = -1;
}

static void count(struct lea_left *left)
{
	left->count = left->untold_count = 0;
	for (const struct lea_worker *worker = left->first; worker; worker = worker->next) {
		left->count++;
		left->untold_count += worker->end_fd < 0;
	}
}

static void keep_ids(struct lea_worker *worker)
{
	worker->left_count = 0;
	for (uint32_t i = 0; i < worker->job_count; i++)
		if (worker->job[i])
			memcpy(worker->left_id[worker->left_count++], worker->job[i]->vg_id,
			       sizeof(worker->left_id[0]));
}

void lea_left_add(struct lea_left *left, struct lea_worker *worker)
{
	keep_ids(worker);
	listen_for_end(left, worker);
	worker->next = left->first;
	left->first = worker;
	count(left);
}

/* Those that could not be told stay. */
static void tell_lost(const struct lea_worker_setting *setting, struct lea_worker *worker)
{
	const struct lea_workers_options *options = setting->options;

	while (worker->left_count && options->lost) {
		if (options->lost(setting->world, worker->left_id[worker->left_count - 1]) < 0)
			return;
		worker->left_count--;
	}
	worker->left_count = 0;
}

/* Has it ended, and is nothing left to be told of it? */
static bool is_over(const struct lea_left *left, const struct lea_worker_setting *setting,
		    struct lea_worker *worker)
{
	int code;

	if (worker->pid && !lea_proc_has_ended(worker->pid, &code))
		return false;
	if (worker->pid) {
		stop_listening(left, worker);
		worker->pid = 0;
		if (!code)
			worker->left_count = 0;
	}
	tell_lost(setting, worker);
	return !worker->left_count;
}

void lea_left_reap(struct lea_left *left, const struct lea_worker_setting *setting)
{
	struct lea_worker **link = &left->first, *worker;

	if (!left->first)
		return;
	while ((worker = *link)) {
		if (!is_over(left, setting, worker)) {
			link = &worker->next;
			continue;
		}
		*link = worker->next;
		lea_worker_free(worker);
	}
	count(left);
}

void lea_left_hand_over(struct lea_left *left, const struct lea_worker_setting *setting)
{
	lea_left_reap(left, setting);
	for (struct lea_worker *worker = left->first; worker; worker = worker->next)
		tell_lost(setting, worker);
}

void lea_left_forget(struct lea_left *left)
{
	struct lea_worker *worker;

	while ((worker = left->first)) {
		left->first = worker->next;
		stop_listening(left, worker);
		worker->pid = 0;
		lea_worker_free(worker);
	}
	count(left);
}
