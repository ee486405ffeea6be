/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch/twin.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "batch/batch_private.h"
#include "record/duplicate_tie.h"
#include "world/sysfs.h"

/* A VG that may have a twin, with the claim that it would get. */
struct search {
	struct lea_candidates *candidates; /* borrowed */
	const struct lea_scan_vg *scanned;
	struct lea_claim claim;
	bool only_active, has_silent;
};

/* Is the PV still one of VG @vg_id, by the name? Sets @search->has_silent. 1, 0 or a fault. */
static int ask_pv(struct search *search, const char *vg_id, const struct lea_claim_pv *pv)
{
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	const struct lea_batch_options *options = search->candidates->options;
	const struct lea_scan_options scan = {.use_names_filter = true,
					      .out_of_process = true,
					      .reader = options->reader,
					      .lock = LEA_FILTER_LOCK_TRY};
	struct lea_duplicate_answer answer;
	int r = lea_duplicate_ask(options->world, options->conf, &scan, &pv->id, pv->pvid,
				  LEA_ENTRY_CHANGE, &device, &answer);

	if (r)
		return r;
	search->has_silent |= answer.presence == LEA_SILENT;
	return answer.presence == LEA_PRESENT && !strcmp(answer.vg_id, vg_id) &&
	       !strcmp(answer.vg_name, search->scanned->vg->name);
}

/* Does an LV of the VG use a PV of its claim? Nothing in /run tells a VG that is active in part from one
 * that somebody has taken down since. 1, 0 or a shortage. */
static int is_active(const struct search *search, const char *vg_id, const struct lea_claim *claim)
{
	struct lea_world *world = search->candidates->options->world;
	char prefix[40];
	bool has = false;
	int r = 0;

	snprintf(prefix, sizeof(prefix), "LVM-%s", vg_id);
	for (uint32_t i = 0; !r && !has && i < claim->pv_count; i++) {
		const struct lea_devno devno = {claim->pv[i].id.major, claim->pv[i].id.minor};

		r = lea_shortage_of(lea_sysfs_holder(world, devno, "holders", prefix, &has));
	}
	return r ? r : has;
}

/* A PV is in one VG only: if one of the other VG's is in this VG now, the other one was removed. */
static int find(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	struct search *search = arg;
	/* One that was active in part when its rest failed is so still, unless it was taken down. */
	const bool has_failed = claim->state == LEA_CLAIM_FAILED;
	int r;

	if ((has_failed && !claim->in_part[0]) || !strcmp(vg_id, search->scanned->vg->id) ||
	    lea_claim_shares_pv(claim, &search->claim) ||
	    lea_claim_has_gone(&search->candidates->claims, claim))
		return LEA_NO_TWIN;
	r = has_failed || search->only_active ? is_active(search, vg_id, claim) : 1;
	if (r <= 0)
		return r < 0 ? r : LEA_NO_TWIN;
	r = 0;
	for (uint32_t i = 0; !r && i < claim->pv_count; i++)
		r = ask_pv(search, vg_id, &claim->pv[i]);
	return r > 0 ? LEA_TWIN : r;
}

int lea_twin_search(struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
		    bool only_active)
{
	struct search search = {
		.candidates = candidates, .scanned = scanned, .only_active = only_active};
	struct lea_claim_index *index;
	int r = lea_scan_vg_claim(scanned, &search.claim);

	r = r ? r : lea_candidates_index(candidates, &index);
	r = r ? r
	      : lea_claim_index_each_named(index, &candidates->claims, scanned->vg->name, find,
					   &search);
	lea_claim_done(&search.claim);
	return r == LEA_NO_TWIN && search.has_silent ? LEA_SILENT_TWIN : r;
}
