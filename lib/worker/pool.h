/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Activates VGs by class (memory/need.h) and, within a class, in the order in which they are added,
 * by a bounded number of worker processes. A worker takes several VGs in one transaction; a VG
 * whose lock another command holds goes to the end of its class. VGs that we do not activate go to
 * the real lvm, in batches, under the same bound. A worker that has finished its batch waits for
 * the next one.
 */
#pragma once

#include "activate/transaction.h"
#include "base/err.h"
#include "conf/conf.h"
#include "record/duplicates.h"
#include "scan/scan.h"
#include "worker/request.h"
#include "world/world.h"

#include <stddef.h>
#include <stdint.h>

struct lea_workers;

/* How the activation of one VG ended. Borrowed during the callback. */
struct lea_worker_result {
	const char *vg_name, *vg_id;
	/* 0: done; an enum lea_activate_outcome other than VG_BUSY and DELEGATE; < 0: a fault, also
	 * if the worker died. For a delegated VG: 0 if lvm ended well, FAILED if it did not,
	 * CHANGED if the VG was renamed, INCOMPLETE if none of its LVs is active */
	int outcome;
	uint32_t active, failed; /* LVs; 0 for a delegated VG */
	int shortage;		 /* the shortage that made it fail (lea_is_shortage); 0: none */
	bool delegated;
	bool is_detached; /* not done: its worker hangs and continues by itself when it can */
	enum lea_detached_why detached_why; /* valid with is_detached */
	const char *detached_by; /* with BESIDE: name of the VG that the worker hangs in; else "" */
	uint32_t detached_s;	 /* with CHECK: how long it has taken so far, in seconds */
	const char *reason;	 /* last error message, or why it was delegated; "": none */
};

/* What a worker process does with its VGs: lea_activation_start, lea_activation_vg,
 * lea_activation_finish, lea_vg_rescan and lea_duplicates_check, or others with their contracts. */
struct lea_activator {
	int (*start)(struct lea_world *world, const struct lea_conf *conf,
		     const struct lea_activate_options *options,
		     struct lea_activation_run **ret_run);
	int (*vg)(struct lea_activation_run *run, const char *vg_name,
		  const struct lea_scan_vg *before_lock, struct lea_activate_result *ret_result);
	int (*finish)(struct lea_activation_run *run);
	int (*rescan)(struct lea_scan *scan, const struct lea_scan_vg *before_lock,
		      const struct lea_scan_vg **ret_vg);
	int (*check_duplicates)(const struct lea_duplicates_options *options,
				const struct lea_scan_vg *scanned,
				char ret_reason[static LEA_DUPLICATES_REASON_BYTES]);
};
extern const struct lea_activator lea_activator_real;

struct lea_workers_options {
	const struct lea_activator *activator;
	struct lea_activate_options activate; /* the pool sets no_wait_lock */
	const char *const *lvm_args;   /* words between "lvm" and the VG names, NULL-terminated:
					  "vgchange", "-aay" ... */
	const char *lvm_path;	       /* the real lvm */
	const struct lea_needs *needs; /* give each VG its class; borrowed; NULL: all are normal */
	bool is_alone;		       /* the machine boots: see lea_bound_lvs */
	/* A detached worker ended without finishing this VG, or with @is_last will be watched by
	 * nobody: queue the VG again. Called from step, wait, drain and hand_over. 0,
	 * LEA_WORKERS_LATER, or < 0: not possible now, it is called again. May be NULL. */
	int (*lost)(struct lea_world *world, const char *vg_id, bool is_last);
};

enum lea_workers_lost {
	LEA_WORKERS_LATER = 1, /* not queued: that was in vain before, so a pause comes first */
};

/* Workers that hang, above this number, hold places of the pool until they end: the number of
 * processes that cannot be ended has a limit. With no place left, each VG is refused for now. */
#define LEA_WORKERS_LEFT 64U

/*
 * @world, @conf, strings in @options: borrowed until lea_workers_free. Starts no process. Limits:
 * conf->workers processes and conf->lvs_in_flight LVs in all; 0: the defaults of plan/bounds.h.
 * Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_workers_new(struct lea_world *world, const struct lea_conf *conf,
				   const struct lea_workers_options *options,
				   struct lea_workers **ret_workers);

/* Ends all processes; waits a second at most and detaches those that have not ended. Drops VGs that
 * were not started; finished is not called for those that were. @workers can be used again. */
void lea_workers_stop(struct lea_workers *workers);

/* This process is about to end: gives VGs of detached workers that still hang to the option lost.
 * Otherwise the end of such a worker would go unnoticed. */
void lea_workers_hand_over(struct lea_workers *workers);

/* Stops all workers, then frees. NULL does nothing. */
void lea_workers_free(struct lea_workers *workers);

/*
 * lea_workers_add - queue a VG
 * @scanned: copied as far as needed; the scan may be freed or may grow afterwards
 * @finished: called once for the VG, from step, wait or drain, when its messages are in the log;
 * may add VGs
 * Returns 0 or -ENOMEM. Never blocks.
 */
LEA_MUST_CHECK int
lea_workers_add(struct lea_workers *workers, const struct lea_scan_vg *scanned,
		void (*finished)(void *arg, const struct lea_worker_result *result), void *arg);

/* Descriptor for poll; readable when lea_workers_step has something to do: a report, the end of a
 * worker (also of a detached one), or, once a second, a worker that may hang. Borrowed. */
int lea_workers_fd(const struct lea_workers *workers);

/* Starts workers within the limits, takes reports, calls finished, detaches workers that hang.
 * Never blocks. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_workers_step(struct lea_workers *workers);

/* Has lost put off any VG since the last call? Then a reconcile is due after a pause. */
bool lea_workers_has_put_off(struct lea_workers *workers);

/* Waits until no VG is open. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_workers_drain(struct lea_workers *workers);

/* How passes use their workers: the functions above, or others with their contracts. */
struct lea_pool {
	int (*add)(struct lea_workers *workers, const struct lea_scan_vg *scanned,
		   void (*finished)(void *arg, const struct lea_worker_result *result), void *arg);
	int (*fd)(const struct lea_workers *workers);
	int (*step)(struct lea_workers *workers);
	int (*wait)(struct lea_workers *workers);
	int (*drain)(struct lea_workers *workers);
	void (*stop)(struct lea_workers *workers);
	void (*hand_over)(struct lea_workers *workers);
};
extern const struct lea_pool lea_pool_real;
