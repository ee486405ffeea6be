/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One worker process: a batch of VGs in one transaction, and a report for each through a pipe.
 * The batch is inherited by the fork, so nothing has to be sent to the worker.
 */
#ifndef LEA_FLOW_WORKER_H
#define LEA_FLOW_WORKER_H

#include "flow/job.h"
#include "flow/workers.h"

#include <stdbool.h>
#include <sys/types.h>

#define LEA_REPORT_REASON_BYTES 192U

/* What the worker says of one VG: written whole (it is smaller than PIPE_BUF). */
struct lea_worker_report {
	uint32_t index;	 /* which job of the batch */
	int32_t outcome; /* as lea_activation_vg; faults too */
	uint32_t active, failed;
	char reason[LEA_REPORT_REASON_BYTES];
};

struct lea_worker {
	struct lea_worker *next; /* for the owner's list */
	struct lea_job **job;	 /* [job_count], owned; NULL: reported */
	uint32_t job_count, lv_count;
	bool delegated; /* the whole batch goes to the real lvm */
	pid_t pid;
	int fd; /* read end, not blocking; owned */
};

/* What the child needs; borrowed, inherited. */
struct lea_worker_setting {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_workers_options *options;
};

/* Forks. On 0 the worker runs and @worker->pid and fd are set. */
LEA_MUST_CHECK int lea_worker_start(const struct lea_worker_setting *setting,
				    struct lea_worker *worker);

enum lea_worker_outcome {
	LEA_WORKER_QUIET = 1, /* nothing to read just now */
	LEA_WORKER_ENDED,     /* it has closed its end */
};
/* The next report, or an outcome. Never blocks. */
LEA_MUST_CHECK int lea_worker_read(struct lea_worker *worker, struct lea_worker_report *ret_report);

void lea_worker_free(struct lea_worker *worker); /* waits for the process; NULL is fine */

#endif
