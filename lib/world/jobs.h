/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many small pieces of work that may hang in the kernel (reads of disks, requests to device-mapper,
 * files on a server, programs), done by threads of a child process. A piece that takes too long is
 * given up; the child is then abandoned, and another one does the rest. Results go to shared
 * memory, so a piece of work costs no system call of its own. What still hangs is not begun a
 * second time.
 */
#pragma once

#include "base/err.h"
#include "world/hung.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

struct lea_jobs {
	uint32_t count, threads;
	uint32_t deadline_ms; /* of one job, from its start */
	uint32_t limit_ms;    /* of all: afterwards the jobs that are left are given up */
	/* In each child, before its first job and with a single thread; may be NULL. Non-zero: this
	 * child does nothing, and all jobs that are left are given up. */
	int (*begin)(void *arg);
	/* In a child, by any thread. Writes its result to memory of lea_proc_share. */
	void (*run)(void *arg, uint32_t index);
	/* By which name a job is remembered while it hangs (world/hung.h). False: by none. May be
	 * NULL. */
	bool (*name)(void *arg, uint32_t index, char name[static LEA_HUNG_NAME_BYTES]);
	const char *begin_name; /* the same for begin; NULL: none */
	void *arg;
};

/*
 * lea_jobs_run - do all jobs
 * @ret_late: [count]: true: given up, and its result may be half written, even later; or not begun,
 * because a thread of an earlier command still hangs in it
 * Blocks for at most limit_ms and a little. A child that died costs its jobs a second try, and then
 * they are given up. 0 or -errno (then no job counts as done). Logs nothing.
 */
LEA_MUST_CHECK int lea_jobs_run(struct lea_world *world, const struct lea_jobs *jobs,
				bool *ret_late);
