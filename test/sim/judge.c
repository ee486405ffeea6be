/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/judge.h"

#include "sim/invariants.h"
#include "sim/oracle.h"
#include "sim/words.h"

#include <inttypes.h>
#include <string.h>


struct watch {
	struct sim_judge *judge;
	struct sim_oracle oracle;
	enum sim_op op;	 /* of the last step */
	bool had_to_end; /* a command was still at work when the next step came */
};

static void trace_disk(FILE *out, unsigned at, const struct sim_disk *disk)
{
	if (!disk->is_there)
		return;
	fprintf(out, "    disk %u %u:%u seq %" PRIu64, at, disk->major, disk->minor, disk->diskseq);
	if (disk->is_pv)
		fprintf(out, " pv %.6s of %s %.6s seqno %u", disk->pvid, disk->vg_name, disk->vg_id,
			disk->seqno);
	fprintf(out, "%s%s%s%s%s%s", disk->hangs ? " hangs" : "", disk->fails ? " fails" : "",
		disk->is_suspended ? " suspended" : "", disk->is_rejected ? " rejected" : "",
		disk->is_exported ? " exported" : "", disk->is_foreign ? " foreign" : "");
	if (disk->slow_ms)
		fprintf(out, " slow %u", disk->slow_ms);
	if (disk->of >= 0)
		fprintf(out, " copy of %d", disk->of);
	fputc('\n', out);
}

static void trace_state(FILE *out, const struct sim_step *step, const struct sim_state *state)
{
	const struct sim_active *active;
	char words[SIM_WORDS_BYTES] = "at rest";

	if (step)
		sim_words_of(step, words);
	fprintf(out, "%8" PRIu64 " -- %s\n", state->now_ms, words);
	for (unsigned i = 0; i < SIM_DISKS; i++)
		trace_disk(out, i, &state->disk[i]);
	for (uint32_t i = 0; i < state->active_count; i++) {
		active = &state->active[i];
		fprintf(out,
			"    active %.6s lvs %u disks %x lost %u%s seqno %u %s at %" PRIu64 "\n",
			active->vg_id, active->lvs, active->disks, active->lost_disks,
			active->has_error_target ? " with error" : "", active->seqno,
			active->by_us ? "by us" : "by a command", active->at_ms);
	}
}

static void after(void *arg, const struct sim_step *step, const struct sim_state *state)
{
	struct watch *watch = arg;

	if (step)
		watch->op = step->op;
	watch->had_to_end |= state->pending_commands != 0;
	if (watch->judge->trace)
		trace_state(watch->judge->trace, step, state);
	sim_oracle_after(&watch->oracle, step, state);
}

static void said(void *arg, uint64_t now_ms, const char *role, const char *line)
{
	struct watch *watch = arg;

	fprintf(watch->judge->trace, "%8" PRIu64 " %s: %s\n", now_ms, role, line);
}

static void reached(void *arg, const char *what)
{
	struct watch *watch = arg;
	struct sim_judge *judge = watch->judge;

	if (judge->trace)
		fprintf(judge->trace, "         . %s\n", what);
	if (!judge->cover || !sim_cover_pair(judge->cover, what, watch->op))
		return;
	sim_cover_place(judge->cover, what);
	judge->has_news = true;
	if (judge->news)
		judge->news(judge->arg, what, watch->op);
}

static void trace_end(FILE *out, const struct sim_end *end)
{
	for (size_t i = 0; i < end->left_count; i++)
		fprintf(out, "    left %s: %s\n", end->left[i].path, end->left[i].text);
	fprintf(out,
		"    calls %" PRIu64 " points %" PRIu64 " longest block %" PRIu64
		" ms in %s, heap %zu\n",
		end->use.calls, end->use.step_points, end->use.longest_block_ms,
		end->use.longest_block_in, end->use.most_heap);
}

/* The names of the VGs that are active at rest. */
static void name_active(const struct sim_oracle *oracle, char names[SIM_FINDING_BYTES])
{
	size_t length = 0;

	*names = '\0';
	for (size_t i = 0; i < oracle->count; i++)
		if (sim_active_of(&oracle->course.before, oracle->vg[i].id))
			length += (size_t)snprintf(names + length, SIM_FINDING_BYTES - length,
						   "%s ", oracle->vg[i].name);
}

static int run(struct sim_judge *judge, const struct sim_history *history,
	       struct sim_findings *findings, char active[SIM_FINDING_BYTES], bool *ret_had_to_end)
{
	static struct watch watch;
	struct sim_watcher watcher = {.after = after,
				      .said = judge->trace ? said : NULL,
				      .reached = judge->cover || judge->trace ? reached : NULL,
				      .arg = &watch};
	struct sim_end end = {.left = NULL};
	int r;

	memset(&watch, 0, sizeof(watch));
	watch.judge = judge;
	watch.op = SIM_OPS;
	memset(findings, 0, sizeof(*findings));
	sim_oracle_begin(&watch.oracle, history, findings);
	r = sim_run(history, &watcher, &end);
	if (r)
		return r;
	if (judge->trace)
		trace_end(judge->trace, &end);
	sim_invariants(history, &watch.oracle.course, &end, findings);
	name_active(&watch.oracle, active);
	*ret_had_to_end |= watch.had_to_end;
	judge->use = end.use;
	sim_end_done(&end);
	return 0;
}

/* Steps whose effect does not depend on what our processes have done before. */
static bool is_plain(enum sim_op op)
{
	return op == SIM_PLUG || op == SIM_SLOW || op == SIM_HEAL || op == SIM_WAIT ||
	       op == SIM_CHANGE || op == SIM_REPEAT || op == SIM_SWEEP || op == SIM_RESTART ||
	       op == SIM_OVERFLOW || op == SIM_TOUCH || op == SIM_EXTEND || op == SIM_DELAY;
}

/* Which of two disks, or of two VGs with one name, is met first, whether a disk is read while it fails,
 * and what is done when something runs short, depends on how long the reads take. */
static bool is_race(enum sim_op op)
{
	return op == SIM_COPY || op == SIM_SAME_NAME || op == SIM_FAIL || op == SIM_HANG ||
	       op == SIM_SUSPEND || op == SIM_FULL || op == SIM_SHORT || op == SIM_SHORT_ONCE;
}

/* Of a worker and the commands that wait for a VG's lock, who gets it first depends on how long the
 * worker has read. */
static bool is_race_for_lock(bool was_locked, enum sim_op op)
{
	return was_locked && !is_plain(op) && op != SIM_LOCK_VG && op != SIM_LOCK_LIST;
}

/* How long udev still reads disks that are slow, or have just come. If a PV is made on one of them meanwhile, its add is that
 * of a PV, and activates. */
static void note_reading(const struct sim_step *step, uint32_t left_ms[SIM_DISKS])
{
	if (step->op == SIM_SLOW)
		left_ms[step->a % SIM_DISKS] = step->n;
	if (step->op == SIM_PLUG && left_ms[step->a % SIM_DISKS] < SIM_ADD_MS)
		left_ms[step->a % SIM_DISKS] = SIM_ADD_MS;
	for (unsigned i = 0; i < SIM_DISKS && step->op == SIM_WAIT; i++)
		left_ms[i] -= left_ms[i] < step->n ? left_ms[i] : step->n;
}

/* @ret_quick: the history without slow disks. False: it may rightly end otherwise. */
static bool make_quick(const struct sim_history *history, struct sim_history *ret_quick)
{
	uint32_t left_ms[SIM_DISKS] = {0};
	bool was_slow = false, was_locked = false, has_race = false;
	bool is_killed = false, is_reader_killed = false;

	*ret_quick = *history;
	for (uint32_t i = 0; i < history->count; i++) {
		const struct sim_step *step = &history->step[i];

		was_slow |= step->op == SIM_SLOW;
		has_race |= is_race(step->op) || is_race_for_lock(was_locked, step->op);
		is_killed |= step->op == SIM_KILL;
		is_reader_killed |= step->op == SIM_KILL_READER;
		was_locked |= step->op == SIM_LOCK_VG;
		note_reading(step, left_ms);
		if ((was_slow && !is_plain(step->op)) ||
		    (step->op == SIM_EXTEND && left_ms[step->a % SIM_DISKS]))
			return false;
		/* A step that is left out would change what the seed means for the next ones. */
		if (history->step[i].op == SIM_SLOW)
			ret_quick->step[i].n = 0;
	}
	/* The next runner does not know how old is what the reader of a dead one owes. */
	return was_slow && !has_race && !(is_killed && is_reader_killed);
}

/* Leaves out what is known. */
static void leave_out(struct sim_findings *findings, const char *const *except)
{
	size_t count = 0;
	bool is_out;

	for (size_t i = 0; i < findings->count; i++) {
		is_out = false;
		for (const char *const *kind = except; kind && *kind; kind++)
			is_out |= strstr(findings->text[i], *kind) != NULL;
		if (!is_out)
			memmove(findings->text[count++], findings->text[i], SIM_FINDING_BYTES);
	}
	findings->count = count;
}

int sim_judge_history(struct sim_judge *judge, const struct sim_history *history,
		      struct sim_findings *ret_findings)
{
	char active[SIM_FINDING_BYTES], quick_active[SIM_FINDING_BYTES];
	struct sim_findings quick_findings;
	struct sim_history quick;
	bool had_to_end = false;
	struct sim_use use;
	int r = run(judge, history, ret_findings, active, &had_to_end);

	leave_out(ret_findings, judge->except);
	if (r || ret_findings->count || !make_quick(history, &quick))
		return r;
	use = judge->use;
	r = run(judge, &quick, &quick_findings, quick_active, &had_to_end);
	judge->use = use;
	leave_out(&quick_findings, judge->except);
	/* What a command does after the next step is a race. */
	if (!r && !quick_findings.count && !had_to_end && strcmp(active, quick_active))
		sim_found(ret_findings,
			  "slow disks make a difference: active are %sand without them %s", active,
			  quick_active);
	leave_out(ret_findings, judge->except);
	return r;
}
