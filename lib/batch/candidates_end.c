/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a VG's turn ends: with a claim that says why, and a line in the log. In which order things
 * are written stands in candidates_start.c.
 */
#include "batch/batch_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "activate/settings.h"
#include "base/append.h"
#include "base/cleanup.h"
#include "base/id.h"
#include "base/log_ids.h"
#include "batch/decide.h"
#include "batch/incomplete.h"
#include "batch/partial.h"
#include "batch/pass_cache.h"
#include "batch/requeue.h"
#include "record/duplicates.h"
#include "record/recorded_marker.h"
#include "state/missing.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/sysfs.h"

/* The end state of a claim. */
struct end {
	enum lea_claim_state state;
	const char *reason;
	bool is_transient;
	bool in_part;	   /* active without the PVs that the VG lacks */
	bool with_silent;  /* it covers PVs, too, whose disks give no answer */
	bool is_refused;   /* DONE, and this host may not activate it by now */
	bool is_report;	   /* of a worker: PVs may have come as other instances since it began */
	uint32_t again;	   /* FAILED: how often in a row it was read again */
	const struct lea_claim *before; /* FAILED: what it was active by, it still is; NULL: none */
};

static const char *word_in_part(const struct lea_scan_vg *scanned)
{
	return scanned->in_part ? lea_incomplete_word((enum lea_incomplete_mode)scanned->in_part)
				: "";
}

/* One that did not come with this turn may be of another VG with the name. */
static int drop_online(struct lea_candidates *candidates, const struct lea_scan_vg *scanned)
{
	const struct lea_vg *vg = scanned->vg;
	struct lea_claim_index *index;
	int r = 0;

	if (!scanned->has_online) {
		if (lea_batch_is_name_taken(candidates, scanned) ||
		    !lea_vg_online_may_exist(candidates->claims.run_fd, vg->name))
			return 0;
		r = lea_candidates_index(candidates, &index);
		r = r ? r
		      : lea_claim_index_is_shared(index, &candidates->claims, vg->name, vg->id);
	}
	return r ? (r < 0 ? r : 0) : lea_vg_online_drop(candidates->claims.run_fd, vg->name);
}

/* May the VG have had another turn since? Also in another process, whose activation of other
 * instances a failure must not end. */
static bool is_doubtful(const struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
			const struct end *end)
{
	return end->is_report &&
	       (end->state == LEA_CLAIM_FAILED ||
		lea_pass_cache_is_overtaken(candidates->options->cache, scanned->vg->id));
}

/* A failed activation must not block the next one: vgs_online is removed, and our claim says why.
 * Of a VG that is tried again it stays, so that one who takes the VG down before that is noticed.
 * LEA_CLAIM_REPLACED only if it is a report. */
static int finish_claim(struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
			const struct end *end)
{
	LEA_AUTO(lea_claim_done) struct lea_claim claim = {0};
	int r = end->with_silent ? lea_scan_vg_claim_all(scanned, &claim)
				 : lea_scan_vg_claim(scanned, &claim);

	if (r)
		return r;
	if (scanned->has_online && end->state == LEA_CLAIM_DONE)
		r = !end->is_refused;
	else if (scanned->has_online && end->is_transient)
		r = lea_claim_ask_online(&candidates->claims, scanned->vg->id);
	if (r < 0)
		return r;
	claim.is_online = r > 0;
	r = 0;
	claim.state = end->state;
	claim.is_transient = end->is_transient;
	claim.again = end->again;
	claim.is_tagged = lea_is_needed_by_tag(candidates->options->conf, scanned->vg);
	snprintf(claim.reason, sizeof(claim.reason), "%s", end->reason);
	if (end->in_part)
		snprintf(claim.in_part, sizeof(claim.in_part), "%s", word_in_part(scanned));
	else if (end->state == LEA_CLAIM_FAILED && end->before)
		memcpy(claim.in_part, end->before->in_part, sizeof(claim.in_part));
	/* Nothing was brought up: an add does that when the VG is this host's again. */
	if (end->is_refused && scanned->has_online)
		r = lea_claim_drop_online(&candidates->claims, scanned->vg->id, scanned->vg->name,
					  scanned->turn_ms);
	/* The claim first: where vgs_online has gone, the reason is there. */
	r = r ? r
	    : is_doubtful(candidates, scanned, end)
		    ? lea_claim_report(&candidates->claims, scanned->vg->id, &claim)
		    : lea_claim_finish(&candidates->claims, scanned->vg->id, &claim);
	if (r == LEA_CLAIM_REPLACED)
		return r;
	/* That of a VG which is active in part would keep lvm2 from activating the rest. */
	if (r >= 0 && (end->in_part || (end->state != LEA_CLAIM_DONE && !claim.is_online)))
		r = drop_online(candidates, scanned);
	return r;
}

void lea_batch_count_failure(const struct lea_candidates *candidates,
			     const struct lea_scan_vg *scanned, const char *reason,
			     bool is_transient)
{
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_FAILED,
					      .vg = scanned->vg->name,
					      .vg_id = scanned->vg->id,
					      .reason = reason};

	lea_log_with(candidates->options->world->log, LEA_LOG_ERROR, &fields,
		     "VG %s: not activated: %s%s", scanned->vg->name, reason,
		     is_transient ? "; it will be retried" : "");
	candidates->summary->vgs_failed++;
}

void lea_batch_note_unit(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned,
			 enum lea_vg_trouble trouble, const char *reason)
{
	if (lea_decide_starts_unit(trouble, vg->by_claim, !strcmp(vg->claim.reason, reason)))
		lea_failed_units_add(&vg->candidates->failed, vg->candidates->options->world,
				     scanned->vg->name);
}

/* ---- VGs that no worker gets */

int lea_batch_take_note(struct lea_candidates *candidates, const struct lea_scan_vg *scanned,
			enum lea_vg_because because)
{
	const struct end end = {.state = LEA_CLAIM_DONE,
				.reason = because ? lea_vg_because_text(because)
						  : "completed by a change, not by an added PV: "
						    "left as it is",
				.with_silent = true};
	int r;

	if (because)
		lea_log(candidates->options->world->log, LEA_LOG_PRINT, "VG %s: not activated: %s",
			scanned->vg->name, end.reason);
	/* One that a dead process or an earlier epoch of ours left would say, with this claim, that
	 * the VG was brought up: an add that is on its way would be skipped. lvm2's own one does
	 * say so. */
	r = lea_claim_left_online(&candidates->claims, scanned->vg->id, scanned->vg->name);
	r = r > 0 ? lea_vg_online_drop(candidates->claims.run_fd, scanned->vg->name) : r;
	return r < 0 ? r : finish_claim(candidates, scanned, &end);
}

/* Why no event activates the VG: in words about it, where the words of the decision are general. */
static void describe(const struct lea_scan_vg *scanned, enum lea_vg_because because,
		     char reason[static LEA_BATCH_REASON_BYTES])
{
	const struct lea_found *excluded = scanned->excluded;
	char id[39];

	snprintf(reason, LEA_BATCH_REASON_BYTES, "%s", lea_vg_because_text(because));
	lea_id_format(because == LEA_VG_BECAUSE_ABSENT && excluded ? excluded->expected
								   : scanned->vg->id,
		      id);
	if (because == LEA_VG_BECAUSE_MOVED)
		snprintf(reason, LEA_BATCH_REASON_BYTES, "%s", scanned->moved_why);
	else if (because == LEA_VG_BECAUSE_TWIN)
		lea_append(reason, LEA_BATCH_REASON_BYTES,
			   "; one of them needs another, this one is %s: see vgrename(8)", id);
	else if (because == LEA_VG_BECAUSE_ABSENT && excluded)
		snprintf(reason, LEA_BATCH_REASON_BYTES,
			 "PV %s is recorded on %.60s, which is excluded: %s", id,
			 excluded->device.name, lea_exclusion_text(excluded->excluded));
}

/* By the filter or the devices file: that a PV may be used from now on is no change that was on its
 * way when another one was added. */
static bool is_excluded_by_person(const struct lea_scan_vg *scanned)
{
	const enum lea_exclusion why =
		scanned->excluded ? scanned->excluded->excluded : LEA_NOT_EXCLUDED;

	return why == LEA_EXCLUDED_NAME || why == LEA_EXCLUDED_NOT_IN_FILE ||
	       why == LEA_EXCLUDED_PVID_NOT_IN_FILE;
}

int lea_batch_fail(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned,
		   enum lea_vg_because because)
{
	const bool is_absent = because == LEA_VG_BECAUSE_ABSENT,
		   by_person = is_absent && is_excluded_by_person(scanned);
	char reason[LEA_BATCH_REASON_BYTES];
	int r;

	describe(scanned, because, reason);
	lea_batch_count_failure(vg->candidates, scanned, reason, false);
	r = finish_claim(vg->candidates, scanned,
			 &(struct end){.state = LEA_CLAIM_FAILED,
				       .reason = reason,
				       .before = &vg->claim});
	if (r < 0)
		return r;
	lea_batch_note_unit(vg, scanned, by_person ? LEA_VG_BY_A_PERSON : LEA_VG_NOT_ACTIVATED,
			    reason);
	return is_absent && !by_person ? lea_batch_keep_waiting(vg, scanned->vg) : r;
}

/* Has the device of the record of @pvid, which is absent, said that it is not this PV, or gone? 1 with
 * its number, 0 or -errno. */
static int ask_denied(struct lea_candidates *candidates, const char *pvid,
		      struct lea_devid *ret_number)
{
	const struct lea_found *found = NULL;
	struct lea_online online = {0};
	int r = lea_online_read(candidates->claims.run_fd, pvid, &online);
	size_t at;

	if (r)
		return r < 0 ? r : 0;
	*ret_number = (struct lea_devid){online.major, online.minor, 0};
	if (!lea_sysfs_has_device(candidates->options->world,
				  (struct lea_devno){online.major, online.minor}))
		return 1;
	at = lea_devset_find(&candidates->numbers, ret_number);
	if (at != LEA_DEVSET_NONE)
		found = candidates->found[at];
	return found && found->kind != LEA_FOUND_EXCLUDED && !lea_found_silence(found);
}

static int queue_as_incomplete(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned)
{
	struct lea_candidates *candidates = vg->candidates;
	int r = lea_batch_keep_waiting(vg, scanned->vg);

	/* It would say that nothing is to be done; and what takes the PV from it ends the wait. */
	if (r >= 0 && (vg->by_claim == LEA_VG_FAILED || vg->by_claim == LEA_VG_DONE))
		r = lea_claim_drop(&candidates->claims, vg->id);
	return r < 0 ? r
		     : lea_requeue_vg(candidates->options, scanned,
				      "a PV disappeared without a remove event");
}

int lea_batch_wait(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned)
{
	struct lea_candidates *candidates = vg->candidates;
	struct lea_devid number;
	bool any = false;
	int r = 0;

	for (uint32_t i = 0; r >= 0 && i < scanned->vg->pv_count; i++) {
		const char *pvid = scanned->vg->pvs[i].id;

		if (lea_scan_vg_presence(scanned, i) != LEA_ABSENT)
			continue;
		r = ask_denied(candidates, pvid, &number);
		if (r <= 0)
			continue;
		/* First: another PV of the VG may have the number, and a removal keeps what its
		 * entry allows. */
		r = any ? 0 : queue_as_incomplete(vg, scanned);
		r = r < 0 ? r : lea_queue_put_gone(candidates->options->event_fd, &number, pvid);
		any = true;
	}
	return r < 0 || any ? r : lea_batch_fail(vg, scanned, LEA_VG_BECAUSE_ABSENT);
}

int lea_batch_read_again(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned,
			 struct lea_vg_decision decision)
{
	struct lea_candidates *candidates = vg->candidates;
	const char *reason = lea_vg_because_text(decision.because);
	int r = finish_claim(candidates, scanned,
			     &(struct end){.state = LEA_CLAIM_FAILED,
					   .reason = reason,
					   .is_transient = true,
					   .again = vg->claim.again + 1,
					   .before = &vg->claim});

	if (r < 0)
		return r;
	if (decision.verdict == LEA_VG_QUEUE_AGAIN)
		return lea_requeue_vg(candidates->options, scanned,
				      "another command changed it meanwhile");
	lea_batch_count_failure(candidates, scanned, reason, true);
	candidates->summary->vgs_again++;
	return 0;
}

/* An incomplete VG whose wait was over: the silent disk may be that of a PV that it lacks. */
static void wait_anew(struct lea_partial *partial, const struct lea_scan_vg *scanned)
{
	for (uint32_t i = 0; i < scanned->vg->pv_count; i++)
		if (scanned->pv[i] && scanned->pv[i]->vg) {
			lea_partial_wait_anew(partial, scanned->pv[i]);
			return;
		}
}

int lea_batch_fail_for_now(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned)
{
	struct lea_candidates *candidates = vg->candidates;
	const struct lea_found *silent = lea_scan_vg_silent(scanned);
	const int fault = silent ? lea_found_silence(silent) : LEA_NOT_NOW;
	char reason[LEA_BATCH_REASON_BYTES];
	int r;

	snprintf(reason, sizeof(reason), "%s", lea_vg_because_text(LEA_VG_BECAUSE_SILENT));
	if (silent)
		lea_found_describe_silence(silent, reason, sizeof(reason));
	lea_batch_count_failure(candidates, scanned, reason, true);
	/* After a shortage the entries come back; the others need a reconcile. */
	candidates->summary->vgs_again += !lea_is_shortage(fault);
	lea_retry_set_add_vg(candidates->retries, fault, scanned);
	if (vg->kind == LEA_ENTRY_PARTIAL)
		wait_anew(candidates->options->partial, scanned);
	r = finish_claim(candidates, scanned,
			 &(struct end){.state = LEA_CLAIM_FAILED,
				       .reason = reason,
				       .is_transient = true,
				       .with_silent = true,
				       .before = &vg->claim});
	if (r < 0)
		return r;
	lea_batch_note_unit(vg, scanned,
			    fault == -ETIMEDOUT ? LEA_VG_ON_HUNG_DISK : LEA_VG_NOT_NOW, reason);
	return lea_batch_keep_waiting(vg, scanned->vg);
}

/* ---- the workers' results */

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
static void report_back(const struct lea_batch_vg *vg, const struct lea_worker_result *result)
{
	const struct lea_scan_vg *scanned = vg->activated;
	const struct lea_log_fields fields = {
		.message_id = LEA_MESSAGE_BACK, .vg = scanned->vg->name, .vg_id = scanned->vg->id};

	if (vg->claim.in_part[0])
		lea_log_with(vg->candidates->options->world->log, LEA_LOG_PRINT, &fields,
			     "VG %s: all %u PVs are there again: %u LV(s) active, it was active in "
			     "part",
			     scanned->vg->name, scanned->vg->pv_count, result->active);
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

/* Did it fail because a disk went, or does not answer? */
static bool lacks_pv(const struct lea_worker_result *result, enum lea_verdict verdict)
{
	return verdict == LEA_VERDICT_FAILED_FOR_NOW || result->outcome == LEA_ACTIVATE_INCOMPLETE;
}

/* What a shortage stopped has lost its markers, also members without an entry in this pass. Without
 * them nobody would notice that a PV leaves the claim. */
static void put_markers_back(const struct lea_batch_vg *vg, const struct lea_scan_vg *scanned)
{
	LEA_AUTO(lea_closep) int known_fd =
		vg->by_claim == LEA_VG_TRANSIENT || vg->by_claim == LEA_VG_AGAIN
			? lea_marker_open(vg->candidates->options->event_fd)
			: -1;

	for (uint32_t i = 0; known_fd >= 0 && i < scanned->vg->pv_count; i++)
		if (scanned->pv[i] && lea_marker_set(known_fd, &scanned->pv[i]->device,
						     scanned->vg->pvs[i].id) < 0)
			return; /* the next reconcile reads the device */
}

/* Logs and counts the result, and brings the claim to an end. */
int lea_batch_end_vg(const struct lea_batch_vg *vg, const struct lea_worker_result *result,
		     enum lea_verdict verdict)
{
	struct lea_candidates *candidates = vg->candidates;
	const struct lea_scan_vg *scanned = vg->activated;
	const char *reason = lea_verdict_reason(result->outcome, result->reason);
	const bool failed = lea_verdict_is_failure(verdict),
		   in_part = verdict == LEA_VERDICT_IN_PART;
	int r;

	if (failed) {
		candidates->summary->vgs_failed++;
		/* After a shortage the entries come back; the others need a reconcile. */
		candidates->summary->vgs_again +=
			lea_is_transient(result->shortage) && !lea_is_shortage(result->shortage);
		lea_retry_set_add_vg(candidates->retries, result->shortage, scanned);
		report_failed(candidates, result, reason);
	} else if (result->outcome == 0 || in_part) {
		lea_duplicates_ignore(candidates->options->world, scanned);
		put_markers_back(vg, scanned);
		candidates->summary->vgs_active++;
		candidates->summary->lvs += result->active;
		lea_batch_note_active(candidates->options->world->log, &candidates->active,
				      result->vg_name, result->active);
		if (in_part)
			report_in_part(candidates, scanned, result);
		else
			report_back(vg, result);
	}
	r = finish_claim(candidates, scanned,
			 &(struct end){.state = failed ? LEA_CLAIM_FAILED : LEA_CLAIM_DONE,
				       .reason = failed ? reason : "",
				       .is_transient = verdict == LEA_VERDICT_FAILED_FOR_NOW,
				       .in_part = in_part,
				       .is_refused = result->outcome == LEA_ACTIVATE_REFUSED,
				       .is_report = true,
				       .before = &vg->claim});
	/* What the later turn made of the adds is not known here. */
	if (r == LEA_CLAIM_REPLACED)
		return 0;
	if (r >= 0 && (failed || in_part))
		lea_batch_note_unit(vg, scanned,
				    in_part				    ? LEA_VG_WITHOUT_PVS
				    : verdict == LEA_VERDICT_FAILED_FOR_NOW ? LEA_VG_NOT_NOW
									    : LEA_VG_NOT_ACTIVATED,
				    reason);
	return r < 0 || !lacks_pv(result, verdict) ? r : lea_batch_keep_waiting(vg, scanned->vg);
}
