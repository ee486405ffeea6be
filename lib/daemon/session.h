/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process that handles events holds as long as it lives: settings, the queue, and, for
 * batches of devices, the reader and the workers.
 */
#pragma once

#include "batch/batch.h"
#include "batch/incomplete.h"
#include "batch/pass_cache.h"
#include "conf/conf.h"
#include "state/queue_watch.h"
#include "world/world.h"

/* The caller zeroes it but for event_fd (-1), world, conf and lvm_path; lea_session_end frees it in
 * any case. */
struct lea_session {
	struct lea_world *world;     /* borrowed */
	const struct lea_conf *conf; /* owned */
	const char *lvm_path;	     /* of the real lvm; borrowed */
	int event_fd;		     /* owned; -1 */
	/* Of the settings, since before they were read: what changes while the process begins is no
	 * less new to it. Owned if is_watching; watch_fault: why it is not */
	struct lea_queue_watch watch;
	bool is_watching;
	int watch_fault;
	/* only for a session that handles batches; owned */
	struct lea_reader *reader;
	struct lea_workers *workers;
	struct lea_pass_cache cache;
	struct lea_incomplete waiting;
	struct lea_partial
		*partial;	 /* only of a resident runner; NULL: no VG is activated in part */
	struct lea_needs *needs; /* of the boot; NULL: not booting */
};

#define LEA_RETRY_MOST_MS 16000U /* the longest pause after a shortage */

enum lea_session_outcome {
	LEA_SESSION_FAILED = 1, /* logged */
	LEA_SESSION_UNFIT,	/* logged: until a person corrects the filter, nothing can work */
};

void lea_session_end(struct lea_session *session);
/* May this process write to /run? Returns 0, or LEA_SESSION_FAILED in a chroot or a container. */
LEA_MUST_CHECK int lea_session_check_place(struct lea_world *world);
/*
 * lea_session_begin - read the settings, open device-mapper and the queue, as the services do
 * A mistake in lvmevent.conf is only logged: it must not break the boot. Returns 0 or the exit code
 * to leave with (logged). Call lea_session_end in every case.
 */
LEA_MUST_CHECK int lea_session_begin(struct lea_world *world, struct lea_session *session);
/* Gives the watch of the settings, and now of the queue, too, to the caller, who closes it. Once. 0 or
 * -errno; then *ret_watch is not open. */
LEA_MUST_CHECK int lea_session_watch(struct lea_session *session,
				     struct lea_queue_watch *ret_watch);
/* Opens the queue and creates missing folders. Returns 0 or LEA_SESSION_FAILED. */
LEA_MUST_CHECK int lea_session_open_queue(struct lea_session *session);
/* Creates the reader and the workers and fills in @options but for is_boot and defers_watch, which
 * the caller sets before. With is_boot it reads what the boot needs. Returns 0,
 * LEA_SESSION_FAILED or LEA_SESSION_UNFIT. */
LEA_MUST_CHECK int lea_session_begin_batches(struct lea_session *session,
					     struct lea_batch_options *options);
/* Logs "WHAT: FAULT" as an error; returns LEA_SESSION_FAILED. */
int lea_session_fail(struct lea_world *world, int fault, const char *what);
/* What a person can do about a shortage; static text. */
const char *lea_session_hint(int shortage);
/* The pause after a shortage or a failure. @pause_ms: the one before it, if nothing has gone well
 * since; 0: there was none. */
uint32_t lea_session_longer(uint32_t pause_ms, uint32_t most_ms);
/* Is the system ID the host name, and has that changed? No other notification says so. */
bool lea_session_is_renamed(const struct lea_conf *conf);
