/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "command/explain_past.h"

#include "base/append.h"
#include "base/cleanup.h"
#include "base/id.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MOST 5U

/* @text: of LEA_CAUSE_EVIDENCE_BYTES. */
#define say(text, ...) lea_append(text, LEA_CAUSE_EVIDENCE_BYTES, __VA_ARGS__)

static double seconds(uint64_t us)
{
	return (double)us / 1e6;
}

static const struct lea_boot_vg *remembered(const struct lea_boot_memory *memory, const char *vg)
{
	for (uint32_t i = 0; memory && i < memory->vg_count; i++)
		if (!strcmp(memory->vg[i].name, vg))
			return &memory->vg[i];
	return NULL;
}

/* The last activation of each VG, by name. */
struct turns {
	const struct lea_turn **turn; /* [count]; owned */
	size_t count;
};

static int by_name(const void *a, const void *b)
{
	const struct lea_turn *one = *(const struct lea_turn *const *)a;
	const struct lea_turn *other = *(const struct lea_turn *const *)b;
	const int by_text = strcmp(one->name, other->name);

	/* they stand in one array, by their start */
	return by_text ? by_text : one < other ? -1 : one > other;
}

static int find_turns(const struct lea_timeline_view *view, struct turns *ret_turns)
{
	struct turns turns = {.turn = calloc(view->turn_count + 1U, sizeof(*turns.turn))};
	size_t kept = 0;

	if (!turns.turn)
		return -ENOMEM;
	for (uint32_t i = 0; i < view->turn_count; i++)
		if (view->turn[i].name[0])
			turns.turn[turns.count++] = &view->turn[i];
	if (turns.count)
		qsort(turns.turn, turns.count, sizeof(*turns.turn), by_name);
	for (size_t i = 0; i < turns.count; i++)
		if (i + 1 == turns.count ||
		    strcmp(turns.turn[i]->name, turns.turn[i + 1]->name) != 0)
			turns.turn[kept++] = turns.turn[i];
	turns.count = kept;
	*ret_turns = turns;
	return 0;
}

static void turns_done(struct turns *turns)
{
	free(turns->turn);
}

static int compare_name(const void *name, const void *turn)
{
	return strcmp(name, (*(const struct lea_turn *const *)turn)->name);
}

/* NULL: it did not appear. */
static const struct lea_turn *last_turn(const struct turns *turns, const char *vg)
{
	const struct lea_turn **found =
		turns->count
			? bsearch(vg, turns->turn, turns->count, sizeof(*turns->turn), compare_name)
			: NULL;

	return found ? *found : NULL;
}

/* ---- reasons */

struct row {
	const char *state, *cause;
	void (*say_how)(const struct lea_explain_past *past, const struct lea_turn *turn,
			char *text);
	bool is_configured;
};

static void say_active(const struct lea_explain_past *past, const struct lea_turn *turn, char *text)
{
	(void)past, (void)turn, (void)text;
}

static void say_failed(const struct lea_explain_past *past, const struct lea_turn *turn, char *text)
{
	(void)past;
	say(text, "its activation failed %.3f s after the start of the kernel, in phase %s",
	    seconds(turn->end_us), lea_phase_word(turn->last));
}

static void say_left(const struct lea_explain_past *past, const struct lea_turn *turn, char *text)
{
	(void)past;
	say(text,
	    "%.3f s after the start of the kernel it was left alone: events are not to activate "
	    "it, or it had changed",
	    seconds(turn->end_us));
}

static void say_open(const struct lea_explain_past *past, const struct lea_turn *turn, char *text)
{
	(void)past;
	say(text, "its activation began %.3f s after the start of the kernel and was in phase %s "
		  "when the timeline was kept",
	    seconds(turn->start_us), lea_phase_word(turn->last));
}

static void say_hung(const struct lea_explain_past *past, const struct lea_turn *turn, char *text)
{
	(void)past;
	say(text, "%.3f s after the start of the kernel its worker was given up: it hung in phase %s",
	    seconds(turn->end_us), lea_phase_word(turn->last));
}

/* The disks on which the PVs of the VG were in the other boot. */
static void say_disks(const struct lea_boot_vg *vg, char *text)
{
	for (uint32_t i = 0; i < vg->pv_count && i < NAMED_MOST; i++) {
		const struct lea_boot_pv *pv = &vg->pv[i];
		char id[39], plain[128];

		lea_id_format(pv->pvid, id);
		lea_access_plain(pv->serial[0] ? pv->serial : pv->wwid[0] ? pv->wwid : pv->address,
				 plain, sizeof(plain));
		say(text, "%s%s on a %s of %" PRIu64 " MiB%s%s", i ? ", " : "", id,
		    lea_boot_kind_name(pv->kind), pv->size_sectors / 2048, plain[0] ? ", " : "",
		    plain);
	}
	if (vg->pv_count > NAMED_MOST)
		say(text, " and %u more", vg->pv_count - NAMED_MOST);
}

static void say_incomplete(const struct lea_explain_past *past, const struct lea_turn *turn,
			   char *text)
{
	const struct lea_boot_vg *vg = remembered(past->other, turn->name);

	say(text, "%u of its PVs were recorded, and then no more came", turn->pvs);
	if (!vg)
		return;
	say(text, "; in another boot, a good one, it had %u: ", vg->pv_count);
	say_disks(vg, text);
}

static const struct row rows[] = {
	[LEA_TURN_INCOMPLETE] = {"inactive", "incomplete", say_incomplete, false},
	[LEA_TURN_OPEN] = {"activating", "activating", say_open, false},
	[LEA_TURN_ACTIVE] = {"active", NULL, say_active, false},
	[LEA_TURN_LEFT] = {"inactive", "left-alone", say_left, true},
	[LEA_TURN_FAILED] = {"inactive", "failed", say_failed, false},
	[LEA_TURN_HUNG] = {"inactive", "hung-worker", say_hung, false},
};

/* ---- answers */

/* The journal has the words of that boot, if it is kept that long. */
static void set_next(const struct lea_explain_past *past, const char *vg, struct lea_reason *reason)
{
	snprintf(reason->next, sizeof(reason->next), "journalctl -b %.32s LVM_VG=%.127s",
		 past->view->boot, vg);
}

static void tell_turn(const struct lea_explain_past *past, const struct lea_turn *turn,
		      bool tells_all)
{
	const struct row *row = &rows[turn->state];
	struct lea_reason reason = {.cause = row->cause, .is_configured = row->is_configured};
	const struct lea_answer answer = {.type = "vg",
					  .name = turn->name,
					  .uuid = "",
					  .vg = turn->name,
					  .state = row->state,
					  .reason = row->cause ? &reason : NULL};

	if (!tells_all && (!row->cause || row->is_configured))
		return;
	row->say_how(past, turn, reason.evidence);
	set_next(past, turn->name, &reason);
	past->tell(past->arg, &answer);
}

/* A VG of another good boot that did not appear in this one. */
static void tell_absent(const struct lea_explain_past *past, const struct lea_boot_vg *vg)
{
	struct lea_reason reason = {.cause = "not-seen"};
	char uuid[39];
	const struct lea_answer answer = {.type = "vg",
					  .name = vg->name,
					  .uuid = uuid,
					  .vg = vg->name,
					  .state = "missing",
					  .reason = &reason};

	lea_id_format(vg->id, uuid);
	say(reason.evidence, "no PV of it was recorded; in another boot, a good one, it had %u: ",
	    vg->pv_count);
	say_disks(vg, reason.evidence);
	set_next(past, vg->name, &reason);
	past->tell(past->arg, &answer);
}

static void tell_lv(const struct lea_explain_past *past, const struct lea_boot_vg *vg,
		    const char *lv)
{
	struct lea_reason reason = {.cause = "inactive-then"};
	char name[260];
	struct lea_answer answer = {
		.type = "lv", .name = name, .uuid = "", .vg = vg->name, .state = "active"};

	snprintf(name, sizeof(name), "%.127s/%.127s", vg->name, lv);
	for (uint32_t i = 0; i < vg->lv_count; i++)
		if (!strcmp(vg->lv[i].name, lv)) {
			past->tell(past->arg, &answer);
			return;
		}
	say(reason.evidence, "%u LVs of the VG were active when the boot was remembered, and this "
			     "one was not",
	    vg->lv_count);
	set_next(past, vg->name, &reason);
	answer.state = "inactive";
	answer.reason = &reason;
	past->tell(past->arg, &answer);
}

/* A disk whose last read failed. */
static void tell_disk(const struct lea_explain_past *past, const struct lea_disk_time *disk)
{
	struct lea_reason reason = {.cause = disk->code == ETIMEDOUT ? "hung-disk" : "unreadable"};
	char name[LEA_RING_TEXT_BYTES + 8];
	const struct lea_answer answer = {.type = "pv",
					  .name = name,
					  .uuid = "",
					  .vg = disk->vg,
					  .state = "not used",
					  .reason = &reason};

	snprintf(name, sizeof(name), "/dev/%s", disk->name);
	say(reason.evidence, "%.3f s after the start of the kernel reading it failed: %s",
	    seconds(disk->read_us ? disk->read_us : disk->seen_us), strerror(disk->code));
	snprintf(reason.next, sizeof(reason.next), "journalctl -k -b %.32s", past->view->boot);
	past->tell(past->arg, &answer);
}

static int explain_vg(const struct lea_explain_past *past, const struct turns *turns,
		      const char *vg, const char *lv)
{
	const struct lea_turn *turn = last_turn(turns, vg);
	const struct lea_boot_vg *then = remembered(past->then, vg);
	const struct lea_boot_vg *other = remembered(past->other, vg);

	if (turn)
		tell_turn(past, turn, true);
	else if (!then && other)
		tell_absent(past, other);
	if (then && lv)
		tell_lv(past, then, lv);
	return turn || other || (then && lv) ? 0 : LEA_EXPLAIN_UNKNOWN;
}

static void explain_all(const struct lea_explain_past *past, const struct turns *turns)
{
	const struct lea_timeline_view *view = past->view;

	for (size_t i = 0; i < turns->count; i++)
		tell_turn(past, turns->turn[i], false);
	for (uint32_t i = 0; past->other && i < past->other->vg_count; i++)
		if (!last_turn(turns, past->other->vg[i].name) &&
		    !remembered(past->then, past->other->vg[i].name))
			tell_absent(past, &past->other->vg[i]);
	for (uint32_t i = 0; i < view->disk_count; i++)
		if (view->disk[i].code)
			tell_disk(past, &view->disk[i]);
}

int lea_explain_past(const struct lea_explain_past *past, const char *target)
{
	const char *slash = target ? strchr(target, '/') : NULL;
	LEA_AUTO(turns_done) struct turns turns = {0};
	int r = find_turns(past->view, &turns);
	char vg[128];

	if (r)
		return r;
	if (!target) {
		explain_all(past, &turns);
		return 0;
	}
	snprintf(vg, sizeof(vg), "%.*s", slash ? (int)(slash - target) : 127, target);
	return explain_vg(past, &turns, vg, slash ? slash + 1 : NULL);
}
