/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/course.h"

#include <string.h>

#define SETTLED_MS                                                                                 \
	60000U /* an add on a healthy disk has had all its consequences, also retries              \
		*/

#define TOLD_MS		 100U	 /* udev has read a healthy disk, and our program knows of it */
#define RESUMES_MS	 500U	 /* udev goes on with a disk that gives answers again */
#define SLOW_MS		 5000U	 /* of our deadlines: such a disk is read again and again */
#define VERY_SLOW_MS	 20000U	 /* of udev's, likewise */
#define UDEV_GIVES_UP_MS 180000U /* on a disk that gives no answer */

bool sim_is_add(enum sim_op op)
{
	return op == SIM_PLUG || op == SIM_REPEAT || op == SIM_SWAP || op == SIM_REBOOT ||
	       op == SIM_SOFT_REBOOT || op == SIM_COPY;
}

/* A copy that was added waits for the answer of the disk that it is a copy of, which was wiped. */
static uint64_t waits_until(const struct sim_course *course, const struct sim_state *state,
			    const char *id)
{
	uint64_t until = 0;

	for (unsigned i = 0; i < SIM_DISKS; i++)
		for (unsigned k = 0; k < SIM_DISKS; k++) {
			const uint64_t answers = course->added_ms[k] + SETTLED_MS +
						 4ULL * state->disk[i].slow_ms;

			if (course->added_ms[k] && state->disk[i].slow_ms >= SLOW_MS &&
			    !strcmp(state->disk[k].vg_id, id) &&
			    !strcmp(state->disk[k].pvid, course->was_pvid[i]) && answers > until)
				until = answers;
		}
	return until;
}

uint64_t sim_calm_since(const struct sim_course *course, const struct sim_state *state,
			const char *id)
{
	const uint64_t until = waits_until(course, state, id);
	uint64_t since = until > course->all_busy_until_ms ? until : course->all_busy_until_ms;

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if ((!strcmp(state->disk[i].vg_id, id) ||
		     !strcmp(course->before.disk[i].vg_id, id)) &&
		    course->busy_until_ms[i] > since)
			since = course->busy_until_ms[i];
	return since;
}

bool sim_is_unfollowed(const struct sim_course *course)
{
	return course->reader_kills > 1 ||
	       (course->reader_kills && (course->kills || course->was_restarted));
}

bool sim_is_calm(const struct sim_course *course, const struct sim_state *state, const char *id)
{
	const uint64_t now_ms = course->is_short ? course->short_ms : state->now_ms;

	return !course->before.pending_commands && sim_calm_since(course, state, id) <= now_ms;
}

/* Another path of it was there without a copy, and may have gone since. */
static bool is_path_of_first(const struct sim_course *course, const struct sim_state *state,
			     unsigned disk)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (i != disk && course->had_no_copy[i] && *state->disk[i].wwid &&
		    !strcmp(state->disk[i].wwid, state->disk[disk].wwid))
			return true;
	return false;
}

bool sim_is_copy_beside(const struct sim_course *course, const struct sim_state *state,
			unsigned disk)
{
	const struct sim_disk *copy = &state->disk[disk];

	if (is_path_of_first(course, state, disk))
		return false;
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (i != disk && sim_is_pv(&state->disk[i]) && !state->disk[i].fails &&
		    !strcmp(state->disk[i].pvid, copy->pvid) &&
		    course->told_ms[i] <= course->present_ms[disk] &&
		    state->disk[i].listing <= copy->listing &&
		    (!*copy->wwid || strcmp(state->disk[i].wwid, copy->wwid)))
			return true;
	return false;
}

bool sim_was_added_since(const struct sim_course *course, const struct sim_state *state,
			 const char *id, uint64_t since_ms)
{
	const uint32_t disks = sim_disks_of(state, id) | sim_disks_by_pvid(state, id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		/* Also one with older metadata of it: lvm2 takes the newest then, and so may we. */
		if ((disks & 1U << i || !strcmp(state->disk[i].vg_id, id)) && course->added_ms[i] &&
		    course->added_ms[i] >= since_ms &&
		    (course->was_alone[i] || !sim_is_copy_beside(course, state, i)))
			return true;
	return false;
}

/* Another device carries the same PV: a copy, or another path. */
static bool has_other(const struct sim_state *state, unsigned disk)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (i != disk && sim_is_pv(&state->disk[i]) &&
		    !strcmp(state->disk[i].pvid, state->disk[disk].pvid))
			return true;
	return false;
}

bool sim_was_only_one_added(const struct sim_course *course, const struct sim_state *state,
			    const char *id)
{
	uint32_t disks = sim_disks_of(state, id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && course->is_added_now[i] && !has_other(state, i))
			return true;
	return false;
}

bool sim_is_announced(const struct sim_course *course, const struct sim_state *state,
		      const char *id)
{
	uint32_t disks = sim_disks_of(state, id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && course->udev_until_ms[i] > state->now_ms)
			return true;
	return false;
}

bool sim_is_sure(const struct sim_course *course, const struct sim_state *state, const char *id)
{
	uint32_t disks = sim_disks_of(state, id);

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (disks & 1U << i && course->is_unsure[i])
			return false;
	return true;
}

/* The disk was a PV of the VG before it became what it is. */
static bool was_of(const struct sim_course *course, const struct sim_state *state, const char *id,
		   unsigned disk)
{
	const struct sim_disk *newest = sim_newest(state, id);

	for (uint32_t k = 0; newest && k < newest->pv_count; k++)
		if (!strcmp(course->was_pvid[disk], newest->pv[k]))
			return true;
	return false;
}

/* Until when may the disk be taken for what it was? Its record tells of a PV that was wiped, and only
 * reading it refutes that. */
static uint64_t believed_until(const struct sim_course *course, const struct sim_disk *disk,
			       unsigned index)
{
	return !disk->is_pv && sim_is_silent(disk) ? SIM_EVER : course->told_ms[index];
}

uint64_t sim_believed_until(const struct sim_course *course, const struct sim_state *state,
			    const char *id)
{
	uint64_t until = 0, one;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		if (!state->disk[i].is_there || !was_of(course, state, id, i))
			continue;
		one = believed_until(course, &state->disk[i], i);
		until = one > until ? one : until;
	}
	return until;
}

bool sim_went_as_copy(const struct sim_course *course, const struct sim_state *state,
		      const char *id, unsigned disk)
{
	return course->before.disk[disk].is_there && !state->disk[disk].is_there &&
	       course->told_ms[disk] > state->now_ms && was_of(course, state, id, disk);
}

bool sim_has_gone_unseen(const struct sim_course *course, const char *pvid,
			 const uint32_t number[2])
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (course->gone_told_ms[i] == SIM_EVER &&
		    (!pvid || !strcmp(course->gone[i].pvid, pvid)) &&
		    (!number ||
		     (course->gone[i].major == number[0] && course->gone[i].minor == number[1])))
			return true;
	return false;
}

/* Is there another disk with the PV of one that has gone? */
static bool has_come_back(const struct sim_state *state, unsigned disk, const char *pvid)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (i != disk && sim_is_pv(&state->disk[i]) && !strcmp(state->disk[i].pvid, pvid))
			return true;
	return false;
}

bool sim_is_taken_for_gone(const struct sim_course *course, const struct sim_history *history,
			   const struct sim_state *state, unsigned disk)
{
	const struct sim_disk *now = &state->disk[disk], *gone;
	const bool is_blind = history->conf & SIM_CONF_NO_DISKSEQ;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		gone = &course->gone[i];
		if ((course->is_lost[disk] || (is_blind && course->is_short)) &&
		    course->gone_told_ms[i] == SIM_EVER && gone->major == now->major &&
		    gone->minor == now->minor &&
		    (is_blind || !strcmp(gone->pvid, now->pvid) ||
		     has_come_back(state, disk, gone->pvid)))
			return true;
	}
	return false;
}

/* Of which disks have our processes heard by now, and have dealt with them? */
static uint32_t known_disks(const struct sim_course *course, uint64_t now_ms)
{
	uint32_t known = 0;

	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (!course->is_lost[i] && !course->is_unsure[i] &&
		    course->busy_until_ms[i] <= now_ms)
			known |= 1U << i;
	return known;
}

static bool is_whole_machine(enum sim_op op)
{
	return op == SIM_REBOOT || op == SIM_SOFT_REBOOT;
}

/* Is the disk one that the step names? */
static bool is_named(const struct sim_step *step, unsigned disk)
{
	static const bool names_a[SIM_OPS] = {
		[SIM_PLUG] = true,   [SIM_UNPLUG] = true,  [SIM_SLOW] = true,	[SIM_HANG] = true,
		[SIM_FAIL] = true,   [SIM_HEAL] = true,	   [SIM_SWAP] = true,	[SIM_WIPE] = true,
		[SIM_SUSPEND] = true, [SIM_DELAY] = true,  [SIM_LOSE] = true,	[SIM_REPEAT] = true,
		[SIM_CHANGE] = true, [SIM_EXTEND] = true,  [SIM_CLONE] = true,	[SIM_NEW_ID] = true,
	};

	if (step->op == SIM_COPY)
		return step->b == disk;
	if (step->op == SIM_SWAP && step->b == disk)
		return true;
	return is_whole_machine(step->op) || (names_a[step->op] && step->a == disk);
}

static bool is_of_vg_of(const struct sim_state *state, unsigned other, unsigned disk)
{
	return other == disk || (*state->disk[disk].vg_id &&
				 !strcmp(state->disk[other].vg_id, state->disk[disk].vg_id));
}

/* Does it give udev or our reader no answer in time? */
static bool keeps_busy(const struct sim_disk *disk)
{
	return disk->is_there && (sim_is_silent(disk) || disk->slow_ms >= SLOW_MS);
}

/* Does the VG of the disk wait until all is read, for a record or to be activated in part, and does
 * any disk keep them busy? */
static bool waits_for_udev(const struct sim_course *course, const struct sim_state *state,
			   unsigned disk)
{
	const char *vg_id = state->disk[disk].vg_id;
	const bool waits = course->goes_in_part && *vg_id && !sim_is_whole(state, vg_id);
	bool lacks_record = false, is_busy = false;

	for (unsigned i = 0; i < SIM_DISKS; i++) {
		lacks_record |= course->no_record_ms[i] && is_of_vg_of(state, i, disk);
		is_busy |= keeps_busy(&state->disk[i]);
	}
	return (lacks_record || waits) && is_busy;
}

/* How long all reads of it take that an event leads to. One that is slower than its deadline is read
 * several times, with longer ones, by the runner and then by workers. */
static uint64_t reads_ms(const struct sim_disk *disk)
{
	return (disk->slow_ms < SLOW_MS ? 8ULL : 40ULL) * disk->slow_ms;
}

/* Until when the consequences of an event of the disk may come, if it begins now. Each disk of its
 * VG is waited for. */
static uint64_t busy_until(const struct sim_course *course, const struct sim_state *state,
			   unsigned disk)
{
	const struct sim_disk *d = &state->disk[disk];
	uint64_t until = state->now_ms + SETTLED_MS + course->delay_ms[disk];

	if (d->is_there && (d->hangs || d->fails || d->is_suspended || course->is_lost[disk]))
		return SIM_EVER;
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (is_of_vg_of(state, i, disk))
			until += reads_ms(&state->disk[i]);
	return waits_for_udev(course, state, disk) ? until + UDEV_GIVES_UP_MS : until;
}

/* Did udev see an add, or will it? A step that makes no sense does nothing. */
static bool is_added(const struct sim_step *step, const struct sim_disk *before,
		     const struct sim_disk *now)
{
	if (!sim_is_add(step->op) || !now->is_there)
		return false;
	return step->op == SIM_REPEAT || is_whole_machine(step->op) || !before->is_there ||
	       before->diskseq != now->diskseq || before->minor != now->minor;
}

/* When will udev have read a disk that gives answers, if it begins now? */
static uint64_t read_at(const struct sim_course *course, const struct sim_state *state,
			unsigned disk)
{
	const uint64_t slow_ms = state->disk[disk].slow_ms;
	const bool resumes =
		course->before.disk[disk].is_there && sim_is_silent(&course->before.disk[disk]);

	return state->now_ms + TOLD_MS + (resumes ? RESUMES_MS : 0) + course->delay_ms[disk] +
	       (slow_ms < VERY_SLOW_MS ? 8 : 16) * slow_ms;
}

/* A read that has begun goes on as slowly as it began, also when the disk has hung meanwhile. */
static void note_read(struct sim_course *course, const struct sim_state *state, unsigned disk,
		      bool is_news)
{
	const uint64_t read_ms = read_at(course, state, disk);

	if (is_news || read_ms > course->read_ms[disk])
		course->read_ms[disk] = read_ms;
}

/* Is it a path of a disk that has another one? udev watches each for what is written to it. */
static bool has_path(const struct sim_state *state, unsigned disk)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (i != disk && state->disk[i].is_there && *state->disk[disk].wwid &&
		    !strcmp(state->disk[i].wwid, state->disk[disk].wwid))
			return true;
	return false;
}

/* A command that ended since the last step may have used a path that has gone. */
static bool had_path(const struct sim_course *course, const struct sim_state *state, unsigned disk)
{
	return has_path(state, disk) || has_path(&course->before, disk);
}

/* A command has made the disk another PV, and udev may not hear of it. */
static bool is_changed_untold(const struct sim_course *course, const struct sim_state *state,
			      unsigned disk)
{
	return strcmp(state->disk[disk].pvid, course->before.disk[disk].pvid) != 0 &&
	       (course->is_lost[disk] || had_path(course, state, disk));
}

static void note_told(struct sim_course *course, const struct sim_step *step,
		      const struct sim_state *state, unsigned disk)
{
	const struct sim_disk *now = &state->disk[disk], *before = &course->before.disk[disk];
	const bool is_other = strcmp(now->pvid, before->pvid) != 0;
	const bool is_news = now->is_there && (course->present_ms[disk] == state->now_ms ||
					       is_other || step->op == SIM_REBOOT);
	const bool was_unread = course->is_unread[disk];
	const bool is_under_way = course->told_ms[disk] > state->now_ms && is_named(step, disk);

	/* A boot remembers which disk had the PV. */
	if (now->diskseq != before->diskseq && step->op != SIM_REBOOT)
		course->was_pvid[disk][0] = '\0';
	else if (is_other)
		memcpy(course->was_pvid[disk], before->pvid, sizeof(before->pvid));
	/* When it is well, only a reconcile asks it again, after a pause. */
	if (now->fails && (course->is_added_now[disk] || is_under_way ||
			   (!before->fails && course->udev_until_ms[disk] > state->now_ms)))
		course->is_unread[disk] = true;
	else if (is_news || course->is_added_now[disk])
		course->is_unread[disk] = false;
	if (!is_news && !is_under_way && course->is_unread[disk] == was_unread)
		return;
	note_read(course, state, disk, is_news);
	/* Until udev has told which PV is on the disk nobody knows. */
	course->told_ms[disk] = sim_is_silent(now) || course->is_lost[disk] ||
						course->is_unread[disk] ||
						(is_other && is_changed_untold(course, state, disk))
					? SIM_EVER
					: course->read_ms[disk];
}

/* What is under way while there is no room comes with the reconcile after that. */
static void note_shortage(struct sim_course *course, const struct sim_state *state, unsigned disk)
{
	const uint64_t until = busy_until(course, state, disk);

	if (course->is_short && course->busy_until_ms[disk] > course->before.now_ms &&
	    until != SIM_EVER)
		course->busy_until_ms[disk] = until + SIM_RECONCILE_MS;
}

/* What is under way for one disk of a VG waits for all of them. */
static bool is_vg_busy(const struct sim_course *course, const struct sim_state *state,
		       unsigned disk)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (course->busy_until_ms[i] > state->now_ms && is_of_vg_of(state, i, disk))
			return true;
	return false;
}

/* A reconcile reads a disk on which udev names nothing, once: the content that it finds in the end
 * was missed, as it is what was added if udev reads the disk. */
static void note_probe(struct sim_course *course, const struct sim_step *step,
		       const struct sim_state *state, unsigned disk)
{
	const struct sim_disk *now = &state->disk[disk];
	const uint64_t until = busy_until(course, state, disk);

	if ((step->op == SIM_OVERFLOW || step->op == SIM_SWEEP) && now->is_there && !now->is_pv &&
	    now->slow_ms && until > course->busy_until_ms[disk])
		course->busy_until_ms[disk] = until;
}

/* What is under way for a VG goes on when the disk for which it began leaves the VG: a worker may
 * have read it before. */
static void note_left(struct sim_course *course, const struct sim_state *state, unsigned disk)
{
	const char *vg_id = course->before.disk[disk].vg_id;
	/* What the disk itself waits for without end, the VG does not. */
	const uint64_t until = course->busy_until_ms[disk] == SIM_EVER
				       ? state->now_ms + SETTLED_MS
				       : course->busy_until_ms[disk];

	if (!*vg_id || !strcmp(state->disk[disk].vg_id, vg_id))
		return;
	for (unsigned i = 0; i < SIM_DISKS; i++)
		if (!strcmp(state->disk[i].vg_id, vg_id) && course->busy_until_ms[i] < until)
			course->busy_until_ms[i] = until;
}

static bool is_unreadable(const struct sim_disk *disk)
{
	return disk->fails || disk->is_suspended || disk->is_rejected || disk->is_foreign ||
	       disk->is_exported;
}

static bool begins_shortage(enum sim_op op)
{
	return op == SIM_FULL || op == SIM_SHORT || op == SIM_SHORT_ONCE;
}

bool sim_has_shortage(const struct sim_history *history)
{
	for (uint32_t i = 0; i < history->count; i++)
		if (begins_shortage(history->step[i].op))
			return true;
	return false;
}

/* Of a disk that udev could not read nobody is told that a PV goes: a path of it that is left is found
 * by a reconcile. */
static bool goes_unheard(struct sim_course *course, const struct sim_state *state, unsigned disk)
{
	const struct sim_disk *before = &course->before.disk[disk];
	const bool is_unheard = before->fails || course->is_unread[disk];

	for (unsigned i = 0; is_unheard && i < SIM_DISKS; i++)
		if (i != disk && state->disk[i].is_there && *before->wwid &&
		    !strcmp(state->disk[i].wwid, before->wwid))
			course->is_unnamed[i] = true;
	return is_unheard;
}

/* A shortage, even one that begins a moment later, may hide that a disk goes. */
static void note_gone(struct sim_course *course, const struct sim_step *step,
		      const struct sim_state *state, unsigned disk)
{
	const struct sim_disk *now = &state->disk[disk], *before = &course->before.disk[disk];
	uint64_t *told_ms = &course->gone_told_ms[disk];

	if (before->is_there && (!now->is_there || now->diskseq != before->diskseq)) {
		course->gone[disk] = *before;
		*told_ms = goes_unheard(course, state, disk) || course->is_lost[disk] ||
					   course->is_short
				   ? SIM_EVER
				   : state->now_ms + SIM_ANSWERED_MS + course->delay_ms[disk];
		course->number_told_ms[SIM_NUMBER(before)] = *told_ms;
	}
	if (begins_shortage(step->op) && *told_ms > state->now_ms)
		*told_ms = SIM_EVER;
	if (step->op == SIM_REBOOT) {
		*told_ms = 0;
		memset(course->number_told_ms, 0, sizeof(course->number_told_ms));
	}
}

static bool is_heir(const struct sim_course *course, const struct sim_disk *now, uint64_t now_ms)
{
	for (unsigned i = 0; course->is_blind && i < SIM_DISKS; i++)
		if (course->gone[i].major == now->major && course->gone[i].minor == now->minor &&
		    !strcmp(course->gone[i].pvid, now->pvid) && course->gone_told_ms[i] > now_ms)
			return true;
	return false;
}

/* Are udev and our program still reading it for its add? They may find the PV of a VG to which it comes
 * just now, as lvm2's own pvscan may. */
static bool is_read_for_add(const struct sim_course *course, const struct sim_disk *disk, unsigned i,
			    uint64_t now_ms)
{
	return course->added_ms[i] &&
	       (course->udev_until_ms[i] > now_ms ||
		course->added_ms[i] + course->delay_ms[i] + reads_ms(disk) > now_ms);
}

/* Also of a disk that the step does not name. */
static void note_state(struct sim_course *course, const struct sim_step *step,
		       const struct sim_state *state, unsigned disk)
{
	const struct sim_disk *now = &state->disk[disk], *before = &course->before.disk[disk];

	course->is_added_now[disk] = is_named(step, disk) && is_added(step, before, now);
	if (now->is_there != before->is_there || now->diskseq != before->diskseq ||
	    now->minor != before->minor) {
		course->moved_ms = course->present_ms[disk] = state->now_ms;
		course->is_heir[disk] = is_heir(course, now, state->now_ms);
		course->known_then[disk] = known_disks(course, state->now_ms);
	}
	if (is_whole_machine(step->op))
		course->present_ms[disk] = state->now_ms;
	note_gone(course, step, state, disk);
	if (!now->is_there) {
		course->added_ms[disk] = 0;
		course->is_unsure[disk] = course->is_unnamed[disk] = false;
		course->no_record_ms[disk] = 0;
		/* What is lost while it is away is its next event, the add. */
		if (before->is_there)
			course->is_lost[disk] = false;
	}
	if (*now->vg_id && strcmp(now->vg_id, before->vg_id) != 0 &&
	    is_read_for_add(course, before, disk, state->now_ms))
		course->added_ms[disk] = state->now_ms;
	course->is_unsure[disk] |= is_unreadable(now) || is_changed_untold(course, state, disk);
	course->is_unnamed[disk] |= now->of >= 0 && had_path(course, state, disk) &&
				    strcmp(now->pvid, before->pvid) != 0;
	if (*before->vg_id && strcmp(now->vg_id, before->vg_id) != 0 &&
	    !strcmp(now->pvid, before->pvid))
		course->no_record_ms[disk] = state->now_ms;
	course->was_alone[disk] |= sim_is_pv(now) && !has_other(state, disk);
	course->had_no_copy[disk] |= sim_is_pv(now) && !sim_is_copy_beside(course, state, disk);
	if (now->slow_ms || sim_is_silent(now)) {
		course->was_sick |= now->is_there;
		course->was_sick_disk[disk] = true;
	}
}

/* What was under way begins anew. */
static bool ends_process(enum sim_op op)
{
	return op == SIM_KILL || op == SIM_KILL_WORKER || op == SIM_KILL_READER ||
	       op == SIM_RESTART;
}

/* Something begins, or what is under way takes longer: a reconcile that is to find the disk does
 * not come sooner. */
static void note_busy(struct sim_course *course, const struct sim_step *step,
		      const struct sim_state *state, unsigned disk)
{
	uint64_t *busy_ms = &course->busy_until_ms[disk];
	const uint64_t until_ms = busy_until(course, state, disk);
	const bool begins = course->is_added_now[disk] || step->op == SIM_UNPLUG ||
			    step->op == SIM_LOSE || (step->op == SIM_HEAL && *busy_ms == SIM_EVER);
	const bool goes_on = is_vg_busy(course, state, disk) || step->op == SIM_HEAL;

	if (begins || (goes_on && until_ms > *busy_ms))
		*busy_ms = until_ms;
}

/* A disk begins to keep udev busy, perhaps one of another VG. */
static void note_busy_udev(struct sim_course *course, const struct sim_step *step,
			   const struct sim_state *state, unsigned disk)
{
	const unsigned named = step->a % SIM_DISKS;
	const uint64_t until_ms = busy_until(course, state, disk);

	if (is_named(step, named) && keeps_busy(&state->disk[named]) && waits_for_udev(course, state, disk) &&
	    course->busy_until_ms[disk] > state->now_ms && until_ms > course->busy_until_ms[disk])
		course->busy_until_ms[disk] = until_ms;
}

/* There is no room for the event of what a command made of it, perhaps as udev still reads that when
 * the shortage begins. lvm2's own pvscan would not be told either. */
static bool becomes_pv_unheard(const struct sim_course *course, const struct sim_step *step,
			       const struct sim_state *state, unsigned disk)
{
	const bool is_under_way = course->told_ms[disk] > state->now_ms &&
				  course->told_ms[disk] != SIM_EVER &&
				  course->udev_until_ms[disk] <= state->now_ms;

	return state->disk[disk].is_there &&
	       ((course->is_short &&
		 strcmp(state->disk[disk].pvid, course->before.disk[disk].pvid) != 0) ||
		(begins_shortage(step->op) && is_under_way));
}

static void note_unheard(struct sim_course *course, const struct sim_step *step,
			 const struct sim_state *state, unsigned disk)
{
	if (!becomes_pv_unheard(course, step, state, disk))
		return;
	course->is_lost[disk] = true;
	course->told_ms[disk] = SIM_EVER;
}

static void note_disk(struct sim_course *course, const struct sim_step *step,
		      const struct sim_state *state, unsigned disk)
{
	const struct sim_disk *now = &state->disk[disk], *before = &course->before.disk[disk];
	bool was_not_read;

	note_state(course, step, state, disk);
	note_unheard(course, step, state, disk);
	note_shortage(course, state, disk);
	note_probe(course, step, state, disk);
	note_busy_udev(course, step, state, disk);
	if (ends_process(step->op) && course->busy_until_ms[disk] > state->now_ms)
		note_busy(course, step, state, disk);
	if (!is_named(step, disk))
		return;
	/* udev could not read it for its add, and is not asked again before a reconcile. */
	was_not_read = course->busy_until_ms[disk] == SIM_EVER &&
		       ((before->fails && !now->fails) ||
			(before->hangs && !now->hangs && course->is_unsure[disk]));
	if (step->op == SIM_WIPE)
		course->wiped_ms[disk] = state->now_ms;
	if (step->op == SIM_DELAY)
		course->delay_ms[disk] = step->n;
	course->is_lost[disk] |= step->op == SIM_LOSE;
	if (course->is_added_now[disk]) {
		course->added_ms[disk] = state->now_ms ? state->now_ms : 1;
		course->is_unnamed[disk] = false;
		course->no_record_ms[disk] = 0;
		/* udev may have lost this very event. */
		course->is_unsure[disk] =
			is_unreadable(now) || (course->is_unsure[disk] && course->is_lost[disk]);
		course->udev_until_ms[disk] =
			state->now_ms + course->delay_ms[disk] + now->slow_ms + SIM_ANSWERED_MS;
	}
	/* It has begun to read the disk, or is about to. */
	if (step->op == SIM_SLOW && course->udev_until_ms[disk] > state->now_ms)
		course->udev_until_ms[disk] += now->slow_ms;
	/* udev may give up, too, and then knows nothing of a PV. It reads a slow disk as well, as
	 * slowly as it began, for an add and for what is written to it. */
	if (now->is_there && now->hangs &&
	    (course->udev_until_ms[disk] > state->now_ms ||
	     (course->no_record_ms[disk] &&
	      course->no_record_ms[disk] + before->slow_ms + SIM_ANSWERED_MS > state->now_ms) ||
	     course->added_ms[disk] + course->delay_ms[disk] + before->slow_ms + SIM_ANSWERED_MS >
		     state->now_ms ||
	     course->told_ms[disk] > state->now_ms))
		course->is_unsure[disk] = true;
	note_busy(course, step, state, disk);
	if (was_not_read && course->busy_until_ms[disk] != SIM_EVER)
		course->busy_until_ms[disk] += SIM_RECONCILE_MS;
}

void sim_course_rest(struct sim_course *course, const struct sim_state *state)
{
	for (unsigned i = 0; i < SIM_DISKS; i++)
		course->is_unsure[i] |= is_changed_untold(course, state, i);
}

void sim_course_note(struct sim_course *course, const struct sim_step *step,
		     const struct sim_state *state)
{
	bool is_lock = step->op == SIM_LOCK_VG || step->op == SIM_LOCK_LIST;
	uint64_t until = state->now_ms + SETTLED_MS + (is_lock ? 4ULL * step->n : 0);
	bool is_disturbed;

	memcpy(course->was_busy_until_ms, course->busy_until_ms, sizeof(course->busy_until_ms));
	for (unsigned i = 0; i < SIM_DISKS; i++)
		note_disk(course, step, state, i);
	for (unsigned i = 0; i < SIM_DISKS; i++)
		note_left(course, state, i);
	for (unsigned i = 0; i < SIM_DISKS; i++)
		note_told(course, step, state, i);
	course->kills += step->op == SIM_KILL;
	course->reader_kills += step->op == SIM_KILL_READER;
	if (step->op == SIM_KILL_READER)
		course->reader_killed_ms = state->now_ms;
	course->was_restarted |= step->op == SIM_RESTART || step->op == SIM_ACCEPT ||
				 step->op == SIM_REJECT;
	course->deaths += step->op == SIM_KILL || step->op == SIM_SOFT_REBOOT;
	if (step->op == SIM_REBOOT)
		course->deaths = 0;
	if (begins_shortage(step->op)) {
		course->short_ms = course->is_short ? course->short_ms : state->now_ms;
		course->is_short = true;
	}
	if (step->op == SIM_ROOM)
		course->is_short = false;
	if (is_whole_machine(step->op)) {
		course->booted_ms = state->now_ms;
		course->kills = course->reader_kills = 0;
		course->was_rebooted = true;
	}
	is_disturbed = is_lock || step->op == SIM_ROOM || step->op == SIM_KILL_WORKER ||
		       step->op == SIM_KILL_READER || step->op == SIM_RESTART;
	if (is_disturbed && until > course->disturbed_until_ms)
		course->disturbed_until_ms = until;
	if ((is_disturbed || is_whole_machine(step->op)) && until > course->all_busy_until_ms)
		course->all_busy_until_ms = until;
	/* The next one takes up what that one left, perhaps seconds later. */
	if (state->killed_ms && state->killed_ms + SETTLED_MS > course->all_busy_until_ms)
		course->all_busy_until_ms = state->killed_ms + SETTLED_MS;
}
