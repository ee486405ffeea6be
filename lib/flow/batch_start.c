/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From "its last PV is there" to active: claims, workers, and what becomes of the VGs.
 */
#include "flow/batch_parts.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/id.h"
#include "flow/look_again.h"
#include "flow/rivals.h"
#include "state/online.h"

/* The id, for the name may change while a VG's PVs are read; a PV without metadata knows only that.
 */
static const char *key_of(const struct lea_candidate *candidate)
{
	return candidate->vg ? candidate->vg->id : candidate->name;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(key_of(a), key_of(b));
}

static int note_wanted(struct lea_candidates *candidates)
{
	for (size_t i = 0; i < candidates->count; i++)
		if (!candidates->list[i]->stands &&
		    !tsearch(candidates->list[i], &candidates->wanted, compare_keys))
			return -ENOMEM;
	return 0;
}

static const struct lea_candidate *find_wanted(const struct lea_candidates *candidates,
					       const struct lea_scan_vg *known)
{
	struct lea_candidate key = {.vg = known->vg}, **node;

	node = tfind(&key, &candidates->wanted, compare_keys);
	if (node)
		return *node;
	key.vg = NULL;
	snprintf(key.name, sizeof(key.name), "%s", known->vg->name);
	node = tfind(&key, &candidates->wanted, compare_keys);
	return node ? *node : NULL;
}

/* How it ended. */
struct end {
	enum lea_claim_state state;
	const char *reason;
	bool is_transient;
};

/* An activation that failed must not keep the next try away: lvm2's mark goes, ours says why. */
static int settle(const struct lea_candidates *candidates, const struct lea_scan_vg *known,
		  const struct end *end)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = lea_scan_vg_claim(known, &claim);

	if (r)
		return r;
	claim.state = end->state;
	claim.is_transient = end->is_transient;
	snprintf(claim.reason, sizeof(claim.reason), "%s", end->reason);
	r = lea_claim_finish(&candidates->claims, known->vg->id, &claim);
	if (end->state != LEA_CLAIM_DONE && r >= 0)
		r = lea_vg_online_drop(candidates->claims.run_fd, known->vg->name);
	return r;
}

static int refuse(const struct lea_candidates *candidates, const struct lea_scan_vg *known,
		  const char *reason)
{
	lea_log(candidates->how->world->log, LEA_LOG_ERROR, "VG %s: not activated: %s",
		known->vg->name, reason);
	candidates->summary->vgs_failed++;
	return settle(candidates, known, &(struct end){LEA_CLAIM_FAILED, reason, false});
}

/* A PV without metadata knows no VG's id: its claim is judged only now that others told it. */
static int ask_claim(const struct lea_candidates *candidates, const struct lea_scan_vg *known,
		     const struct lea_candidate *wanted, bool *ret_stands)
{
	struct lea_candidate now = *wanted;
	LEA_AUTO(lea_claim_done) struct lea_claim made = {0}, old = {0};
	int r = lea_scan_vg_claim(known, &made);

	r = r ? r : lea_claim_read(&candidates->claims, known->vg->id, &old);
	if (r < 0)
		return r;
	now.vg = known->vg;
	now.has_claim = r == 0;
	now.claim = old;
	now.is_news = r == 0 && !lea_claim_covers(&old, made.pv, made.pv_count);
	*ret_stands = lea_candidate_stands(&now);
	return 0;
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

/* Into by_id: the first VG of this id that bsearch comes across; NULL: there is none. */
static struct lea_scan_vg *const *find_by_id(const struct lea_candidates *candidates,
					     const char *id)
{
	return bsearch(id, candidates->by_id, candidates->vg_count, sizeof(struct lea_scan_vg *),
		       compare_id);
}

static const struct lea_scan_vg *find_vg(const struct lea_candidates *candidates, const char *id)
{
	struct lea_scan_vg *const *vg = find_by_id(candidates, id);

	return vg ? *vg : NULL;
}

/* Then what says otherwise is a foreign disk's, and no rename that is under way. */
static bool is_whole_by_another_name(const struct lea_candidates *candidates,
				     const struct lea_scan_vg *known)
{
	const char *id = known->vg->id;
	struct lea_scan_vg *const *vg = find_by_id(candidates, id);
	struct lea_scan_vg *const *end = candidates->by_id + candidates->vg_count;

	while (vg > candidates->by_id && !compare_id(id, vg - 1))
		vg--;
	for (; vg < end && !compare_id(id, vg); vg++)
		if (!lea_scan_vg_obstacle(*vg))
			return true;
	return false;
}

/*
 * vgrename may be at work, and be through with one PV and not with the other one: its devices are
 * looked at once more. A PV that was away then keeps the old name for good: the claim says that
 * there was a second look.
 */
static int meet_two_names(const struct lea_candidates *candidates, const struct lea_scan_vg *known)
{
	static const char reason[] = "its PVs know it by two names, one of them was away when it "
				     "was renamed: see pvs -o +vg_name,vg_uuid";
	LEA_AUTO(lea_claim_done) struct lea_claim old = {0};
	int r = lea_claim_read(&candidates->claims, known->vg->id, &old);

	if (r < 0)
		return r;
	if (r == 0 && old.state == LEA_CLAIM_FAILED && !strcmp(old.reason, reason))
		return refuse(candidates, known, reason);
	r = lea_look_again(candidates->how, known);
	return r < 0 ? r : settle(candidates, known, &(struct end){LEA_CLAIM_FAILED, reason, true});
}

static int hand_over(struct lea_candidates *candidates, const struct lea_scan_vg *known)
{
	int r = lea_workers_add(candidates->workers, known);

	candidates->open_count += r == 0;
	return r;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct lea_scan_vg *)a)->vg->name,
		      ((const struct lea_scan_vg *)b)->vg->name);
}

static int find_twin(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	const struct lea_scan_vg *known = arg;

	return claim->state != LEA_CLAIM_FAILED && !claim->is_orphaned &&
	       !strcmp(claim->vg_name, known->vg->name) && strcmp(vg_id, known->vg->id) != 0;
}

/*
 * Of two VGs with one name the first one counts, as for lvm2, whose mark has no more than the name.
 * Claims are looked through only where there is a mark that this VG has not made. > 0: it is the
 * second one.
 */
static int has_twin(struct lea_candidates *candidates, struct lea_scan_vg *known,
		    const struct lea_candidate *wanted)
{
	struct lea_scan_vg **first = tsearch(known, &candidates->names, compare_names);

	if (!first)
		return -ENOMEM;
	if (*first != known && strcmp((*first)->vg->id, known->vg->id) != 0)
		return 1;
	if (wanted->has_claim || wanted->was_down ||
	    !lea_vg_online_exists(candidates->claims.run_fd, known->vg->name))
		return 0;
	return lea_claim_each(&candidates->claims, find_twin, known);
}

/* lvm2's mark is the other VG's, and stays. */
static int refuse_twin(const struct lea_candidates *candidates, const struct lea_scan_vg *known)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	char id[39];
	int r = lea_scan_vg_claim(known, &claim);

	if (r)
		return r;
	lea_id_format(known->vg->id, id);
	claim.state = LEA_CLAIM_FAILED;
	snprintf(claim.reason, sizeof(claim.reason),
		 "another VG has this name; give this one another: vgrename %s NEW", id);
	lea_log(candidates->how->world->log, LEA_LOG_ERROR, "VG %s: not activated: %s",
		known->vg->name, claim.reason);
	candidates->summary->vgs_failed++;
	return lea_claim_finish(&candidates->claims, known->vg->id, &claim);
}

/* Claimed, and on its way. Another process that has claimed it may die before it is done: the VG's
 * lock keeps us apart, and who has it second finds nothing to do. */
static int activate_vg(struct lea_candidates *candidates, const struct lea_scan_vg *known,
		       enum lea_entry_kind kind)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = 0;

	/* Those that were added have made lvm2's mark when they were counted. */
	if (kind != LEA_ENTRY_ADD)
		r = lea_vg_online_claim(candidates->claims.run_fd, known->vg->name);
	r = r < 0 ? r : lea_scan_vg_claim(known, &claim);
	r = r ? r : lea_claim_take(&candidates->claims, known->vg->id, &claim);
	return r < 0 ? r : hand_over(candidates, known);
}

/* Changes have made the VG complete: the administrator who made them decides what is active. */
static int take_note(const struct lea_candidates *candidates, const struct lea_scan_vg *known)
{
	static const char reason[] = "made complete by a change: left as it is";

	return settle(candidates, known, &(struct end){LEA_CLAIM_DONE, reason, false});
}

static int start_vg(struct lea_candidates *candidates, struct lea_scan_vg *known,
		    const struct lea_candidate *wanted)
{
	const char *reason = lea_scan_vg_obstacle(known);
	bool stands = false;
	int r = 0;

	if (reason && (wanted->kind == LEA_ENTRY_CHANGE || wanted->kind == LEA_ENTRY_WATCH))
		return 0;
	if (reason && known->has_other_name && !is_whole_by_another_name(candidates, known))
		return known->is_outdated ? 0 : meet_two_names(candidates, known);
	if (reason)
		return refuse(candidates, known, reason);
	if (!wanted->vg)
		r = ask_claim(candidates, known, wanted, &stands);
	if (r || stands)
		return r;
	if (wanted->kind == LEA_ENTRY_CHANGE)
		return take_note(candidates, known);
	if (wanted->kind == LEA_ENTRY_WATCH)
		return hand_over(candidates, known);
	r = has_twin(candidates, known, wanted);
	if (r)
		return r < 0 ? r : refuse_twin(candidates, known);
	return activate_vg(candidates, known, wanted->kind);
}

static void finished(void *arg, const struct lea_worker_result *result)
{
	struct lea_candidates *candidates = arg;
	const struct lea_scan_vg *known = find_vg(candidates, result->vg_id);
	struct lea_log *log = candidates->how->world->log;
	const char *reason = result->reason[0]				  ? result->reason
			     : result->outcome == LEA_ACTIVATE_INCOMPLETE ? "a PV of it went away"
									  : "activation failed";
	/* VGs that are not to be activated by events are as done as active ones. */
	bool failed = result->outcome < 0 || result->outcome == LEA_ACTIVATE_FAILED ||
		      result->outcome == LEA_ACTIVATE_INCOMPLETE ||
		      result->outcome == LEA_ACTIVATE_COPY;
	int r;

	candidates->open_count--;
	/* What dmeventd was not told of stays noted; the VG is as it was. */
	if (!known || known->watch_only)
		return;
	if (result->outcome == LEA_ACTIVATE_CHANGED) {
		lea_unsettled_add_vg(candidates->unsettled, lea_look_again(candidates->how, known),
				     known);
		return;
	}
	if (result->is_left) {
		/* Its claim stays: the worker queues the VG again when the disk answers. */
		lea_batch_tell_left(log, known, result);
		return;
	}
	if (failed) {
		candidates->summary->vgs_failed++;
		candidates->summary->vgs_again += lea_is_transient(result->shortage) &&
						  !lea_is_shortage(result->shortage);
		lea_unsettled_add_vg(candidates->unsettled, result->shortage, known);
		/* Of copies it was said, once. */
		if (result->outcome != LEA_ACTIVATE_COPY)
			lea_log(log, LEA_LOG_ERROR,
				"VG %s: not activated: %s; %s: vgchange -aay %s", result->vg_name,
				reason,
				lea_is_transient(result->shortage) ? "tried again soon, or now by"
								   : "try",
				result->vg_name);
	} else if (result->outcome == 0) {
		lea_rivals_ignore(candidates->how->world, known);
		candidates->summary->vgs_active++;
		candidates->summary->lvs += result->active;
	}
	r = settle(candidates, known,
		   &(struct end){failed ? LEA_CLAIM_FAILED : LEA_CLAIM_DONE, failed ? reason : "",
				 lea_is_transient(result->shortage)});
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

static int start_all(struct lea_candidates *candidates)
{
	const struct lea_candidate *wanted;
	int r;

	for (size_t i = 0; i < candidates->vg_count; i++) {
		struct lea_scan_vg *known = &candidates->vgs[i];

		wanted = find_wanted(candidates, known);
		if (!wanted)
			continue;
		known->watch_only = wanted->kind == LEA_ENTRY_WATCH;
		r = start_vg(candidates, known, wanted);
		if (lea_is_shortage(r))
			r = postpone(candidates, known, r);
		if (r < 0)
			return r;
	}
	return 0;
}

static int get_workers(struct lea_candidates *candidates)
{
	int r = 0;

	if (!candidates->how->workers)
		r = lea_batch_workers(candidates->how, &candidates->own_workers);
	candidates->workers =
		candidates->how->workers ? candidates->how->workers : candidates->own_workers;
	return r;
}

int lea_candidates_start(struct lea_candidates *candidates, struct lea_scan *scan,
			 struct lea_batch_summary *summary)
{
	int r;

	if (!candidates->count)
		return 0;
	r = lea_candidates_complete(candidates, scan);
	r = r ? r : lea_scan_vgs(scan, &candidates->vgs, &candidates->vg_count);
	r = r ? r : sort_by_id(candidates);
	r = r ? r : note_wanted(candidates);
	r = r ? r : get_workers(candidates);
	if (r)
		return r;
	lea_workers_listen(candidates->workers, finished, candidates);
	candidates->summary = summary;
	return start_all(candidates);
}

size_t lea_candidates_open(const struct lea_candidates *candidates)
{
	return candidates ? candidates->open_count : 0;
}

void lea_candidates_stop(struct lea_candidates *candidates)
{
	lea_workers_stop(candidates->workers);
	candidates->open_count = 0;
}

int lea_candidates_finish(struct lea_candidates *candidates)
{
	return lea_candidates_open(candidates) ? lea_workers_drain(candidates->workers) : 0;
}
