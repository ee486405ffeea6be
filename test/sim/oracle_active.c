/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What our program has activated: was that right, and are the tables right? */
#include "sim/oracle.h"

#include <inttypes.h>
#include <string.h>

/* A worker may have read what is not so any more: it waits for slow disks and for checks, and then
 * for the lock of one that does. */
#define UNDER_WAY_MS 90000U

/* The longest that disks which are slow or hang may keep a VG of healthy disks waiting. */
#define HEALTHY_MS 12000U

static bool is_untraceable(const struct sim_oracle *oracle, const struct sim_state *state,
			   const struct sim_known_vg *vg)
{
	return sim_may_be_untraceable(oracle->history) && sim_is_copied(state, vg->id);
}

/* The memory, of this boot or of one before, may say which of two disks is the PV. */
static bool is_excused(const struct sim_oracle *oracle, const struct sim_state *state,
		       const struct sim_known_vg *vg, const struct sim_active *active)
{
	return is_untraceable(oracle, state, vg) ||
	       (active && sim_memory_decides(&oracle->memory, oracle->history, &oracle->course,
					     state, vg->id, active->disks));
}

static bool was_disk_added_since(const struct sim_oracle *oracle, uint32_t disks, uint64_t since_ms)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && oracle->course.added_ms[i] >= since_ms)
			return true;
	return false;
}

/* Another disk, on which the VG was activated or which was known earlier, carries the PV of this
 * one. */
static bool is_beside(const struct sim_oracle *oracle, const struct sim_state *state,
		      const struct sim_active *active, unsigned disk)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if ((active->disks & 1U << i ||
		     (sim_is_pv(&state->disk[i]) &&
		      oracle->course.told_ms[i] < oracle->course.told_ms[disk])) &&
		    i != disk && !strcmp(state->disk[i].pvid, state->disk[disk].pvid))
			return true;
	return false;
}

static uint64_t reading_ms(const struct sim_disk *disk, const char *vg_id)
{
	return strcmp(disk->vg_id, vg_id) != 0 ? 0 : 8ULL * disk->slow_ms;
}

/* When was it decided, at the earliest? Its worker has read disks since, which may be slow, also one that
 * may be a copy, and one that has gone by now, and has checked a pool. */
static uint64_t decided_ms(const struct sim_oracle *oracle, const struct sim_state *state,
			   const struct sim_active *active)
{
	const struct sim_disk *newest = sim_newest(state, active->vg_id);
	uint64_t ms = newest && newest->type == SIM_THIN ? SIM_CHECK_MOST_MS : 0;

	for (unsigned i = 0; i < SIM_DISKS; i++)
		ms += reading_ms(&state->disk[i], active->vg_id) +
		      reading_ms(&oracle->course.gone[i], active->vg_id);
	return ms < active->at_ms ? active->at_ms - ms : 0;
}

/*
 * Nobody had read by then what a disk shows that counts for the VG, and it was activated on others:
 * copies with older metadata are as good as a VG while they are alone.
 */
static bool is_untold(const struct sim_oracle *oracle, const struct sim_state *state,
		      const struct sim_known_vg *vg, const struct sim_active *active)
{
	const struct sim_disk *newest = sim_newest(state, vg->id);
	const uint32_t disks = sim_disks_of(state, vg->id);

	for (unsigned i = 0; active && i < SIM_DISKS; i++) {
		const struct sim_disk *disk = &state->disk[i];
		const bool counts = disk == newest ||
				    (disks & 1U << i && (disk->is_foreign || disk->is_exported ||
							 is_beside(oracle, state, active, i)));

		if (counts && !(active->disks & 1U << i) &&
		    oracle->course.told_ms[i] > decided_ms(oracle, state, active))
			/* The one that was added may have gone by now. */
			return active->lost_disks ||
			       was_disk_added_since(oracle, active->disks, vg->off_ms);
	}
	return false;
}

/* udev does not name what is on a disk of it, perhaps because it lost an event: the reconcile that reads
 * the disk finds a PV whose event was lost, also if a command made it. */
static bool has_unnamed_disk(const struct sim_oracle *oracle, const struct sim_state *state,
			     const struct sim_known_vg *vg)
{
	const uint32_t disks = sim_disks_of(state, vg->id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && (oracle->course.is_unnamed[i] || oracle->course.is_unread[i] ||
					oracle->course.is_lost[i]))
			return true;
	return false;
}

/* No link leads to a disk of it whose record a command has removed: until a reconcile finds the
 * disk, as one whose event was lost, nothing says that the VG is dealt with. */
static bool lacks_record(const struct sim_oracle *oracle, const struct sim_state *state,
			 const struct sim_known_vg *vg)
{
	const uint32_t disks = sim_disks_of(state, vg->id);

	for (unsigned i = 0; oracle->history->conf & SIM_CONF_NO_LINKS && i < SIM_DISKS; i++)
		if (disks & 1U << i && oracle->course.no_record_ms[i] &&
		    vg->off_ms < oracle->course.no_record_ms[i] + SIM_RECONCILE_MS)
			return true;
	return false;
}

/* It was activated on disks that know it by another name only, and are whole by that: to lvm2, too,
 * they are a VG of their own. */
static bool has_other_name(const struct sim_state *state, const struct sim_known_vg *vg,
			   const struct sim_active *active)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (active->disks & 1U << i && !strcmp(state->disk[i].vg_name, vg->name))
			return false;
	return true;
}

/* The same, and one of them was added. */
static bool is_of_other_name(const struct sim_oracle *oracle, const struct sim_state *state,
			     const struct sim_known_vg *vg, const struct sim_active *active)
{
	return active && has_other_name(state, vg, active) &&
	       was_disk_added_since(oracle, active->disks, vg->off_ms);
}

/* It lacks a PV, and may wait to be activated in part: a command does not end that wait. */
static bool waits_in_part(const struct sim_oracle *oracle, const struct sim_state *state,
			  const struct sim_known_vg *vg)
{
	return oracle->history->conf & (SIM_CONF_DEGRADED | SIM_CONF_PARTIAL) &&
	       !sim_is_whole(state, vg->id);
}

/* The reader was killed that read a disk of it for its add, which a reconcile found then. Of a command
 * that takes a VG down which is not up nothing is left. */
static bool died_unread(const struct sim_oracle *oracle, const struct sim_state *state,
			const struct sim_known_vg *vg)
{
	const struct sim_course *course = &oracle->course;
	const uint32_t disks = sim_disks_of(state, vg->id);

	for (unsigned i = 0; sim_is_unfollowed(course) && i < SIM_DISKS; i++)
		if (disks & 1U << i && course->added_ms[i] && course->added_ms[i] < vg->off_ms &&
		    course->reader_killed_ms >= course->added_ms[i] &&
		    course->reader_killed_ms - course->added_ms[i] <
			    SIM_ADD_MS + 4ULL * state->disk[i].slow_ms &&
		    vg->off_ms < course->reader_killed_ms + SIM_RECONCILE_MS)
			return true;
	return false;
}

const char *sim_oracle_why_not(const struct sim_oracle *oracle, const struct sim_state *state,
			       const struct sim_known_vg *vg, const struct sim_active *active)
{
	const char *text = sim_why_not(oracle->history, state, vg->id);

	if (is_untold(oracle, state, vg, active))
		return NULL;
	if (text && (!sim_is_for_copies(text) || !is_excused(oracle, state, vg, active)))
		return text;
	if (!vg->off_ms || vg->refused_ms >= vg->off_ms || is_untraceable(oracle, state, vg) ||
	    has_unnamed_disk(oracle, state, vg) || lacks_record(oracle, state, vg) ||
	    died_unread(oracle, state, vg) || vg->is_made_in_add ||
	    is_of_other_name(oracle, state, vg, active) || waits_in_part(oracle, state, vg) ||
	    sim_was_added_since(&oracle->course, state, vg->id, vg->off_ms))
		return NULL;
	return vg->off_why;
}

/* A disk that is there is not missing: the VG waits for it. Errors are for what is missing, and
 * nothing was when the VG was activated. */
static bool lacks_silent_disk(const struct sim_oracle *oracle, const struct sim_state *state,
			      const struct sim_active *active)
{
	const struct sim_course *course = &oracle->course;
	uint64_t since = course->moved_ms + SIM_ANSWERED_MS;
	uint32_t disks = sim_disks_of(state, active->vg_id);

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		/* Of a disk whose event udev has lost, or which it has yet to read, also since a
		 * command has made it another PV, nobody knows, nor after a shortage if no link
		 * leads to it. Metadata of before that command do not list it as what it is now. */
		if (disks & 1U << i && !(active->disks & 1U << i) &&
		    (course->is_lost[i] || course->udev_until_ms[i] > active->at_ms ||
		     (*course->was_pvid[i] && (course->told_ms[i] > active->at_ms ||
					       active->seqno < state->disk[i].seqno)) ||
		     ((course->is_short || sim_has_shortage(oracle->history)) &&
		      oracle->history->conf & SIM_CONF_NO_LINKS)))
			return false;
		/* Those that were there before it are read while it comes. */
		if (disks & 1U << i)
			since += course->delay_ms[i] +
				 (active->disks & 1U << i ||
						  course->present_ms[i] < course->moved_ms
					  ? 3ULL * state->disk[i].slow_ms
					  : 0);
	}
	return active->has_error_target && active->at_ms > since &&
	       !sim_may_be_untraceable(oracle->history) &&
	       sim_is_sure(course, state, active->vg_id) &&
	       sim_is_whole(&course->before, active->vg_id) && sim_is_whole(state, active->vg_id);
}

/* A devices file with names means a disk of it by its PVID, as lvm2 reads it: a copy, too. */
static bool is_meant_by_pvid(const struct sim_state *state, const struct sim_active *active)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (active->disks & 1U << i && state->disk[i].is_listed_by_pvid)
			return true;
	return false;
}

/* udev could not read it when it came, and it has yet to be found by a reconcile. */
static bool is_unread(const struct sim_course *course, const struct sim_state *state,
		      const struct sim_disk *disk)
{
	const size_t i = (size_t)(disk - state->disk);

	return course->is_unread[i] || course->is_unnamed[i];
}

/* No metadata older than these were the newest, before the step and after it. */
static uint32_t least_seqno(const struct sim_oracle *oracle, const struct sim_state *state,
			    const char *id)
{
	const struct sim_disk *before = sim_newest(&oracle->course.before, id);
	const struct sim_disk *now = sim_newest(state, id);

	if (!before || !now || sim_is_silent(before) || sim_is_silent(now) ||
	    sim_is_copied(&oracle->course.before, id) || sim_is_copied(state, id) ||
	    is_unread(&oracle->course, state, now))
		return 0;
	return before->seqno < now->seqno ? before->seqno : now->seqno;
}

/* The disk with the newest metadata may not have been read by then: it was sick before, or something
 * ran short. */
static bool may_be_unread(const struct sim_oracle *oracle, const struct sim_state *state,
			  const char *id, const struct sim_active *active)
{
	const struct sim_disk *newest = sim_newest(state, id);

	return newest &&
	       (oracle->course.is_short || sim_has_shortage(oracle->history) ||
		oracle->course.was_sick_disk[newest - state->disk]) &&
	       oracle->course.busy_until_ms[newest - state->disk] > active->at_ms;
}

/* A PV of no VG is the VG's that lists it: so is one that lost its metadata. */
static bool is_of_other(const struct sim_disk *disk, const struct sim_known_vg *vg)
{
	return *disk->vg_id && strcmp(disk->vg_id, vg->id) != 0;
}

/* The VG was read while somebody wiped the disk without the VG's lock, and made another VG of it. */
static bool was_wiped_meanwhile(const struct sim_course *course, const struct sim_state *state,
				unsigned disk, uint64_t at_ms)
{
	const uint64_t wiped_ms = course->wiped_ms[disk];

	return wiped_ms && at_ms < wiped_ms + 8ULL * state->disk[disk].slow_ms;
}

/* It took its number from a disk of the VG while that was read and activated, and nobody had told
 * of it: where the kernel numbers no instances, no look at the number shows that, as with lvm2. */
static bool took_number_meanwhile(const struct sim_oracle *oracle, const struct sim_state *state,
				  const struct sim_active *active, unsigned disk)
{
	const struct sim_course *course = &oracle->course;

	return course->is_blind && course->present_ms[disk] <= active->at_ms &&
	       course->told_ms[disk] > decided_ms(oracle, state, active);
}

/* What the tables of a VG that we have just activated lie on. */
static void judge_tables(struct sim_oracle *oracle, const struct sim_state *state,
			 const struct sim_known_vg *vg, const struct sim_active *active)
{
	const struct sim_course *course = &oracle->course;
	uint32_t least = least_seqno(oracle, state, vg->id);

	/* Of a VG whose disks have gone since, nobody can say which disks it was on. */
	if (active->seqno < least && active->at_ms > vg->seqno_ms + UNDER_WAY_MS &&
	    !has_other_name(state, vg, active) && !active->lost_disks && !may_be_unread(oracle, state, vg->id, active) &&
	    !is_meant_by_pvid(state, active))
		sim_found(oracle->findings,
			  "a VG was activated from outdated metadata: %s from seqno %" PRIu32
			  " instead of %" PRIu32,
			  vg->name, active->seqno, least);
	if (sim_active_of(&course->before, vg->id))
		return;
	if (active->lost_disks && active->at_ms > course->moved_ms + UNDER_WAY_MS)
		sim_found(oracle->findings,
			  "a VG was activated on a device that is gone: %s at %" PRIu64 " ms",
			  vg->name, active->at_ms);
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (active->disks & 1U << i && is_of_other(&state->disk[i], vg) &&
		    is_of_other(&course->before.disk[i], vg) &&
		    !was_wiped_meanwhile(course, state, i, active->at_ms) &&
		    !took_number_meanwhile(oracle, state, active, i))
			sim_found(oracle->findings,
				  "a VG was activated on a disk of another VG: %s on disk %u",
				  vg->name, i);
}

static bool has_lost_events(const struct sim_history *history)
{
	for (uint32_t i = 0; i < history->count; i++)
		if (history->step[i].op == SIM_LOSE || history->step[i].op == SIM_OVERFLOW)
			return true;
	return false;
}

/* The disk is one of the VG, or was before the step, or when it went. */
static bool was_of_vg(const struct sim_course *course, const struct sim_state *state,
		      const struct sim_disk *newest, unsigned disk)
{
	for (uint32_t k = 0; k < newest->pv_count; k++)
		if (!strcmp(course->gone[disk].pvid, newest->pv[k]))
			return true;
	return (sim_disks_of(state, newest->vg_id) | sim_disks_of(&course->before, newest->vg_id)) &
	       1U << disk;
}

/* The disk was a PV of the VG until it was wiped, and the short deadlines of a probe are not enough for it
 * until they have doubled some times. */
static bool is_wiped_slowly(const struct sim_oracle *oracle, const struct sim_state *state,
			    const struct sim_disk *newest, unsigned disk)
{
	const bool is_late = oracle->history->conf & SIM_CONF_PROBE &&
			     state->disk[disk].slow_ms >= SIM_PROBE_MS;

	for (uint32_t k = 0; is_late && k < newest->pv_count; k++)
		if (!strcmp(oracle->course.was_pvid[disk], newest->pv[k]))
			return true;
	return false;
}

/* A PV that is on another disk than in the last good boot waits until udev is idle, unless it is
 * known what became of that disk. */
static bool has_moved_by_boot(const struct sim_course *course, const struct sim_state *state,
			      unsigned disk)
{
	const struct sim_disk *now = &state->disk[disk];

	return course->booted_ms && now->of >= 0 && !state->disk[now->of].is_there &&
	       strcmp(now->wwid, state->disk[now->of].wwid) != 0;
}

/* Has it the number of a disk of which udev's events take long? Its own come after these. */
static bool is_behind_delayed(const struct sim_course *course, const struct sim_disk *disk)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (course->delay_ms[i] && course->gone[i].major == disk->major &&
		    course->gone[i].minor == disk->minor)
			return true;
	return false;
}

/* The entry of a disk that is announced once more waits for the pass that has taken the one before, and
 * that may check a pool. */
static bool is_behind_check(const struct sim_state *state, const struct sim_known_vg *vg)
{
	for (unsigned i = 0; vg->is_due_by_repeat && i < SIM_DISKS; i++)
		if (state->disk[i].is_there && state->disk[i].type == SIM_THIN)
			return true;
	return false;
}

/* Did anything else make the VG wait than disks of other VGs? The check of a pool takes its time,
 * and a VG whose disks are gone by now says nothing of what it lay on. */
static bool had_to_wait(const struct sim_oracle *oracle, const struct sim_state *state,
			const struct sim_known_vg *vg)
{
	const struct sim_disk *newest = sim_newest(state, vg->id);
	const struct sim_course *course = &oracle->course;

	for (unsigned i = 0; newest && i < SIM_DISKS; i++)
		if (was_of_vg(course, state, newest, i) &&
		    (course->was_sick_disk[i] || course->delay_ms[i] || course->is_unsure[i] ||
		     has_moved_by_boot(course, state, i) || course->no_record_ms[i] ||
		     is_behind_delayed(course, &state->disk[i])))
			return true;
	for (unsigned i = 0; newest && i < SIM_DISKS; i++)
		if (is_wiped_slowly(oracle, state, newest, i))
			return true;
	return !course->was_sick || course->kills || course->is_short || state->pending_commands ||
	       course->disturbed_until_ms > vg->due_ms || has_lost_events(oracle->history) ||
	       !newest || newest->type == SIM_THIN || is_behind_check(state, vg);
}

/* Since the machine last came up, if that was later: then all disks come once more. Or since it was
 * known that a disk is no copy any more. */
static uint64_t due_since(const struct sim_oracle *oracle, const struct sim_state *state,
			  const struct sim_known_vg *vg)
{
	const uint64_t booted_ms = oracle->course.booted_ms;
	const uint64_t known_ms = sim_believed_until(&oracle->course, state, vg->id);
	const uint64_t since_ms = vg->due_ms > booted_ms ? vg->due_ms : booted_ms;

	return since_ms > known_ms ? since_ms : known_ms;
}

/* Our program has activated it since the last step. Was that right? */
void sim_oracle_activation(struct sim_oracle *oracle, const struct sim_state *state,
			   const struct sim_known_vg *vg, const struct sim_active *active)
{
	const char *now = sim_oracle_why_not(oracle, state, vg, active);
	const char *before = sim_oracle_why_not(oracle, &oracle->course.before, vg, active);
	const uint64_t due_ms = due_since(oracle, state, vg);

	/* It may have been before the step made it wrong, or after the step made it right. */
	if (vg->why_not && before && now && vg->is_certain && active->at_ms > vg->why_not_ms)
		sim_found(oracle->findings,
			  "a VG was activated although %s: %s at %" PRIu64 " ms, since %" PRIu64
			  " ms",
			  now, vg->name, active->at_ms, vg->why_not_ms);
	else if (lacks_silent_disk(oracle, state, active))
		sim_found(oracle->findings,
			  "a VG was activated in part although the disk is there: %s at %" PRIu64
			  " ms",
			  vg->name, active->at_ms);
	if (vg->is_due && !sim_active_of(&oracle->course.before, vg->id) &&
	    active->at_ms > due_ms && active->at_ms - due_ms > HEALTHY_MS &&
	    !had_to_wait(oracle, state, vg))
		sim_found(oracle->findings,
			  "a VG on healthy disks waited for others: %s for %" PRIu64 " ms",
			  vg->name, active->at_ms - due_ms);
	judge_tables(oracle, state, vg, active);
}
