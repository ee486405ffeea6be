/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one pass does with the devices in hand: removals out of the run files, the others read,
 * recorded, and VGs that became complete activated. Shared by the runner and the boot pass, both of
 * which hold the runner's lock around it.
 */
#ifndef LEA_FLOW_BATCH_H
#define LEA_FLOW_BATCH_H

#include "base/err.h"
#include "flow/prober.h"
#include "state/queue.h"
#include "world/conf.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lea_known;
struct lea_waiting;
struct lea_workers;

/* All borrowed. */
struct lea_batch_how {
	struct lea_world *world;
	const struct lea_conf *conf;
	const char *lvm_path;	     /* the real lvm, for VGs that are handed over */
	int event_fd;		     /* /run/lvm/event */
	struct lea_prober *prober;   /* reads for all batches; NULL: one for each batch */
	struct lea_known *known;     /* with prober: left by each to the next; NULL: nothing is */
	struct lea_workers *workers; /* of lea_batch_workers, the same */
	struct lea_waiting *waiting; /* notes VGs that are incomplete; NULL: nobody will ask */
	bool is_boot;		     /* the machine boots: nothing is left for others */
	bool defers_watch;	     /* who calls sees to lea_watch_later_step, now or later */
};

/* Summed up over calls; the caller zeroes it. */
struct lea_batch_summary {
	uint32_t devices, pvs, gone;
	uint32_t vgs_active, vgs_failed, lvs;
	uint32_t vgs_again; /* of the failed ones, those that the next comparison tries again */
	bool is_off_said; /* event_activation=0 was reported */
};

enum lea_batch_outcome {
	LEA_BATCH_BAD_FILTER = 1, /* a filter pattern or the devices file: logged */
};

/*
 * lea_batch_check - can devices be looked at with these settings?
 * To be asked before anything is taken off the queue: what can't be looked at now stays pending.
 */
LEA_MUST_CHECK int lea_batch_check(const struct lea_batch_how *how);

/* Workers for all batches of @how; starts no process. @how is read now and not kept. */
LEA_MUST_CHECK int lea_batch_workers(const struct lea_batch_how *how,
				     struct lea_workers **ret_workers);

/* A pass whose devices were looked at and whose VGs may still be on their way. */
struct lea_batch_pass;

/*
 * lea_batch_start - the first part of lea_batch_run: the rest goes on in the workers
 * @how, @entries, @summary: borrowed until lea_batch_end. *ret_pass is NULL if there is nothing to
 * wait for, or with a fault.
 */
LEA_MUST_CHECK int lea_batch_start(const struct lea_batch_how *how, struct lea_entry *entries,
				   size_t count, struct lea_batch_summary *summary,
				   struct lea_batch_pass **ret_pass);
/* Have the workers told of all its VGs? NULL is done. They get on in lea_workers_wait. */
bool lea_batch_is_done(const struct lea_batch_pass *pass);
/* Frees it; its VGs that are on their way, and those of all others, are given up. NULL is fine. */
void lea_batch_drop(struct lea_batch_pass *pass);
/* Waits for the rest of it, and frees it; as lea_batch_run. NULL is fine. */
LEA_MUST_CHECK int lea_batch_end(struct lea_batch_pass *pass);

/*
 * lea_batch_run - one pass over @entries
 * Takes the devices out of the entries (each is left empty but for its numbers); keys stay, so that
 * the caller can take them off the queue. Trouble with a device or a VG is a line in the log and
 * no fault. Blocks until every VG of this pass is activated or has failed.
 * Of a shortage (returned) it is told which entries are settled all the same.
 * With event_activation=0 nothing is looked at: one line a summary says so.
 */
LEA_MUST_CHECK int lea_batch_run(const struct lea_batch_how *how, struct lea_entry *entries,
				 size_t count, struct lea_batch_summary *summary);

/*
 * lea_batch_tidy - forgets instances of devices that are there no more
 * For those whose removal event was lost: what says "this one has a record" goes. One look at sysfs
 * each; faults don't matter: it is tried again.
 */
void lea_batch_tidy(struct lea_world *world, int event_fd);

/* "12 devices, 12 PVs, 3 VGs active (7 LVs)": one line at the end of a pass that did something. */
void lea_batch_report(const struct lea_batch_how *how, const struct lea_batch_summary *summary);

#endif
