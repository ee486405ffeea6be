/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "initramfs/copies.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "initramfs/list_disks.h"
#include "initramfs/note.h"
#include "record/duplicate_tie.h"

/* What was found, by PVID, then by device number */
struct copies {
	struct lea_world *world;
	const struct lea_wants *wants;
	struct lea_found **pv; /* owned */
	size_t count;
};

static void copies_done(struct copies *copies)
{
	free(copies->pv);
}

static int by_pv(const void *a, const void *b)
{
	const struct lea_found *const *x = a, *const *y = b;
	const struct lea_device *left = &(*x)->device, *right = &(*y)->device;
	int order = strcmp((*x)->label.pvid, (*y)->label.pvid);

	order = order ? order : (left->major > right->major) - (left->major < right->major);
	return order ? order : (left->minor > right->minor) - (left->minor < right->minor);
}

/* The first with this PVID; copies->count: none has it. */
static size_t first_of(const struct copies *copies, const char *pvid)
{
	size_t low = 0, high = copies->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(copies->pv[middle]->label.pvid, pvid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < copies->count && !strcmp(copies->pv[low]->label.pvid, pvid) ? low
										 : copies->count;
}

/* The next one behind *at that is in question for this PV; NULL: there is none. */
static struct lea_found *next_of(const struct copies *copies, const char *pvid, size_t *at)
{
	for (; *at < copies->count && !strcmp(copies->pv[*at]->label.pvid, pvid); ++*at)
		if (!copies->pv[*at]->is_duplicate)
			return copies->pv[(*at)++];
	return NULL;
}

static size_t count_of(const struct copies *copies, const char *pvid)
{
	size_t at = first_of(copies, pvid), count = 0;

	while (next_of(copies, pvid, &at))
		count++;
	return count;
}

/* ---- one disk, or one above the other */

/* 0 or a shortage. */
static int settle_tie(const struct copies *copies, struct lea_found *a, struct lea_found *b)
{
	int r = 0;

	if (a->is_duplicate || b->is_duplicate)
		return 0;
	if (a->is_covered != b->is_covered)
		(a->is_covered ? a : b)->is_duplicate = true;
	else
		r = lea_duplicate_tie(copies->world, &a->device, &b->device);
	if (r == LEA_DUPLICATE_PATH)
		b->is_duplicate = true;
	return r < 0 ? r : 0;
}

/* ---- which of them */

/* By id and partition. It may have grown since. */
static bool is_same_disk(const struct lea_need_disk *a, const struct lea_need_disk *b)
{
	return a->partition == b->partition && !strcmp(a->id, b->id);
}

static uint32_t seqno_of(const struct lea_found *found, const struct lea_vg *vg)
{
	return found->vg && !strcmp(found->vg->id, vg->id) ? found->vg->seqno : 0;
}

/* The newest metadata of the VG of @found */
static const struct lea_vg *newest(const struct copies *copies, const struct lea_vg *vg)
{
	const struct lea_vg *best = vg;
	struct lea_found *found;

	for (uint32_t i = 0; i < vg->pv_count; i++)
		for (size_t at = first_of(copies, vg->pvs[i].id);
		     (found = next_of(copies, vg->pvs[i].id, &at));)
			if (seqno_of(found, vg) > best->seqno)
				best = found->vg;
	return best;
}

enum by { BY_KNOWLEDGE, BY_NEWEST, BY_NUMBER };

/* Is it the PV by what the image knows of its disk, or by the newest metadata, those of @vg? By
 * number only the PV of a VG that has no other is known. */
static bool fits(const struct copies *copies, const struct lea_vg *vg,
		 const struct lea_found *found, enum by by)
{
	struct lea_need_disk disk, now;

	switch (by) {
	case BY_KNOWLEDGE:
		return lea_needs_disk(copies->wants->needs, found->label.pvid, &disk) &&
		       lea_list_disk_of(copies->world, found, &now) && is_same_disk(&now, &disk) &&
		       now.sectors == disk.sectors;
	case BY_NEWEST:
		return seqno_of(found, vg) == vg->seqno;
	case BY_NUMBER:
	default:
		return vg->pv_count == 1;
	}
}

/* The one that is the PV; by number the first one. NULL: none or several may be. */
static struct lea_found *pick(const struct copies *copies, const struct lea_vg *vg,
			      const char *pvid, enum by by)
{
	struct lea_found *found, *picked = NULL;
	size_t at = first_of(copies, pvid);

	while ((found = next_of(copies, pvid, &at)))
		if (fits(copies, vg, found, by)) {
			if (picked)
				return by == BY_NUMBER ? picked : NULL;
			picked = found;
		}
	return picked;
}

/* Can all PVs that are there be decided so? Those on one device, too, for that may be a copy. */
static bool can_decide(const struct copies *copies, const struct lea_vg *vg, enum by by)
{
	for (uint32_t i = 0; i < vg->pv_count; i++)
		if (count_of(copies, vg->pvs[i].id) && !pick(copies, vg, vg->pvs[i].id, by))
			return false;
	return true;
}

static void decide(const struct copies *copies, const struct lea_vg *vg, const char *pvid,
		   enum by by)
{
	const struct lea_found *used = pick(copies, vg, pvid, by);
	struct lea_found *found;
	size_t at = first_of(copies, pvid);

	if (count_of(copies, pvid) < 2)
		return;
	while ((found = next_of(copies, pvid, &at))) {
		if (found == used)
			continue;
		found->is_duplicate = true;
		lea_initramfs_note(copies->world, LEA_LOG_WARNING,
				   "WARNING: %s and %s are the same PV of VG %s: the boot uses %s",
				   used->device.name, found->device.name, vg->name,
				   used->device.name);
	}
}

static bool is_wanted(const struct lea_wants *wants, const struct lea_vg *vg)
{
	for (size_t i = 0; i < wants->count; i++)
		if (wants->want[i].lv.kind == LEA_SPEC_IDS
			    ? !strcmp(wants->want[i].lv.vg_id, vg->id)
			    : !strcmp(wants->want[i].lv.vg, vg->name))
			return true;
	return false;
}

static void settle_vg(const struct copies *copies, const struct lea_vg *vg)
{
	const bool may_guess =
		copies->wants->step >= LEA_ROOT_STEP_PARTIAL && is_wanted(copies->wants, vg);
	enum by by = BY_KNOWLEDGE;

	vg = newest(copies, vg);
	while (by <= BY_NUMBER &&
	       !((by == BY_KNOWLEDGE || may_guess) && can_decide(copies, vg, by)))
		by++;
	for (uint32_t i = 0; i < vg->pv_count && by <= BY_NUMBER; i++)
		decide(copies, vg, vg->pvs[i].id, by);
}

int lea_copies_settle(struct lea_world *world, const struct lea_wants *wants, struct lea_scan *scan)
{
	LEA_AUTO(copies_done) struct copies copies = {.world = world, .wants = wants};
	struct lea_found *const *found;
	int r = lea_scan_cover(scan);
	size_t count;

	found = lea_scan_found(scan, &count);
	copies.pv = r ? NULL : calloc(count + 1, sizeof(struct lea_found *));
	if (!copies.pv)
		return r ? r : -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (lea_found_is_pv(found[i]))
			copies.pv[copies.count++] = found[i];
	qsort(copies.pv, copies.count, sizeof(struct lea_found *), by_pv);
	for (size_t i = 0; i < copies.count; i++)
		for (size_t k = i + 1; k < copies.count &&
				       !strcmp(copies.pv[i]->label.pvid, copies.pv[k]->label.pvid);
		     k++)
			r = r ? r : settle_tie(&copies, copies.pv[i], copies.pv[k]);
	for (size_t i = 0; !r && i < copies.count; i++)
		if (copies.pv[i]->vg && !copies.pv[i]->is_duplicate &&
		    count_of(&copies, copies.pv[i]->label.pvid) > 1)
			settle_vg(&copies, copies.pv[i]->vg);
	return r;
}

/* ---- half of a VG */

static bool is_mixed(struct lea_world *world, const char *needs, const struct lea_scan_vg *scanned)
{
	bool has_home = false, has_other = false;
	struct lea_need_disk disk, now;

	for (uint32_t i = 0; i < scanned->vg->pv_count; i++) {
		if (!scanned->pv[i] || !lea_needs_disk(needs, scanned->vg->pvs[i].id, &disk) ||
		    !lea_list_disk_of(world, scanned->pv[i], &now))
			continue;
		if (is_same_disk(&now, &disk))
			has_home = true;
		else
			has_other = true;
	}
	return has_home && has_other;
}

void lea_copies_hold(struct lea_world *world, struct lea_wants *wants)
{
	for (size_t i = 0; i < wants->count && wants->step < LEA_ROOT_STEP_PARTIAL; i++) {
		struct lea_want *want = &wants->want[i];

		want->is_held = want->scanned && is_mixed(world, wants->needs, want->scanned);
		if (want->is_held)
			snprintf(want->why, sizeof(want->why),
				 "one of its PVs is not on its disk, and may be a copy");
	}
}
