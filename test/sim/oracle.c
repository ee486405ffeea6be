/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/oracle.h"

#include <inttypes.h>
#include <string.h>

#define LATE_MS 5000U /* of an answer: over our deadlines */
#define BOOT_MS 200000U /* then the gate is open */

void sim_oracle_begin(struct sim_oracle *oracle, const struct sim_history *history,
		      struct sim_findings *findings)
{
	memset(oracle, 0, sizeof(*oracle));
	oracle->history = history;
	oracle->findings = findings;
	oracle->course.is_blind = history->conf & SIM_CONF_NO_DISKSEQ;
	oracle->course.goes_in_part = history->conf & (SIM_CONF_DEGRADED | SIM_CONF_PARTIAL);
}

/* By a command, perhaps one that had to wait. */
static bool is_taken_down(const struct sim_state *state, const char *id)
{
	for (uint32_t i = 0; i < state->taken_down_count; i++)
		if (!strcmp(state->taken_down[i], id))
			return true;
	return false;
}

static bool takes_down(enum sim_op op)
{
	return op == SIM_DOWN || op == SIM_EXPORT || op == SIM_REMOVE || op == SIM_REBOOT ||
	       op == SIM_SOFT_REBOOT || op == SIM_CLONE || op == SIM_REDUCE_MISSING;
}

static void judge_change(struct sim_oracle *oracle, const struct sim_step *step,
			 const struct sim_state *state, const struct sim_known_vg *vg)
{
	const struct sim_active *before = sim_active_of(&oracle->course.before, vg->id);
	const struct sim_active *now = sim_active_of(state, vg->id);

	if (now && now->by_us && (!before || before->lvs < now->lvs))
		sim_oracle_activation(oracle, state, vg, now);
	if (before && (!now || now->lvs < before->lvs) && (!step || !takes_down(step->op)) &&
	    !is_taken_down(state, vg->id))
		sim_found(oracle->findings,
			  "a VG was deactivated and nobody asked for that: %s before %" PRIu64
			  " ms",
			  vg->name, state->now_ms);
}

/* Commands that by their nature leave a VG as inactive as it was. */
static const char *off_text(enum sim_op op)
{
	if (op == SIM_DOWN)
		return "it was taken down and no disk of it was added since";
	if (op == SIM_EXPORT || op == SIM_IMPORT)
		return "it was imported and no disk of it was added since";
	if (op == SIM_CLONE)
		return "vgimportclone made it and no disk of it was added since";
	if (op == SIM_CREATE)
		return "it was made here and no disk of it was added since";
	if (op == SIM_EXTEND || op == SIM_REDUCE || op == SIM_REDUCE_MISSING || op == SIM_NEW_ID ||
	    op == SIM_TOUCH || op == SIM_FOREIGN || op == SIM_ACT_ELSEWHERE || op == SIM_RENAME)
		return "only a change made it complete";
	return NULL;
}

/* Is the command about this VG? */
static bool is_about(const struct sim_oracle *oracle, const struct sim_step *step,
		     const struct sim_state *state, const char *id)
{
	if (step->op == SIM_NEW_ID)
		return !strcmp(state->disk[step->a].vg_id, id);
	if (!*state->vg[step->v])
		return true;
	return !strcmp(state->vg[step->v], id) || !strcmp(oracle->course.before.vg[step->v], id);
}

/* When does a command that ends now count from? What came while it waited is a race, and so is an
 * add that nobody may have read yet, and that waits for a PV which nobody was to use. */
static uint64_t since_when(const struct sim_oracle *oracle, const struct sim_state *state,
			   const struct sim_known_vg *vg, bool is_down)
{
	const struct sim_course *course = &oracle->course;
	const uint32_t disks = sim_disks_of(state, vg->id);
	uint64_t since = is_down && vg->going_down_ms ? vg->going_down_ms : state->now_ms;

	for (unsigned i = 0; i < SIM_DISKS && !sim_is_sure(course, state, vg->id); i++)
		if (disks & 1U << i && course->udev_until_ms[i] > state->now_ms &&
		    course->added_ms[i] > vg->met_ms && course->added_ms[i] < since)
			since = course->added_ms[i];
	return since;
}

/* Until when what begins at @ms with a disk may go on: it is read several times. */
static uint64_t until_ms(uint64_t ms, const struct sim_disk *disk)
{
	return ms > SIM_EVER - 8ULL * disk->slow_ms ? SIM_EVER : ms + 8ULL * disk->slow_ms;
}

/* Will the add that is refused for a copy be so only when somebody has read it, or a slow disk beside
 * it? That comes after the command. */
static bool is_refused_later(const struct sim_oracle *oracle, const struct sim_state *state,
			     const struct sim_known_vg *vg, uint64_t since_ms)
{
	const struct sim_course *course = &oracle->course;
	const uint32_t disks = sim_disks_of(state, vg->id);

	for (unsigned i = 0; vg->refused_ms && i < SIM_DISKS; i++)
		if (disks & 1U << i &&
		    (until_ms(vg->refused_ms, &state->disk[i]) > since_ms ||
		     (course->added_ms[i] >= vg->refused_ms &&
		      (course->udev_until_ms[i] > since_ms || course->told_ms[i] > since_ms))))
			return true;
	return false;
}

/* Did the command take down only what is left on disks that have gone, or nodes without LVs, as a killed worker
 * leaves them? That says nothing of an add that was refused since, for a copy. */
static bool was_refused_beside_remains(const struct sim_oracle *oracle, const struct sim_known_vg *vg)
{
	const struct sim_active *active = sim_active_of(&oracle->course.before, vg->id);

	return vg->refused_ms && (!active || (active->lost_disks && !active->disks));
}

/* An add came since the VG went down, and waits for a disk of it whose metadata were outdated until
 * this command. */
static bool waited_for_outdated(const struct sim_oracle *oracle, const struct sim_state *state,
				const struct sim_known_vg *vg)
{
	const struct sim_state *then = &oracle->course.before;
	const struct sim_disk *newest = sim_newest(then, vg->id);
	const uint32_t disks = sim_disks_of(then, vg->id);
	bool was_any = false;

	for (unsigned i = 0; newest && i < SIM_DISKS; i++)
		was_any |= disks & 1U << i && then->disk[i].seqno < newest->seqno;
	return was_any && sim_was_added_since(&oracle->course, state, vg->id, vg->off_ms);
}

static bool has_added(const struct sim_oracle *oracle, const struct sim_state *state, const char *id)
{
	const uint32_t disks = sim_disks_of(state, id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && oracle->course.added_ms[i] == state->now_ms)
			return true;
	return false;
}

/* A person's command: from now on only an add may activate what it left inactive. */
static void note_person(struct sim_oracle *oracle, const struct sim_step *step,
			const struct sim_state *state, struct sim_known_vg *vg, bool is_new)
{
	bool was_active = sim_active_of(&oracle->course.before, vg->id);
	bool is_active = sim_active_of(state, vg->id);
	bool is_made = is_new && (step->op == SIM_CREATE || step->op == SIM_CLONE);
	bool has_become_sound = !vg->was_sound && sim_is_sound(state, vg->id) &&
				!waited_for_outdated(oracle, state, vg);
	bool is_down = !is_active && is_taken_down(state, vg->id);
	const uint64_t since_ms = since_when(oracle, state, vg, is_down);
	const char *text = off_text(is_down ? SIM_DOWN : step->op);

	if (is_made)
		vg->is_made_in_add = has_added(oracle, state, vg->id);
	if (!text)
		return;
	if (is_made || is_down || (was_active && !is_active) || (!is_active && has_become_sound)) {
		vg->off_ms = vg->is_calm ? since_ms : 0;
		vg->off_soon_ms = vg->is_calm ? 0 : since_ms;
		vg->off_why = text;
		if (is_refused_later(oracle, state, vg, since_ms) ||
		    ((is_down || step->op == SIM_DOWN) && was_refused_beside_remains(oracle, vg)))
			vg->refused_ms = since_ms;
	}
	if (is_down || (!is_active && is_about(oracle, step, state, vg->id)))
		vg->is_asked_for = vg->is_due = false;
}

/* A reconcile finds an add that was lost, also for a shortage, if the disk is another instance
 * since, but not this one. So it is in a soft reboot. In a boot all disks are announced twice, and
 * the second time means nothing. */
static bool is_lost_repeat(const struct sim_oracle *oracle, const struct sim_step *step,
			   const struct sim_state *state)
{
	bool is_booting =
		oracle->history->boot && state->now_ms < oracle->course.booted_ms + BOOT_MS;

	return step->op == SIM_REPEAT &&
	       (oracle->course.is_lost[step->a] || oracle->course.is_short || is_booting ||
		sim_is_unfollowed(&oracle->course));
}

/* Has a disk of it become a PV since it came, or perhaps a slow one of this VG, and has nobody read
 * that yet? Until then the VG lacks a PV, and a change that completes it activates nothing. So it may
 * be, too, where udev was perhaps still reading it for its add. */
static bool is_made_slowly(const struct sim_oracle *oracle, const struct sim_state *state,
			   const struct sim_known_vg *vg)
{
	const struct sim_course *course = &oracle->course;
	const uint32_t disks = sim_disks_of(state, vg->id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i &&
		    ((course->added_ms[i] <= vg->met_ms && course->told_ms[i] > state->now_ms) ||
		     (course->added_ms[i] <= vg->seqno_ms &&
		      until_ms(vg->seqno_ms, &state->disk[i]) > state->now_ms)))
			return true;
	return false;
}

/* An add of a disk of it was on its way when a command took the disk out of its VG: who read it then
 * found a PV of none, and what was made of it since is a change, which ends the wait of an add. */
static bool was_read_as_free(const struct sim_oracle *oracle, const struct sim_state *state,
			     const char *id)
{
	const struct sim_course *course = &oracle->course;
	const uint32_t disks = sim_disks_of(state, id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && course->no_record_ms[i] &&
		    course->udev_until_ms[i] >= course->no_record_ms[i])
			return true;
	return false;
}

static bool has_one_taken_for_gone(const struct sim_oracle *oracle, const struct sim_state *state,
				   const char *id)
{
	const uint32_t disks = sim_disks_of(state, id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i &&
		    sim_is_taken_for_gone(&oracle->course, oracle->history, state, i))
			return true;
	return false;
}

/* It is a copy of a slow disk that was wiped, of which nobody knows yet: that one counts, and what comes
 * to light later is a change. */
static bool is_beside_wiped(const struct sim_oracle *oracle, const struct sim_state *state,
			    unsigned disk)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (i != disk && state->disk[i].is_there && state->disk[i].slow_ms >= LATE_MS &&
		    *state->disk[disk].pvid &&
		    !strcmp(oracle->course.was_pvid[i], state->disk[disk].pvid))
			return true;
	return false;
}

/* The add of the disk was lost, and udev ended, in a soft reboot, when another disk with its number had
 * just gone: what it knows of the number is that one's. */
static bool is_known_as_gone_one(const struct sim_oracle *oracle, const struct sim_state *state,
				 unsigned disk)
{
	const struct sim_course *course = &oracle->course;

	return course->is_lost[disk] && course->booted_ms &&
	       course->number_told_ms[SIM_NUMBER(&state->disk[disk])] > course->booted_ms;
}

/* Did this step bring the VG about in a way that our program gets to know? */
static bool is_told(const struct sim_oracle *oracle, const struct sim_step *step,
		    const struct sim_state *state, const struct sim_known_vg *vg)
{
	const struct sim_disk *before = &oracle->course.before.disk[step->a % SIM_DISKS];
	const char *id = vg->id;

	if (!sim_is_sure(&oracle->course, state, id))
		return false;
	if (is_lost_repeat(oracle, step, state) || was_read_as_free(oracle, state, id))
		return false;
	if (sim_is_add(step->op))
		return sim_was_only_one_added(&oracle->course, state, id) &&
		       !has_one_taken_for_gone(oracle, state, id) &&
		       !is_beside_wiped(oracle, state, step->a % SIM_DISKS) &&
		       !is_known_as_gone_one(oracle, state, step->a % SIM_DISKS) &&
		       !is_made_slowly(oracle, state, vg);
	return (step->op == SIM_HEAL || step->op == SIM_SLOW) &&
	       sim_disks_of(state, id) & 1U << step->a % SIM_DISKS &&
	       (before->hangs || before->slow_ms > SIM_SLOW_MOST_MS);
}

/* If the activation of a disk that comes then waits for the lock as well, whichever gets it first
 * decides, as with lvm2's own pvscan. */
static void note_going_down(struct sim_oracle *oracle, const struct sim_step *step,
			    const struct sim_state *state, struct sim_known_vg *vg)
{
	if (step->op == SIM_DOWN && !vg->going_down_ms && is_about(oracle, step, state, vg->id))
		vg->going_down_ms = state->now_ms;
	if (!state->pending_commands)
		vg->going_down_ms = 0;
}

static bool loses_event(const struct sim_step *step, const struct sim_state *state, const char *id)
{
	return step->op == SIM_LOSE && sim_disks_of(state, id) & 1U << step->a % SIM_DISKS;
}

/* udev had no time to read the disk that it announced, or we had none, as it is slow, and what is left
 * is another path, which came while that was there: nobody has heard of an add of the disk. */
static bool went_unread(const struct sim_oracle *oracle, const struct sim_step *step,
			const struct sim_state *state, const char *id)
{
	const unsigned disk = step->a % SIM_DISKS;
	const struct sim_disk *before = &oracle->course.before.disk[disk];
	const uint32_t disks = sim_disks_of(state, id);

	if (step->op != SIM_UNPLUG || !before->is_there || !*before->wwid ||
	    (oracle->course.udev_until_ms[disk] <= state->now_ms &&
	     (!before->slow_ms || oracle->course.was_busy_until_ms[disk] <= state->now_ms)))
		return false;
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && i != disk && !strcmp(state->disk[i].wwid, before->wwid))
			return true;
	return false;
}

/* The wiped disk became slow before anybody had read that it was wiped. */
static bool slows_wiped(const struct sim_oracle *oracle, const struct sim_step *step,
			const struct sim_state *state, const struct sim_known_vg *vg)
{
	const uint32_t disks = sim_disks_of(state, vg->id);

	for (unsigned i = 0; step->op == SIM_SLOW && !vg->is_calm && i < SIM_DISKS; i++)
		if (disks & 1U << i && is_beside_wiped(oracle, state, i))
			return true;
	return false;
}

/* Does our program perhaps still read it for its add, after udev? A disk that is slow for us is read more
 * than once. */
static bool is_being_read(const struct sim_state *state, const struct sim_known_vg *vg)
{
	const uint32_t disks = sim_disks_of(state, vg->id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && state->now_ms < vg->due_ms + 8ULL * state->disk[i].slow_ms)
			return true;
	return false;
}

static void note_due(struct sim_oracle *oracle, const struct sim_step *step,
		     const struct sim_state *state, struct sim_known_vg *vg)
{
	bool is_sound = sim_is_sound(state, vg->id);

	/* What is refused for a copy need not come up when the copy goes: the other device may have
	 * come while the VG was active, and been ignored. A command that takes it down and waits
	 * for its lock may end before the add is dealt with, or after it. */
	if (sim_is_add(step->op) && !vg->going_down_ms && !is_lost_repeat(oracle, step, state) &&
	    sim_was_only_one_added(&oracle->course, state, vg->id) &&
	    !sim_is_copied(state, vg->id))
		vg->is_asked_for = true;
	if (is_sound && vg->is_asked_for && !vg->going_down_ms &&
	    is_told(oracle, step, state, vg)) {
		vg->is_due = true;
		/* A disk that is well again only lets that be heard which asked for the VG. */
		if (sim_is_add(step->op))
			vg->is_due_by_repeat =
				step->op == SIM_REPEAT || step->op == SIM_SOFT_REBOOT;
		vg->due_ms = state->now_ms;
	} else if (!is_sound || !vg->was_sound) {
		vg->is_due = false;
	}
	if (((oracle->course.is_short || loses_event(step, state, vg->id) ||
	      sim_is_unfollowed(&oracle->course)) &&
	     vg->is_due_by_repeat && sim_is_announced(&oracle->course, state, vg->id)) ||
	    (sim_is_unfollowed(&oracle->course) && vg->is_due_by_repeat && is_being_read(state, vg)) ||
	    went_unread(oracle, step, state, vg->id) || slows_wiped(oracle, step, state, vg) ||
	    /* Nobody has read that it was wiped: the VG went with it, and was not taken up anew. */
	    ((vg->off_ms || vg->off_soon_ms) &&
	     sim_went_as_copy(&oracle->course, state, vg->id, step->a % SIM_DISKS)))
		vg->is_due = vg->is_asked_for = false;
	vg->was_sound = is_sound;
}

/* Before the step a PV of the VG was on two disks, of which the memory may say which one counts,
 * and nothing else forbade it. */
static bool was_left_to_memory(const struct sim_oracle *oracle, const struct sim_known_vg *vg)
{
	const struct sim_active by_memory = {.at_ms = SIM_EVER};

	return sim_is_for_copies(vg->why_not) &&
	       !sim_oracle_why_not(oracle, &oracle->course.before, vg, &by_memory);
}

/* Before the step a PV of the VG was on two disks, which nobody may have known yet, and nothing else
 * forbade it: what began then may end later. */
static bool was_copied_unread(const struct sim_known_vg *vg, const char *now)
{
	return sim_is_for_copies(vg->why_not) && !vg->is_calm && sim_is_for_absence(now);
}

/* Nobody has read the copy in this boot, or since the step, with which it came; that a PV was not there
 * has forbidden it until then. */
static bool is_new_copy(const struct sim_step *step, const struct sim_known_vg *vg, const char *now)
{
	return sim_is_for_copies(now) &&
	       (step->op == SIM_REBOOT || sim_is_for_absence(vg->why_not));
}

static void note_vg(struct sim_oracle *oracle, const struct sim_step *step,
		    const struct sim_state *state, struct sim_known_vg *vg, bool is_new)
{
	const struct sim_disk *newest = sim_newest(state, vg->id);
	const char * not ;
	bool has_new_copy;

	if (newest)
		memcpy(vg->name, newest->vg_name, sizeof(vg->name));
	if (newest && newest->seqno != vg->seqno) {
		vg->seqno = newest->seqno;
		vg->seqno_ms = state->now_ms;
	}
	if (vg->off_soon_ms && vg->is_calm) {
		vg->off_ms = vg->off_soon_ms;
		vg->off_soon_ms = 0;
	}
	note_person(oracle, step, state, vg, is_new);
	if (sim_is_add(step->op) && sim_disks_of(state, vg->id) & 1U << step->a % SIM_DISKS &&
	    (state->disk[step->a % SIM_DISKS].of < 0 ||
	     !sim_is_copy_beside(&oracle->course, state, step->a % SIM_DISKS)) &&
	    sim_is_copied(state, vg->id))
		vg->refused_ms = state->now_ms;
	/* So is what was asked for before the copy came, and was under way when a person took the VG down. */
	if (step->op == SIM_PLUG && !vg->is_calm && sim_is_copied(state, vg->id))
		vg->refused_ms = state->now_ms;
	/* Nobody had read that the change made the VG sound, but that the copy went. */
	if (vg->refused_ms && vg->off_why != off_text(SIM_DOWN) &&
	    sim_went_as_copy(&oracle->course, state, vg->id, step->a % SIM_DISKS))
		vg->refused_ms = state->now_ms;
	note_going_down(oracle, step, state, vg);
	vg->was_reduced |= step->op == SIM_REDUCE_MISSING;
	if (step->op == SIM_REBOOT || step->op == SIM_SOFT_REBOOT || sim_active_of(state, vg->id))
		vg->off_ms = vg->off_soon_ms = 0;
	note_due(oracle, step, state, vg);
	not = sim_oracle_why_not(oracle, state, vg, NULL);
	if (not != vg->why_not && (was_left_to_memory(oracle, vg) || was_copied_unread(vg, not )))
		vg->is_certain = false;
	/* Without udev's links nobody knows of a disk whose event waits for a pass. */
	if (oracle->history->conf & SIM_CONF_NO_LINKS && step->op == SIM_SWAP && !vg->is_calm)
		vg->is_certain = false;
	has_new_copy = is_new_copy(step, vg, not );
	if (has_new_copy)
		vg->is_certain = false;
	/* An activation that began before may end later, unless nothing was under way. */
	if (not &&!vg->is_certain && vg->is_calm && !has_new_copy) {
		vg->is_certain = true;
		vg->why_not_ms = state->now_ms;
	}
	if (!not )
		vg->is_certain = false;
	vg->why_not = not ;
}

/* An LV is refused while its name belongs to a device of somebody else. */
static bool is_name_taken(const struct sim_oracle *oracle, const struct sim_state *state,
			  const struct sim_known_vg *vg)
{
	for (size_t i = 0; i < oracle->count; i++)
		if (&oracle->vg[i] != vg && !strcmp(oracle->vg[i].name, vg->name) &&
		    sim_active_of(state, oracle->vg[i].id))
			return true;
	return false;
}

/* A command has removed the record of a PV, and no link leads to its disk: the VG may have been
 * activated without it. */
static bool may_lack_pv(const struct sim_oracle *oracle, const struct sim_state *state,
			const struct sim_known_vg *vg)
{
	const uint32_t conf = oracle->history->conf, disks = sim_disks_of(state, vg->id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && oracle->course.no_record_ms[i])
			return conf & SIM_CONF_NO_LINKS &&
			       conf & (SIM_CONF_DEGRADED | SIM_CONF_PARTIAL);
	return false;
}

/* A process that was killed left components, and the disk below them went: a person has to
 * deactivate them, as any device on a disk that is gone. */
static bool has_parts_on_lost_disk(const struct sim_state *state, const struct sim_known_vg *vg)
{
	for (uint32_t i = 0; i < state->active_count; i++)
		if (!strcmp(state->active[i].vg_id, vg->id) && !state->active[i].lvs &&
		    state->active[i].lost_disks)
			return true;
	return false;
}

/* Has a silent disk the number of this one, which went while udev was down, in a soft reboot? */
static bool has_silent_heir(const struct sim_course *course, const struct sim_state *state,
			    unsigned gone)
{
	const struct sim_disk *was = &course->gone[gone];

	if (!course->booted_ms || course->gone_told_ms[gone] <= course->booted_ms)
		return false;
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (state->disk[i].is_there && sim_is_silent(&state->disk[i]) &&
		    state->disk[i].major == was->major && state->disk[i].minor == was->minor)
			return true;
	return false;
}

/* For as long as that disk is silent, udev names on it the PV that the other was. */
static bool is_named_on_silent(const struct sim_oracle *oracle, const struct sim_state *state,
			       const char *id)
{
	const struct sim_disk *newest = sim_newest(state, id);

	for (unsigned i = 0; newest && i < SIM_DISKS; i++)
		for (uint32_t k = 0; k < newest->pv_count; k++)
			if (!strcmp(oracle->course.gone[i].pvid, newest->pv[k]) &&
			    has_silent_heir(&oracle->course, state, i))
				return true;
	return false;
}

static void judge_rest(struct sim_oracle *oracle, const struct sim_state *state,
		       const struct sim_known_vg *vg)
{
	/* Three runners that died make a device suspect. */
	if (!vg->is_due || vg->was_reduced || !sim_is_sound(state, vg->id) ||
	    oracle->course.is_short || oracle->course.deaths > 2 || state->pending_commands ||
	    is_taken_down(state, vg->id) || is_name_taken(oracle, state, vg) ||
	    has_parts_on_lost_disk(state, vg) || may_lack_pv(oracle, state, vg) ||
	    is_named_on_silent(oracle, state, vg->id) ||
	    sim_believed_until(&oracle->course, state, vg->id) > state->now_ms)
		return;
	if (!sim_active_of(state, vg->id))
		sim_found(
			oracle->findings,
			"a VG %smust be active and is not: %s, all its PVs are there since %" PRIu64
			" ms",
			sim_has_slow_disk(state, vg->id) ? "on a slow disk " : "", vg->name,
			vg->due_ms);
}

static void meet(struct sim_oracle *oracle, const struct sim_state *state, const char *id)
{
	struct sim_known_vg *vg = &oracle->vg[oracle->count];

	for (size_t i = 0; i < oracle->count; i++)
		if (!strcmp(oracle->vg[i].id, id))
			return;
	if (!*id || oracle->count == SIM_IDS_MOST)
		return;
	oracle->count++;
	memcpy(vg->id, id, sizeof(vg->id));
	vg->met_ms = state->now_ms;
}

void sim_oracle_after(struct sim_oracle *oracle, const struct sim_step *step,
		      const struct sim_state *state)
{
	size_t old = oracle->count;
	struct sim_known_vg *vg;

	for (unsigned i = 0; i < SIM_DISKS; i++)
		meet(oracle, state, state->disk[i].vg_id);
	for (size_t i = 0; i < oracle->count; i++)
		oracle->vg[i].is_calm = sim_is_calm(&oracle->course, state, oracle->vg[i].id);
	if (step) {
		sim_memory_note(&oracle->memory, oracle->history, &oracle->course, state);
		sim_course_note(&oracle->course, step, state);
	} else {
		sim_course_rest(&oracle->course, state);
	}
	for (size_t i = 0; i < oracle->count; i++) {
		vg = &oracle->vg[i];
		if (i < old)
			judge_change(oracle, step, state, vg);
		if (step)
			note_vg(oracle, step, state, vg, i >= old);
		else
			judge_rest(oracle, state, vg);
	}
	oracle->course.before = *state;
}
