/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One worker process. It receives batches of VGs through a socket, handles each batch in one
 * transaction, and sends a report for each VG.
 */
#pragma once

#include "plan/bounds.h"
#include "worker/pool.h"
#include "worker/request.h"
#include "world/proc.h"
#include "world/timeline.h"

#include <stdbool.h>
#include <sys/types.h>

#define LEA_REPORT_REASON_BYTES 192U

/* What the worker reports on one VG. Both ends are the same program, so the struct is sent as it
 * is. */
struct lea_worker_report {
	uint32_t index;	 /* of the request in the batch */
	int32_t outcome; /* as of lea_activation_vg, or a fault */
	uint32_t active, failed;
	int32_t shortage; /* as in lea_activate_result */
	char reason[LEA_REPORT_REASON_BYTES];
};

/* How far a worker is in its batch: the worker writes it, and the parent reads it if the worker
 * hangs. */
struct lea_worker_progress {
	volatile uint32_t index; /* of the current VG; the number of VGs: all are set up, and the
				    worker waits for udev */
	volatile int32_t lock_fd[LEA_BOUND_VGS]; /* of the VGs before index; -1: none */
	struct lea_step_now step;		 /* of the current VG */
};

#define LEA_WORKER_LOOK_MS 1000U
#define LEA_WORKER_SHORT   2 /* exit code: a shortage, which says nothing of its VGs */

enum lea_worker_state {
	LEA_WORKER_IDLE,
	LEA_WORKER_BUSY, /* it has a batch */
	/* Detached (worker/detached.h): it hangs, or was told to end, and is no longer waited for.
	 */
	LEA_WORKER_LEFT,
};

struct lea_worker {
	struct lea_worker *next; /* for the owner's list */
	enum lea_worker_state state;
	struct lea_worker_progress *progress; /* owned, shared with the process */
	pid_t pid;
	int fd;				/* the parent's end; owned */
	struct lea_workers *pool;	/* borrowed */
	struct sd_event_source *source; /* for fd, later for end_fd; NULL: none; owned */
	/* the current batch */
	struct lea_request *job[LEA_BOUND_VGS]; /* the first job_count owned; NULL: reported */
	uint32_t job_count, open_count, lv_count;
	size_t packed_bytes;
	bool delegated;	 /* the whole batch goes to the real lvm */
	bool tries_only; /* waits for no lock, not even for the first VG's */
	/* At the last look (0: none yet): when it was, the processor time used by then, for how
	 * long that had not changed, and what the worker waited for. */
	uint64_t looked_ms, used_ns, still_ms;
	enum lea_proc_wait waits;
	/* LEFT: the detached_count VGs that it had not reported; and a descriptor that tells of its
	 * end, owned, -1: none. */
	char detached_id[LEA_BOUND_VGS][LEA_ID_CHARS + 1];
	uint32_t detached_count;
	bool has_put_off; /* LEFT: lost has put off a VG of it */
	int end_fd;
	/* a report that has only partly arrived */
	struct lea_worker_report report;
	size_t report_bytes;
};

/* What the child needs; borrowed, inherited by fork. */
struct lea_worker_setting {
	struct lea_world *world;
	const struct lea_conf *conf;
	const struct lea_workers_options *options;
};

/* Starts a process that waits for its first batch, of at most LEA_BOUND_VGS VGs. It keeps no
 * descriptor of ours that it does not need: it may outlive us in a disk that hangs. Returns 0 or
 * -errno. */
LEA_MUST_CHECK int lea_worker_start(const struct lea_worker_setting *setting,
				    struct lea_worker **ret_worker);

/* Adds @job to the batch of an idle worker, which owns it from then on. There must be room, and
 * nothing sent yet. */
void lea_worker_take(struct lea_worker *worker, struct lea_request *job);

enum lea_worker_outcome {
	LEA_WORKER_QUIET = 1, /* nothing to read at present */
	LEA_WORKER_ENDED,     /* the worker closed its end, or broke the protocol */
};
/* Sends the batch: the worker is busy. Returns 0, LEA_WORKER_ENDED, or -errno. */
LEA_MUST_CHECK int lea_worker_send(struct lea_worker *worker);
/* Reads the next report. Returns 0, an outcome, or -errno. Never blocks. */
LEA_MUST_CHECK int lea_worker_read(struct lea_worker *worker, struct lea_worker_report *ret_report);
/* Does it have a batch, and has it used no processor time for @stuck_ms while it waited for a disk
 * or a lock, or for @limit_ms anywhere (it may wait for a program of its own)? 0: never. Must be
 * called every LEA_WORKER_LOOK_MS, since it compares with the call before; @now_ms: monotonic. Of a
 * longer gap, in which this process did not run, either, only twice that time counts. Its waits for
 * udev are left to it if they have a limit: it knows what udev does. */
bool lea_worker_hangs(struct lea_worker *worker, uint64_t now_ms, uint64_t stuck_ms,
		      uint64_t limit_ms);
/* Does it wait for the check of a pool? */
bool lea_worker_checks(const struct lea_worker *worker);
/* Why does the VG at @index make no progress? For a worker that hangs. */
enum lea_detached_why lea_worker_why(const struct lea_worker *worker, uint32_t index);
/* Unlocks the VG at @index, whose LVs are set up, for a worker that hangs with a later one.
 * -ENOLCK: no lock of it is held; other faults as lea_lock_release_theirs. */
LEA_MUST_CHECK int lea_worker_unlock(const struct lea_worker *worker,
				     const struct lea_worker_setting *setting, uint32_t index);
/* Tells the worker that it is no longer waited for. If it continues after all, it ends the claims
 * of VGs that are active or have failed for good; if others are left, it ends with another code
 * than 0. The caller then reads the reports that were sent before, closes the worker, and waits for
 * the process. */
void lea_worker_detach(struct lea_worker *worker);
/* All VGs of the batch are reported: it is idle. Frees what is left of the batch. */
void lea_worker_clear(struct lea_worker *worker);

/* Closes our end; the process ends when its batch is done. */
void lea_worker_close(struct lea_worker *worker);
/* Closes our end and waits for the process; *ret_code as of lea_proc_wait. */
void lea_worker_end(struct lea_worker *worker, int *ret_code);
void lea_worker_free(struct lea_worker *worker); /* calls lea_worker_end; accepts NULL */
