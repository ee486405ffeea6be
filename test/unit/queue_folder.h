/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the queue: a scratch folder in place of /run/lvm, with a queue. Include it once. */
#pragma once

#include "fake/tree.h"
#include "state/queue.h"

#include <check.h>
#include <unistd.h>

static char dir[FOLDER_BYTES];
static int run_fd, event_fd;

static inline void queue_setup(void)
{
	run_fd = folder_new(dir);
	event_fd = lea_queue_open(run_fd);
	ck_assert_int_ge(event_fd, 0);
}

static inline void queue_teardown(void)
{
	close(event_fd);
	folder_remove(dir, run_fd);
}
