/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/*
 * A VG's turn begins with its first record and ends with its result; what comes later is a new one.
 * The workers of the boot and of the initramfs leave no result: there the end of the wait for udev
 * is the end. Stages are times; a stage that no record tells takes no time.
 */
#include "timeline/view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Moments of a turn, in their order; 0: not seen. */
enum stage {
	SEEN,
	COMPLETE,
	BEGUN, /* or LOCK, if another process had the lock at the first try */
	LOCKED,
	REREAD,
	WORKED,
	WAIT,
	WAITED,
	RESULT,
	STAGES
};

/* The phase that begins with each stage. */
static const enum lea_phase phase_after[STAGES] = {
	LEA_PHASE_DISKS, LEA_PHASE_QUEUE, LEA_PHASE_LOCK, LEA_PHASE_READ, LEA_PHASE_NODES,
	LEA_PHASE_BATCH, LEA_PHASE_UDEV,  LEA_PHASE_END,  LEA_PHASE_END,
};

struct draft {
	struct lea_turn turn;
	uint64_t stage_us[STAGES];
	uint64_t check_us, wait_us; /* when the present one began; 0: none */
	uint32_t next;		    /* of the same transaction, plus one; 0: none */
	bool is_claimed, is_over, is_lvm, is_in_list, has_failed;
	bool is_again; /* the VG had a turn before */
};

/* Numbers by 64-bit keys, in open addressing. A key of 0 is not kept. */
struct map {
	struct slot {
		uint64_t key;
		uint32_t number;
	} * slot;
	size_t mask;
};

struct decider {
	struct lea_arena *arena;
	struct lea_timeline_view *view;
	struct draft *draft; /* [view->turn_count] */
	uint32_t *draft_of;  /* [view->disk_count]: position plus one; 0: none */
	struct map vgs, disks, workers;
	struct map nameless; /* last PVs without metadata, by the name of their VG */
	uint64_t now_us;
};

const char *lea_phase_word(enum lea_phase phase)
{
	static const char *const words[LEA_PHASES] = {"disks", "queue", "lock", "read", "nodes",
						      "check", "batch", "udev", "end",	"lvm"};

	return words[phase];
}

const char *lea_turn_word(enum lea_turn_state state)
{
	static const char *const words[] = {"incomplete", "unfinished", "active",
					    "left alone", "failed",	"hung"};

	return words[state];
}

/* ---- maps */

static int map_init(struct map *map, struct lea_arena *arena, size_t most)
{
	size_t size = 16;

	while (size < 2 * most)
		size *= 2;
	map->slot = lea_arena_alloc(arena, size, sizeof(*map->slot));
	map->mask = size - 1;
	return map->slot ? 0 : -ENOMEM;
}

/* The slot of this key, or a free one. At most half of all are used. */
static struct slot *map_find(const struct map *map, uint64_t key)
{
	size_t at = (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & map->mask;

	while (map->slot[at].key && map->slot[at].key != key)
		at = (at + 1) & map->mask;
	return &map->slot[at];
}

/* ---- disks */

/* A disk that has its record starts over when it is seen again. */
static struct lea_disk_time *find_disk(struct decider *decider, uint32_t device, bool is_seen)
{
	struct lea_timeline_view *view = decider->view;
	struct slot *slot = map_find(&decider->disks, device);
	struct lea_disk_time *disk = slot->key ? &view->disk[slot->number] : NULL;

	if (!device || (disk && !(is_seen && disk->recorded_us)))
		return device ? disk : NULL;
	*slot = (struct slot){device, view->disk_count};
	disk = &view->disk[view->disk_count++];
	disk->device = device;
	disk->seen_us = decider->now_us;
	return disk;
}

static void note_read(struct decider *decider, const struct lea_ring_record *record)
{
	struct lea_disk_time *disk = find_disk(decider, record->device, false);

	if (!disk)
		return;
	memcpy(disk->name, record->text, LEA_RING_TEXT_BYTES);
	disk->read_us = record->time_us;
	disk->code = record->code;
	if (record->value > disk->took_us)
		disk->took_us = record->value < record->time_us ? record->value : record->time_us;
	/* No time of "seen" is recorded: use the start of the read. */
	if (disk->seen_us > record->time_us - disk->took_us)
		disk->seen_us = record->time_us - disk->took_us;
}

/* ---- turns */

/* The VG's turn at this time; a new one, if there is none or it is over. NULL: no VG. */
static struct draft *find_turn(struct decider *decider, uint64_t vg)
{
	struct lea_timeline_view *view = decider->view;
	struct slot *slot = map_find(&decider->vgs, vg);
	struct draft *draft = slot->key ? &decider->draft[slot->number] : NULL;

	if (!vg || (draft && !draft->is_over))
		return vg ? draft : NULL;
	*slot = (struct slot){vg, view->turn_count};
	decider->draft[view->turn_count].is_again = draft != NULL;
	draft = &decider->draft[view->turn_count++];
	draft->turn.last_disk = LEA_NO_DISK;
	return draft;
}

/* The last turn of a VG whether it is over or not. */
static struct draft *last_turn(const struct decider *decider, uint64_t vg)
{
	const struct slot *slot = map_find(&decider->vgs, vg);

	return vg && slot->key ? &decider->draft[slot->number] : NULL;
}

static void reach(struct draft *draft, enum stage stage, uint64_t now_us)
{
	draft->stage_us[stage] = now_us;
}

static void put_name(struct draft *draft, const char *text, size_t at)
{
	if (text[0] && at % LEA_RING_TEXT_BYTES == 0 &&
	    at + LEA_RING_TEXT_BYTES <= LEA_TIMELINE_NAME_BYTES - 1 &&
	    strlen(draft->turn.name) >= at)
		memcpy(draft->turn.name + at, text, LEA_RING_TEXT_BYTES);
	else if (text[0] && at == LEA_TIMELINE_NAME_BYTES - LEA_RING_TEXT_BYTES &&
		 strlen(draft->turn.name) == at)
		memcpy(draft->turn.name + at, text, LEA_RING_TEXT_BYTES - 1);
}

static void note_recorded(struct decider *decider, struct draft *draft,
			  const struct lea_ring_record *record)
{
	struct lea_disk_time *disk = find_disk(decider, record->device, false);

	if (disk)
		disk->recorded_us = record->time_us;
	/* A worker that has the VG does not wait for this disk any more. */
	if (!draft || draft->is_claimed || draft->stage_us[BEGUN])
		return;
	put_name(draft, record->text, 0);
	draft->turn.pvs++;
	if (!disk)
		return;
	decider->draft_of[disk - decider->view->disk] = (uint32_t)(draft - decider->draft) + 1;
	draft->turn.last_disk = (uint32_t)(disk - decider->view->disk);
	if (!draft->stage_us[SEEN] || disk->seen_us < draft->stage_us[SEEN])
		reach(draft, SEEN, disk->seen_us);
}

static void note_complete(struct decider *decider, struct draft *draft,
			  const struct lea_ring_record *record)
{
	const struct lea_disk_time *disk = find_disk(decider, record->device, false);

	if (disk && !draft->is_claimed)
		draft->turn.last_disk = (uint32_t)(disk - decider->view->disk);
	if (!draft->stage_us[COMPLETE])
		reach(draft, COMPLETE, record->time_us);
}

static uint64_t hash_of(const char text[static LEA_RING_TEXT_BYTES])
{
	uint64_t halves[2];

	memcpy(halves, text, sizeof(halves));
	return halves[0] ^ halves[1] * UINT64_C(0x9E3779B97F4A7C15);
}

/* A PV without metadata makes a VG complete of which only the name is known then. */
static void note_nameless(struct decider *decider, const struct lea_ring_record *record)
{
	const uint64_t name = hash_of(record->text);

	if (name && find_disk(decider, record->device, false))
		*map_find(&decider->nameless, name) =
			(struct slot){name, map_find(&decider->disks, record->device)->number};
}

static void note_claimed(struct decider *decider, struct draft *draft,
			 const struct lea_ring_record *record)
{
	struct slot *slot = map_find(&decider->nameless, hash_of(record->text));

	if (slot->key && slot->number != LEA_NO_DISK) {
		draft->turn.last_disk = slot->number;
		slot->number = LEA_NO_DISK;
	}
	draft->is_claimed = true;
	put_name(draft, record->text, 0);
	if (!draft->stage_us[COMPLETE])
		reach(draft, COMPLETE, record->time_us);
}

static void note_begun(struct draft *draft, const struct lea_ring_record *record)
{
	draft->is_lvm = record->kind == LEA_RING_DELEGATED;
	put_name(draft, record->text, 0);
	/* After a busy lock it goes on waiting for it. */
	if (!draft->turn.busy_count)
		reach(draft, BEGUN, record->time_us);
}

/* The transaction of a worker ends for all of its VGs at a time. */
static void note_worked(struct decider *decider, struct draft *draft,
			const struct lea_ring_record *record)
{
	struct slot *worker = map_find(&decider->workers, record->pid);

	reach(draft, WORKED, record->time_us);
	draft->has_failed = record->code;
	if (!record->pid || draft->is_in_list)
		return;
	draft->next = worker->key ? worker->number : 0;
	draft->is_in_list = true;
	*worker = (struct slot){record->pid, (uint32_t)(draft - decider->draft) + 1};
}

/* Without a claim there is no result to come. */
static void end_unclaimed(struct draft *draft)
{
	if (draft->is_claimed)
		return;
	draft->turn.state = draft->has_failed ? LEA_TURN_FAILED : LEA_TURN_ACTIVE;
	draft->is_over = true;
}

/* Without a claim, whatever process has the lock activates the VG. */
static void note_busy(struct draft *draft)
{
	draft->turn.busy_count++;
	if (draft->is_claimed)
		return;
	draft->turn.state = LEA_TURN_LEFT;
	draft->is_over = true;
}

static void note_wait(struct decider *decider, const struct lea_ring_record *record)
{
	struct slot *worker = map_find(&decider->workers, record->pid);
	const bool is_end = record->kind == LEA_RING_WAITED;
	uint32_t next;

	if (!record->pid || !worker->key)
		return;
	for (uint32_t at = worker->number; at; at = next) {
		struct draft *draft = &decider->draft[at - 1];

		next = draft->next;
		reach(draft, is_end ? WAITED : WAIT, record->time_us);
		if (!is_end)
			continue;
		draft->next = 0;
		draft->is_in_list = false;
		end_unclaimed(draft);
	}
	if (is_end)
		worker->number = 0;
}

/* A wait inside of the work on one VG, or the check of a pool: in the time of its nodes. */
static void note_inner(struct draft *draft, const struct lea_ring_record *record)
{
	const bool is_check = record->kind == LEA_RING_CHECK || record->kind == LEA_RING_CHECKED;
	const enum lea_phase phase = is_check ? LEA_PHASE_CHECK : LEA_PHASE_UDEV;
	uint64_t *since_us = is_check ? &draft->check_us : &draft->wait_us;

	if (record->kind == LEA_RING_CHECK || record->kind == LEA_RING_WAIT) {
		*since_us = record->time_us;
		draft->turn.at_us[phase] = record->time_us;
	} else if (*since_us) {
		draft->turn.took_us[phase] +=
			record->time_us > *since_us ? record->time_us - *since_us : 0;
		*since_us = 0;
	}
}

static void note_result(struct draft *draft, const struct lea_ring_record *record)
{
	static const enum lea_turn_state states[] = {
		[LEA_RING_DONE] = LEA_TURN_ACTIVE,
		[LEA_RING_FAILED] = LEA_TURN_FAILED,
		[LEA_RING_HUNG] = LEA_TURN_HUNG,
	};

	draft->turn.state = record->kind == LEA_RING_DONE && record->code ? LEA_TURN_LEFT
									  : states[record->kind];
	draft->is_over = true;
	reach(draft, RESULT, record->time_us);
}

/* @draft: the VG's turn */
static void take_of_vg(struct decider *decider, struct draft *draft,
		       const struct lea_ring_record *record)
{
	switch (record->kind) {
	case LEA_RING_COMPLETE:
		note_complete(decider, draft, record);
		break;
	case LEA_RING_CLAIMED:
		note_claimed(decider, draft, record);
		break;
	case LEA_RING_BEGUN:
	case LEA_RING_DELEGATED:
		note_begun(draft, record);
		break;
	case LEA_RING_BUSY:
		note_busy(draft);
		break;
	case LEA_RING_LOCKED:
		reach(draft, LOCKED, record->time_us);
		break;
	case LEA_RING_REREAD:
		reach(draft, REREAD, record->time_us);
		break;
	case LEA_RING_NODE:
		draft->turn.nodes++;
		break;
	case LEA_RING_WORKED:
		note_worked(decider, draft, record);
		break;
	case LEA_RING_CHECK:
	case LEA_RING_CHECKED:
	case LEA_RING_WAIT:
	case LEA_RING_WAITED:
		note_inner(draft, record);
		break;
	default:
		note_result(draft, record);
		break;
	}
}

/* What a worker does after it was given up begins no turn. */
static bool is_late_worker(const struct decider *decider, const struct lea_ring_record *record)
{
	const struct draft *last = last_turn(decider, record->value);

	return last && last->is_over && last->turn.state == LEA_TURN_HUNG &&
	       record->kind >= LEA_RING_LOCKED && record->kind <= LEA_RING_WAITED;
}

static void take(struct decider *decider, const struct lea_ring_record *record)
{
	struct lea_timeline_view *view = decider->view;
	struct draft *draft;

	decider->now_us = record->time_us;
	switch (record->kind) {
	case LEA_RING_STARTED:
		break;
	case LEA_RING_SEEN:
		find_disk(decider, record->device, true);
		break;
	case LEA_RING_READ:
		note_read(decider, record);
		break;
	case LEA_RING_RECORDED:
		note_recorded(decider, find_turn(decider, record->value), record);
		break;
	case LEA_RING_NAME:
		draft = last_turn(decider, record->value);
		if (draft)
			put_name(draft, record->text, record->code);
		break;
	case LEA_RING_GATE_CLOSED:
		view->closed_us = record->time_us;
		break;
	case LEA_RING_GATE_OPEN:
		view->open_us = view->open_us ? view->open_us : record->time_us;
		break;
	case LEA_RING_READY:
		view->ready_us = record->time_us;
		break;
	case LEA_RING_DEADLINE:
		view->deadline_us = view->ready_us ? 0 : record->time_us;
		break;
	default:
		if (is_late_worker(decider, record))
			break;
		draft = find_turn(decider, record->value);
		if (draft)
			take_of_vg(decider, draft, record);
		else if (record->kind == LEA_RING_COMPLETE)
			note_nameless(decider, record);
		else if (record->kind == LEA_RING_WAIT || record->kind == LEA_RING_WAITED)
			note_wait(decider, record);
		break;
	}
}

/* ---- the end of a turn */

static bool is_open(const struct draft *draft)
{
	return !draft->is_over;
}

/* When stage @stage ended: at the next one that was reached. */
static uint64_t end_of(const struct draft *draft, size_t stage, uint64_t now_us)
{
	for (size_t next = stage + 1; next < STAGES; next++)
		if (draft->stage_us[next])
			return draft->stage_us[next];
	return is_open(draft) ? now_us : draft->stage_us[stage];
}

static void add_stage(struct draft *draft, size_t stage, uint64_t now_us)
{
	struct lea_turn *turn = &draft->turn;
	const uint64_t since_us = draft->stage_us[stage];
	const enum lea_phase phase =
		draft->is_lvm && stage >= BEGUN ? LEA_PHASE_LVM : phase_after[stage];
	uint64_t end_us;

	if (!since_us)
		return;
	end_us = end_of(draft, stage, now_us);
	if (!turn->start_us)
		turn->start_us = turn->end_us = since_us;
	turn->last = phase;
	/* The clocks of two processes may be a tick apart. */
	if (end_us <= since_us)
		return;
	if (!turn->span_us[phase])
		turn->at_us[phase] = since_us;
	turn->span_us[phase] += end_us - since_us;
	turn->took_us[phase] += end_us - since_us;
	if (end_us > turn->end_us)
		turn->end_us = end_us;
}

/* Checks and waits that lie in the time of the nodes are counted once. */
static void split_nodes(struct lea_turn *turn, uint64_t inner_us)
{
	uint64_t *nodes = &turn->took_us[LEA_PHASE_NODES];

	*nodes = *nodes > inner_us ? *nodes - inner_us : 0;
}

static void close_inner(struct draft *draft, uint64_t now_us)
{
	const uint16_t kinds[] = {LEA_RING_CHECKED, LEA_RING_WAITED};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		note_inner(draft, &(struct lea_ring_record){.kind = kinds[i], .time_us = now_us});
}

static bool has_begun(const struct draft *draft)
{
	bool is_begun = draft->is_claimed;

	for (size_t stage = BEGUN; stage < STAGES; stage++)
		is_begun |= draft->stage_us[stage] != 0;
	return is_begun;
}

static void end_turn(struct draft *draft, uint64_t now_us)
{
	struct lea_turn *turn = &draft->turn;
	const bool checks = draft->check_us;
	uint64_t inner_us;

	if (is_open(draft))
		close_inner(draft, now_us);
	inner_us = turn->took_us[LEA_PHASE_CHECK] + turn->took_us[LEA_PHASE_UDEV];
	for (size_t stage = 0; stage < STAGES; stage++)
		add_stage(draft, stage, now_us);
	split_nodes(turn, inner_us);
	turn->span_us[LEA_PHASE_CHECK] = turn->took_us[LEA_PHASE_CHECK];
	if (is_open(draft)) {
		turn->state = has_begun(draft) ? LEA_TURN_OPEN : LEA_TURN_INCOMPLETE;
		turn->last = checks ? LEA_PHASE_CHECK : turn->last;
	}
	for (size_t i = 0; i < LEA_PHASES; i++)
		if (turn->took_us[i] > turn->took_us[turn->longest])
			turn->longest = (enum lea_phase)i;
}

/* Nothing came of it: a later event of an active VG, or a VG that is not activated by itself. */
static bool is_echo(const struct draft *draft)
{
	return draft->turn.state == LEA_TURN_INCOMPLETE &&
	       (draft->is_again || draft->stage_us[COMPLETE]);
}

static void name_disks(struct decider *decider)
{
	for (uint32_t i = 0; i < decider->view->disk_count; i++)
		if (decider->draft_of[i])
			memcpy(decider->view->disk[i].vg,
			       decider->draft[decider->draft_of[i] - 1].turn.name,
			       LEA_TIMELINE_NAME_BYTES);
}

static int by_start(const void *a, const void *b)
{
	const struct lea_turn *x = a, *y = b;

	return x->start_us != y->start_us
		       ? (x->start_us > y->start_us) - (x->start_us < y->start_us)
		       : strcmp(x->name, y->name);
}

static void end_turns(struct decider *decider)
{
	struct lea_timeline_view *view = decider->view;
	const uint32_t count = view->turn_count;

	view->turn_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct draft *draft = &decider->draft[i];

		end_turn(draft, view->last_us);
		if (!draft->turn.start_us || is_echo(draft))
			continue;
		view->turn[view->turn_count++] = draft->turn;
		view->state_count[draft->turn.state]++;
		for (size_t phase = 0; phase < LEA_PHASES; phase++)
			view->took_us[phase] += draft->turn.took_us[phase];
	}
	if (view->turn_count)
		qsort(view->turn, view->turn_count, sizeof(*view->turn), by_start);
}

int lea_timeline_decide(struct lea_arena *arena, const struct lea_ring_records *records,
			struct lea_timeline_view *ret_view)
{
	const size_t most = records->count + 1;
	struct lea_timeline_view view = {0};
	struct decider decider = {.arena = arena, .view = &view};

	view.disk = lea_arena_alloc(arena, most, sizeof(*view.disk));
	view.turn = lea_arena_alloc(arena, most, sizeof(*view.turn));
	decider.draft = lea_arena_alloc(arena, most, sizeof(*decider.draft));
	decider.draft_of = lea_arena_alloc(arena, most, sizeof(*decider.draft_of));
	if (!view.disk || !view.turn || !decider.draft || !decider.draft_of ||
	    map_init(&decider.vgs, arena, most) || map_init(&decider.disks, arena, most) ||
	    map_init(&decider.workers, arena, most) || map_init(&decider.nameless, arena, most))
		return -ENOMEM;
	memcpy(view.boot, records->boot, sizeof(view.boot));
	view.lost = records->written > records->count ? records->written - records->count : 0;
	for (size_t i = 0; i < records->count; i++) {
		const uint64_t at_us = records->record[i].time_us;

		view.first_us = !i || at_us < view.first_us ? at_us : view.first_us;
		view.last_us = at_us > view.last_us ? at_us : view.last_us;
		take(&decider, &records->record[i]);
	}
	name_disks(&decider);
	end_turns(&decider);
	*ret_view = view;
	return 0;
}

const struct lea_turn *lea_timeline_last(const struct lea_timeline_view *view)
{
	const struct lea_turn *last = NULL;

	for (uint32_t i = 0; i < view->turn_count; i++)
		if (view->turn[i].state == LEA_TURN_ACTIVE &&
		    (!last || view->turn[i].end_us > last->end_us))
			last = &view->turn[i];
	return last;
}

/* ---- two boots */

static int by_name(const void *a, const void *b)
{
	const struct lea_turn *x = *(const struct lea_turn *const *)a,
			      *y = *(const struct lea_turn *const *)b;
	const int order = strcmp(x->name, y->name);

	return order ? order : (x->start_us > y->start_us) - (x->start_us < y->start_us);
}

/* The first turn of each name, sorted by name. */
static int list_names(struct lea_arena *arena, const struct lea_timeline_view *view,
		      const struct lea_turn ***ret_list, size_t *ret_count)
{
	const struct lea_turn **list =
		lea_arena_alloc(arena, (size_t)view->turn_count + 1, sizeof(struct lea_turn *));
	size_t count = 0;

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < view->turn_count; i++)
		list[i] = &view->turn[i];
	if (view->turn_count)
		qsort(list, view->turn_count, sizeof(struct lea_turn *), by_name);
	for (uint32_t i = 0; i < view->turn_count; i++)
		if (list[i]->name[0] && (!count || strcmp(list[count - 1]->name, list[i]->name)))
			list[count++] = list[i];
	*ret_list = list;
	*ret_count = count;
	return 0;
}

static int64_t difference(uint64_t after_us, uint64_t before_us)
{
	return (int64_t)after_us - (int64_t)before_us;
}

static void measure(struct lea_turn_change *change)
{
	int64_t most_us = 0;

	if (!change->before || !change->after)
		return;
	change->took_us = difference(change->after->end_us - change->after->start_us,
				     change->before->end_us - change->before->start_us);
	for (size_t i = 0; i < LEA_PHASES; i++) {
		const int64_t us =
			difference(change->after->took_us[i], change->before->took_us[i]);

		if (llabs(us) <= most_us)
			continue;
		most_us = llabs(us);
		change->phase = (enum lea_phase)i;
	}
}

/* What became slower comes first: a faster boot must not hide the one disk that became slow. */
static int by_change(const void *a, const void *b)
{
	const struct lea_turn_change *x = a, *y = b;

	return (x->took_us < y->took_us) - (x->took_us > y->took_us);
}

int lea_timeline_compare(struct lea_arena *arena, const struct lea_timeline_view *before,
			 const struct lea_timeline_view *after,
			 struct lea_turn_change **ret_changes, size_t *ret_count)
{
	const struct lea_turn **old, **new;
	size_t old_count, new_count, count = 0, i = 0, j = 0;
	struct lea_turn_change *change;
	int r = list_names(arena, before, &old, &old_count);

	r = r ? r : list_names(arena, after, &new, &new_count);
	if (r)
		return r;
	change = lea_arena_alloc(arena, old_count + new_count + 1, sizeof(*change));
	if (!change)
		return -ENOMEM;
	while (i < old_count || j < new_count) {
		const int order = i == old_count   ? 1
				  : j == new_count ? -1
						   : strcmp(old[i]->name, new[j]->name);

		change[count].before = order <= 0 ? old[i++] : NULL;
		change[count].after = order >= 0 ? new[j++] : NULL;
		measure(&change[count++]);
	}
	if (count)
		qsort(change, count, sizeof(*change), by_change);
	*ret_changes = change;
	*ret_count = count;
	return 0;
}
