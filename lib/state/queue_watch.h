/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Watches the queue for a runner: new entries, changed settings, a queue that was removed. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct lea_queue_watch {
	int fd; /* owned; readable when lea_queue_watch_read returns something */
	int queue_wd, compare_wd, conf_wd;
	int mounts_fd;	   /* owned; EPOLLPRI when mounts changed; -1: not watched */
	int event_fd;	   /* borrowed */
	const char *event; /* borrowed; full path of that folder; NULL: unknown */
};

/*
 * lea_queue_watch_begin - watch the settings, from before they are read
 * @conf_dir: full path of the folder of lvm.conf; not watched if it does not exist
 * Returns 0 or -errno. Closed by lea_queue_watch_close, also after a fault.
 */
LEA_MUST_CHECK int lea_queue_watch_begin(const char *conf_dir, struct lea_queue_watch *ret_watch);
/*
 * lea_queue_watch_open - also watch the queue; every later entry is noticed
 * @event_fd: /run/lvm/event
 * Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_queue_watch_open(int event_fd, struct lea_queue_watch *watch);

/*
 * lea_queue_watch_mounts - also watch for mounts over the queue and unmounts of its file system
 * @path: of the event folder; borrowed until lea_queue_watch_close
 * Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_queue_watch_mounts(struct lea_queue_watch *watch, int event_fd, int proc_fd,
					  const char *path);
/* Does the event folder's path now lead elsewhere, or nowhere? Does not block. */
bool lea_queue_watch_is_gone(const struct lea_queue_watch *watch);
void lea_queue_watch_close(struct lea_queue_watch *watch);

/* Wakes the runner that watches the queue in @event_fd; it finds nothing new and sleeps again. */
LEA_MUST_CHECK int lea_queue_watch_wake(int event_fd);

enum lea_queue_watch_outcome {
	LEA_QUEUE_WATCH_QUIET = 1, /* nothing */
	LEA_QUEUE_WATCH_RECONCILE, /* a process requested a reconcile (state/reconcile_request.h) */
	LEA_QUEUE_WATCH_CONF,	   /* a setting may have changed */
	LEA_QUEUE_WATCH_GONE,	   /* the queue's folder was removed */
};
/* Reads what came since the last call: returns 0 (an entry), an outcome, or -errno. Never blocks.
 */
LEA_MUST_CHECK int lea_queue_watch_read(const struct lea_queue_watch *watch);
