/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over entries of the queue: it removes the records of devices that are gone, reads and
 * records the other devices, and activates VGs that became complete. The runner and the boot scan
 * share it; both hold the runner's lock while it runs.
 */
#pragma once

#include "base/err.h"
#include "batch/decide.h"
#include "conf/conf.h"
#include "scan/reader.h"
#include "state/queue.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lea_pass_cache;
struct lea_incomplete;
struct lea_needs;
struct lea_partial;
struct lea_pool;
struct lea_workers;

/* All borrowed. */
struct lea_batch_options {
	struct lea_world *world;
	const struct lea_conf *conf;
	const char *lvm_path;		/* the real lvm, for VGs that are delegated to it */
	int event_fd;			/* /run/lvm/event */
	struct lea_reader *reader;	/* reads for all batches; NULL: each batch has its own */
	struct lea_pass_cache *cache;	/* kept from pass to pass */
	struct lea_workers *workers;	/* from lea_batch_workers, with the same options */
	const struct lea_pool *pool;	/* its functions: lea_pool_real */
	const struct lea_needs *needs;	/* order of the VGs (memory/need.h); NULL: as they come */
	struct lea_incomplete *waiting; /* notes incomplete VGs */
	struct lea_partial *partial;	/* notes those to activate in part; NULL: none are */
	bool is_boot;			/* the machine boots: more LVs in flight (lea_bound_lvs) */
	bool defers_watch;		/* the caller calls lea_monitor_retry_step later */
};

/* Summed over calls; zeroed by the caller. */
struct lea_batch_summary {
	uint32_t devices, pvs, gone;
	uint32_t vgs_active, vgs_failed, lvs;
	uint32_t vgs_again; /* of the failed VGs, those that the next reconcile tries again */
	bool is_off_said;   /* event_activation=0 was logged */
};

enum lea_batch_outcome {
	LEA_BATCH_BAD_FILTER = 1, /* a filter pattern or the devices file is wrong; logged */
};

/*
 * lea_batch_check - can devices be scanned with these settings?
 * To be called before entries are taken from the queue, so that what cannot be scanned stays
 * pending. Returns 0, LEA_BATCH_BAD_FILTER, or -errno.
 */
LEA_MUST_CHECK int lea_batch_check(const struct lea_batch_options *options);

/* Creates workers for all batches of @options; starts no process. @options is not kept. The caller
 * frees *ret_workers by lea_workers_free. */
LEA_MUST_CHECK int lea_batch_workers(const struct lea_batch_options *options,
				     struct lea_workers **ret_workers);

/* What a claim says, for lea_decide. */
struct lea_claim;
enum lea_vg_claim lea_batch_judge_claim(const struct lea_claim *claim);

/* A pass whose devices were scanned and whose VGs may still be activated by workers. */
struct lea_batch_pass;

/*
 * lea_batch_start - begin a pass over @entries; the workers do the rest
 * @options, @summary: borrowed until lea_batch_end
 * @entries: likewise; their devices are taken, leaving the numbers; keys stay, so that the caller
 * can remove the entries from the queue
 * @ret_pass: set to NULL if there is nothing to wait for, or on a fault; one that comes when workers
 * have VGs of it is that of lea_batch_end
 * Trouble with a device or a VG is logged and is not a fault. With event_activation=0 it reads no
 * device, marks those without a record, and logs that once a summary. Returns 0 or -errno.
 */
LEA_MUST_CHECK int lea_batch_start(const struct lea_batch_options *options,
				   struct lea_entry *entries, size_t count,
				   struct lea_batch_summary *summary,
				   struct lea_batch_pass **ret_pass);
/* Have the workers reported all VGs of @pass? NULL: yes. Workers make progress in
 * the pool's wait. */
bool lea_batch_is_done(const struct lea_batch_pass *pass);
/* Frees @pass and gives up its unfinished VGs and those of all other passes. @pass may be NULL. */
void lea_batch_drop(struct lea_batch_pass *pass);
/* Waits until all VGs of @pass are reported, then frees it. Returns 0 or -errno. On a shortage the
 * entries that are nevertheless done are marked is_settled. @pass may be NULL. */
LEA_MUST_CHECK int lea_batch_end(struct lea_batch_pass *pass);

/* Logs one line at the end of a pass that did something: "12 devices, 12 PVs, 3 VGs active (7
 * LVs)". */
void lea_batch_report(const struct lea_batch_options *options,
		      const struct lea_batch_summary *summary);
