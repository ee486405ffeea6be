/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "Compare all devices with the records": asked for by whoever could not leave a record of a
 * device. It has to work where nothing can be written, so the request is the mode of a file that is
 * there already (event/compare), which takes neither space nor an inode; and the file is opened for
 * it, which a resident runner is told of even where a read-only file system keeps the mode as it
 * is. libc only: the enqueuer uses it.
 */
#ifndef LEA_STATE_COMPARE_H
#define LEA_STATE_COMPARE_H

#include "base/err.h"

#define LEA_COMPARE_FILE "compare"

enum lea_compare_outcome {
	LEA_COMPARE_DUE = 1,
};

/* @event_fd: /run/lvm/event. Makes the file while there is room for it. 0 or -errno. */
LEA_MUST_CHECK int lea_compare_prepare(int event_fd);

/* Asks. 0: a runner finds it whenever it looks; -errno: only one that listens has heard of it. */
LEA_MUST_CHECK int lea_compare_ask(int event_fd);

/*
 * lea_compare_take - was it asked for?
 * Returns LEA_COMPARE_DUE, 0 (no), or -errno. The request stands, marked as being in work, until
 * lea_compare_done: a runner that dies in between leaves it to the next. Opens nothing, so that a
 * listening runner does not wake itself.
 */
LEA_MUST_CHECK int lea_compare_take(int event_fd);

/* What was taken is done. One that was asked for meanwhile stays; it was also told to the listener.
 */
LEA_MUST_CHECK int lea_compare_done(int event_fd);

#endif
