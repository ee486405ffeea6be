/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VGs activated in the order they are added, by a bounded number of worker processes. A worker
 * takes several VGs in one transaction; a VG that another command holds goes to the end of the
 * queue. VGs that are not ours go to the real lvm, batched, under the same bound. A worker that
 * has done its batch waits for the next one.
 */
#ifndef LEA_FLOW_WORKERS_H
#define LEA_FLOW_WORKERS_H

#include "base/err.h"
#include "flow/activate.h"
#include "flow/job.h"
#include "flow/scan.h"
#include "world/conf.h"
#include "world/world.h"

#include <stddef.h>
#include <stdint.h>

struct lea_workers;

/* How one VG ended. Borrowed during the callback. */
struct lea_worker_result {
	const char *vg_name, *vg_id;
	/* 0: done; enum lea_activate_outcome (never VG_BUSY; DELEGATE never: the lvm that it was
	 * handed to ended well, 0, or not, FAILED, or CHANGED if it has another name by now);
	 * < 0: a fault, also of a worker that died */
	int outcome;
	uint32_t active, failed; /* LVs; 0 for a delegated VG */
	int shortage;		 /* it failed for that (lea_is_shortage); 0: not so */
	bool delegated;
	bool is_left;	    /* not done: its worker hangs, and goes on by itself when it can */
	enum lea_left_why left_why; /* of one that is left */
	const char *left_by;	    /* BESIDE: the name of that VG; else "" */
	const char *reason; /* last error line, or why it was delegated; "": none */
};

struct lea_workers_options {
	struct lea_activate_options activate; /* no_wait_lock is decided here */
	const char *const *lvm_args;	      /* words between "lvm" and the VG names, NULL-ended:
						 "vgchange", "-aay" ... */
	const char *lvm_path;		      /* the real lvm */
	bool is_alone;			      /* nothing is left for others: lea_bound_lvs */
	/* Called from step and drain, once for each VG; its messages are in the log by then. May
	 * add VGs. */
	void (*finished)(void *arg, const struct lea_worker_result *result);
	void *arg;
	/* A worker that was left has ended, and did not say itself what became of this VG: it is
	 * to be looked at again. Called from step, wait, drain and hand_over; < 0: not possible
	 * now, it is called again. NULL: nobody cares. */
	int (*lost)(struct lea_world *world, const char *vg_id);
	/* Closed in every worker: what must not outlive this process. Read when a worker is
	 * started, -1: nothing there just then. */
	const int *private_fd;
	size_t private_fd_count;
};

/* @world, @conf, strings of @options: borrowed until free. Starts no process. conf->workers at most
 * run at once, conf->worker_vgs VGs each, conf->lvs_in_flight LVs of all of them; 0: as
 * policy/bounds.h says. */
LEA_MUST_CHECK int lea_workers_new(struct lea_world *world, const struct lea_conf *conf,
				   const struct lea_workers_options *options,
				   struct lea_workers **ret_workers);

/* Somebody else is told of what is added from now on. */
void lea_workers_listen(struct lea_workers *workers,
			void (*finished)(void *arg, const struct lea_worker_result *result),
			void *arg);

/* Ends all processes, and waits a second for that at most: those that have not ended are left. VGs
 * that were not started are forgotten, nobody is told of those in work. It can be used again. */
void lea_workers_stop(struct lea_workers *workers);

/* This process ends: VGs of workers that were left, and that still hang, are given to others by the
 * option lost. Without it nobody notices if such a worker is killed. */
void lea_workers_hand_over(struct lea_workers *workers);

/* Stops, and frees. NULL is fine. */
void lea_workers_free(struct lea_workers *workers);
void lea_workers_freep(struct lea_workers **workers);

/* Queues a VG. Copies what it needs of @known: the scan may be freed or grow afterwards. */
LEA_MUST_CHECK int lea_workers_add(struct lea_workers *workers, const struct lea_scan_vg *known);

/* Readable (poll, epoll) when lea_workers_step has something to do: reports, or the end of a worker,
 * also of one that was left, when no VG is open any more. Borrowed. */
int lea_workers_fd(const struct lea_workers *workers);

/* After this many ms step must be called even if the descriptor is silent; -1: no need. */
int lea_workers_timeout_ms(const struct lea_workers *workers);

/* Starts what may start, takes what has come, calls finished. Never blocks. */
LEA_MUST_CHECK int lea_workers_step(struct lea_workers *workers);

/* The same, and waits for something to read, @timeout_ms at most; sees to workers that hang. */
LEA_MUST_CHECK int lea_workers_wait(struct lea_workers *workers, int timeout_ms);

/* How many processes were started so far. */
uint32_t lea_workers_started(const struct lea_workers *workers);

/* VGs queued or in work. */
size_t lea_workers_open(const struct lea_workers *workers);

/* Steps until nothing is open. */
LEA_MUST_CHECK int lea_workers_drain(struct lea_workers *workers);

#endif
