/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One worker process: batch after batch of VGs comes through a socket, each batch is one
 * transaction, and a report for each VG goes back.
 */
#ifndef LEA_FLOW_WORKER_H
#define LEA_FLOW_WORKER_H

#include "flow/job.h"
#include "flow/workers.h"

#include <stdbool.h>
#include <sys/types.h>

#define LEA_WORKER_MOST_VGS	256U /* in a batch */
#define LEA_REPORT_REASON_BYTES 192U

/* What the worker says of one VG. Both ends are one program, so it goes as it is. */
struct lea_worker_report {
	uint32_t index;	 /* which job of the batch */
	int32_t outcome; /* as lea_activation_vg; faults too */
	uint32_t active, failed;
	int32_t shortage; /* as in lea_activate_result */
	char reason[LEA_REPORT_REASON_BYTES];
};

/* How far a worker has come in its batch: written by it, read by its parent when it hangs. */
struct lea_worker_progress {
	volatile uint32_t index; /* of the VG that it is at; the number of VGs: all are set up, and
				    it waits for udev */
};

struct lea_worker {
	struct lea_worker *next; /* for the owner's list */
	struct lea_worker_progress *progress; /* owned, shared with the process */
	pid_t pid;
	int fd; /* our end; owned */
	/* the batch in hand */
	struct lea_job **job; /* [job_room], the first job_count owned; NULL: reported */
	uint32_t job_room, job_count, open_count, lv_count;
	size_t packed_bytes;
	bool delegated;	 /* the whole batch goes to the real lvm */
	bool tries_only; /* VGs that are busy are not waited for, not even the first one */
	/* when it was last seen to move, and how much processor time it had used by then */
	uint64_t moved_ms, used_ns;
	/* of one that was left (flow/worker_left.h): VGs that it had not reported, [left_count] of
	 * [job_room]; owned. And what tells of its end; owned, -1: nothing. */
	char (*left_id)[LEA_ID_CHARS + 1];
	uint32_t left_count;
	int end_fd;
	/* of a report that has not come whole yet */
	struct lea_worker_report report;
	size_t report_bytes;
};

/* What the child needs; borrowed, inherited. */
struct lea_worker_setting {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_workers_options *options;
	/* Closed in the child: an end that another one has open, too, tells nobody of our end. */
	const struct lea_worker *others, *left; /* lists */
	int epoll_fd;
};

/* Forks. The worker waits for its first batch; at most @most_vgs in each. */
LEA_MUST_CHECK int lea_worker_start(const struct lea_worker_setting *setting, uint32_t most_vgs,
				    struct lea_worker **ret_worker);

/* What all workers have together. */
struct lea_worker_share {
	uint32_t workers;	   /* how many there may be */
	uint32_t lvs, running_lvs; /* LVs that may be in flight, and that are */
};
/* The batch: VGs from the front of @queue, as many as this worker may take with the LVs that are
 * free. Nothing is sent yet. */
void lea_worker_fill(struct lea_worker *worker, struct lea_jobs *queue,
		     const struct lea_worker_share *share);
/* A batch that can't be sent goes back to where it was, so that nothing is lost with the fault. */
void lea_worker_give_back(struct lea_worker *worker, struct lea_jobs *queue);

/* Adds to the batch; takes @job over. There must be room, and nothing sent. */
void lea_worker_take(struct lea_worker *worker, struct lea_job *job);

enum lea_worker_outcome {
	LEA_WORKER_QUIET = 1, /* nothing to read just now */
	LEA_WORKER_ENDED,     /* it has closed its end, or talks nonsense */
};
/* Sends the batch. 0, LEA_WORKER_ENDED, or a fault. */
LEA_MUST_CHECK int lea_worker_send(struct lea_worker *worker);
/* The next report, or an outcome. Never blocks. */
LEA_MUST_CHECK int lea_worker_read(struct lea_worker *worker, struct lea_worker_report *ret_report);
/* Has it a batch and used no processor time for @stuck_ms while it waited for a disk or a lock, or
 * for @limit_ms anywhere (it may wait for a program of its own)? 0: never. Known after it was asked
 * often enough; @now_ms: of a clock that does not jump. */
bool lea_worker_hangs(struct lea_worker *worker, uint64_t now_ms, uint64_t stuck_ms,
		      uint64_t limit_ms);
/* Why does the VG at @index of its batch not get on, when the worker hangs? */
enum lea_left_why lea_worker_why(const struct lea_worker *worker, uint32_t index);
/* Nobody waits for it any more. When it gets on after all, it says itself that its VGs are
 * done, and those that are not it puts into the queue, to be looked at again; then it ends with 0.
 * What it had reported by now is still to be read, then it is to be closed; the process is still to
 * be waited for. */
void lea_worker_leave(struct lea_worker *worker);
/* The batch is reported whole: ready for the next one. */
void lea_worker_clear(struct lea_worker *worker);

/* It ends when it has nothing in work. */
void lea_worker_close(struct lea_worker *worker);
/* Closes and waits for the process; *ret_code as lea_proc_wait. */
void lea_worker_end(struct lea_worker *worker, int *ret_code);
void lea_worker_free(struct lea_worker *worker); /* ends it; NULL is fine */

#endif
