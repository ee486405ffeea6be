/* SPDX-License-Identifier: GPL-2.0-or-later */
/* inotify on the folder of settings and on the queue. */
#include "state/queue_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "state/reconcile_request.h"
#include "world/mounts.h"

#define QUEUE_EVENTS                                                                               \
	(IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW)
#define COMPARE_EVENTS (IN_OPEN | IN_DONT_FOLLOW)
#define CONF_EVENTS    (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR)

int lea_queue_watch_begin(const char *conf_dir, struct lea_queue_watch *ret_watch)
{
	*ret_watch = (struct lea_queue_watch){.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
					      .queue_wd = -1,
					      .compare_wd = -1,
					      .mounts_fd = -1};
	if (ret_watch->fd < 0)
		return -errno;
	ret_watch->conf_wd = inotify_add_watch(ret_watch->fd, conf_dir, CONF_EVENTS);
	return ret_watch->conf_wd < 0 && errno != ENOENT && errno != ENOTDIR ? -errno : 0;
}

int lea_queue_watch_open(int event_fd, struct lea_queue_watch *watch)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/" LEA_COMPARE_FILE, event_fd);
	watch->compare_wd = inotify_add_watch(watch->fd, path, COMPARE_EVENTS);
	snprintf(path, sizeof(path), "/proc/self/fd/%d/queue", event_fd);
	watch->queue_wd = inotify_add_watch(watch->fd, path, QUEUE_EVENTS);
	return watch->queue_wd < 0 ? -errno : 0;
}

void lea_queue_watch_close(struct lea_queue_watch *watch)
{
	lea_closep(&watch->fd);
	lea_closep(&watch->mounts_fd);
	watch->fd = watch->mounts_fd = -1;
}

int lea_queue_watch_mounts(struct lea_queue_watch *watch, int event_fd, int proc_fd,
			   const char *path)
{
	int fd = openat(proc_fd, LEA_MOUNTINFO_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return -errno;
	watch->mounts_fd = fd;
	watch->event_fd = event_fd;
	watch->event = path;
	return 0;
}

bool lea_queue_watch_is_gone(const struct lea_queue_watch *watch)
{
	struct stat held, named;

	if (!watch->event)
		return false;
	return fstat(watch->event_fd, &held) < 0 || lstat(watch->event, &named) < 0 ||
	       held.st_dev != named.st_dev || held.st_ino != named.st_ino;
}

/* A hidden name is not an entry. */
int lea_queue_watch_wake(int event_fd)
{
	LEA_AUTO(lea_closep) int queue_fd = lea_file_open_folder(event_fd, "queue");
	int r = queue_fd < 0 ? queue_fd : lea_file_create_empty(queue_fd, ".wake");

	r = r < 0 ? r : lea_file_remove(queue_fd, ".wake");
	return r < 0 ? r : 0;
}

/* What one event means; the greater outcome counts of several. */
static int classify_event(const struct lea_queue_watch *watch, const struct inotify_event *event)
{
	if (event->mask & IN_Q_OVERFLOW)
		return LEA_QUEUE_WATCH_CONF; /* what was lost is unknown */
	if (event->wd == watch->conf_wd)
		return event->mask & IN_ISDIR ? 0 : LEA_QUEUE_WATCH_CONF;
	/* Its end says nothing: the queue's does. */
	if (event->wd == watch->compare_wd)
		return event->mask & IN_OPEN ? LEA_QUEUE_WATCH_RECONCILE : 0;
	if (event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED))
		return LEA_QUEUE_WATCH_GONE;
	return 0;
}

int lea_queue_watch_read(const struct lea_queue_watch *watch)
{
	char buffer[8192] __attribute__((aligned(__alignof__(struct inotify_event))));
	int told = -1;
	ssize_t n;

	/* A buffer with room left had all changes. Another read would only find those made
	 * meanwhile. */
	do {
		n = read(watch->fd, buffer, sizeof(buffer));
		for (char *at = buffer; at < buffer + n;) {
			struct inotify_event event;
			int one;

			memcpy(&event, at, sizeof(event));
			one = classify_event(watch, &event);
			told = one > told ? one : told;
			at += sizeof(event) + event.len;
		}
	} while (n > (ssize_t)(sizeof(buffer) - sizeof(struct inotify_event) - NAME_MAX - 1));
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return -errno;
	return told < 0 ? LEA_QUEUE_WATCH_QUIET : told;
}
