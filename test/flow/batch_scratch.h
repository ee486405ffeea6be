/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes of the runner on a machine made of files. Fake workers look for copies like the real ones,
 * and otherwise only report a preset outcome. Include it once.
 */
#pragma once

#include "batch/batch.h"
#include "batch/incomplete.h"
#include "batch/pass_cache.h"
#include "daemon/flight.h"
#include "flow/machine.h"
#include "record/duplicates.h"
#include "state/claim.h"
#include "worker/pool.h"
#include "world/manager.h"

#include <errno.h>

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define VG_TWO_ID "VqoF2z8DLr9uB4DSmt7k8IRGz3GndTHh"

/* ---- workers of the passes */

struct lea_workers {
	const struct lea_scan_vg *scanned[4];
	char name[4][128], id[4][33];
	void (*finished[4])(void *arg, const struct lea_worker_result *result);
	void *arg[4];
	bool watch_only[4], refreshes[4];
	uint32_t in_part[4];
	size_t count;
};

static const struct lea_conf *read_conf;		  /* owned */
static struct lea_conf own_conf, *const conf = &own_conf; /* a copy, for tests to change */
static char activated[512];				  /* names, each followed by a space */
static bool refreshed;					  /* some VG was to be refreshed */
static const char *const modes[] = {" ", "(whole) ", "(degraded) ", "(partial) "};
static int outcome;
static int shortage; /* fault of an outcome that is a failure */
static const char *reason;
static bool is_detached; /* the parent no longer waits for the worker */
static enum lea_detached_why detached_why;

static uint32_t workers_lag;   /* number of waits in which workers report nothing */
static int workers_fault;      /* of the next step, once */
static bool workers_are_blind; /* they find no copies */

static void fake_stop(struct lea_workers *workers)
{
	workers->count = 0;
}

static unsigned int handed_over, stepped;

static void fake_hand_over(struct lea_workers *workers)
{
	handed_over++;
}

static int fake_add(struct lea_workers *workers, const struct lea_scan_vg *scanned,
		    void (*finished)(void *arg, const struct lea_worker_result *result), void *arg)
{
	workers->finished[workers->count] = finished;
	workers->arg[workers->count] = arg;
	workers->watch_only[workers->count] = scanned->watch_only;
	workers->in_part[workers->count] = scanned->in_part;
	workers->refreshes[workers->count] = scanned->refreshes;
	workers->scanned[workers->count] = scanned;
	snprintf(workers->name[workers->count], 128, "%s", scanned->vg->name);
	snprintf(workers->id[workers->count++], 33, "%s", scanned->vg->id);
	return 0;
}

static const char *held_vg; /* a step does not report this VG: its check takes long */
static const char *held_until; /* ... until this one is active; NULL: for good */

static void keep(struct lea_workers *workers, size_t to, size_t from)
{
	memmove(workers->name[to], workers->name[from], sizeof(workers->name[to]));
	memmove(workers->id[to], workers->id[from], sizeof(workers->id[to]));
	workers->scanned[to] = workers->scanned[from];
	workers->finished[to] = workers->finished[from];
	workers->arg[to] = workers->arg[from];
	workers->watch_only[to] = workers->watch_only[from];
	workers->refreshes[to] = workers->refreshes[from];
	workers->in_part[to] = workers->in_part[from];
}

static bool (*vg_is_up)(void *arg); /* NULL: it is not */
static void (*before_report)(void);  /* NULL: nothing happens */

static void report_one(struct lea_workers *workers, size_t i)
{
	const struct lea_duplicates_options duplicates_options = {
		.world = machine.world, .conf = conf, .quiet = true, .is_up = vg_is_up};
	struct lea_worker_result result = {.vg_name = workers->name[i],
					   .vg_id = workers->id[i],
					   .outcome = outcome,
					   .shortage = shortage,
					   .active = 1,
					   .is_detached = is_detached,
					   .detached_why = detached_why,
					   .detached_by = "other",
					   .reason = reason};
	char copy[LEA_DUPLICATES_REASON_BYTES];
	const int checked = workers_are_blind ? 0
					      : lea_duplicates_check(&duplicates_options,
								     workers->scanned[i], copy);

	if (checked) {
		result.outcome = LEA_ACTIVATE_COPY;
		result.shortage = lea_duplicates_shortage(checked);
		result.reason = copy;
	} else {
		strcat(strcat(activated, workers->name[i]),
		       workers->watch_only[i] ? "(watch) " : modes[workers->in_part[i]]);
		refreshed |= workers->refreshes[i];
	}
	if (before_report)
		before_report();
	workers->finished[i](workers->arg[i], &result);
}

/* Reports all VGs but @but. */
static int fake_report(struct lea_workers *workers, const char *but)
{
	size_t kept = 0;

	for (size_t i = 0; i < workers->count; i++) {
		if (but && !strcmp(workers->name[i], but))
			keep(workers, kept++, i);
		else
			report_one(workers, i);
	}
	workers->count = kept;
	return 0;
}

static int fake_drain(struct lea_workers *workers)
{
	return fake_report(workers, NULL);
}

static int fake_step(struct lea_workers *workers)
{
	const int fault = workers_fault;

	stepped++;
	workers_fault = 0;
	if (!fault && workers_lag) {
		workers_lag--;
		return 0;
	}
	if (held_until && strstr(activated, held_until))
		held_vg = NULL;
	return fault ? fault : fake_report(workers, held_vg);
}

static int fake_wait(struct lea_workers *workers)
{
	return fake_step(workers);
}

static int workers_fd = -1; /* a descriptor with news of the workers */

static int fake_fd(const struct lea_workers *workers)
{
	return workers_fd;
}

static const struct lea_pool fake_pool = {
	.add = fake_add,
	.fd = fake_fd,
	.step = fake_step,
	.wait = fake_wait,
	.drain = fake_drain,
	.stop = fake_stop,
	.hand_over = fake_hand_over,
};

/* ---- events */

static struct lea_workers fake_workers;
static struct lea_pass_cache pass_cache;
static struct lea_incomplete waiting;
static struct lea_batch_options batch_options;
static struct lea_batch_summary summary;

/* Reads the settings, or reads them again. */
static void read_settings(void)
{
	const struct lea_conf_options options = {0};

	lea_conf_free(read_conf);
	ck_assert_int_eq(lea_conf_read(machine.world, &options, &read_conf), 0);
	own_conf = *read_conf;
}

static char units_started[512]; /* each followed by a space */
static char claim_at_start[4096];

/* What is started may ask for the VG's claim at once. */
static bool fake_start(const struct lea_world *world, const char *const *units, size_t count)
{
	FILE *claim;
	char path[256];

	(void)world;
	for (size_t i = 0; i < count; i++) {
		const size_t len = strlen(units_started);

		snprintf(units_started + len, sizeof(units_started) - len, "%s ", units[i]);
	}
	snprintf(path, sizeof(path), "%s/run/lvm/event/claims/" VG_ONE_ID, machine.tree.root);
	claim_at_start[0] = '\0';
	claim = fopen(path, "r");
	if (claim) {
		claim_at_start[fread(claim_at_start, 1, sizeof(claim_at_start) - 1, claim)] = '\0';
		fclose(claim);
	}
	return true;
}

static const struct lea_manager fake_manager = {.start = fake_start};

static void setup(void)
{
	machine_begin();
	machine.world->manager = &fake_manager;
	units_started[0] = '\0';
	read_settings();
	fake_workers.count = 0;
	batch_options = (struct lea_batch_options){.world = machine.world,
						   .conf = conf,
						   .lvm_path = "/no/lvm",
						   .workers = &fake_workers,
						   .pool = &fake_pool};
	batch_options.event_fd = lea_queue_open(lea_world_run(machine.world));
	ck_assert_int_ge(batch_options.event_fd, 0);
	batch_options.cache = &pass_cache;
	batch_options.waiting = &waiting;
	summary = (struct lea_batch_summary){0};
	activated[0] = '\0';
	outcome = shortage = workers_fault = 0;
	is_detached = refreshed = false;
	handed_over = stepped = 0;
	workers_lag = 0;
	held_vg = held_until = NULL;
	before_report = NULL;
	workers_are_blind = false;
	reason = "";
}

static void teardown(void)
{
	close(batch_options.event_fd);
	lea_pass_cache_forget(&pass_cache);
	lea_incomplete_done(&waiting);
	lea_conf_free(LEA_TAKE(read_conf));
	machine_end();
}

static struct lea_entry event(const char *name, uint32_t minor, uint64_t diskseq, const char *pvid,
			      bool is_gone)
{
	struct lea_entry entry = {
		.kind = LEA_ENTRY_ADD,
		.device = {.major = 8, .minor = minor, .diskseq = diskseq, .is_gone = is_gone}};
	char path[64];

	snprintf(path, sizeof(path), "/dev/%s", name);
	entry.device.name = strdup(path);
	snprintf(entry.pvid, sizeof(entry.pvid), "%s", pvid);
	lea_entry_set_key(&entry);
	return entry;
}

static int start_pass(void *arg, struct lea_entry *entries, size_t count,
		      struct lea_batch_pass **ret_pass)
{
	return lea_batch_start(&batch_options, entries, count, &summary, ret_pass);
}

/* What drives passes in the runner and in the boot scan. */
static struct lea_flight new_flight(void)
{
	return (struct lea_flight){.event_fd = batch_options.event_fd,
				   .start = start_pass,
				   .pool = batch_options.pool,
				   .workers = batch_options.workers,
				   .log = machine.world->log};
}

/* One pass over @entries, whose devices are taken. Returns what it returned. */
static int run_pass(struct lea_entry *entries, size_t count)
{
	struct lea_flight flight = new_flight();
	struct lea_entry *own = calloc(count + 1, sizeof(*own));
	int r, s;

	ck_assert_ptr_nonnull(own);
	for (size_t i = 0; i < count; i++) {
		own[i] = entries[i];
		entries[i].device = (struct lea_device){0};
	}
	r = lea_flight_add(&flight, own, count);
	s = lea_flight_drain(&flight);
	return r ? r : s;
}

/* Passes over all queued entries, and over those that these queue. Returns 0 or the first fault. */
static inline int run_queue(void)
{
	struct lea_flight flight = new_flight();
	unsigned int passes = 0;
	int r, s;

	do {
		ck_assert_uint_lt(passes++, 50);
		r = lea_flight_take(&flight);
		s = lea_flight_drain(&flight);
	} while (r != LEA_FLIGHT_NONE && r >= 0 && !s);
	return r < 0 ? r : s;
}

/* One pass over @entries. Returns the VGs that were given to workers. */
static const char *pass(struct lea_entry *entries, size_t count)
{
	activated[0] = '\0';
	ck_assert_int_eq(run_pass(entries, count), 0);
	fflush(machine.out_file);
	fflush(machine.err_file);
	return activated;
}

static inline const char *came(const char *name, uint32_t minor, uint64_t diskseq, const char *pvid)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, false);

	return pass(&entry, 1);
}

static inline const char *went(const char *name, uint32_t minor, uint64_t diskseq, const char *pvid)
{
	struct lea_entry entry = event(name, minor, diskseq, pvid, true);

	return pass(&entry, 1);
}

/* Passes over all queued entries. Returns the VGs that were given to workers. */
static inline const char *drain(void)
{
	activated[0] = '\0';
	ck_assert_int_eq(run_queue(), 0);
	fflush(machine.err_file);
	return activated;
}

static inline int claim_of(const char *vg_id, struct lea_claim *claim)
{
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};

	*claim = (struct lea_claim){0};
	return lea_claim_read(&claims, vg_id, claim);
}
