/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From "its last PV is there" to active. Run files only say that a VG is worth a look; a claim that
 * was made with the same instances of all its PVs says that it is not.
 */
#include "flow/batch_vg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "flow/workers.h"
#include "state/claim.h"
#include "state/online.h"
#include "world/sysfs.h"

#define NAME_BYTES 128U

struct candidate {
	const struct lea_vg *vg; /* borrowed from the scan; NULL: this PV gave no metadata */
	char name[NAME_BYTES];
	uint32_t seen; /* PVs of it in this pass */
	bool stands;   /* its claim holds for all that was seen */
	struct lea_claim claim;
};

struct lea_candidates {
	const struct lea_batch_how *how;
	struct lea_claims claims;
	struct candidate *list;
	size_t count, room;
	/* while activating */
	struct lea_workers *workers;
	struct lea_scan_vg *vgs;
	size_t vg_count;
	struct lea_batch_summary *summary;
};

int lea_candidates_new(const struct lea_batch_how *how, struct lea_candidates **ret_candidates)
{
	struct lea_candidates *candidates;
	int run_fd = lea_world_run(how->world), proc_fd = lea_world_proc(how->world);

	if (run_fd < 0 || proc_fd < 0)
		return run_fd < 0 ? run_fd : proc_fd;
	candidates = calloc(1, sizeof(*candidates));
	if (!candidates)
		return -ENOMEM;
	candidates->how = how;
	candidates->claims = (struct lea_claims){.run_fd = run_fd, .proc_fd = proc_fd};
	*ret_candidates = candidates;
	return 0;
}

void lea_candidates_free(struct lea_candidates *candidates)
{
	if (!candidates)
		return;
	for (size_t i = 0; i < candidates->count; i++)
		lea_claim_done(&candidates->list[i].claim);
	free(candidates->list);
	free(candidates);
}

void lea_candidates_freep(struct lea_candidates **candidates)
{
	lea_candidates_free(*candidates);
}

/* From the end: the devices of one VG mostly come together. */
static struct candidate *find(const struct lea_candidates *candidates, const struct lea_vg *vg,
			      const char *name)
{
	for (size_t i = candidates->count; i-- > 0;)
		if (candidates->list[i].vg == vg && !strcmp(candidates->list[i].name, name))
			return &candidates->list[i];
	return NULL;
}

static int append(struct lea_candidates *candidates, const struct lea_vg *vg, const char *name,
		  struct candidate **ret_candidate)
{
	struct candidate *bigger, *candidate;
	size_t room = candidates->room ? candidates->room * 2 : 32;
	int r;

	if (candidates->count == candidates->room) {
		bigger = realloc(candidates->list, room * sizeof(*bigger));
		if (!bigger)
			return -ENOMEM;
		candidates->list = bigger;
		candidates->room = room;
	}
	candidate = &candidates->list[candidates->count];
	memset(candidate, 0, sizeof(*candidate));
	candidate->vg = vg;
	snprintf(candidate->name, sizeof(candidate->name), "%s", name);
	if (vg) {
		r = lea_claim_read(&candidates->claims, vg->id, &candidate->claim);
		if (r < 0)
			return r;
		candidate->stands = r == 0 && candidate->claim.state == LEA_CLAIM_DONE &&
				    candidate->claim.pv_count == vg->pv_count;
	}
	candidates->count++;
	*ret_candidate = candidate;
	return 0;
}

static bool is_claimed_with(const struct lea_claim *claim, const struct lea_found *found)
{
	for (uint32_t i = 0; i < claim->pv_count; i++)
		if (!strcmp(claim->pv[i].pvid, found->label.pvid))
			return claim->pv[i].major == found->device.major &&
			       claim->pv[i].minor == found->device.minor &&
			       claim->pv[i].diskseq == found->device.diskseq;
	return false;
}

int lea_candidates_add(struct lea_candidates *candidates, const struct lea_found *found,
		       const struct lea_record *record)
{
	struct candidate *candidate = find(candidates, found->vg, record->vg_name);
	int r;

	if (!candidate) {
		r = append(candidates, found->vg, record->vg_name, &candidate);
		if (r)
			return r;
	}
	candidate->seen++;
	if (candidate->stands && !is_claimed_with(&candidate->claim, found))
		candidate->stands = false;
	return 0;
}

static bool is_scanned(struct lea_found *const *found, size_t count,
		       const struct lea_device *device)
{
	for (size_t i = 0; i < count; i++)
		if (found[i]->device.major == device->major &&
		    found[i]->device.minor == device->minor)
			return true;
	return false;
}

/* Reads the members of one VG that had no event in this pass. */
static int complete_scan(const struct lea_candidates *candidates, struct lea_scan *scan,
			 const struct candidate *candidate)
{
	struct lea_device *devices = NULL;
	struct lea_found *const *found;
	size_t count = 0, known, n = 0;
	int r;

	r = lea_devices_of_vg(candidates->how->world, candidate->name, &devices, &count);
	if (r)
		return r < 0 ? r : 0;
	found = lea_scan_found(scan, &known);
	for (size_t i = 0; i < count; i++) {
		struct lea_device device = devices[i];

		if (is_scanned(found, known, &device))
			continue;
		/* A record says which number it was, the claim must say which instance it is. */
		device.diskseq = lea_sysfs_diskseq(candidates->how->world,
						   (struct lea_devno){device.major, device.minor});
		devices[i] = devices[n];
		devices[n++] = device;
	}
	r = n ? lea_scan_add(scan, devices, n) : 0;
	lea_devices_free(devices, count);
	return r;
}

static int complete_all(const struct lea_candidates *candidates, struct lea_scan *scan)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < candidates->count; i++) {
		const struct candidate *candidate = &candidates->list[i];

		if (candidate->stands ||
		    (candidate->vg && candidate->seen >= candidate->vg->pv_count))
			continue;
		r = complete_scan(candidates, scan, candidate);
	}
	return r;
}

static bool is_wanted(const struct lea_candidates *candidates, const struct lea_scan_vg *known)
{
	for (size_t i = 0; i < candidates->count; i++)
		if (!candidates->list[i].stands &&
		    !strcmp(candidates->list[i].name, known->vg->name))
			return true;
	return false;
}

/* NULL: all there. Else what is in the way. */
static const char *obstacle(const struct lea_scan_vg *known)
{
	if (known->has_duplicate)
		return "one of its PVs is on two devices, exclude one of them by devices/filter";
	for (uint32_t i = 0; i < known->vg->pv_count; i++)
		if (!known->pv[i])
			return "a PV of it has gone without a word, it is tried again with the "
			       "next one that comes";
	return NULL;
}

static int fill_claim(const struct lea_scan_vg *known, struct lea_claim *claim)
{
	snprintf(claim->vg_name, sizeof(claim->vg_name), "%s", known->vg->name);
	claim->pv = calloc((size_t)known->vg->pv_count + 1, sizeof(*claim->pv));
	if (!claim->pv)
		return -ENOMEM;
	for (uint32_t i = 0; i < known->vg->pv_count; i++) {
		const struct lea_found *found = known->pv[i];

		if (!found)
			continue;
		memcpy(claim->pv[claim->pv_count].pvid, found->label.pvid, sizeof(claim->pv->pvid));
		claim->pv[claim->pv_count].major = found->device.major;
		claim->pv[claim->pv_count].minor = found->device.minor;
		claim->pv[claim->pv_count++].diskseq = found->device.diskseq;
	}
	return 0;
}

/* An activation that failed must not keep the next try away: lvm2's mark goes, ours says why. */
static int settle(const struct lea_candidates *candidates, const struct lea_scan_vg *known,
		  enum lea_claim_state state, const char *reason)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = fill_claim(known, &claim);

	if (r)
		return r;
	claim.state = state;
	snprintf(claim.reason, sizeof(claim.reason), "%s", reason);
	r = lea_claim_finish(&candidates->claims, known->vg->id, &claim);
	if (state != LEA_CLAIM_DONE && r >= 0)
		r = lea_vg_online_drop(candidates->claims.run_fd, known->vg->name);
	return r;
}

static int refuse(const struct lea_candidates *candidates, const struct lea_scan_vg *known,
		  const char *reason)
{
	lea_log(candidates->how->world->log, LEA_LOG_ERROR, "VG %s: not activated: %s",
		known->vg->name, reason);
	candidates->summary->vgs_failed++;
	return settle(candidates, known, LEA_CLAIM_FAILED, reason);
}

static int start_vg(const struct lea_candidates *candidates, const struct lea_scan_vg *known)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	const char *reason = obstacle(known);
	int r;

	if (reason)
		return refuse(candidates, known, reason);
	r = fill_claim(known, &claim);
	r = r ? r : lea_claim_take(&candidates->claims, known->vg->id, &claim);
	if (r == LEA_CLAIM_HELD)
		return 0; /* a person's command is at it */
	return r ? r : lea_workers_add(candidates->workers, known);
}

static const struct lea_scan_vg *find_vg(const struct lea_candidates *candidates, const char *id)
{
	for (size_t i = 0; i < candidates->vg_count; i++)
		if (!strcmp(candidates->vgs[i].vg->id, id))
			return &candidates->vgs[i];
	return NULL;
}

static void finished(void *arg, const struct lea_worker_result *result)
{
	const struct lea_candidates *candidates = arg;
	const struct lea_scan_vg *known = find_vg(candidates, result->vg_id);
	struct lea_log *log = candidates->how->world->log;
	const char *reason = result->reason[0]				  ? result->reason
			     : result->outcome == LEA_ACTIVATE_INCOMPLETE ? "a PV of it went away"
									  : "activation failed";
	/* VGs that are not to be activated by events are as done as active ones. */
	bool failed = result->outcome < 0 || result->outcome == LEA_ACTIVATE_FAILED ||
		      result->outcome == LEA_ACTIVATE_INCOMPLETE;
	int r;

	if (!known)
		return;
	if (failed) {
		candidates->summary->vgs_failed++;
		lea_log(log, LEA_LOG_ERROR, "VG %s: not activated: %s; try: vgchange -aay %s",
			result->vg_name, reason, result->vg_name);
	} else if (result->outcome == 0) {
		candidates->summary->vgs_active++;
		candidates->summary->lvs += result->active;
	}
	r = settle(candidates, known, failed ? LEA_CLAIM_FAILED : LEA_CLAIM_DONE,
		   failed ? reason : "");
	if (r < 0)
		lea_log(log, LEA_LOG_ERROR, "VG %s: recording what became of it: %s",
			result->vg_name, strerror(-r));
}

static int start_all(const struct lea_candidates *candidates)
{
	int r;

	for (size_t i = 0; i < candidates->vg_count; i++) {
		const struct lea_scan_vg *known = &candidates->vgs[i];

		if (!is_wanted(candidates, known))
			continue;
		r = start_vg(candidates, known);
		if (r < 0)
			return r;
	}
	return 0;
}

int lea_candidates_activate(struct lea_candidates *candidates, struct lea_scan *scan,
			    struct lea_batch_summary *summary)
{
	static const char *const lvm_args[] = {"vgchange", "-aay", "--autoactivation", "event",
					       NULL};
	LEA_AUTO(lea_workers_freep) struct lea_workers *workers = NULL;
	const struct lea_workers_options options = {
		.activate = {.what = LEA_ACTIVATE_AUTO,
			     .only_complete = true,
			     .quiet_refusals = true},
		.lvm_args = lvm_args,
		.lvm_path = candidates->how->lvm_path,
		.finished = finished,
		.arg = candidates,
	};
	int r;

	if (!candidates->count)
		return 0;
	r = complete_all(candidates, scan);
	r = r ? r : lea_scan_vgs(scan, &candidates->vgs, &candidates->vg_count);
	r = r ? r
	      : lea_workers_new(candidates->how->world, candidates->how->conf, &options, &workers);
	if (r)
		return r;
	candidates->workers = workers;
	candidates->summary = summary;
	r = start_all(candidates);
	return r ? r : lea_workers_drain(workers);
}
