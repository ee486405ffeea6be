/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/reader_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "world/proc.h"

struct child {
	struct lea_reader_watch *watch;
	struct child *next;
	sd_event_source *source; /* owned */
	int fd;			 /* owned: pidfd */
};

struct lea_reader_watch {
	struct lea_world *world;
	int event_fd;
	sd_event *loop;
	struct lea_reader *reader;
	struct child *first;
};

static void drop(struct child *child)
{
	sd_event_source_unref(child->source);
	lea_closep(&child->fd);
	free(child);
}

static void requeue(const struct lea_reader_watch *watch)
{
	const int r = lea_reader_requeue_owed(watch->world, watch->event_fd, false);

	if (r < 0)
		lea_log(watch->world->log, LEA_LOG_WARNING,
			"devices that a killed reader waited for: %s; the next reconcile queues them",
			strerror(-r));
}

/* Mostly it has queued what it waited for. */
static int on_end(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	struct child *child = arg, **at = &child->watch->first;

	(void)source, (void)fd, (void)events;
	requeue(child->watch);
	while (*at != child)
		at = &(*at)->next;
	*at = child->next;
	drop(child);
	return 0;
}

/* One that cannot be followed (an older kernel, no descriptor left) is left to the reconcile. */
static void follow(void *arg, pid_t pid)
{
	struct lea_reader_watch *watch = arg;
	struct child *child = calloc(1, sizeof(*child));
	int r = child ? lea_proc_open(pid) : -ENOMEM;

	if (r == -ESRCH)
		requeue(watch);
	if (r < 0) {
		free(child);
		return;
	}
	child->watch = watch;
	child->fd = r;
	r = sd_event_add_io(watch->loop, &child->source, child->fd, EPOLLIN, on_end, child);
	if (r < 0) {
		drop(child);
		return;
	}
	child->next = watch->first;
	watch->first = child;
}

int lea_reader_watch_new(struct lea_world *world, int event_fd, sd_event *loop,
			 struct lea_reader *reader, struct lea_reader_watch **ret_watch)
{
	struct lea_reader_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		return -ENOMEM;
	*watch = (struct lea_reader_watch){
		.world = world, .event_fd = event_fd, .loop = loop, .reader = reader};
	lea_reader_follow(reader, follow, watch);
	*ret_watch = watch;
	return 0;
}

void lea_reader_watch_free(struct lea_reader_watch *watch)
{
	struct child *next;

	if (!watch)
		return;
	lea_reader_follow(watch->reader, NULL, NULL);
	for (struct child *child = watch->first; child; child = next) {
		next = child->next;
		drop(child);
	}
	free(watch);
}
