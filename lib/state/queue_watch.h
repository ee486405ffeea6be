/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sleeping until there is something for a runner. The kernel tells of new entries; nothing is
 * polled.
 */
#ifndef LEA_STATE_QUEUE_WATCH_H
#define LEA_STATE_QUEUE_WATCH_H

#include "base/err.h"

struct lea_queue_watch {
	int fd; /* owned */
	int queue_wd, conf_wd;
};

/*
 * lea_queue_watch_open - from now on no entry is missed
 * @event_fd: /run/lvm/event
 * @conf_dir: full path of the folder of lvm.conf; one that does not exist is not watched
 */
LEA_MUST_CHECK int lea_queue_watch_open(int event_fd, const char *conf_dir,
					struct lea_queue_watch *ret_watch);
void lea_queue_watch_close(struct lea_queue_watch *watch);

enum lea_queue_watch_outcome {
	LEA_QUEUE_WATCH_QUIET = 1, /* nothing within the time */
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
