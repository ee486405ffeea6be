/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a complete VG to an active one: claims, workers, and their results. The state of a VG is
 * its claim; one that a dead process or an earlier epoch left, or that was made with other
 * instances of the PVs, is as good as none. lea_decide tells which way a VG goes.
 *
 *	none    --> CLAIMED    written before a worker gets the VG
 *	none    --> DONE       a change completed the VG: the administrator decides
 *	none    --> FAILED     for good: until a device is added; transient: until a reconcile
 *	CLAIMED --> DONE       the worker's report: active, perhaps in part, or not by events
 *	CLAIMED --> FAILED     likewise, or another command changed it: its devices are queued again
 *	CLAIMED --> CLAIMED    its worker hangs: it ends the claim later, or its death is noticed
 *	any     --> CLAIMED    new instances, or whatever else lea_decide lets pass
 *
 * What is written, in which order, and what a kill after each step leaves. Until the pass is over
 * its entries, in taken/ (for the boot scan: udev's tags), lead to the VG once more.
 *
 *	activation
 *	1. claim CLAIMED: counts no more than none. A claim that was done does not cover the VG any
 *	   longer, so an added PV still brings up a VG that somebody had taken down. A worker that
 *	   lives on has the VG's lock: the next one waits for it and finds the VG active.
 *	2. vgs_online: the same, and lvm2's pvscan leaves the VG to us. From here on it does not
 *	   go with the record of a PV, so that one who takes the VG down is noticed.
 *	3. no vgs_online, if a record went since, and else one that goes with a record: as 2., and
 *	   with a record that goes nobody knows whether the VG was taken down.
 *	4. claim DONE: the claim stands.
 *	5. no vgs_online, if the VG lacks PVs: it would hold up lvm2's pvscan with the rest, not us.
 *
 *	failure
 *	1. claim FAILED: vgs_online may still be there; it holds up lvm2's pvscan, not us.
 *	2. no vgs_online, if it is for good: the claim stands.
 *	3. after a change by another command its devices are pending.
 *
 *	transient failure before an activation
 *	1. claim CLAIMED, 2. vgs_online: as above.
 *	3. claim FAILED: the claim stands, and says that vgs_online came with it. Who takes the VG
 *	   down removes that, and then the claim ends as DONE.
 *
 *	completed by a change
 *	1. no vgs_online, if an earlier claim left it: it would say that the VG was brought up.
 *	2. claim DONE: the claim stands, and an added PV brings the VG up.
 *
 *	shortage
 *	1. no vgs_online, if it is this pass's, and the VG is not active.
 *	2. no claim, likewise: the entries come back, perhaps to a VG that is none of ours by then.
 */
#include "batch/batch_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log_ids.h"
#include "batch/decide.h"
#include "batch/incomplete.h"
#include "batch/pass_cache.h"
#include "batch/partial.h"
#include "batch/requeue.h"
#include "batch/twin.h"
#include "state/mark.h"
#include "state/missing.h"
#include "state/online.h"
#include "world/timeline.h"

static void finished(void *arg, const struct lea_worker_result *result);

static int hand_over(struct lea_batch_vg *vg, const struct lea_scan_vg *scanned)
{
	struct lea_candidates *candidates = vg->candidates;
	int r = candidates->options->pool->add(candidates->options->workers, scanned, finished, vg);

	if (r == 0) {
		vg->activated = scanned;
		vg->is_open = true;
		candidates->open_count++;
	}
	if (!r && !scanned->watch_only)
		lea_timeline_note_name(candidates->options->world, LEA_RING_CLAIMED,
				       scanned->vg->id, scanned->vg->name);
	return r;
}

/* Might the VG's vgs_online file be another VG's? Its own comes after its claim (take). */
static bool may_be_of_other(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned)
{
	return vg->by_claim != LEA_VG_CLAIMED && vg->by_claim != LEA_VG_DONE &&
	       lea_vg_online_may_exist(vg->candidates->claims.run_fd, scanned->vg->name);
}

/* May any VG with the name have LVs with nodes and no vgs_online file? Only one that is active in part. */
static bool has_nodes(const struct lea_batch_vg *vg, const char *name)
{
	const struct lea_batch_options *options = vg->candidates->options;
	const int dev_fd = options->partial ? lea_world_dev(options->world) : -1;

	/* If it is not known, claims are asked. */
	return dev_fd >= 0 && lea_file_ask(dev_fd, name) != 0;
}

/*
 * Of two VGs with one name the first counts, as in lvm2, whose vgs_online files hold only the name.
 * Claims are searched only if such a file exists that may not be this VG's, or nodes, as of a VG that
 * is active in part. Returns an enum lea_twin for the second VG, or a fault.
 */
static int has_twin(struct lea_candidates *candidates, struct lea_scan_vg *scanned,
		    struct lea_batch_vg *vg)
{
	const int r = lea_batch_take_name(candidates, scanned);

	if (r)
		return r < 0 ? r : LEA_TWIN;
	if (may_be_of_other(vg, scanned))
		return lea_twin_search(candidates, scanned, false);
	/* A VG that is active in part does not have this file. */
	return scanned->in_part || has_nodes(vg, scanned->vg->name)
		       ? lea_twin_search(candidates, scanned, true)
		       : LEA_NO_TWIN;
}

/*
 * Claims the VG. Another process with a claim of it may die before it is done; the VG's lock keeps
 * the two apart, and the second finds nothing to do. Where a claim says that the VG is done it is
 * replaced before vgs_online is there, for the two together say that nobody took the VG down.
 */
static int take(struct lea_batch_vg *vg, struct lea_scan_vg *scanned)
{
	struct lea_candidates *candidates = vg->candidates;
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	/* By the claim before. */
	const bool expects = lea_batch_expects_online(vg, scanned->vg->name);
	int r = lea_scan_vg_claim(scanned, &claim);

	claim.is_online = scanned->has_online = true;
	claim.again = vg->claim.again;
	r = r ? r : lea_claim_take(&candidates->claims, scanned->vg->id, &claim);
	vg->has_taken = r == 0 || r == LEA_CLAIM_OVERTOOK;
	if (r == LEA_CLAIM_OVERTOOK)
		r = lea_pass_cache_overtake(candidates->options->cache, scanned->vg->id);
	if (r >= 0 && expects)
		r = lea_vg_online_keep(candidates->claims.run_fd, scanned->vg->name);
	else if (r >= 0) {
		r = lea_vg_online_claim_kept(candidates->claims.run_fd, scanned->vg->name);
		vg->has_made_online = r == 0;
	}
	return r < 0 ? r : 0;
}

static int activate_vg(struct lea_batch_vg *vg, struct lea_scan_vg *scanned)
{
	int r = take(vg, scanned);

	return r ? r : hand_over(vg, scanned);
}

/* ---- the facts */

static enum lea_vg_pvs judge_pvs(const struct lea_scan_vg *scanned, enum lea_incomplete_mode mode)
{
	if (lea_scan_vg_silent(scanned))
		return LEA_VG_PVS_SILENT;
	if (lea_scan_vg_is_complete(scanned))
		return LEA_VG_PVS_ALL;
	return mode == LEA_INCOMPLETE_WAIT ? LEA_VG_PVS_ABSENT : LEA_VG_PVS_EXCUSED;
}

/* A VG that is whole by one name is that VG, as for lvm2, whatever another disk says. Another name
 * of it is then that of a foreign disk, not of a rename in progress. */
static enum lea_vg_prohibition judge_names(const struct lea_batch_vg *vg,
					   const struct lea_scan_vg *scanned)
{
	if (scanned->has_duplicate)
		return LEA_VG_ON_TWO_DEVICES;
	if (scanned->moved)
		return LEA_VG_MOVED;
	if (!scanned->has_other_name || lea_scan_vg_is_complete(scanned))
		return LEA_VG_PERMITTED;
	return vg->is_whole || scanned->is_outdated ? LEA_VG_OUTDATED : LEA_VG_TWO_NAMES;
}

/*
 * Has the VG, which is done, no PVs since but some that nobody was to use when they came into use?
 * That they are the VG's by now is a change, which no event need have told of, as when another host
 * gave the VG back; and what brings the VG here was dealt with before.
 */
static int ask_changed_only(const struct lea_batch_vg *vg, const struct lea_claim *made)
{
	const int event_fd = vg->candidates->options->event_fd;
	char key[LEA_DEVID_TEXT_BYTES];
	int r;

	if (vg->by_claim != LEA_VG_DONE || vg->is_news || vg->kind == LEA_ENTRY_ADD)
		return 0;
	r = lea_mark_ask_any(event_fd, LEA_MARK_REFUSED);
	for (uint32_t i = 0; r > 0 && i < made->pv_count; i++) {
		if (lea_claim_covers(&vg->claim, &made->pv[i], 1))
			continue;
		lea_devid_format(&made->pv[i].id, key);
		r = lea_mark_ask(event_fd, LEA_MARK_REFUSED, key);
	}
	return r;
}

static int gather(struct lea_batch_vg *vg, const struct lea_scan_vg *scanned,
		  enum lea_incomplete_mode mode, struct lea_decide_facts *ret_facts)
{
	LEA_AUTO(lea_claim_done) struct lea_claim made = {0};
	int r = 0;

	if (vg->by_claim != LEA_VG_UNCLAIMED) {
		r = lea_scan_vg_claim(scanned, &made);
		if (r)
			return r;
		r = lea_claim_covers(&vg->claim, made.pv, made.pv_count)
			    ? 1
			    : ask_changed_only(vg, &made);
		if (r < 0)
			return r;
		vg->is_covered = r > 0;
	}
	*ret_facts = lea_batch_vg_facts(vg, scanned->vg->name, vg->is_covered);
	ret_facts->pvs = judge_pvs(scanned, mode);
	ret_facts->prohibition = judge_names(vg, scanned);
	return 0;
}

/* Only of a VG that would be activated it is asked whether another one has its name. */
static int decide(struct lea_batch_vg *vg, struct lea_scan_vg *scanned,
		  struct lea_vg_decision *ret_decision)
{
	const enum lea_incomplete_mode mode =
		lea_partial_choose(vg->candidates->options->partial, scanned->vg).mode;
	struct lea_decide_facts facts;
	int r = gather(vg, scanned, mode, &facts);

	if (r)
		return r;
	*ret_decision = lea_decide(&facts);
	if (ret_decision->verdict != LEA_VG_ACTIVATE &&
	    ret_decision->verdict != LEA_VG_ACTIVATE_IN_PART)
		return 0;
	if (ret_decision->verdict == LEA_VG_ACTIVATE_IN_PART)
		scanned->in_part = mode;
	scanned->is_added = lea_entry_kind_is_add(vg->kind);
	/* Looks below LVs that are active already, of which a VG that has just come has none. */
	scanned->refreshes = mode != LEA_INCOMPLETE_WAIT || vg->claim.in_part[0];
	r = has_twin(vg->candidates, scanned, vg);
	if (r <= 0)
		return r;
	facts.prohibition = r == LEA_SILENT_TWIN ? LEA_VG_SILENT_TWIN : LEA_VG_TWIN;
	*ret_decision = lea_decide(&facts);
	return 0;
}

/* The line on its wait has said that it would be activated in part. */
static void log_waits_on(struct lea_world *world, const struct lea_scan_vg *scanned)
{
	LEA_AUTO(lea_missing_done) struct lea_missing missing = {0};
	char text[LEA_MISSING_TEXT_BYTES];
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_INCOMPLETE,
					      .vg = scanned->vg->name,
					      .vg_id = scanned->vg->id,
					      .reason = text};

	if (lea_scan_vg_list_missing(scanned, &missing) || !missing.count)
		return;
	lea_missing_describe(&missing, text);
	lea_log_with(world->log, LEA_LOG_WARNING, &fields,
		     "VG %s: not activated in part, incomplete: %s; it waits for the missing PV%s",
		     scanned->vg->name, text, missing.count == 1 ? "" : "s");
}

/* Nothing is to be done about the VG. */
static int leave(struct lea_batch_vg *vg, const struct lea_scan_vg *scanned,
		 enum lea_vg_because because)
{
	const struct lea_batch_options *options = vg->candidates->options;
	int r = vg->is_awaited ? lea_batch_write_extended(vg) : 0;

	if (because != LEA_VG_BECAUSE_OUTDATED)
		lea_batch_end_wait(vg);
	if (because == LEA_VG_BECAUSE_OUTDATED)
		lea_log(options->world->log, LEA_LOG_VERBOSE, "VG %s: not activated: %s",
			scanned->vg->name, lea_vg_because_text(because));
	else if (vg->kind == LEA_ENTRY_PARTIAL && vg->by_claim == LEA_VG_IN_PART)
		lea_incomplete_told(options->waiting, options->world, scanned->vg->name);
	else if (vg->kind == LEA_ENTRY_PARTIAL && !vg->is_covered)
		log_waits_on(options->world, scanned);
	return r;
}

static int start_vg(struct lea_batch_vg *vg, struct lea_scan_vg *scanned)
{
	struct lea_vg_decision decision;
	int r = decide(vg, scanned, &decision);

	if (r)
		return r;
	scanned->turn_ms = lea_world_now_ms(vg->candidates->options->world);
	switch (decision.verdict) {
	case LEA_VG_ACTIVATE:
	case LEA_VG_ACTIVATE_IN_PART:
		return activate_vg(vg, scanned);
	case LEA_VG_RECORD:
		return lea_batch_take_note(vg->candidates, scanned, decision.because);
	case LEA_VG_WATCH:
		scanned->watch_only = true;
		return hand_over(vg, scanned);
	case LEA_VG_QUEUE_AGAIN:
		r = take(vg, scanned);
		return r ? r : lea_batch_read_again(vg, scanned, decision);
	case LEA_VG_WAIT:
		return lea_batch_wait(vg, scanned);
	case LEA_VG_FAIL:
		return lea_batch_fail(vg, scanned, decision.because);
	case LEA_VG_FAIL_FOR_NOW:
		r = take(vg, scanned);
		return r ? r : lea_batch_fail_for_now(vg, scanned);
	case LEA_VG_READ: /* was done */
	case LEA_VG_SKIP:
	default:
		return leave(vg, scanned, decision.because);
	}
}

/* ---- the workers' results */

/* Logs what became of a VG that is active in part. */
static void note_result(const struct lea_candidates *candidates,
			const struct lea_worker_result *result, bool failed)
{
	const enum lea_ring_kind kind = result->is_detached ? LEA_RING_HUNG
					: failed	    ? LEA_RING_FAILED
							    : LEA_RING_DONE;

	lea_timeline_note_vg(candidates->options->world, kind, result->vg_id,
			     result->is_detached ? (int)result->detached_why : result->outcome);
}

/* Was the claim before for a disk that hung, too? Then the unit has been started. */
static bool has_hung(const struct lea_claim *claim)
{
	return !strcmp(claim->reason, LEA_REQUEUE_UNFINISHED) ||
	       strstr(claim->reason, " does not answer");
}

/* The claim stays: the worker queues the VG again when the disk answers. */
static void report_detached(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned,
			    const struct lea_worker_result *result)
{
	const struct lea_batch_options *options = vg->candidates->options;

	lea_batch_log_detached(options->world->log, scanned, result);
	if (result->detached_why == LEA_DETACHED_DISK)
		lea_batch_note_unit(vg, scanned, LEA_VG_ON_HUNG_DISK,
				    has_hung(&vg->claim) ? vg->claim.reason : "");
	if (scanned->in_part)
		lea_incomplete_told(options->waiting, options->world, scanned->vg->name);
}

/* No worker has the VG, or none any more. */
static void give_back(struct lea_batch_vg *vg, const struct lea_scan_vg *scanned)
{
	const struct lea_candidates *candidates = vg->candidates;
	const int run_fd = candidates->claims.run_fd;
	int r = vg->has_made_online ? lea_vg_online_drop(run_fd, scanned->vg->name)
		: vg->has_taken && scanned->has_online
			? lea_vg_online_release(run_fd, scanned->vg->name)
			: 0;
	int s = vg->has_taken ? lea_claim_drop(&candidates->claims, scanned->vg->id) : 0;

	if (r < 0 || s < 0)
		lea_log(candidates->options->world->log, LEA_LOG_WARNING,
			"VG %s: its claim or its vgs_online file could not be removed",
			scanned->vg->name);
	vg->has_made_online = vg->has_taken = false;
}

static void finished(void *arg, const struct lea_worker_result *result)
{
	struct lea_batch_vg *vg = arg;
	struct lea_candidates *candidates = vg->candidates;
	const struct lea_scan_vg *scanned = vg->activated;
	enum lea_verdict verdict;
	int r;

	candidates->open_count--;
	vg->is_open = false;
	/* What dmeventd was not told stays noted; the VG's state did not change. */
	if (scanned->watch_only)
		return;
	verdict =
		lea_verdict_on(result->outcome, result->shortage, result->active, scanned->in_part);
	note_result(candidates, result, lea_verdict_is_failure(verdict));
	if (result->is_detached) {
		report_detached(vg, scanned, result);
		return;
	}
	/* The next pass knows which metadata are the newest. */
	if (verdict != LEA_VERDICT_AGAIN) {
		r = lea_batch_end_vg(vg, result, verdict);
	} else {
		if (scanned->in_part)
			lea_partial_came(candidates->options->partial);
		r = lea_batch_read_again(vg, scanned, lea_decide_changed(vg->by_claim));
	}
	if (r < 0)
		lea_log_with(candidates->options->world->log, LEA_LOG_ERROR,
			     &(const struct lea_log_fields){.vg = result->vg_name,
							    .vg_id = result->vg_id},
			     "VG %s: writing its claim: %s", result->vg_name, strerror(-r));
	lea_retry_set_add_vg(candidates->retries, r, scanned);
	if (r >= 0)
		return;
	/* The next pass ends it: until then it says that the VG has had its turn. */
	if (verdict == LEA_VERDICT_DONE && lea_is_shortage(r) &&
	    !lea_repeats_keep_claim(&candidates->options->cache->repeats, scanned->vg->id))
		return;
	/* Nobody would end the claim, if the VG is none of ours when its entries come back. */
	vg->has_made_online &= result->outcome != 0;
	give_back(vg, scanned);
}

/* ---- all VGs of the pass */

/* The claim cannot be written; the other VGs go on. After a shortage the entries come back, else a
 * reconcile finds the PVs, which no claim covers. */
static void postpone(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
		     int fault)
{
	char reason[LEA_BATCH_REASON_BYTES];

	snprintf(reason, sizeof(reason), "writing its claim: %s", strerror(-fault));
	lea_batch_count_failure(candidates, scanned, reason, true);
	candidates->summary->vgs_again += !lea_is_shortage(fault);
	lea_retry_set_add_vg(candidates->retries, fault, scanned);
}

/* The VG of metadata that was read; NULL: no entry asks for it. An entry of a PV without metadata
 * only knew the name. */
static int find_vg(struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
		   struct lea_batch_vg **ret_vg)
{
	struct lea_batch_vg *vg = lea_candidates_find(candidates, scanned->vg->id, "");
	struct lea_batch_vg *named = lea_candidates_find(candidates, "", scanned->vg->name);
	int r = 0;

	*ret_vg = NULL;
	if (named && named->first != LEA_VG_READ)
		named = NULL;
	if (named)
		named->is_met = true;
	if (vg && vg->first == LEA_VG_READ) {
		if (named)
			vg->kind = lea_entry_kind_most(named->kind, vg->kind);
		*ret_vg = vg;
		return 0;
	}
	if (!named)
		return 0;
	if (!vg)
		r = lea_candidates_add_vg(candidates, scanned->vg->id, scanned->vg->name, &vg);
	if (r < 0)
		return r;
	vg->kind = named->kind;
	vg->first = LEA_VG_READ;
	*ret_vg = vg;
	return 0;
}

/* Two VGs that are whole by different names have one id: a copy that was renamed elsewhere. */
static int split(struct lea_batch_vg *vg, const struct lea_scan_vg *scanned,
		 struct lea_batch_vg **ret_vg)
{
	struct lea_batch_vg *other;
	int r = lea_candidates_add_vg(vg->candidates, vg->id, scanned->vg->name, &other);

	if (r < 0)
		return r;
	other->kind = vg->kind;
	*ret_vg = other;
	return 0;
}

static int start_one(struct lea_candidates *candidates, struct lea_scan_vg *scanned)
{
	struct lea_batch_vg *vg;
	bool is_of_all;
	int r = find_vg(candidates, scanned, &vg);

	if (r < 0 || !vg)
		return r;
	if (vg->activated)
		r = split(vg, scanned, &vg);
	r = r ? r : start_vg(vg, scanned);
	if (r >= 0)
		return r;
	/* A fault of the workers is one of all VGs. */
	is_of_all = vg->has_taken && !lea_is_shortage(r);
	give_back(vg, scanned);
	if (is_of_all)
		return r;
	postpone(candidates, scanned, r);
	return 0;
}

static int await_claimed(void *arg, const char *vg_id, const struct lea_claim *claim)
{
	const struct lea_batch_vg *named = arg;
	struct lea_claim_pv pv = {0};
	const struct lea_claim own = {.pv = &pv, .pv_count = 1};

	memcpy(pv.pvid, named->nameless->label.pvid, sizeof(pv.pvid));
	return lea_claim_shares_pv(claim, &own)
		       ? lea_awaited_set(named->candidates->options->event_fd, vg_id,
					 claim->pv_count, false)
		       : 0;
}

/* No disk with metadata of the VG gave an answer. The one that does so later brings up a VG without
 * a claim; any other must know that a PV was added. */
static int await_unmet(struct lea_candidates *candidates, struct lea_batch_vg *vg)
{
	struct lea_claim_index *index;
	int r;

	if (vg->id[0] || vg->is_met || vg->first != LEA_VG_READ || vg->kind != LEA_ENTRY_ADD)
		return 0;
	r = lea_candidates_index(candidates, &index);
	r = r ? r
	      : lea_claim_index_each_named(index, &candidates->claims, vg->name, await_claimed, vg);
	lea_retry_set_add(candidates->retries, r, &vg->nameless->device);
	return lea_is_shortage(r) ? 0 : r;
}

static int start_all(struct lea_candidates *candidates, struct lea_scan_vg *vgs, size_t count)
{
	struct lea_batch_vg *vg;
	int r = 0;

	/* First of all: which are whole by some name? */
	for (size_t i = 0; r >= 0 && i < count; i++) {
		r = find_vg(candidates, &vgs[i], &vg);
		if (r >= 0 && vg)
			vg->is_whole |= !vgs[i].has_duplicate && lea_scan_vg_is_complete(&vgs[i]);
	}
	for (size_t i = 0; r >= 0 && i < count; i++)
		r = start_one(candidates, &vgs[i]);
	for (size_t i = 0; r >= 0 && i < candidates->count; i++)
		r = await_unmet(candidates, candidates->list[i]);
	return r < 0 ? r : 0;
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
			     .keeps_online = true,
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
	};

	return lea_workers_new(options->world, options->conf, &worker_options, ret_workers);
}

int lea_candidates_start(struct lea_candidates *candidates, struct lea_scan *scan,
			 struct lea_batch_summary *summary)
{
	struct lea_scan_vg *vgs;
	size_t count;
	int r;

	if (!candidates->count)
		return 0;
	candidates->summary = summary;
	r = lea_candidates_complete(candidates, scan);
	r = r ? r : lea_scan_vgs(scan, &vgs, &count);
	r = r ? r : start_all(candidates, vgs, count);
	/* What workers have yet to report comes with the end of the pass. */
	lea_failed_units_start(&candidates->failed, candidates->options->world);
	return r;
}

size_t lea_candidates_open(const struct lea_candidates *candidates)
{
	return candidates ? candidates->open_count : 0;
}

void lea_candidates_stop(struct lea_candidates *candidates)
{
	candidates->options->pool->stop(candidates->options->workers);
	candidates->open_count = 0;
	for (size_t i = 0; i < candidates->count; i++) {
		struct lea_batch_vg *vg = candidates->list[i];

		if (vg->is_open)
			give_back(vg, vg->activated);
		vg->is_open = false;
	}
}

int lea_candidates_finish(struct lea_candidates *candidates)
{
	if (!lea_candidates_open(candidates))
		return 0;
	return candidates->options->pool->drain(candidates->options->workers);
}
