/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * inotify on the queue and on the folder of settings.
 */
#include "state/queue_watch.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/cleanup.h"

#define QUEUE_EVENTS (IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
#define CONF_EVENTS  (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR)

int lea_queue_watch_open(int event_fd, const char *conf_dir, struct lea_queue_watch *ret_watch)
{
	struct lea_queue_watch watch = {.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK)};
	char path[64];
	int r;

	if (watch.fd < 0)
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/queue", event_fd);
	watch.queue_wd = inotify_add_watch(watch.fd, path, QUEUE_EVENTS);
	watch.conf_wd = inotify_add_watch(watch.fd, conf_dir, CONF_EVENTS);
	r = watch.queue_wd < 0					       ? -EIO
	    : watch.conf_wd < 0 && errno != ENOENT && errno != ENOTDIR ? -errno
								       : 0;
	if (r)
		close(watch.fd);
	else
		*ret_watch = watch;
	return r;
}

void lea_queue_watch_close(struct lea_queue_watch *watch)
{
	lea_closep(&watch->fd);
	watch->fd = -1;
}

/* What one event means; the greater outcome counts of several. */
static int judge(const struct lea_queue_watch *watch, const struct inotify_event *event)
{
	if (event->mask & IN_Q_OVERFLOW)
		return LEA_QUEUE_WATCH_CONF; /* nobody knows what was lost */
	if (event->wd == watch->conf_wd)
		return event->mask & IN_ISDIR ? 0 : LEA_QUEUE_WATCH_CONF;
	if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))
		return LEA_QUEUE_WATCH_GONE;
	return 0;
}

/* All that is there now. */
static int take(const struct lea_queue_watch *watch)
{
	char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
	int told = 0;
	ssize_t n;

	while ((n = read(watch->fd, buffer, sizeof(buffer))) > 0) {
		for (char *at = buffer; at < buffer + n;) {
			struct inotify_event event;
			int one;

			memcpy(&event, at, sizeof(event));
			one = judge(watch, &event);
			told = one > told ? one : told;
			at += sizeof(event) + event.len;
		}
	}
	return n < 0 && errno != EAGAIN && errno != EINTR ? -errno : told;
}

int lea_queue_watch_wait(struct lea_queue_watch *watch, int limit_ms)
{
	struct pollfd ready = {.fd = watch->fd, .events = POLLIN};
	int r = poll(&ready, 1, limit_ms);

	if (r < 0)
		return errno == EINTR ? 0 : -errno;
	return r ? take(watch) : LEA_QUEUE_WATCH_QUIET;
}
