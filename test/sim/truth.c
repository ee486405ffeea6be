/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/truth.h"

#include <string.h>

bool sim_is_pv(const struct sim_disk *disk)
{
	return disk->is_there && disk->is_pv && !disk->is_rejected;
}

bool sim_is_silent(const struct sim_disk *disk)
{
	return disk->hangs || disk->fails || disk->is_suspended || disk->slow_ms > SIM_SLOW_MOST_MS;
}

const struct sim_disk *sim_newest(const struct sim_state *state, const char *vg_id)
{
	const struct sim_disk *best = NULL, *disk;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		disk = &state->disk[i];
		if (sim_is_pv(disk) && !strcmp(disk->vg_id, vg_id) &&
		    (!best || disk->seqno > best->seqno))
			best = disk;
	}
	return best;
}

/* Where all disks of the VG are rejected: those from which an event takes it all the same. */
static const struct sim_disk *newest_by_pvid(const struct sim_state *state, const char *vg_id)
{
	const struct sim_disk *best = NULL, *disk;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		disk = &state->disk[i];
		if (disk->is_there && disk->is_pv && disk->is_listed_by_pvid &&
		    !strcmp(disk->vg_id, vg_id) && (!best || disk->seqno > best->seqno))
			best = disk;
	}
	return best;
}

static bool has_pv(const struct sim_disk *metadata, const char *pvid)
{
	for (uint32_t i = 0; i < metadata->pv_count; i++)
		if (!strcmp(metadata->pv[i], pvid))
			return true;
	return false;
}

uint32_t sim_disks_of(const struct sim_state *state, const char *vg_id)
{
	const struct sim_disk *newest = sim_newest(state, vg_id);
	uint32_t mask = 0;

	for (unsigned i = 0; newest && i < SIM_DISKS; i++)
		if (sim_is_pv(&state->disk[i]) && has_pv(newest, state->disk[i].pvid))
			mask |= 1U << i;
	return mask;
}

static bool is_by_pvid(const struct sim_disk *disk, const char *pvid)
{
	return disk->is_there && disk->is_listed_by_pvid && !strcmp(disk->pvid, pvid);
}

static bool has_by_pvid(const struct sim_state *state, const char *pvid)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (is_by_pvid(&state->disk[i], pvid))
			return true;
	return false;
}

uint32_t sim_disks_by_pvid(const struct sim_state *state, const char *vg_id)
{
	const struct sim_disk *newest = sim_newest(state, vg_id);
	uint32_t mask = 0;

	newest = newest ? newest : newest_by_pvid(state, vg_id);
	for (unsigned i = 0; newest && i < SIM_DISKS; i++)
		for (uint32_t k = 0; k < newest->pv_count; k++)
			mask |= is_by_pvid(&state->disk[i], newest->pv[k]) ? 1U << i : 0;
	return mask;
}

const struct sim_active *sim_active_of(const struct sim_state *state, const char *vg_id)
{
	for (uint32_t i = 0; i < state->active_count; i++)
		if (!strcmp(state->active[i].vg_id, vg_id) && state->active[i].lvs)
			return &state->active[i];
	return NULL;
}

/* Two devices are one disk if the kernel has one world-wide name for both; nothing else says so. */
static bool is_one_disk(const struct sim_disk *a, const struct sim_disk *b)
{
	return *a->wwid && !strcmp(a->wwid, b->wwid);
}

/* The disk that carries @pvid; @ret_copied: another one does, too. */
static const struct sim_disk *holder(const struct sim_state *state, const char *pvid,
				     bool *ret_copied)
{
	const struct sim_disk *first = NULL, *disk;

	*ret_copied = false;
	for (unsigned i = 0; i < SIM_DISKS; i++) {
		disk = &state->disk[i];
		if (!sim_is_pv(disk) || strcmp(disk->pvid, pvid))
			continue;
		if (first && !first->fails && !disk->fails && !is_one_disk(first, disk))
			*ret_copied = true;
		if (!first)
			first = disk;
	}
	return first;
}

bool sim_is_listed_apart(const struct sim_state *state, const char *pvid)
{
	uint32_t best = UINT32_MAX, count = 0;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		const struct sim_disk *disk = &state->disk[i];

		if (!sim_is_pv(disk) || strcmp(disk->pvid, pvid) || disk->listing > best)
			continue;
		count = disk->listing < best ? 1 : count + 1;
		best = disk->listing;
	}
	return count == 1;
}

bool sim_may_be_untraceable(const struct sim_history *history)
{
	for (uint32_t i = 0; i < history->count; i++)
		if (history->step[i].op == SIM_REMOVE || history->step[i].op == SIM_FOREIGN ||
		    history->step[i].op == SIM_EXPORT || history->step[i].op == SIM_KILL)
			return history->conf & SIM_CONF_NO_LINKS;
	return false;
}

bool sim_has_slow_disk(const struct sim_state *state, const char *vg_id)
{
	uint32_t disks = sim_disks_of(state, vg_id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && state->disk[i].slow_ms)
			return true;
	return false;
}

bool sim_is_copied(const struct sim_state *state, const char *vg_id)
{
	uint32_t disks = sim_disks_of(state, vg_id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		for (unsigned k = 0; k < i; k++)
			if (disks & 1U << i && disks & 1U << k &&
			    !strcmp(state->disk[i].pvid, state->disk[k].pvid))
				return true;
	return false;
}

/* Of two copies that were changed apart, and have one seqno, neither is older: the one that is not refused
 * is activated where the other one is no copy to the program. */
static bool goes_before(const struct sim_disk *disk, const struct sim_disk *best)
{
	return disk->seqno > best->seqno ||
	       (disk->seqno == best->seqno && (best->is_exported || best->is_foreign));
}

/* What a disk that gives only errors says of the VG nobody may have read. */
static const struct sim_disk *newest_shown(const struct sim_state *state, const char *vg_id)
{
	const struct sim_disk *best = NULL, *disk;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		disk = &state->disk[i];
		if (sim_is_pv(disk) && !disk->fails && !strcmp(disk->vg_id, vg_id) &&
		    (!best || goes_before(disk, best)))
			best = disk;
	}
	return best ? best : sim_newest(state, vg_id);
}

static const char on_two_disks[] = "one of its PVs is on two disks";
static const char not_there[] = "one of its PVs is not there";

bool sim_is_for_copies(const char *why_not)
{
	return why_not == on_two_disks;
}

bool sim_is_for_absence(const char *why_not)
{
	return why_not == not_there;
}

const char *sim_why_not(const struct sim_history *history, const struct sim_state *state,
			const char *vg_id)
{
	const struct sim_disk *newest = sim_newest(state, vg_id);
	const struct sim_disk *shown = newest_shown(state, vg_id);
	bool copied, any_copied = false, lacks = false;

	if (!newest)
		newest = shown = newest_by_pvid(state, vg_id);
	if (!newest)
		return "none of its PVs is there";
	if (shown->is_exported)
		return "it is exported";
	if (shown->is_foreign)
		return "it belongs to another host";
	for (uint32_t i = 0; i < newest->pv_count; i++) {
		lacks |= !holder(state, newest->pv[i], &copied) &&
			 !has_by_pvid(state, newest->pv[i]);
		any_copied |= copied && !sim_is_listed_apart(state, newest->pv[i]);
	}
	if (any_copied)
		return on_two_disks;
	if (lacks && !(history->conf & (SIM_CONF_DEGRADED | SIM_CONF_PARTIAL)))
		return not_there;
	return NULL;
}

bool sim_is_whole(const struct sim_state *state, const char *vg_id)
{
	const struct sim_disk *newest = sim_newest(state, vg_id);
	bool copied;

	for (uint32_t i = 0; newest && i < newest->pv_count; i++)
		if (!holder(state, newest->pv[i], &copied))
			return false;
	return newest;
}

static bool has_twin_name(const struct sim_state *state, const struct sim_disk *newest)
{
	const struct sim_disk *disk;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		disk = &state->disk[i];
		if (disk->is_there && disk->is_pv && strcmp(disk->vg_id, newest->vg_id) &&
		    !strcmp(disk->vg_name, newest->vg_name))
			return true;
	}
	return false;
}

bool sim_is_sound(const struct sim_state *state, const char *vg_id)
{
	const struct sim_disk *newest = sim_newest(state, vg_id), *disk;
	bool copied;

	if (!newest || !newest->pv_count || newest->is_exported || newest->is_foreign ||
	    has_twin_name(state, newest))
		return false;
	for (uint32_t i = 0; i < newest->pv_count; i++)
		if (!holder(state, newest->pv[i], &copied) || copied)
			return false;
	for (unsigned i = 0; i < SIM_DISKS; i++) {
		disk = &state->disk[i];
		if (!disk->is_there || !disk->is_pv)
			continue;
		/* outdated metadata, or others as new; a PV that was taken out of the VG
		 * elsewhere; a slow one of a rejected path */
		if (has_pv(newest, disk->pvid)
			    ? disk->is_rejected || sim_is_silent(disk) ||
				      strcmp(disk->vg_id, vg_id) || disk->seqno != newest->seqno ||
				      strcmp(disk->vg_name, newest->vg_name)
			    : !strcmp(disk->vg_id, vg_id))
			return false;
	}
	return true;
}
