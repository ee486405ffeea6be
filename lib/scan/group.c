/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From devices to VGs. Texts are sorted by VG id and name, so that those of one VG are adjacent;
 * PVs are sorted by PVID. No list is searched inside a loop over another.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "scan/scan_private.h"
#include "state/claim.h"
#include "state/missing.h"

/* A text that some device carries. first: position of the first such device. */
struct claim {
	struct lea_vg *vg;
	size_t first;
	bool has_conflict; /* within that device */
};

static int compare_vgs(const struct lea_vg *x, const struct lea_vg *y)
{
	int order = strcmp(x->id, y->id);

	return order ? order : strcmp(x->name, y->name);
}

/* Sorts texts of one VG by seqno, highest first, then by first appearance. */
static int compare_claims(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;
	int order = compare_vgs(x->vg, y->vg);

	if (order)
		return order;
	if (x->vg->seqno != y->vg->seqno)
		return x->vg->seqno > y->vg->seqno ? -1 : 1;
	return (x->first > y->first) - (x->first < y->first);
}

static int compare_found(const void *a, const void *b)
{
	const struct lea_found *x = *(struct lea_found *const *)a;
	const struct lea_found *y = *(struct lea_found *const *)b;

	return strcmp(x->label.pvid, y->label.pvid);
}

/* Writes all PVs to @pvs, sorted by PVID, and returns their number. PVs with one PVID keep the
 * order of the scan. */
static size_t sort_pvs(const struct lea_scan *scan, struct lea_found **pvs)
{
	size_t count = 0;

	for (size_t i = 0; i < scan->found_count; i++)
		if (lea_found_is_pv(scan->found[i]) && !scan->found[i]->is_duplicate)
			pvs[count++] = scan->found[i];
	qsort(pvs, count, sizeof(struct lea_found *), compare_found);
	return count;
}

struct pvs {
	struct lea_found **pv;
	size_t count;
};

static size_t first_of(const struct pvs *pvs, const char *pvid)
{
	size_t low = 0, high = pvs->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(pvs->pv[middle]->label.pvid, pvid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A device that is listed twice is not a duplicate. */
static bool is_same_device(const struct lea_found *a, const struct lea_found *b)
{
	return a->device.major == b->device.major && a->device.minor == b->device.minor &&
	       (a->device.major || a->device.minor);
}

/* A PV whose own text names another VG belongs to that VG, whatever @vg's text says. */
static bool may_belong(const struct lea_found *found, const struct lea_vg *vg)
{
	return !found->vg || !compare_vgs(found->vg, vg);
}

/* Is the PV, which @vg lists, in another VG now? A command that takes a PV writes that on it, so
 * its own metadata are right, and those of @vg on other PVs are of the time before. */
static bool is_moved(const struct lea_found *found, const struct lea_vg *vg)
{
	return found->vg && strcmp(found->vg->id, vg->id) != 0 &&
	       lea_vg_find_pv(found->vg, found->label.pvid) != LEA_NONE;
}

static void note_moved(struct lea_scan_vg *group, const struct lea_found *found)
{
	char id[39];

	if (group->moved)
		return;
	group->moved = found;
	lea_id_format(found->label.pvid, id);
	snprintf(group->moved_why, sizeof(group->moved_why),
		 "PV %s on %.40s is in VG %.40s now: the metadata on its other PVs are out of date",
		 id, found->device.name, found->vg->name);
}

static int assign_pvs(struct lea_scan_vg *group, const struct pvs *pvs)
{
	const struct lea_vg *vg = group->vg;

	group->pv = calloc(vg->pv_count, sizeof(struct lea_found *));
	if (!group->pv)
		return -ENOMEM;
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		size_t at = first_of(pvs, vg->pvs[i].id);

		for (; at < pvs->count && !strcmp(pvs->pv[at]->label.pvid, vg->pvs[i].id); at++) {
			if (is_moved(pvs->pv[at], vg))
				note_moved(group, pvs->pv[at]);
			if (!may_belong(pvs->pv[at], vg))
				continue;
			if (!group->pv[i])
				group->pv[i] = pvs->pv[at];
			else if (!is_same_device(group->pv[i], pvs->pv[at]))
				group->has_duplicate = true;
		}
	}
	return 0;
}

static size_t collect_claims(const struct lea_scan *scan, struct claim *claims)
{
	size_t count = 0;

	for (size_t i = 0; i < scan->found_count; i++)
		if (scan->found[i]->kind == LEA_FOUND_PV && scan->found[i]->vg &&
		    !scan->found[i]->is_duplicate)
			claims[count++] =
				(struct claim){.vg = scan->found[i]->vg,
					       .first = i,
					       .has_conflict = scan->found[i]->has_conflict};
	qsort(claims, count, sizeof(*claims), compare_claims);
	return count;
}

/* Takes the group of sorted claims that begins at @start; returns where the next one begins. */
static size_t take_group(const struct claim *claims, size_t count, size_t start,
			 struct lea_scan_vg *group, size_t *ret_first)
{
	const struct claim *best = &claims[start];
	size_t i;

	*group = (struct lea_scan_vg){.vg = best->vg, .has_conflict = best->has_conflict};
	*ret_first = best->first;
	for (i = start + 1; i < count && !compare_vgs(claims[i].vg, best->vg); i++) {
		if (claims[i].first < *ret_first)
			*ret_first = claims[i].first;
		if (claims[i].vg->seqno == best->vg->seqno &&
		    (claims[i].vg != best->vg || claims[i].has_conflict))
			group->has_conflict = true;
	}
	return i;
}

static int compare_expected(const void *a, const void *b)
{
	const struct lea_found *x = *(struct lea_found *const *)a;
	const struct lea_found *y = *(struct lea_found *const *)b;

	return strcmp(x->expected, y->expected);
}

static int compare_with_expected(const void *pvid, const void *found)
{
	return strcmp(pvid, (*(struct lea_found *const *)found)->expected);
}

/* The device of @expected, sorted by that, which was to carry a PV. */
static struct lea_found *expected_for(const struct lea_scan_vg *group, const struct pvs *expected,
				      uint32_t index)
{
	struct lea_found *const *found =
		bsearch(group->vg->pvs[index].id, expected->pv, expected->count,
			sizeof(struct lea_found *), compare_with_expected);

	return found ? *found : NULL;
}

static int assign_silent(struct lea_scan_vg *group, const struct pvs *silent)
{
	for (uint32_t i = 0; i < group->vg->pv_count; i++) {
		struct lea_found *found = expected_for(group, silent, i);

		/* A device that is read carries it: this one may be a copy. */
		group->has_copies |= found && group->pv[i];
		if (!found || group->pv[i])
			continue;
		if (!group->silent)
			group->silent = calloc(group->vg->pv_count, sizeof(struct lea_found *));
		if (!group->silent)
			return -ENOMEM;
		group->silent[i] = found;
	}
	return 0;
}

static int assign_excluded(struct lea_scan_vg *group, const struct pvs *excluded)
{
	for (uint32_t i = 0; !group->excluded && i < group->vg->pv_count; i++)
		group->excluded = group->pv[i] ? NULL : expected_for(group, excluded, i);
	return 0;
}

static bool is_silent(const struct lea_found *found)
{
	return lea_found_silence(found);
}

/* A device of which sysfs says nothing has gone. */
static bool is_excluded(const struct lea_found *found)
{
	return found->kind == LEA_FOUND_EXCLUDED && found->excluded != LEA_EXCLUDED_NO_SYSFS &&
	       !lea_found_silence(found);
}

/* Gives devices of one kind to the VGs that expect them. Such a device is rare: mostly this is one
 * walk over the devices. */
static int find_expected(const struct lea_scan *scan, struct lea_found **memory,
			 bool (*is_one)(const struct lea_found *found),
			 int (*assign)(struct lea_scan_vg *group, const struct pvs *expected))
{
	struct pvs expected = {.pv = memory};
	int r = 0;

	for (size_t i = 0; i < scan->found_count; i++)
		if (scan->found[i]->expected[0] && is_one(scan->found[i]))
			expected.pv[expected.count++] = scan->found[i];
	if (!expected.count)
		return 0;
	qsort(expected.pv, expected.count, sizeof(struct lea_found *), compare_expected);
	for (size_t i = 0; !r && i < scan->vg_count; i++)
		r = assign(&scan->vgs[i], &expected);
	return r;
}

struct placed {
	struct lea_scan_vg group;
	size_t first;
};

static int compare_placed(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	return (x->first > y->first) - (x->first < y->first);
}

/* One VG id under two names: nothing tells which of them is meant. */
static void flag_pair(struct lea_scan_vg *a, struct lea_scan_vg *b)
{
	a->has_conflict = a->has_other_name = true;
	b->has_conflict = b->has_other_name = true;
	a->is_outdated |= a->vg->seqno < b->vg->seqno;
	b->is_outdated |= b->vg->seqno < a->vg->seqno;
}

static void flag_shared_ids(struct placed *groups, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (!strcmp(groups[i - 1].group.vg->id, groups[i].group.vg->id))
			flag_pair(&groups[i - 1].group, &groups[i].group);
}

/* Texts of one VG, the newest first: the PVs with an older one, and that the newest does not list.
 */
static void flag_older(const struct lea_scan *scan, const struct claim *claims, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct lea_found *found = scan->found[claims[i].first];

		found->newer = NULL;
		if (claims[i].vg->seqno < claims->vg->seqno &&
		    lea_vg_find_pv(claims->vg, found->label.pvid) == LEA_NONE)
			found->newer = scan->found[claims->first];
	}
}

static void flag_all_older(const struct lea_scan *scan, const struct claim *claims, size_t count)
{
	size_t begin = 0;

	for (size_t i = 1; i <= count; i++) {
		if (i < count && !compare_vgs(claims[i].vg, claims[begin].vg))
			continue;
		flag_older(scan, claims + begin, i - begin);
		begin = i;
	}
}

static int build(struct lea_scan *scan, const struct claim *claims, size_t claim_count,
		 const struct pvs *pvs)
{
	LEA_AUTO(lea_freep) struct placed *groups = calloc(claim_count, sizeof(*groups));
	size_t count = 0, at = 0;
	int r = 0;

	scan->vgs = calloc(claim_count, sizeof(*scan->vgs));
	if (!groups || !scan->vgs)
		return -ENOMEM;
	while (at < claim_count) {
		at = take_group(claims, claim_count, at, &groups[count].group,
				&groups[count].first);
		count++;
	}
	flag_shared_ids(groups, count);
	flag_all_older(scan, claims, claim_count);
	qsort(groups, count, sizeof(*groups), compare_placed);
	for (size_t i = 0; i < count && !r; i++) {
		scan->vgs[scan->vg_count] = groups[i].group;
		r = assign_pvs(&scan->vgs[scan->vg_count++], pvs);
	}
	return r;
}

int lea_scan_vgs(struct lea_scan *scan, struct lea_scan_vg **ret_vgs, size_t *ret_count)
{
	LEA_AUTO(lea_freep) struct claim *claims = calloc(scan->found_count + 1, sizeof(*claims));
	struct pvs pvs = {.pv = calloc(scan->found_count + 1, sizeof(struct lea_found *))};
	LEA_AUTO(lea_freep) void *pvs_memory = pvs.pv;
	size_t count;
	int r = 0;

	if (!claims || !pvs_memory)
		return -ENOMEM;
	if (!scan->vgs) {
		pvs.count = sort_pvs(scan, pvs.pv);
		count = collect_claims(scan, claims);
		if (count)
			r = build(scan, claims, count, &pvs);
		r = r ? r : find_expected(scan, pvs.pv, is_silent, assign_silent);
		r = r ? r : find_expected(scan, pvs.pv, is_excluded, assign_excluded);
	}
	if (r)
		return r;
	*ret_vgs = scan->vgs;
	*ret_count = scan->vg_count;
	return 0;
}

void lea_scan_forget_vgs(struct lea_scan *scan)
{
	for (size_t i = 0; i < scan->vg_count; i++) {
		free(scan->vgs[i].pv);
		free(scan->vgs[i].silent);
	}
	free(scan->vgs);
	scan->vgs = NULL;
	scan->vg_count = 0;
}

static bool is_of(const struct lea_scan_vg *scanned, const struct lea_found *found)
{
	return found && found->vg && !strcmp(scanned->vg->id, found->vg->id);
}

bool lea_scan_is_awaited(struct lea_scan *scan, const struct lea_found *but)
{
	struct lea_scan_vg *vgs;
	size_t count = 0;
	bool is = false;

	for (size_t i = 0; i < scan->found_count && !is; i++)
		is = scan->found[i]->kind == LEA_FOUND_PV && !scan->found[i]->vg &&
		     !scan->found[i]->is_outdated && scan->found[i] != but;
	is = is || lea_scan_vgs(scan, &vgs, &count);
	for (size_t i = 0; i < count && !is; i++)
		is = !lea_scan_vg_silent(&vgs[i]) && !is_of(&vgs[i], but);
	lea_scan_forget_vgs(scan);
	return is;
}

void lea_found_age(const struct lea_found *found, char *ret_text, size_t bytes)
{
	ret_text[0] = '\0';
	if (found->newer)
		snprintf(ret_text, bytes, "seqno %u of VG %.60s, newest is %u on %.60s",
			 found->vg->seqno, found->vg->name, found->newer->vg->seqno,
			 found->newer->device.name);
}

enum lea_presence lea_scan_vg_presence(const struct lea_scan_vg *scanned, uint32_t index)
{
	if (scanned->pv[index])
		return LEA_PRESENT;
	return scanned->silent && scanned->silent[index] ? LEA_SILENT : LEA_ABSENT;
}

uint32_t lea_scan_vg_count(const struct lea_scan_vg *scanned, enum lea_presence presence)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < scanned->vg->pv_count; i++)
		count += lea_scan_vg_presence(scanned, i) == presence;
	return count;
}

bool lea_scan_vg_is_complete(const struct lea_scan_vg *scanned)
{
	return lea_scan_vg_count(scanned, LEA_PRESENT) == scanned->vg->pv_count;
}

const struct lea_found *lea_scan_vg_silent(const struct lea_scan_vg *scanned)
{
	for (uint32_t i = 0; i < scanned->vg->pv_count; i++)
		if (lea_scan_vg_presence(scanned, i) == LEA_SILENT)
			return scanned->silent[i];
	return NULL;
}

int lea_scan_vg_keep_silent(struct lea_scan_vg *scanned, const struct lea_scan_vg *before)
{
	for (uint32_t i = 0; before->silent && i < scanned->vg->pv_count; i++) {
		const uint32_t at = lea_vg_find_pv(before->vg, scanned->vg->pvs[i].id);

		if (at == LEA_NONE || !before->silent[at] ||
		    lea_scan_vg_presence(scanned, i) != LEA_ABSENT)
			continue;
		if (!scanned->silent)
			scanned->silent = calloc(scanned->vg->pv_count, sizeof(struct lea_found *));
		if (!scanned->silent)
			return -ENOMEM;
		scanned->silent[i] = before->silent[at];
	}
	return 0;
}

int lea_scan_vg_list_missing(const struct lea_scan_vg *scanned, struct lea_missing *ret_missing)
{
	struct lea_missing missing = {.all_count = scanned->vg->pv_count};

	missing.pvid = calloc((size_t)scanned->vg->pv_count + 1, sizeof(*missing.pvid));
	if (!missing.pvid)
		return -ENOMEM;
	snprintf(missing.vg, sizeof(missing.vg), "%s", scanned->vg->name);
	for (uint32_t i = 0; i < scanned->vg->pv_count; i++)
		if (lea_scan_vg_presence(scanned, i) == LEA_ABSENT)
			memcpy(missing.pvid[missing.count++], scanned->vg->pvs[i].id,
			       sizeof(*missing.pvid));
	*ret_missing = missing;
	return 0;
}

static int fill_claim(const struct lea_scan_vg *scanned, bool with_silent, struct lea_claim *claim)
{
	snprintf(claim->vg_name, sizeof(claim->vg_name), "%s", scanned->vg->name);
	claim->seqno = scanned->vg->seqno;
	claim->turn_ms = scanned->turn_ms;
	claim->is_outdated = scanned->moved != NULL;
	claim->pv = calloc((size_t)scanned->vg->pv_count + 1, sizeof(*claim->pv));
	if (!claim->pv)
		return -ENOMEM;
	for (uint32_t i = 0; i < scanned->vg->pv_count; i++) {
		const struct lea_found *found = scanned->pv[i];
		/* A worker's copy of the VG has no list of PVs, but those that are there. */
		const char *pvid = found ? found->label.pvid : NULL;

		if (!found && with_silent && scanned->silent && scanned->silent[i]) {
			found = scanned->silent[i];
			pvid = scanned->vg->pvs[i].id;
		}
		if (!found)
			continue;
		memcpy(claim->pv[claim->pv_count].pvid, pvid, sizeof(claim->pv->pvid));
		claim->pv[claim->pv_count++].id = lea_device_id(&found->device);
	}
	return 0;
}

int lea_scan_vg_claim(const struct lea_scan_vg *scanned, struct lea_claim *claim)
{
	return fill_claim(scanned, false, claim);
}

int lea_scan_vg_claim_all(const struct lea_scan_vg *scanned, struct lea_claim *claim)
{
	return fill_claim(scanned, true, claim);
}
