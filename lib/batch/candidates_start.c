/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a complete VG to an active one: claims, workers, and their results. The state of a VG is
 * its claim; one that a dead process or an earlier epoch left, or that was made with other
 * instances of the PVs, is as good as none.
 *
 *	none    --> CLAIMED    written before a worker gets the VG
 *	none    --> DONE       a change completed the VG: the administrator decides
 *	none    --> FAILED     it may not be activated, has two names, or its name is another VG's
 *	CLAIMED --> DONE       the worker's report: active, perhaps in part, or not by events
 *	CLAIMED --> FAILED     for good: until a device is added; transient: until a reconcile
 *	CLAIMED --> none       another command changed it: its devices are queued again
 *	CLAIMED --> CLAIMED    its worker hangs: it ends the claim later, or its death is noticed
 *	any     --> CLAIMED    new instances, or what lea_candidate_is_covered lets pass
 *
 * What a crash leaves: until the pass is over its entries, in taken/ (for the boot scan: udev's
 * tags), lead to the VG once more. Before CLAIMED perhaps vgs_online, which we do not believe.
 * CLAIMED: nothing that counts; a worker that lives on has the VG's lock, so that the next one
 * waits for it and finds the VG active. DONE: the claim stands. FAILED: vgs_online may still be
 * there; it holds up lvm2's pvscan, not us.
 */
#include "batch/batch_private.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "activate/settings.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "base/log_ids.h"
#include "batch/decide.h"
#include "batch/incomplete.h"
#include "batch/partial.h"
#include "batch/requeue.h"
#include "record/duplicates.h"
#include "state/missing.h"
#include "state/online.h"
#include "world/timeline.h"

/* Uses the VG's id, since the name may change while its PVs are read. A PV without metadata has
 * only the name. */
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
		if (!candidates->list[i]->covers_all &&
		    !tsearch(candidates->list[i], &candidates->needs_activation, compare_keys))
			return -ENOMEM;
	return 0;
}

static const struct lea_candidate *find_wanted(const struct lea_candidates *candidates,
					       const struct lea_scan_vg *scanned)
{
	struct lea_candidate key = {.vg = scanned->vg}, **node;

	node = tfind(&key, &candidates->needs_activation, compare_keys);
	if (node)
		return *node;
	key.vg = NULL;
	snprintf(key.name, sizeof(key.name), "%s", scanned->vg->name);
	node = tfind(&key, &candidates->needs_activation, compare_keys);
	return node ? *node : NULL;
}

/* The end state of a claim. */
struct end {
	enum lea_claim_state state;
	const char *reason;
	bool is_transient;
	bool in_part; /* active without the PVs that the VG lacks */
};

static const char *word_in_part(const struct lea_scan_vg *scanned)
{
	return scanned->in_part ? lea_incomplete_word((enum lea_incomplete_mode)scanned->in_part)
				: "";
}

/* A failed activation must not block the next one: vgs_online is removed, and our claim says
 * why. */
static int finish_claim(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
			const struct end *end)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = lea_scan_vg_claim(scanned, &claim);

	if (r)
		return r;
	claim.state = end->state;
	claim.is_transient = end->is_transient;
	claim.is_tagged = lea_is_needed_by_tag(candidates->options->conf, scanned->vg);
	snprintf(claim.reason, sizeof(claim.reason), "%s", end->reason);
	if (end->in_part)
		snprintf(claim.in_part, sizeof(claim.in_part), "%s", word_in_part(scanned));
	/* The claim first: where vgs_online has gone, the reason is there. */
	r = lea_claim_finish(&candidates->claims, scanned->vg->id, &claim);
	if (end->state != LEA_CLAIM_DONE && r >= 0)
		r = lea_vg_online_drop(candidates->claims.run_fd, scanned->vg->name);
	return r;
}

static int fail_vg(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
		   const char *reason)
{
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_FAILED,
					      .vg = scanned->vg->name,
					      .vg_id = scanned->vg->id,
					      .reason = reason};

	lea_log_with(candidates->options->world->log, LEA_LOG_ERROR, &fields,
		     "VG %s: not activated: %s", scanned->vg->name, reason);
	candidates->summary->vgs_failed++;
	return finish_claim(candidates, scanned,
			    &(struct end){LEA_CLAIM_FAILED, reason, false, false});
}

/* A PV without metadata has no VG id, so its claim is checked only when other PVs have given the
 * id. */
static int ask_claim(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
		     const struct lea_candidate *needs_activation, bool *ret_stands)
{
	struct lea_candidate now = *needs_activation;
	LEA_AUTO(lea_claim_done) struct lea_claim made = {0}, old = {0};
	int r = lea_scan_vg_claim(scanned, &made);

	r = r ? r : lea_claim_read(&candidates->claims, scanned->vg->id, &old);
	if (r < 0)
		return r;
	now.vg = scanned->vg;
	now.has_claim = r == 0;
	now.claim = old;
	now.is_news = r == 0 && !lea_claim_covers(&old, made.pv, made.pv_count);
	*ret_stands = lea_candidate_is_covered(&now);
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

/* Into by_id: any VG of this id that bsearch finds; NULL: there is none. */
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

/* Why the VG cannot be activated, as static text; NULL: nothing prevents it. */
static const char *obstacle_of(const struct lea_scan_vg *scanned)
{
	if (scanned->has_duplicate)
		return lea_vg_because_text(LEA_VG_BECAUSE_DEVICES);
	return lea_scan_vg_is_complete(scanned) ? NULL : lea_vg_because_text(LEA_VG_BECAUSE_ABSENT);
}

/* If so, the other name is that of a foreign disk, not of a rename in progress. */
static bool is_whole_by_another_name(const struct lea_candidates *candidates,
				     const struct lea_scan_vg *scanned)
{
	const char *id = scanned->vg->id;
	struct lea_scan_vg *const *vg = find_by_id(candidates, id);
	struct lea_scan_vg *const *end = candidates->by_id + candidates->vg_count;

	while (vg > candidates->by_id && !compare_id(id, vg - 1))
		vg--;
	for (; vg < end && !compare_id(id, vg); vg++)
		if (!obstacle_of(*vg))
			return true;
	return false;
}

/*
 * vgrename may be running and have changed only some PVs, so the devices are queued once more. A PV
 * that was away during a rename keeps the old name for good; the claim notes that there was a
 * second try.
 */
static int meet_two_names(const struct lea_candidates *candidates,
			  const struct lea_scan_vg *scanned)
{
	static const char reason[] =
		"its PVs have different names for it: one was missing when the VG was renamed; "
		"see pvs -o +vg_name,vg_uuid";
	LEA_AUTO(lea_claim_done) struct lea_claim old = {0};
	int r = lea_claim_read(&candidates->claims, scanned->vg->id, &old);

	if (r < 0)
		return r;
	if (r == 0 && old.state == LEA_CLAIM_FAILED && !strcmp(old.reason, reason))
		return fail_vg(candidates, scanned, reason);
	r = lea_requeue_vg(candidates->options, scanned);
	return r < 0 ? r
		     : finish_claim(candidates, scanned,
				    &(struct end){LEA_CLAIM_FAILED, reason, true, false});
}

static void finished(void *arg, const struct lea_worker_result *result);

static int hand_over(struct lea_candidates *candidates, const struct lea_scan_vg *scanned)
{
	int r = candidates->options->pool->add(candidates->options->workers, scanned, finished,
					       candidates);

	candidates->open_count += r == 0;
	if (!r && !scanned->watch_only)
		lea_timeline_note_name(candidates->options->world, LEA_RING_CLAIMED,
				       scanned->vg->id, scanned->vg->name);
	return r;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct lea_scan_vg *)a)->vg->name,
		      ((const struct lea_scan_vg *)b)->vg->name);
}

/* A VG that may have a twin, with the claim that it would get. */
struct named {
	const struct lea_scan_vg *scanned;
	struct lea_claim claim;
};

/* A PV is in one VG only: if one of the other VG's is in this VG now, the other one was removed. */
static int find_twin(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	const struct named *named = arg;

	return claim->state != LEA_CLAIM_FAILED && strcmp(vg_id, named->scanned->vg->id) != 0 &&
	       !lea_claim_shares_pv(claim, &named->claim);
}

/*
 * Of two VGs with one name the first counts, as in lvm2, whose vgs_online files hold only the name.
 * Claims are searched only if such a file exists that this VG has not created. Returns > 0 for the
 * second VG.
 */
static int has_twin(struct lea_candidates *candidates, struct lea_scan_vg *scanned,
		    const struct lea_candidate *needs_activation)
{
	struct lea_scan_vg **first = tsearch(scanned, &candidates->names, compare_names);
	struct named named = {.scanned = scanned};
	const struct lea_claim_index *index;
	int r;

	if (!first)
		return -ENOMEM;
	if (*first != scanned && strcmp((*first)->vg->id, scanned->vg->id) != 0)
		return 1;
	/* A VG that is active in part does not have this file. */
	if (!scanned->in_part &&
	    (needs_activation->has_claim || needs_activation->was_down ||
	     !lea_vg_online_exists(candidates->claims.run_fd, scanned->vg->name)))
		return 0;
	r = lea_scan_vg_claim(scanned, &named.claim);
	r = r ? r : lea_candidates_index(candidates, &index);
	r = r ? r
	      : lea_claim_index_each_named(index, &candidates->claims, scanned->vg->name, find_twin,
					   &named);
	lea_claim_done(&named.claim);
	return r;
}

/* vgs_online belongs to the other VG and stays. */
static int refuse_twin(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	struct lea_log_fields fields = {.message_id = LEA_MESSAGE_FAILED,
					.vg = scanned->vg->name,
					.vg_id = scanned->vg->id};
	char id[39];
	int r = lea_scan_vg_claim(scanned, &claim);

	if (r)
		return r;
	lea_id_format(scanned->vg->id, id);
	claim.state = LEA_CLAIM_FAILED;
	fields.reason = claim.reason;
	snprintf(claim.reason, sizeof(claim.reason),
		 "another VG has this name; give this one another: vgrename %s NEW", id);
	lea_log_with(candidates->options->world->log, LEA_LOG_ERROR, &fields,
		     "VG %s: not activated: %s", scanned->vg->name, claim.reason);
	candidates->summary->vgs_failed++;
	return lea_claim_finish(&candidates->claims, scanned->vg->id, &claim);
}

/* Claims the VG and hands it to a worker. Another process with a claim of it may die before it is
 * done; the VG's lock keeps the two apart, and the second finds nothing to do. */
static int activate_vg(struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
		       enum lea_entry_kind kind)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = 0;

	/* For added devices vgs_online was created when they were counted. A VG in part gets none:
	 * it would keep lvm2 from activating the rest. */
	if (kind != LEA_ENTRY_ADD && !scanned->in_part)
		r = lea_vg_online_claim(candidates->claims.run_fd, scanned->vg->name);
	r = r < 0 ? r : lea_scan_vg_claim(scanned, &claim);
	r = r ? r : lea_claim_take(&candidates->claims, scanned->vg->id, &claim);
	return r < 0 ? r : hand_over(candidates, scanned);
}

/* Changes made the VG complete: the administrator who made them decides what is active. */
static int take_note(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned)
{
	static const char reason[] = "completed by a change, not by an added PV: left as it is";

	return finish_claim(candidates, scanned,
			    &(struct end){LEA_CLAIM_DONE, reason, false, false});
}

/* Has a claim of the same PVs, or of more, ended? */
static int is_dealt_with(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
			 bool *ret_is)
{
	LEA_AUTO(lea_claim_done) struct lea_claim made = {0}, old = {0};
	int r = lea_scan_vg_claim(scanned, &made);

	*ret_is = false;
	r = r ? r : lea_claim_read(&candidates->claims, scanned->vg->id, &old);
	if (r)
		return r < 0 ? r : 0;
	*ret_is = lea_claim_covers(&old, made.pv, made.pv_count) &&
		  (old.state == LEA_CLAIM_DONE ||
		   (old.state == LEA_CLAIM_FAILED && !old.is_transient));
	if (*ret_is && old.in_part[0])
		lea_incomplete_told(candidates->options->waiting, candidates->options->world,
				    scanned->vg->name);
	return 0;
}

/* The wait for an incomplete VG is over. A VG that has two names, a PV on two devices, or metadata
 * that are out of date, waits for a person. */
static int start_partial(struct lea_candidates *candidates, struct lea_scan_vg *scanned,
			 const struct lea_candidate *needs_activation)
{
	const enum lea_incomplete_mode mode =
		lea_partial_choose(candidates->options->partial, scanned->vg).mode;
	int r;

	if (scanned->has_duplicate || scanned->has_other_name || scanned->moved ||
	    mode == LEA_INCOMPLETE_WAIT)
		return 0;
	scanned->in_part = mode;
	scanned->refreshes = true;
	r = has_twin(candidates, scanned, needs_activation);
	if (r)
		return r < 0 ? r : refuse_twin(candidates, scanned);
	return activate_vg(candidates, scanned, needs_activation->kind);
}

static int start_vg(struct lea_candidates *candidates, struct lea_scan_vg *scanned,
		    const struct lea_candidate *needs_activation)
{
	const char *reason = obstacle_of(scanned);
	bool covers_all = false;
	int r = 0;

	/* The PV that was queued may have an old text: only now it is known what the VG is. */
	if (needs_activation->kind == LEA_ENTRY_PARTIAL)
		r = is_dealt_with(candidates, scanned, &covers_all);
	if (r || covers_all)
		return r;
	if (needs_activation->kind == LEA_ENTRY_PARTIAL && !lea_scan_vg_is_complete(scanned))
		return start_partial(candidates, scanned, needs_activation);
	/* These ask for no activation, so none has failed. */
	if (reason && (needs_activation->kind == LEA_ENTRY_CHANGE ||
		       needs_activation->kind == LEA_ENTRY_WATCH))
		return 0;
	if (reason && scanned->has_other_name && !is_whole_by_another_name(candidates, scanned))
		return scanned->is_outdated ? 0 : meet_two_names(candidates, scanned);
	if (reason)
		return fail_vg(candidates, scanned, reason);
	if (!needs_activation->vg)
		r = ask_claim(candidates, scanned, needs_activation, &covers_all);
	if (r || covers_all)
		return r;
	if (needs_activation->kind == LEA_ENTRY_CHANGE)
		return take_note(candidates, scanned);
	if (needs_activation->kind == LEA_ENTRY_WATCH)
		return hand_over(candidates, scanned);
	/* Looks below LVs that are active already, of which a VG that has just come has none. */
	scanned->refreshes = lea_partial_choose(candidates->options->partial, scanned->vg).mode !=
				     LEA_INCOMPLETE_WAIT ||
			     (needs_activation->has_claim && needs_activation->claim.in_part[0]);
	r = has_twin(candidates, scanned, needs_activation);
	if (r)
		return r < 0 ? r : refuse_twin(candidates, scanned);
	return activate_vg(candidates, scanned, needs_activation->kind);
}

/* Is the VG active without the PVs that it lacks? Some LV may have failed for lack of them: a cache
 * whose metadata reads as errors, for one. */
static bool is_in_part(const struct lea_scan_vg *scanned, const struct lea_worker_result *result)
{
	return scanned->in_part &&
	       (result->outcome == 0 ||
		(result->outcome == LEA_ACTIVATE_FAILED && !result->shortage && result->active));
}

/* A VG that events are not to activate is as done as an active one. */
static bool has_failed(const struct lea_worker_result *result)
{
	return result->outcome < 0 || result->outcome == LEA_ACTIVATE_FAILED ||
	       result->outcome == LEA_ACTIVATE_INCOMPLETE || result->outcome == LEA_ACTIVATE_COPY;
}

/* Logs what became of a VG that is active in part. */
static void report_in_part(const struct lea_candidates *candidates,
			   const struct lea_scan_vg *scanned,
			   const struct lea_worker_result *result)
{
	struct lea_missing missing;
	char text[LEA_MISSING_TEXT_BYTES];
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_IN_PART,
					      .vg = scanned->vg->name,
					      .vg_id = scanned->vg->id,
					      .reason = text};

	if (lea_scan_vg_list_missing(scanned, &missing))
		return;
	lea_missing_describe(&missing, text);
	lea_log_with(candidates->options->world->log, LEA_LOG_WARNING, &fields,
		     "VG %s: incomplete: %s; %u LV(s) active, by incomplete = %s; the others are "
		     "activated when the missing PV%s",
		     scanned->vg->name, text, result->active, word_in_part(scanned),
		     missing.count == 1 ? " appears" : "s appear");
	lea_missing_done(&missing);
	lea_incomplete_told(candidates->options->waiting, candidates->options->world,
			    scanned->vg->name);
}

/* Logs that a VG is complete that was active in part. */
static void report_back(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
			const struct lea_worker_result *result)
{
	const struct lea_candidate *wanted = find_wanted(candidates, scanned);
	const struct lea_log_fields fields = {
		.message_id = LEA_MESSAGE_BACK, .vg = scanned->vg->name, .vg_id = scanned->vg->id};

	if (wanted && wanted->has_claim && wanted->claim.in_part[0])
		lea_log_with(candidates->options->world->log, LEA_LOG_PRINT, &fields,
			     "VG %s: all %u PVs are there again: %u LV(s) active, it was active in "
			     "part",
			     scanned->vg->name, scanned->vg->pv_count, result->active);
}

static void note_result(const struct lea_candidates *candidates,
			const struct lea_worker_result *result, bool failed)
{
	const enum lea_ring_kind kind = result->is_detached ? LEA_RING_HUNG
					: failed	    ? LEA_RING_FAILED
							    : LEA_RING_DONE;

	lea_timeline_note_vg(candidates->options->world, kind, result->vg_id,
			     result->is_detached ? (int)result->detached_why : result->outcome);
}

/* Copies were logged before, once. */
static void report_failed(const struct lea_candidates *candidates,
			  const struct lea_worker_result *result, const char *reason)
{
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_FAILED,
					      .vg = result->vg_name,
					      .vg_id = result->vg_id,
					      .reason = reason};

	if (result->outcome != LEA_ACTIVATE_COPY)
		lea_log_with(candidates->options->world->log, LEA_LOG_ERROR, &fields,
			     "VG %s: not activated: %s; %s: vgchange -aay %s", result->vg_name,
			     reason,
			     lea_is_transient(result->shortage) ? "it will be retried; to retry now"
								: "try",
			     result->vg_name);
}

static void finished(void *arg, const struct lea_worker_result *result)
{
	struct lea_candidates *candidates = arg;
	const struct lea_scan_vg *scanned = find_vg(candidates, result->vg_id);
	struct lea_log *log = candidates->options->world->log;
	const char *reason = result->reason[0] ? result->reason
			     : result->outcome == LEA_ACTIVATE_INCOMPLETE
				     ? "one of its PVs was removed"
				     : "activation failed";
	bool failed, in_part;
	int r;

	candidates->open_count--;
	/* What dmeventd was not told stays noted; the VG's state did not change. */
	if (!scanned || scanned->watch_only)
		return;
	in_part = is_in_part(scanned, result);
	failed = !in_part && has_failed(result);
	note_result(candidates, result, failed);
	/* The next pass knows which metadata are the newest. */
	if (result->outcome == LEA_ACTIVATE_CHANGED || result->outcome == LEA_ACTIVATE_OUTDATED) {
		if (scanned->in_part)
			lea_partial_came(candidates->options->partial);
		lea_retry_set_add_vg(candidates->retries,
				     lea_requeue_vg(candidates->options, scanned), scanned);
		return;
	}
	if (result->is_detached) {
		/* The claim stays: the worker queues the VG again when the disk answers. */
		lea_batch_log_detached(log, scanned, result);
		if (scanned->in_part)
			lea_incomplete_told(candidates->options->waiting,
					    candidates->options->world, scanned->vg->name);
		return;
	}
	if (failed) {
		candidates->summary->vgs_failed++;
		/* After a shortage the entries come back; the others need a reconcile. */
		candidates->summary->vgs_again +=
			lea_is_transient(result->shortage) && !lea_is_shortage(result->shortage);
		lea_retry_set_add_vg(candidates->retries, result->shortage, scanned);
		report_failed(candidates, result, reason);
	} else if (result->outcome == 0 || in_part) {
		lea_duplicates_ignore(candidates->options->world, scanned);
		candidates->summary->vgs_active++;
		candidates->summary->lvs += result->active;
		lea_batch_note_active(log, &candidates->active, result->vg_name, result->active);
		(in_part ? report_in_part : report_back)(candidates, scanned, result);
	}
	r = finish_claim(candidates, scanned,
			 &(struct end){failed ? LEA_CLAIM_FAILED : LEA_CLAIM_DONE,
				       failed ? reason : "", lea_is_transient(result->shortage),
				       in_part});
	if (r < 0)
		lea_log_with(log, LEA_LOG_ERROR,
			     &(const struct lea_log_fields){.vg = result->vg_name,
							    .vg_id = result->vg_id},
			     "VG %s: writing its claim: %s", result->vg_name, strerror(-r));
	lea_retry_set_add_vg(candidates->retries, r, scanned);
}

/* The claim cannot be written now; the other VGs go on. */
static int postpone(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
		    int shortage)
{
	lea_log_with(
		candidates->options->world->log, LEA_LOG_ERROR,
		&(const struct lea_log_fields){.vg = scanned->vg->name, .vg_id = scanned->vg->id},
		"VG %s: not activated: writing its claim: %s; it will be retried",
		scanned->vg->name, strerror(-shortage));
	candidates->summary->vgs_failed++;
	lea_retry_set_add_vg(candidates->retries, shortage, scanned);
	return lea_vg_online_drop(candidates->claims.run_fd, scanned->vg->name);
}

static int start_all(struct lea_candidates *candidates)
{
	const struct lea_candidate *needs_activation;
	int r;

	for (size_t i = 0; i < candidates->vg_count; i++) {
		struct lea_scan_vg *scanned = &candidates->vgs[i];

		needs_activation = find_wanted(candidates, scanned);
		if (!needs_activation)
			continue;
		scanned->watch_only = needs_activation->kind == LEA_ENTRY_WATCH;
		r = start_vg(candidates, scanned, needs_activation);
		if (lea_is_shortage(r))
			r = postpone(candidates, scanned, r);
		if (r < 0)
			return r;
	}
	return 0;
}

int lea_batch_workers(const struct lea_batch_options *options, struct lea_workers **ret_workers)
{
	static const char *const lvm_args[] = {"vgchange", "-aay", "--autoactivation", "event",
					       NULL};
	const struct lea_workers_options worker_options = {
		.activator = &lea_activator_real,
		.activate = {.what = LEA_ACTIVATE_AUTO,
			     .only_complete = true,
			     .quiet_refusals = true,
			     .quiet_success = true,
			     .checks_duplicates = true,
			     .lvm_path = options->lvm_path,
			     .monitor = options->conf->monitoring,
			     .defers_watch = options->defers_watch,
			     .poll = true,
			     .first = options->needs ? options->needs->words
						     : (struct lea_volume_list){0}},
		.lvm_args = lvm_args,
		.lost = lea_requeue_lost,
		.lvm_path = options->lvm_path,
		.needs = options->needs,
		.is_alone = options->is_boot,
		.private_fd = options->reader ? lea_reader_fd(options->reader) : NULL,
		.private_fd_count = options->reader ? 1 : 0,
	};

	return lea_workers_new(options->world, options->conf, &worker_options, ret_workers);
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
	if (r)
		return r;
	candidates->summary = summary;
	return start_all(candidates);
}

size_t lea_candidates_open(const struct lea_candidates *candidates)
{
	return candidates ? candidates->open_count : 0;
}

void lea_candidates_stop(struct lea_candidates *candidates)
{
	candidates->options->pool->stop(candidates->options->workers);
	candidates->open_count = 0;
}

int lea_candidates_finish(struct lea_candidates *candidates)
{
	if (!lea_candidates_open(candidates))
		return 0;
	return candidates->options->pool->drain(candidates->options->workers);
}
