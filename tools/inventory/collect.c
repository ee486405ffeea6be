/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From PVs to VGs, the choice of what was asked for, and whether anything has changed. */
#include "inventory/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "filter/filter.h"
#include "state/claim.h"
#include "state/queue.h"

#define ARENA_BYTES ((size_t)1 << 30)
#define MS_PER_S    1000U

void lea_inventory_done(struct lea_inventory *inventory)
{
	lea_scan_free(inventory->scan);
	lea_filter_free(inventory->filter);
	free(inventory->pv);
	free(inventory->problem);
	lea_arena_free(inventory->arena);
	*inventory = (struct lea_inventory){0};
}

/* ---- VGs */

static int newest_first(const void *a, const void *b)
{
	const struct lea_vg *x = *(const struct lea_vg *const *)a,
			    *y = *(const struct lea_vg *const *)b;
	const int order = strcmp(x->id, y->id);

	return order ? order : (x->seqno < y->seqno) - (x->seqno > y->seqno);
}

static struct lea_inventory_pv *find_pv(const struct lea_inventory *inventory, const char *pvid)
{
	size_t low = 0, high = inventory->pv_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(inventory->pv[middle].pvid, pvid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < inventory->pv_count && !strcmp(inventory->pv[low].pvid, pvid)
		       ? &inventory->pv[low]
		       : NULL;
}

/* Is this device the PV in the VG? Not if its own metadata is of another VG. */
static bool is_of(const struct lea_inventory_pv *pv, const struct lea_vg *vg)
{
	return !pv->vg || !strcmp(pv->vg->id, vg->id);
}

static int place_pvs(struct lea_inventory *inventory, struct lea_inventory_vg *to, bool *is_there)
{
	const struct lea_vg *vg = to->vg;

	for (uint32_t i = 0; i < vg->pv_count; i++) {
		struct lea_inventory_pv *pv = find_pv(inventory, vg->pvs[i].id);

		if (!pv || !is_of(pv, vg)) {
			to->pv_missing++;
			continue;
		}
		pv->is_placed = is_there[i] = true;
		to->pv[i] = pv;
		if (pv->problem[0] && !to->problem[0])
			to->problem = lea_arena_printf(inventory->arena, "PV %s: %s", pv->device,
						       pv->problem);
		if (!to->problem)
			return -ENOMEM;
	}
	return 0;
}

static int fill_vg(struct lea_inventory *inventory, const struct lea_vg *vg,
		   struct lea_inventory_vg *to)
{
	struct lea_arena *arena = inventory->arena;
	bool *is_there = lea_arena_alloc(arena, vg->pv_count, sizeof(*is_there));
	bool *is_partial = lea_arena_alloc(arena, vg->lv_count + 1U, sizeof(*is_partial));
	struct lea_lv_state *state = lea_arena_alloc(arena, vg->lv_count + 1U, sizeof(*state));
	int r;

	*to = (struct lea_inventory_vg){.vg = vg, .name = vg->name, .problem = ""};
	to->pv = lea_arena_alloc(arena, vg->pv_count, sizeof(struct lea_inventory_pv *));
	to->used = lea_arena_alloc(arena, vg->pv_count, sizeof(*to->used));
	if (!is_there || !is_partial || !state || !to->pv || !to->used)
		return -ENOMEM;
	r = place_pvs(inventory, to, is_there);
	lea_inventory_find_partial(vg, is_there, is_partial);
	lea_inventory_count_used(vg, to->used);
	to->facts = (struct lea_inventory_vg_facts){
		.vg = vg, .is_there = is_there, .state = state, .is_partial = is_partial};
	return r;
}

/* A VG of which no whole text is there: all that is known is its name. */
static int fill_damaged(struct lea_inventory *inventory, const struct lea_inventory_pv *pv,
			struct lea_inventory_vg *to)
{
	*to = (struct lea_inventory_vg){.name = pv->vg_name};
	to->problem = lea_arena_printf(inventory->arena, "PV %s: %s", pv->device, pv->problem);
	return to->problem ? 0 : -ENOMEM;
}

static bool is_damaged_vg(const struct lea_inventory_pv *pv)
{
	return !pv->is_placed && !pv->vg && pv->vg_name[0] && pv->problem[0];
}

static int by_name(const void *a, const void *b)
{
	const struct lea_inventory_vg *x = a, *y = b;
	const int order = strcmp(x->name, y->name);

	return order || !x->vg || !y->vg ? order : strcmp(x->vg->id, y->vg->id);
}

/* VGs with damaged texts only, each once. */
static int add_damaged(struct lea_inventory *inventory)
{
	int r = 0;

	for (size_t i = 0; !r && i < inventory->pv_count; i++) {
		const struct lea_inventory_pv *pv = &inventory->pv[i];

		if (!is_damaged_vg(pv))
			continue;
		r = fill_damaged(inventory, pv, &inventory->vg[inventory->vg_count]);
		inventory->vg_count += !r;
	}
	return r;
}

/* Of those with one name and no metadata the first remains. */
static void drop_repeated(struct lea_inventory *inventory)
{
	size_t kept = 0;

	for (size_t i = 0; i < inventory->vg_count; i++) {
		const struct lea_inventory_vg *vg = &inventory->vg[i];

		if (kept && !vg->vg && !strcmp(inventory->vg[kept - 1].name, vg->name))
			continue;
		inventory->vg[kept++] = *vg;
	}
	inventory->vg_count = kept;
}

/* PVs with older metadata of a VG that lists them no more. 0 or -ENOMEM. */
static int find_outdated(struct lea_inventory *inventory)
{
	struct lea_scan_vg *vgs = NULL;
	char age[LEA_SCAN_MOVED_BYTES];
	size_t count;

	for (size_t i = 0; i < inventory->pv_count; i++) {
		struct lea_inventory_pv *pv = &inventory->pv[i];

		if (pv->is_placed || !pv->vg || pv->problem[0])
			continue;
		if (!vgs && lea_scan_vgs(inventory->scan, &vgs, &count))
			return -ENOMEM;
		lea_found_age(pv->found, age, sizeof(age));
		if (age[0])
			pv->problem = lea_arena_printf(inventory->arena,
						       "its metadata are outdated: %s", age);
		if (!pv->problem)
			return -ENOMEM;
	}
	return 0;
}

/* VGs from the PVs' texts: the newest of each. 0 or -ENOMEM. */
static int group(struct lea_inventory *inventory)
{
	LEA_AUTO(lea_freep) const struct lea_vg **all = NULL;
	size_t count = 0;
	int r = 0;

	all = calloc(inventory->pv_count + 1, sizeof(*all));
	inventory->vg =
		lea_arena_alloc(inventory->arena, inventory->pv_count + 1, sizeof(*inventory->vg));
	if (!all || !inventory->vg)
		return -ENOMEM;
	for (size_t i = 0; i < inventory->pv_count; i++)
		if (inventory->pv[i].vg)
			all[count++] = inventory->pv[i].vg;
	qsort(all, count, sizeof(*all), newest_first);
	for (size_t i = 0; !r && i < count; i++) {
		if (i && !strcmp(all[i - 1]->id, all[i]->id))
			continue;
		r = fill_vg(inventory, all[i], &inventory->vg[inventory->vg_count]);
		inventory->vg_count += !r;
	}
	r = r ? r : add_damaged(inventory);
	qsort(inventory->vg, inventory->vg_count, sizeof(*inventory->vg), by_name);
	drop_repeated(inventory);
	return r;
}

/* ---- what was asked for */

/* Is all of the VG meant, by itself or by a PV? */
static bool is_whole(struct lea_targets *targets, const struct lea_inventory_vg *vg)
{
	bool is = lea_targets_have_name(targets, vg->name);

	is |= vg->vg && lea_targets_have_vg(targets, vg->vg);
	for (uint32_t i = 0; vg->vg && i < vg->vg->pv_count; i++) {
		const struct lea_inventory_pv *pv = vg->pv[i];

		is |= lea_targets_have_pv(targets, vg->vg->pvs[i].id,
					  pv ? (struct lea_devno){pv->major, pv->minor}
					     : (struct lea_devno){0, 0},
					  pv ? pv->device : "");
	}
	return is;
}

/* Chooses VGs and LVs, and PVs of no VG. 0 or -ENOMEM. */
static int choose_all(struct lea_inventory *inventory, struct lea_targets *targets)
{
	for (size_t i = 0; i < inventory->vg_count; i++) {
		struct lea_inventory_vg *vg = &inventory->vg[i];
		const uint32_t lvs = vg->vg ? vg->vg->lv_count : 0;
		bool *chosen = lea_arena_alloc(inventory->arena, lvs + 1U, sizeof(*chosen));
		const bool whole = is_whole(targets, vg);

		if (!chosen)
			return -ENOMEM;
		vg->chosen_lv = chosen;
		vg->is_chosen = whole;
		for (uint32_t lv = 0; lv < lvs; lv++) {
			chosen[lv] = lea_targets_have_lv(targets, vg->vg, lv) || whole;
			vg->is_chosen |= chosen[lv];
		}
	}
	for (size_t i = 0; i < inventory->pv_count; i++) {
		struct lea_inventory_pv *pv = &inventory->pv[i];

		pv->is_chosen = !pv->is_placed &&
				lea_targets_have_pv(targets, pv->pvid,
						    (struct lea_devno){pv->major, pv->minor},
						    pv->device);
	}
	return 0;
}

/* ---- the queue */

static uint64_t oldest_s(int event_fd)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	time_t now = time(NULL), oldest = now;
	struct stat st;
	int r = lea_file_list(event_fd, "queue", &dir);

	while ((entry = lea_file_next(dir, &r)))
		if (entry->d_name[0] != '.' &&
		    !fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) &&
		    st.st_mtime < oldest)
			oldest = st.st_mtime;
	return (uint64_t)(now - oldest);
}

static int count_failed(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	size_t *failed = arg;

	(void)vg_id;
	*failed += !claim->is_orphaned && claim->state == LEA_CLAIM_FAILED;
	return 0;
}

static int count_queue(struct lea_world *world, struct lea_inventory *inventory)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	struct lea_claims_now now = {0};
	const int run_fd = lea_world_run(world);
	struct lea_claims claims;
	int r;

	event_fd = run_fd < 0 ? run_fd : lea_queue_open(run_fd);
	if (event_fd < 0)
		return 0; /* /run is full, and there is no queue */
	r = lea_queue_count(event_fd, "queue", &inventory->pending);
	r = r ? r : lea_queue_count(event_fd, "taken", &inventory->taken);
	r = r ? r : lea_queue_count(event_fd, "failed", &inventory->quarantined);
	inventory->oldest_s = oldest_s(event_fd);
	r = r ? r : lea_claims_init(&claims, world, &now);
	return r ? r : lea_claim_each(&claims, count_failed, &inventory->failed_vgs);
}

/* ---- generation */

static void add_pv(struct lea_generation *generation, const struct lea_inventory_pv *pv)
{
	lea_generation_add_text(generation, pv ? pv->device : "");
	lea_generation_add_number(generation, pv ? pv->size_bytes : 0);
}

static void add_lv(struct lea_generation *generation, const struct lea_inventory_vg *vg,
		   uint32_t lv)
{
	struct lea_inventory_use use;
	char attr[LEA_LV_ATTR_BYTES];

	lea_inventory_lv_attr(&vg->facts, lv, attr);
	lea_inventory_find_use(&vg->facts, lv, &use);
	lea_generation_add_text(generation, attr);
	lea_generation_add(generation, &use, sizeof(use));
	lea_generation_add_number(generation, vg->facts.state[lv].major);
	lea_generation_add_number(generation, vg->facts.state[lv].minor);
	lea_generation_add_text(generation, lea_inventory_lost_disk(&vg->facts.state[lv]));
}

static void add_vg(struct lea_generation *generation, const struct lea_inventory_vg *vg)
{
	lea_generation_add_text(generation, vg->name);
	lea_generation_add_text(generation, vg->problem);
	if (!vg->vg)
		return;
	/* Within a VG the number of its metadata stands for all that they say. */
	lea_generation_add_text(generation, vg->vg->id);
	lea_generation_add_number(generation, vg->vg->seqno);
	for (uint32_t i = 0; i < vg->vg->pv_count; i++)
		add_pv(generation, vg->pv[i]);
	for (uint32_t i = 0; i < vg->vg->lv_count; i++)
		if (vg->chosen_lv[i])
			add_lv(generation, vg, i);
}

static void find_generation(struct lea_inventory *inventory)
{
	struct lea_generation generation;

	lea_generation_begin(&generation);
	for (size_t i = 0; i < inventory->vg_count; i++)
		if (inventory->vg[i].is_chosen)
			add_vg(&generation, &inventory->vg[i]);
	for (size_t i = 0; i < inventory->pv_count; i++) {
		const struct lea_inventory_pv *pv = &inventory->pv[i];

		if (!pv->is_chosen)
			continue;
		lea_generation_add_text(&generation, pv->pvid);
		lea_generation_add_text(&generation, pv->problem);
		add_pv(&generation, pv);
	}
	for (size_t i = 0; inventory->is_whole && i < inventory->problem_count; i++)
		lea_generation_add_text(&generation, inventory->problem[i]);
	for (size_t i = 0; inventory->is_whole && i < inventory->pv_count; i++)
		lea_generation_add_number(&generation, inventory->pv[i].is_duplicate);
	lea_generation_add_number(&generation, inventory->pending);
	lea_generation_add_number(&generation, inventory->taken);
	lea_generation_add_number(&generation, inventory->quarantined);
	lea_generation_add_number(&generation, inventory->failed_vgs);
	lea_generation_write(&generation, inventory->generation);
}

/* ---- all */

int lea_inventory_collect(struct lea_world *world, const struct lea_conf *conf,
			  const struct lea_inventory_options *options,
			  struct lea_inventory *ret_inventory)
{
	struct lea_inventory *inventory = ret_inventory;
	struct lea_targets *targets = options->targets;
	int r;

	*inventory = (struct lea_inventory){.arena = lea_arena_new(ARENA_BYTES),
					    .is_whole = !targets || !targets->count};
	if (!inventory->arena)
		return -ENOMEM;
	r = lea_inventory_find_pvs(world, conf, options, inventory);
	r = r ? r : group(inventory);
	r = r ? r : find_outdated(inventory);
	r = r ? r : choose_all(inventory, targets);
	if (!r && targets && lea_targets_unmet(targets))
		return LEA_INVENTORY_UNKNOWN;
	if (!r && !options->skips_states)
		r = lea_inventory_ask_dm(world, conf, inventory);
	if (!r && !options->skips_states)
		r = lea_inventory_find_lost(world, inventory);
	if (!r && options->has_queue)
		r = count_queue(world, inventory);
	if (!r)
		find_generation(inventory);
	return r;
}
