/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sleeping until there is something for a runner. The kernel tells of new entries; nothing is
 * polled.
 */
#ifndef LEA_STATE_QUEUE_WATCH_H
#define LEA_STATE_QUEUE_WATCH_H

#include "base/err.h"

#include <stdbool.h>

struct lea_queue_watch {
	int fd; /* owned */
	int queue_wd, compare_wd, conf_wd;
	int mounts_fd;	   /* owned; -1: mounts are not watched */
	int other_fd[2];   /* borrowed; set by the caller: waited for, too; -1: none */
	int event_fd;	   /* borrowed */
	const char *event; /* borrowed; full path of that folder; NULL: not known */
};

/*
 * lea_queue_watch_open - from now on no entry is missed
 * @event_fd: /run/lvm/event
 * @conf_dir: full path of the folder of lvm.conf; one that does not exist is not watched
 */
LEA_MUST_CHECK int lea_queue_watch_open(int event_fd, const char *conf_dir,
					struct lea_queue_watch *ret_watch);

/*
 * lea_queue_watch_mounts - from now on it is also noticed when the queue is mounted over, or lies
 * in a file system that is taken away under us
 * @path: of the event folder; borrowed until close
 */
LEA_MUST_CHECK int lea_queue_watch_mounts(struct lea_queue_watch *watch, int event_fd, int proc_fd,
					  const char *path);
/* Does the event folder's path lead elsewhere by now, or nowhere? */
bool lea_queue_watch_is_gone(const struct lea_queue_watch *watch);
void lea_queue_watch_close(struct lea_queue_watch *watch);

/* Whoever watches the queue in @event_fd wakes, finds nothing new, and rests once more. */
LEA_MUST_CHECK int lea_queue_watch_wake(int event_fd);

enum lea_queue_watch_outcome {
	LEA_QUEUE_WATCH_QUIET = 1, /* nothing within the time */
	LEA_QUEUE_WATCH_OTHER,	   /* one of other_fd is readable */
	LEA_QUEUE_WATCH_COMPARE,   /* somebody asked for a comparison (state/compare.h) */
	LEA_QUEUE_WATCH_CONF,	   /* a setting may have changed */
	LEA_QUEUE_WATCH_GONE,	   /* the queue's folder was taken away */
};
/*
 * lea_queue_watch_wait - until an entry comes
 * @limit_ms: -1: for ever
 * Returns 0, an outcome, or -errno. All that came up to now is told once.
 */
LEA_MUST_CHECK int lea_queue_watch_wait(struct lea_queue_watch *watch, int limit_ms);

#endif
