/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request to reconcile all devices, made by a process that could not record an event. It must
 * work where nothing can be written. So the request is the mode of an existing file
 * (event/compare), which takes neither space nor an inode. The requester also opens the file:
 * inotify tells the resident runner, even where a read-only file system keeps the mode. libc only,
 * because the enqueuer uses it.
 */
#pragma once

#include "base/err.h"

#define LEA_COMPARE_FILE "compare"

enum lea_reconcile_request_outcome {
	LEA_RECONCILE_DUE = 1,
};

/* @event_fd: /run/lvm/event. Creates the file early, while there is space. 0 or -errno. */
LEA_MUST_CHECK int lea_reconcile_request_prepare(int event_fd);

/* Makes a request. 0, or -errno: only a listening runner has noticed it. */
LEA_MUST_CHECK int lea_reconcile_request_put(int event_fd);

/*
 * lea_reconcile_request_take - is there a request?
 * Returns LEA_RECONCILE_DUE, 0 (no), or -errno. Marks the request as being processed; it stays
 * until lea_reconcile_request_done, so that a runner that dies leaves it to the next one. Does not
 * open the file, so that a listening runner does not wake itself.
 */
LEA_MUST_CHECK int lea_reconcile_request_take(int event_fd);

/* The taken request is done. A newer request stays; its open() has woken the listener. */
LEA_MUST_CHECK int lea_reconcile_request_done(int event_fd);
