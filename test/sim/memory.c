/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/memory.h"

#include <string.h>

/* After that a change has been looked at, if all was idle. */
#define RENEWED_MS 360000U

/* Is the PV of @disk on @other as well, and not by another path of one disk? */
static bool is_copy(const struct sim_state *state, unsigned disk, unsigned other)
{
	const struct sim_disk *a = &state->disk[disk], *b = &state->disk[other];

	return disk != other && sim_is_pv(b) && !strcmp(a->pvid, b->pvid) &&
	       (!*a->wwid || strcmp(a->wwid, b->wwid) != 0);
}

/* When had anybody had the time to read all of them? Since the last step, or earlier. */
static uint64_t read_ms(const struct sim_course *course, uint32_t disks)
{
	uint64_t at_ms = course->before.now_ms;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		const uint64_t own_ms = course->present_ms[i] + course->before.disk[i].slow_ms;

		if (disks & 1U << i && own_ms > at_ms)
			at_ms = own_ms;
	}
	return at_ms;
}

/* Had udev told of it by @since_ms? 0: that counts for nothing. */
static bool is_told_by(const struct sim_course *course, unsigned disk, uint64_t since_ms)
{
	return !since_ms ||
	       (!course->before.disk[disk].fails && course->told_ms[disk] <= since_ms);
}

/* Was the PV of the disk on no other that the devices file does not tell apart, or on none that udev
 * had told of, or had it not told of this one? */
static bool was_lone(const struct sim_course *course, unsigned disk, uint64_t since_ms)
{
	const struct sim_state *then = &course->before;

	for (unsigned k = 0; k < SIM_DISKS; k++)
		if (is_copy(then, disk, k) && !sim_is_listed_apart(then, then->disk[disk].pvid) &&
		    is_told_by(course, disk, since_ms) && is_told_by(course, k, since_ms))
			return false;
	return true;
}

static bool has_no_copy(const struct sim_course *course, uint32_t disks, uint64_t since_ms)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && !was_lone(course, i, since_ms))
			return false;
	return true;
}

static struct sim_named *find_named(struct sim_memory *memory, const struct sim_disk *disk)
{
	for (uint32_t i = 0; i < memory->count; i++)
		if (!strcmp(memory->named[i].pvid, disk->pvid) &&
		    !strcmp(memory->named[i].vg_id, disk->vg_id) &&
		    !strcmp(memory->named[i].wwid, disk->wwid))
			return &memory->named[i];
	return NULL;
}

static void name_disk(struct sim_memory *memory, const struct sim_disk *disk)
{
	struct sim_named *named = find_named(memory, disk);

	if (named) {
		named->seqno = disk->seqno < named->seqno ? disk->seqno : named->seqno;
		return;
	}
	named = &memory->named[memory->next++ % SIM_NAMED_MOST];
	memory->count += memory->count < SIM_NAMED_MOST;
	memcpy(named->pvid, disk->pvid, sizeof(named->pvid));
	memcpy(named->vg_id, disk->vg_id, sizeof(named->vg_id));
	memcpy(named->wwid, disk->wwid, sizeof(named->wwid));
	named->seqno = disk->seqno;
}

/* Has a look since the last step found the VG as it is for sure? */
static bool is_renewed(const struct sim_course *course, const struct sim_state *state,
		       const char *vg_id, uint32_t disks)
{
	const struct sim_state *then = &course->before;
	const struct sim_active *active = sim_active_of(then, vg_id);
	uint64_t since_ms = then->now_ms;

	/* A VG that is active on disks which have gone is no boot to remember. */
	if (!active || !active->by_us || active->lost_disks || course->is_short ||
	    then->pending_commands || !has_no_copy(course, disks, 0))
		return false;
	for (unsigned i = 0; i < SIM_DISKS; i++) {
		if (then->disk[i].is_there && (sim_is_silent(&then->disk[i]) || course->is_lost[i]))
			return false;
		if (course->busy_until_ms[i] > since_ms)
			since_ms = course->busy_until_ms[i];
	}
	if (course->all_busy_until_ms > since_ms)
		since_ms = course->all_busy_until_ms;
	return since_ms < state->now_ms && state->now_ms - since_ms > RENEWED_MS;
}

/* The PV is on that disk, and on no other. */
static void forget_others(struct sim_memory *memory, const struct sim_disk *disk)
{
	for (uint32_t i = 0; i < memory->count; i++)
		if (!strcmp(memory->named[i].pvid, disk->pvid) &&
		    strcmp(memory->named[i].wwid, disk->wwid) != 0 &&
		    disk->seqno >= memory->named[i].seqno)
			memory->named[i] = (struct sim_named){0};
}

static bool is_there(const struct sim_state *state, const char *pvid)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (state->disk[i].is_there && state->disk[i].is_pv &&
		    !strcmp(state->disk[i].pvid, pvid))
			return true;
	return false;
}

/* A disk that the filter rejects by now may have its record from before. */
static bool may_be_whole(const struct sim_state *state, const char *vg_id)
{
	const struct sim_disk *newest = sim_newest(state, vg_id);

	for (uint32_t i = 0; newest && i < newest->pv_count; i++)
		if (!is_there(state, newest->pv[i]))
			return false;
	return newest;
}

static void note_look(struct sim_memory *memory, const struct sim_history *history,
		      const struct sim_course *course, const struct sim_state *state,
		      const char *vg_id)
{
	const struct sim_state *then = &course->before;
	const uint32_t disks = sim_disks_of(then, vg_id);
	const uint64_t since_ms = read_ms(course, disks);
	const bool is_renewed_now = is_renewed(course, state, vg_id, disks);

	if (!(history->conf & (SIM_CONF_DEGRADED | SIM_CONF_PARTIAL)) && !may_be_whole(then, vg_id))
		return;
	if (since_ms >= state->now_ms || !has_no_copy(course, disks, since_ms + SIM_ANSWERED_MS))
		return;
	for (unsigned i = 0; i < SIM_DISKS; i++) {
		if (!(disks & 1U << i) || !*then->disk[i].wwid ||
		    (!was_lone(course, i, 0) &&
		     !is_told_by(course, i, since_ms + SIM_ANSWERED_MS)))
			continue;
		if (is_renewed_now)
			forget_others(memory, &then->disk[i]);
		name_disk(memory, &then->disk[i]);
	}
}

void sim_memory_note(struct sim_memory *memory, const struct sim_history *history,
		     const struct sim_course *course, const struct sim_state *state)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (sim_is_pv(&course->before.disk[i]) && *course->before.disk[i].vg_id)
			note_look(memory, history, course, state, course->before.disk[i].vg_id);
}

/* It decides nothing if one of the two has no id, or if the other shows newer metadata, unless the devices
 * file does. The needed wave of a boot reads only the disks that are named. */
static bool is_known_beside(const struct sim_history *history, const struct sim_course *course,
			    const struct sim_state *state, unsigned disk)
{
	if (history->boot && course->was_rebooted)
		return true;
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (is_copy(state, disk, i) && state->disk[i].listing <= state->disk[disk].listing &&
		    (!*state->disk[i].wwid ||
		     (state->disk[i].seqno > state->disk[disk].seqno &&
		      !strcmp(state->disk[i].vg_id, state->disk[disk].vg_id) &&
		      !sim_is_silent(&state->disk[i]) &&
		      course->told_ms[i] <= course->before.now_ms)))
			return false;
	return true;
}

static bool may_be_named(const struct sim_memory *memory, const struct sim_disk *disk)
{
	for (uint32_t i = 0; i < memory->count; i++)
		if (!strcmp(memory->named[i].pvid, disk->pvid) &&
		    !strcmp(memory->named[i].wwid, disk->wwid) && *disk->wwid &&
		    !strcmp(memory->named[i].vg_id, disk->vg_id) &&
		    disk->seqno >= memory->named[i].seqno)
			return true;
	return false;
}

bool sim_memory_decides(const struct sim_memory *memory, const struct sim_history *history,
			const struct sim_course *course, const struct sim_state *state,
			const char *vg_id, uint32_t disks)
{
	const uint32_t all = sim_disks_of(state, vg_id);
	uint32_t decided;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		bool is_copied = false, is_used = false;

		if (!(all & 1U << i))
			continue;
		decided = 0;
		for (unsigned k = 0; k < SIM_DISKS; k++) {
			if (!sim_is_pv(&state->disk[k]) ||
			    strcmp(state->disk[k].pvid, state->disk[i].pvid) != 0)
				continue;
			is_copied |= is_copy(state, i, k);
			is_used |= disks >> k & 1U;
			if (may_be_named(memory, &state->disk[k]) &&
			    is_known_beside(history, course, state, k))
				decided |= 1U << k;
		}
		if (is_copied && !(is_used ? decided & disks : decided))
			return false;
	}
	return true;
}
