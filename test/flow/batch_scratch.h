/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Passes of the runner on a machine made of files; workers that look for copies as the real ones do,
 * and else only say how it ended. Include it once.
 */
#ifndef LEA_TEST_FLOW_BATCH_SCRATCH_H
#define LEA_TEST_FLOW_BATCH_SCRATCH_H

#include "flow/batch.h"
#include "flow/machine.h"
#include "flow/rivals.h"
#include "flow/workers.h"
#include "state/claim.h"

#include <errno.h>

#define VG_ONE_ID "GUetLOo5Gp19A2XKrJeENXFnMeOFEu21"
#define VG_TWO_ID "VqoF2z8DLr9uB4DSmt7k8IRGz3GndTHh"

/* ---- in place of flow/workers.c */

struct lea_workers {
	const struct lea_workers_options *options;
	struct lea_workers_options copy;
	struct lea_rivals_how rivals;
	const struct lea_scan_vg *known[4];
	char name[4][128], id[4][33];
	struct lea_workers_options who[4]; /* listened */
	bool watch_only[4];
	size_t count;
};

static char activated[512]; /* names, a blank after each */
static int outcome;
static int shortage; /* of an outcome that is a failure */
static const char *reason;
static bool is_left; /* nobody waits for it any more */
static enum lea_left_why left_why;

static uint32_t workers_made;
static uint32_t workers_lag; /* so many waits for them in which they tell nothing */
static int workers_fault;    /* of the next step, once */
static bool workers_are_blind; /* for copies */

int lea_workers_new(struct lea_world *world, const struct lea_conf *conf,
		    const struct lea_workers_options *options, struct lea_workers **ret_workers)
{
	*ret_workers = calloc(1, sizeof(**ret_workers));
	(*ret_workers)->copy = *options;
	(*ret_workers)->rivals = (struct lea_rivals_how){
		.world = world, .conf = conf, .quiet = true};
	workers_made++;
	return 0;
}

void lea_workers_listen(struct lea_workers *workers,
			void (*finished)(void *arg, const struct lea_worker_result *result),
			void *arg)
{
	workers->copy.finished = finished;
	workers->copy.arg = arg;
}

void lea_workers_stop(struct lea_workers *workers)
{
	workers->count = 0;
}

static unsigned int handed_over, stepped;

void lea_workers_hand_over(struct lea_workers *workers)
{
	handed_over++;
}

uint32_t lea_workers_started(const struct lea_workers *workers)
{
	return workers->count > 0;
}

int lea_workers_add(struct lea_workers *workers, const struct lea_scan_vg *known)
{
	workers->who[workers->count] = workers->copy;
	workers->watch_only[workers->count] = known->watch_only;
	workers->known[workers->count] = known;
	snprintf(workers->name[workers->count], 128, "%s", known->vg->name);
	snprintf(workers->id[workers->count++], 33, "%s", known->vg->id);
	return 0;
}

int lea_workers_drain(struct lea_workers *workers)
{
	for (size_t i = 0; i < workers->count; i++) {
		struct lea_worker_result result = {.vg_name = workers->name[i],
							 .vg_id = workers->id[i],
							 .outcome = outcome,
							 .shortage = shortage,
							 .active = 1,
							 .is_left = is_left,
							 .left_why = left_why,
							 .left_by = "other",
							 .reason = reason};
		char copy[LEA_RIVALS_REASON_BYTES];

		if (!workers_are_blind &&
		    lea_rivals_check(&workers->rivals, workers->known[i], copy)) {
			result.outcome = LEA_ACTIVATE_COPY;
			result.reason = copy;
		} else {
			strcat(strcat(activated, workers->name[i]),
			       workers->watch_only[i] ? "(watch) " : " ");
		}
		workers->who[i].finished(workers->who[i].arg, &result);
	}
	workers->count = 0;
	return 0;
}

int lea_workers_step(struct lea_workers *workers)
{
	const int fault = workers_fault;

	stepped++;
	workers_fault = 0;
	return fault || workers_lag ? fault : lea_workers_drain(workers);
}

int lea_workers_wait(struct lea_workers *workers, int timeout_ms)
{
	if (!workers_lag)
		return lea_workers_drain(workers);
	workers_lag--;
	return 0;
}

static int workers_fd = -1; /* something to hear of them */

int lea_workers_fd(const struct lea_workers *workers)
{
	return workers_fd;
}

int lea_workers_timeout_ms(const struct lea_workers *workers)
{
	return -1;
}

size_t lea_workers_open(const struct lea_workers *workers)
{
	return workers->count;
}

void lea_workers_free(struct lea_workers *workers)
{
	free(workers);
}

void lea_workers_freep(struct lea_workers **workers)
{
	lea_workers_free(*workers);
}

/* ---- events */

static struct lea_conf *conf;
static struct lea_batch_how how;
static struct lea_batch_summary summary;

static void setup(void)
{
	const struct lea_conf_options conf_options = {0};
	machine_begin();
	ck_assert_int_eq(lea_conf_read(machine.world, &conf_options, &conf), 0);
	how = (struct lea_batch_how){.world = machine.world, .conf = conf, .lvm_path = "/no/lvm"};
	how.event_fd = lea_queue_open(lea_world_run(machine.world));
	ck_assert_int_ge(how.event_fd, 0);
	summary = (struct lea_batch_summary){0};
	activated[0] = '\0';
	outcome = shortage = workers_fault = 0;
	is_left = false;
	handed_over = stepped = 0;
	workers_lag = 0;
	workers_are_blind = false;
	reason = "";
}

static void teardown(void)
{
	close(how.event_fd);
	lea_conf_free(conf);
	machine_end();
}

static struct lea_entry event(const char *name, uint32_t minor, uint64_t diskseq, const char *pvid,
			      bool is_gone)
{
	struct lea_entry entry = {
		.device = {.major = 8, .minor = minor, .diskseq = diskseq, .is_gone = is_gone}};
	char path[64];

	snprintf(path, sizeof(path), "/dev/%s", name);
	entry.device.name = strdup(path);
	snprintf(entry.pvid, sizeof(entry.pvid), "%s", pvid);
	lea_entry_set_key(&entry);
	return entry;
}

/* One pass over these; what it handed to the workers. */
static const char *pass(struct lea_entry *entries, size_t count)
{
	activated[0] = '\0';
	ck_assert_int_eq(lea_batch_run(&how, entries, count, &summary), 0);
	for (size_t i = 0; i < count; i++)
		lea_device_done(&entries[i].device);
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

static inline int claim_of(const char *vg_id, struct lea_claim *claim)
{
	const struct lea_claims claims = {.run_fd = lea_world_run(machine.world),
					  .proc_fd = lea_world_proc(machine.world)};

	*claim = (struct lea_claim){0};
	return lea_claim_read(&claims, vg_id, claim);
}

#endif
