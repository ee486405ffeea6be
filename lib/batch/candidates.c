/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which VGs need activation: run files say that a VG is complete; a claim that was made with the
 * same instances of all its PVs says that it is done.
 */
#include "batch/batch_private.h"

#include <errno.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "batch/pass_cache.h"
#include "world/sysfs.h"

int lea_candidates_new(const struct lea_batch_options *options, struct lea_retry_set *retries,
		       struct lea_candidates **ret_candidates)
{
	struct lea_candidates *candidates;
	int r;

	candidates = calloc(1, sizeof(*candidates));
	if (!candidates)
		return -ENOMEM;
	candidates->options = options;
	candidates->retries = retries;
	r = lea_claims_init(&candidates->claims, options->world, &candidates->now);
	candidates->index = lea_pass_cache_claims(options->cache);
	if (!r && !candidates->index) {
		r = lea_claim_index_new(&candidates->own_index);
		candidates->index = candidates->own_index;
	}
	if (r)
		free(candidates);
	else
		*ret_candidates = candidates;
	return r;
}

int lea_candidates_index(struct lea_candidates *candidates,
			 const struct lea_claim_index **ret_index)
{
	int r = candidates->is_index_current
			? 0
			: lea_claim_index_update(candidates->index, &candidates->claims);

	candidates->is_index_current = !r;
	*ret_index = candidates->index;
	return r;
}

/* The trees do not own what they point to. */
static void keep(void *node)
{
	(void)node;
}

void lea_candidates_free(struct lea_candidates *candidates)
{
	if (!candidates)
		return;
	lea_batch_log_active(candidates->options->world->log, &candidates->active);
	tdestroy(candidates->tree, keep);
	tdestroy(candidates->needs_activation, keep);
	lea_devset_done(&candidates->numbers);
	tdestroy(candidates->names, keep);
	for (size_t i = 0; i < candidates->count; i++) {
		lea_claim_done(&candidates->list[i]->claim);
		free(candidates->list[i]);
	}
	free(candidates->list);
	free(candidates->by_id);
	lea_claim_index_free(candidates->own_index);
	free(candidates);
}

static int compare_pointers(const void *a, const void *b)
{
	return (uintptr_t)a < (uintptr_t)b ? -1 : (uintptr_t)a > (uintptr_t)b;
}

/* A text that several PVs have is parsed once, so PVs of one VG have the same pointer. The name is
 * for PVs without metadata. */
static int compare_candidates(const void *a, const void *b)
{
	int order = compare_pointers(((const struct lea_candidate *)a)->vg,
				     ((const struct lea_candidate *)b)->vg);

	return order ? order
		     : strcmp(((const struct lea_candidate *)a)->name,
			      ((const struct lea_candidate *)b)->name);
}

static int look_up_claim(const struct lea_candidates *candidates, struct lea_candidate *candidate)
{
	int r;

	if (!candidate->vg)
		return 0;
	r = lea_claim_read(&candidates->claims, candidate->vg->id, &candidate->claim);
	candidate->has_claim = r == 0;
	return r < 0 ? r : 0;
}

/* Finds the candidate of this metadata and name, or adds one. */
static int find_or_add(struct lea_candidates *candidates, const struct lea_vg *vg, const char *name,
		       struct lea_candidate **ret_candidate)
{
	struct lea_candidate *candidate = calloc(1, sizeof(*candidate)), **node;
	int r = candidate ? lea_make_room(&candidates->list, &candidates->room,
					  candidates->count + 1, sizeof(struct lea_candidate *))
			  : -ENOMEM;

	if (r) {
		free(candidate);
		return r;
	}
	candidate->vg = vg;
	candidate->kind = LEA_ENTRY_CHANGE;
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

/* A PV that joined the VG by a change is not a reason to activate; it is added to the claim. */
static int compare_with_claim(struct lea_candidate *candidate, const struct lea_found *found,
			      enum lea_entry_kind kind)
{
	struct lea_claim_pv pv = {.id = lea_device_id(&found->device)};

	memcpy(pv.pvid, found->label.pvid, sizeof(pv.pvid));
	if (!candidate->has_claim || lea_claim_covers(&candidate->claim, &pv, 1))
		return 0;
	if (kind != LEA_ENTRY_CHANGE) {
		candidate->is_news = true;
		return 0;
	}
	if (candidate->claim.state != LEA_CLAIM_DONE)
		return 0;
	candidate->is_extended = true;
	return lea_claim_put(&candidate->claim, &pv);
}

/* Notes that the device is in the scan. Returns LEA_DEVSET_THERE if it already was. */
static int note_scanned(struct lea_candidates *candidates, const struct lea_device *device)
{
	const struct lea_devid number = lea_device_number(device);

	return lea_devset_add(&candidates->numbers, &number);
}

int lea_candidates_add(struct lea_candidates *candidates, const struct lea_found *found,
		       const struct lea_record *record, enum lea_entry_kind kind)
{
	struct lea_candidate *candidate;
	int r = find_or_add(candidates, found->vg, record->vg_name, &candidate);

	r = r ? r : note_scanned(candidates, &found->device);
	if (r < 0)
		return r;
	candidate->seen += r == 0;
	/* One added device is enough: its VG may come up, whatever the other entries allow. */
	candidate->kind = kind < candidate->kind ? kind : candidate->kind;
	candidate->was_down |= kind == LEA_ENTRY_ADD && record->claimed;
	return compare_with_claim(candidate, found, kind);
}

/*
 * A VG that is done stays as it is, active or deactivated since, until a new instance of a PV
 * arrives, or until a device is added while vgs_online says that the VG is down. A VG that failed
 * for good waits for an added device, too. A change only adds to a claim.
 */
bool lea_candidate_is_covered(const struct lea_candidate *candidate)
{
	const struct lea_claim *claim = &candidate->claim;
	const bool is_same = candidate->has_claim && candidate->vg && !candidate->is_news &&
			     claim->pv_count >= candidate->vg->pv_count;

	switch (candidate->kind) {
	case LEA_ENTRY_ADD:
		return is_same && claim->state == LEA_CLAIM_DONE && !candidate->was_down;
	case LEA_ENTRY_MISSED:
	case LEA_ENTRY_PARTIAL: /* of an incomplete VG: start_partial decides */
		return is_same && (claim->state == LEA_CLAIM_DONE ||
				   (claim->state == LEA_CLAIM_FAILED && !claim->is_transient));
	case LEA_ENTRY_WATCH:
		return !candidate->has_claim || claim->state != LEA_CLAIM_DONE;
	case LEA_ENTRY_CHANGE:
	case LEA_ENTRY_KINDS:
	default:
		return candidate->has_claim;
	}
}

static int note_all_scanned(struct lea_candidates *candidates, const struct lea_scan *scan)
{
	struct lea_found *const *found;
	size_t count;
	int r = 0;

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; r >= 0 && i < count; i++)
		r = note_scanned(candidates, &found[i]->device);
	return r < 0 ? r : 0;
}

/* Reads the members of one VG that had no event in this pass. */
static int complete_scan(struct lea_candidates *candidates, struct lea_scan *scan,
			 const struct lea_candidate *candidate)
{
	struct lea_scan_device *devices = NULL;
	size_t count = 0, n = 0;
	int r;

	r = candidate->vg ? lea_devices_of_members(candidates->options->world, candidate->vg,
						   &devices, &count)
			  : lea_devices_of_vg(candidates->options->world, candidate->name, &devices,
					      &count);
	if (r)
		return r < 0 ? r : 0;
	for (size_t i = 0; r >= 0 && i < count; i++) {
		struct lea_scan_device device = devices[i];

		r = note_scanned(candidates, &device.device);
		if (r)
			continue;
		/* A record says which number the device had; the claim must say which instance it
		 * is. */
		device.device.diskseq = lea_sysfs_diskseq(candidates->options->world,
							  lea_device_devno(&device.device));
		devices[i] = devices[n];
		devices[n++] = device;
	}
	if (r >= 0)
		r = n ? lea_scan_add_expected(scan, devices, n) : 0;
	lea_scan_devices_free(devices, count);
	return r;
}

/* A claim that is done gets the PVs that changes added, and nothing else. */
static int decide_all(struct lea_candidates *candidates)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < candidates->count; i++) {
		struct lea_candidate *candidate = candidates->list[i];

		if (candidate->is_extended)
			r = lea_claim_finish(&candidates->claims, candidate->vg->id,
					     &candidate->claim);
		candidate->covers_all = lea_candidate_is_covered(candidate);
	}
	return r < 0 ? r : 0;
}

int lea_candidates_complete(struct lea_candidates *candidates, struct lea_scan *scan)
{
	int r = decide_all(candidates);

	r = r ? r : note_all_scanned(candidates, scan);

	for (size_t i = 0; r == 0 && i < candidates->count; i++) {
		struct lea_candidate *candidate = candidates->list[i];

		if (candidate->covers_all ||
		    (candidate->vg && candidate->seen >= candidate->vg->pv_count))
			continue;
		r = complete_scan(candidates, scan, candidate);
	}
	return r;
}
