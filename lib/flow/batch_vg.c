/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From "its last PV is there" to active. Run files only say that a VG is worth a look; a claim that
 * was made with the same instances of all its PVs says that it is not.
 */
#include "flow/batch_vg.h"

#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "flow/look_again.h"
#include "flow/workers.h"
#include "state/claim.h"
#include "state/online.h"
#include "world/sysfs.h"

#define NAME_BYTES 128U

struct candidate {
	const struct lea_vg *vg; /* borrowed from the scan; NULL: this PV gave no metadata */
	char name[NAME_BYTES];
	uint32_t seen; /* PVs of it in this pass; two entries may tell of one */
	bool stands;   /* its claim holds for all that was seen */
	struct lea_claim claim;
};

struct lea_candidates {
	const struct lea_batch_how *how;
	struct lea_claims claims;
	struct lea_claims_now now; /* claims.now */
	struct candidate **list;   /* in order of appearance; owned, each too */
	size_t count, room;
	void *tree; /* of all: tsearch by metadata and name */
	/* while activating */
	struct lea_workers *workers;
	struct lea_scan_vg *vgs;
	struct lea_scan_vg **by_id; /* sorted; owned */
	size_t vg_count;
	void *wanted;  /* of those whose claim does not stand: tsearch by name */
	void *numbers; /* of the devices in the scan: the number itself is the pointer */
	struct lea_batch_summary *summary;
	struct lea_unsettled *unsettled; /* borrowed */
};

int lea_candidates_new(const struct lea_batch_how *how, struct lea_unsettled *unsettled,
		       struct lea_candidates **ret_candidates)
{
	struct lea_candidates *candidates;
	int run_fd = lea_world_run(how->world), proc_fd = lea_world_proc(how->world);

	if (run_fd < 0 || proc_fd < 0)
		return run_fd < 0 ? run_fd : proc_fd;
	candidates = calloc(1, sizeof(*candidates));
	if (!candidates)
		return -ENOMEM;
	candidates->how = how;
	candidates->unsettled = unsettled;
	candidates->claims =
		(struct lea_claims){.run_fd = run_fd, .proc_fd = proc_fd, .now = &candidates->now};
	*ret_candidates = candidates;
	return 0;
}

/* The trees own nothing that they point to. */
static void keep(void *node)
{
	(void)node;
}

void lea_candidates_free(struct lea_candidates *candidates)
{
	if (!candidates)
		return;
	tdestroy(candidates->tree, keep);
	tdestroy(candidates->wanted, keep);
	tdestroy(candidates->numbers, keep);
	for (size_t i = 0; i < candidates->count; i++) {
		lea_claim_done(&candidates->list[i]->claim);
		free(candidates->list[i]);
	}
	free(candidates->list);
	free(candidates->by_id);
	free(candidates);
}

void lea_candidates_freep(struct lea_candidates **candidates)
{
	lea_candidates_free(*candidates);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct candidate *)a)->name, ((const struct candidate *)b)->name);
}

static int compare_pointers(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

static int compare_candidates(const void *a, const void *b)
{
	int order = compare_pointers(((const struct candidate *)a)->vg,
				     ((const struct candidate *)b)->vg);

	return order ? order : compare_names(a, b);
}

static int make_room(struct lea_candidates *candidates)
{
	size_t room = candidates->room ? candidates->room * 2 : 32;
	struct candidate **bigger;

	if (candidates->count < candidates->room)
		return 0;
	bigger = reallocarray(candidates->list, room, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	candidates->list = bigger;
	candidates->room = room;
	return 0;
}

static int look_up_claim(const struct lea_candidates *candidates, struct candidate *candidate)
{
	int r;

	if (!candidate->vg)
		return 0;
	r = lea_claim_read(&candidates->claims, candidate->vg->id, &candidate->claim);
	candidate->stands = r == 0 && candidate->claim.state == LEA_CLAIM_DONE &&
			    candidate->claim.pv_count == candidate->vg->pv_count;
	return r < 0 ? r : 0;
}

/* The candidate of this metadata and name; a new one if there is none yet. */
static int find_or_add(struct lea_candidates *candidates, const struct lea_vg *vg, const char *name,
		       struct candidate **ret_candidate)
{
	struct candidate *candidate = calloc(1, sizeof(*candidate)), **node;
	int r = candidate ? make_room(candidates) : -ENOMEM;

	if (r) {
		free(candidate);
		return r;
	}
	candidate->vg = vg;
	snprintf(candidate->name, sizeof(candidate->name), "%s", name);
	node = tsearch(candidate, &candidates->tree, compare_candidates);
	if (!node || *node != candidate) {
		free(candidate);
		if (node)
			*ret_candidate = *node;
		return node ? 0 : -ENOMEM;
	}
	candidates->list[candidates->count++] = candidate;
	*ret_candidate = candidate;
	return look_up_claim(candidates, candidate);
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

/* Notes that the device is in the scan. *ret_new: it was not. 12 and 20 bits are all there are. */
static int note_scanned(struct lea_candidates *candidates, const struct lea_device *device,
			bool *ret_new)
{
	const void *number = (const void *)((uintptr_t)device->major << 20 | device->minor);

	*ret_new = !tfind(number, &candidates->numbers, compare_pointers);
	return tsearch(number, &candidates->numbers, compare_pointers) ? 0 : -ENOMEM;
}

int lea_candidates_add(struct lea_candidates *candidates, const struct lea_found *found,
		       const struct lea_record *record)
{
	struct candidate *candidate;
	bool is_new;
	int r = find_or_add(candidates, found->vg, record->vg_name, &candidate);

	r = r ? r : note_scanned(candidates, &found->device, &is_new);
	if (r)
		return r;
	candidate->seen += is_new;
	if (candidate->stands && !is_claimed_with(&candidate->claim, found))
		candidate->stands = false;
	return 0;
}

static int note_all_scanned(struct lea_candidates *candidates, const struct lea_scan *scan)
{
	struct lea_found *const *found;
	size_t count;
	bool is_new;
	int r = 0;

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; r == 0 && i < count; i++)
		r = note_scanned(candidates, &found[i]->device, &is_new);
	return r;
}

/* Reads the members of one VG that had no event in this pass. */
static int complete_scan(struct lea_candidates *candidates, struct lea_scan *scan,
			 const struct candidate *candidate)
{
	struct lea_device *devices = NULL;
	size_t count = 0, n = 0;
	bool is_new;
	int r;

	r = candidate->vg
		    ? lea_devices_of_members(candidates->how->world, candidate->vg, &devices,
					     &count)
		    : lea_devices_of_vg(candidates->how->world, candidate->name, &devices, &count);
	if (r)
		return r < 0 ? r : 0;
	for (size_t i = 0; r == 0 && i < count; i++) {
		struct lea_device device = devices[i];

		r = note_scanned(candidates, &device, &is_new);
		if (r || !is_new)
			continue;
		/* A record says which number it was, the claim must say which instance it is. */
		device.diskseq = lea_sysfs_diskseq(candidates->how->world,
						   (struct lea_devno){device.major, device.minor});
		devices[i] = devices[n];
		devices[n++] = device;
	}
	if (r == 0 && n)
		r = lea_scan_add(scan, devices, n);
	lea_devices_free(devices, count);
	return r;
}

static int complete_all(struct lea_candidates *candidates, struct lea_scan *scan)
{
	int r = note_all_scanned(candidates, scan);

	for (size_t i = 0; r == 0 && i < candidates->count; i++) {
		struct candidate *candidate = candidates->list[i];

		if (candidate->stands ||
		    (candidate->vg && candidate->seen >= candidate->vg->pv_count))
			continue;
		r = complete_scan(candidates, scan, candidate);
	}
	return r;
}

static int note_wanted(struct lea_candidates *candidates)
{
	for (size_t i = 0; i < candidates->count; i++)
		if (!candidates->list[i]->stands &&
		    !tsearch(candidates->list[i], &candidates->wanted, compare_names))
			return -ENOMEM;
	return 0;
}

static const struct candidate *find_wanted(const struct lea_candidates *candidates,
					   const struct lea_scan_vg *known)
{
	struct candidate key, **node;

	snprintf(key.name, sizeof(key.name), "%s", known->vg->name);
	node = tfind(&key, &candidates->wanted, compare_names);
	return node ? *node : NULL;
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

/* A PV without metadata knows no VG's id: its claim is judged only now that others told it. */
static int ask_claim(const struct lea_candidates *candidates, const struct lea_scan_vg *known,
		     const struct lea_claim *wanted, bool *ret_stands)
{
	LEA_AUTO(lea_claim_done) struct lea_claim old = {0};
	int r = lea_claim_read(&candidates->claims, known->vg->id, &old);

	*ret_stands = r == 0 && old.state == LEA_CLAIM_DONE &&
		      lea_claim_covers(&old, wanted->pv, wanted->pv_count);
	return r < 0 ? r : 0;
}

static int start_vg(const struct lea_candidates *candidates, const struct lea_scan_vg *known,
		    const struct candidate *wanted)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	const char *reason = obstacle(known);
	bool stands = false;
	int r;

	if (reason)
		return refuse(candidates, known, reason);
	r = fill_claim(known, &claim);
	if (r == 0 && !wanted->vg)
		r = ask_claim(candidates, known, &claim, &stands);
	if (stands)
		return 0;
	r = r ? r : lea_claim_take(&candidates->claims, known->vg->id, &claim);
	/* Another process has claimed it, and may die before it is done. The VG's lock keeps us
	 * apart; whoever has it second finds nothing to do. */
	return r < 0 ? r : lea_workers_add(candidates->workers, known);
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp((*(struct lea_scan_vg *const *)a)->vg->id,
		      (*(struct lea_scan_vg *const *)b)->vg->id);
}

static int compare_id(const void *id, const void *vg)
{
	return strcmp(id, (*(struct lea_scan_vg *const *)vg)->vg->id);
}

static int sort_by_id(struct lea_candidates *candidates)
{
	candidates->by_id = calloc(candidates->vg_count + 1, sizeof(struct lea_scan_vg *));
	if (!candidates->by_id)
		return -ENOMEM;
	for (size_t i = 0; i < candidates->vg_count; i++)
		candidates->by_id[i] = &candidates->vgs[i];
	qsort(candidates->by_id, candidates->vg_count, sizeof(struct lea_scan_vg *), compare_ids);
	return 0;
}

static const struct lea_scan_vg *find_vg(const struct lea_candidates *candidates, const char *id)
{
	struct lea_scan_vg *const *vg = bsearch(id, candidates->by_id, candidates->vg_count,
						sizeof(struct lea_scan_vg *), compare_id);

	return vg ? *vg : NULL;
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
	if (result->outcome == LEA_ACTIVATE_CHANGED) {
		lea_unsettled_add_vg(candidates->unsettled, lea_look_again(candidates->how, known),
				     known);
		return;
	}
	if (failed) {
		candidates->summary->vgs_failed++;
		lea_unsettled_add_vg(candidates->unsettled, result->shortage, known);
		lea_log(log, LEA_LOG_ERROR, "VG %s: not activated: %s; %s: vgchange -aay %s",
			result->vg_name, reason,
			lea_is_shortage(result->shortage) ? "tried again soon, or now by" : "try",
			result->vg_name);
	} else if (result->outcome == 0) {
		candidates->summary->vgs_active++;
		candidates->summary->lvs += result->active;
	}
	r = settle(candidates, known, failed ? LEA_CLAIM_FAILED : LEA_CLAIM_DONE,
		   failed ? reason : "");
	if (r < 0)
		lea_log(log, LEA_LOG_ERROR, "VG %s: recording what became of it: %s",
			result->vg_name, strerror(-r));
	lea_unsettled_add_vg(candidates->unsettled, r, known);
}

/* Its claim can't be made now. That is no reason to leave the others alone. */
static int postpone(const struct lea_candidates *candidates, const struct lea_scan_vg *known,
		    int shortage)
{
	lea_log(candidates->how->world->log, LEA_LOG_ERROR,
		"VG %s: not activated: claiming it: %s; tried again soon", known->vg->name,
		strerror(-shortage));
	candidates->summary->vgs_failed++;
	lea_unsettled_add_vg(candidates->unsettled, shortage, known);
	return lea_vg_online_drop(candidates->claims.run_fd, known->vg->name);
}

static int start_all(const struct lea_candidates *candidates)
{
	const struct candidate *wanted;
	int r;

	for (size_t i = 0; i < candidates->vg_count; i++) {
		const struct lea_scan_vg *known = &candidates->vgs[i];

		wanted = find_wanted(candidates, known);
		if (!wanted)
			continue;
		r = start_vg(candidates, known, wanted);
		if (lea_is_shortage(r))
			r = postpone(candidates, known, r);
		if (r < 0)
			return r;
	}
	return 0;
}

int lea_candidates_activate(struct lea_candidates *candidates, struct lea_scan *scan,
			    struct lea_batch_summary *summary)
{
	LEA_AUTO(lea_workers_freep) struct lea_workers *own = NULL;
	int r;

	if (!candidates->count)
		return 0;
	r = complete_all(candidates, scan);
	r = r ? r : lea_scan_vgs(scan, &candidates->vgs, &candidates->vg_count);
	r = r ? r : sort_by_id(candidates);
	r = r ? r : note_wanted(candidates);
	candidates->workers = candidates->how->workers;
	if (!r && !candidates->workers) {
		r = lea_batch_workers(candidates->how, &own);
		candidates->workers = own;
	}
	if (r)
		return r;
	lea_workers_listen(candidates->workers, finished, candidates);
	candidates->summary = summary;
	r = start_all(candidates);
	r = r ? r : lea_workers_drain(candidates->workers);
	/* Nobody of a later batch wants to hear of these. */
	if (r)
		lea_workers_stop(candidates->workers);
	return r;
}
