/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lvmevent's working subcommands need: settings, the queue, and for batches of devices the
 * child that reads and the processes that activate.
 */
#ifndef LEA_TOOLS_SESSION_H
#define LEA_TOOLS_SESSION_H

#include "flow/batch.h"
#include "world/conf.h"
#include "world/world.h"

/* All owned but the world. */
struct lea_session {
	struct lea_world *world;
	struct lea_conf *conf;
	int event_fd;
	struct lea_prober *prober;   /* of those that work on batches */
	struct lea_workers *workers; /* the same */
	struct lea_known *known;     /* the same */
	struct lea_waiting *waiting; /* the same */
};

/* Settings and queue. 0, or an exit code (said). Ended by lea_session_end in any case. */
LEA_MUST_CHECK int lea_session_begin(struct lea_world *world, struct lea_session *session);
void lea_session_end(struct lea_session *session);
/* May /run be written to? 0, or an exit code (said) in a chroot or a container. */
LEA_MUST_CHECK int lea_session_check_place(struct lea_world *world);
/* The queue alone: for those that need no settings. 0 or an exit code. */
LEA_MUST_CHECK int lea_session_open_queue(struct lea_session *session);
/* What batches need is put into @how; is_boot and defers_watch are the caller's. 0 or an exit code.
 */
LEA_MUST_CHECK int lea_session_begin_batches(struct lea_session *session,
					     struct lea_batch_how *how);
/* Says it; returns the exit code. */
int lea_session_fail(struct lea_world *world, int fault, const char *what);
/* What a person can do about it: words. */
const char *lea_session_hint(int shortage);

#endif
