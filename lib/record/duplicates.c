/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Keeps notes of duplicate PVs (event/duplicates), refuses a VG with a copy, and queues devices
 * again when the duplicate has gone. A note is about an instance of a device that carries the PV of
 * another one, which has the record:
 *
 *	none --> NOTED      a copy appears (meet), or it loses the record (replace)
 *	none --> WAITING    it is added, and the recorded device gives no answer: if that turns out
 *	                    to be another PV, the add is not lost
 *	NOTED <-> WAITING   it is added again; the recorded device gives its answer
 *	none --> SAID       another path of the same disk appears: that is logged at once
 *	none --> IGNORED    it appears while the recorded device is in use
 *	either --> SAID     the check under the VG's lock met a copy: its claim fails
 *	any  --> IGNORED    the VG became active without it, or is (ignore)
 *	any  --> NOTED      a new epoch has begun: it is logged once in each
 *	any  --> none       it was removed, wiped, or excluded by a filter, or has the record now
 *
 * When a device goes, or is that PV no more (gone, reconcile), the devices of the PV are queued,
 * the failed claims of the VGs in the notes go, and last the device's note, which leads to all of
 * this. An ignored one is queued only if the recorded device went, for a record, and brings nothing
 * up: the VG was active without it, unless it is a path, and an activation is under way. Nothing
 * waited for a path to go: then only its note goes. What a crash leaves:
 *
 *	before a note is written: the event's entry in taken/; the check asks udev's links, too
 *	after some are queued: the note, by which the event's entry, or the next reconcile, begins
 *		again; an entry that is queued twice is one
 *	after a claim has gone: the same; no claim is as good as one that may be tried again
 *	after the note has gone: all is queued
 */
#include "record/duplicates.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/log_ids.h"
#include "record/duplicate_claim.h"
#include "record/duplicate_claimants.h"
#include "record/duplicate_note.h"
#include "record/duplicate_original.h"
#include "record/duplicate_tie.h"
#include "record/recorded_marker.h"
#include "state/mark.h"
#include "state/online.h"
#include "world/device_find.h"
#include "world/udevlinks.h"

/* Events know the instance, a name on a command line does not. */
static int duplicate_of(struct lea_world *world, const struct lea_device *device, const char *pvid,
			struct lea_duplicate *ret_duplicate)
{
	struct lea_duplicate duplicate = {.id = lea_device_id(device)};
	int r = duplicate.id.diskseq ? 0
				     : lea_sysfs_diskseq(world, lea_device_devno(device),
							 &duplicate.id.diskseq);

	if (r)
		return r;
	snprintf(duplicate.pvid, sizeof(duplicate.pvid), "%s", pvid);
	*ret_duplicate = duplicate;
	return 0;
}

/* ---- notes */

/* Without the event folder no runner would read the notes; this module does not create it. */
static bool has_events(struct lea_world *world)
{
	int run_fd = lea_world_run(world);

	/* If that is not known, making the note tells. */
	return run_fd >= 0 && lea_file_ask(run_fd, "event") != 0;
}

static int put(struct lea_world *world, const struct lea_duplicate *duplicate)
{
	int r = lea_duplicate_put(world, duplicate);

	return r == -ENOENT ? 0 : r;
}

/* Of an ignored one nothing may come but the record. */
static enum lea_entry_kind kind_of(const struct lea_duplicate *duplicate)
{
	return duplicate->state == LEA_DUPLICATE_IGNORED ? LEA_ENTRY_CHANGE : LEA_ENTRY_MISSED;
}

/* Does the devices file exclude @other, beside @pv? 1: yes, 0: no, or a shortage: not known. */
static int ask_excluded(struct lea_world *world, const struct lea_conf *conf, const char *pvid,
			const struct lea_device *pv, const struct lea_device *other)
{
	const int meant = lea_original_listed(world, conf, pvid, pv, other);

	return meant < 0 ? meant : meant == LEA_ORIGINAL_FIRST;
}

/* What it shows, for when it gives no answer: less than before, too, as after vgcfgrestore. Is that not
 * what was noted? @seqno: 0: not known now. */
static bool note_shown(struct lea_duplicate *duplicate, const char *vg_id, uint32_t seqno)
{
	const bool is_same = !strcmp(duplicate->vg_id, vg_id);

	if (!vg_id[0] || (is_same && (!seqno || seqno == duplicate->seqno)))
		return false;
	memcpy(duplicate->vg_id, vg_id, sizeof(duplicate->vg_id));
	duplicate->seqno = seqno;
	return true;
}

static bool is_reported(const struct lea_duplicate *duplicate)
{
	return duplicate->state != LEA_DUPLICATE_NOTED && duplicate->state != LEA_DUPLICATE_WAITING;
}

/* Of a copy that is not reported yet. */
static enum lea_duplicate_state state_of(const struct lea_found *found, bool is_sure)
{
	return !is_sure && found->again == LEA_ENTRY_ADD ? LEA_DUPLICATE_WAITING
							 : LEA_DUPLICATE_NOTED;
}

/* What was noted of @found before, when the VG was refused for it, is so still. */
static int meet_again(struct lea_world *world, struct lea_duplicate *noted, bool is_sure,
		      enum lea_duplicate_tie tie, const struct lea_found *found)
{
	const struct lea_vg *vg = found->vg;
	const enum lea_duplicate_state before = noted->state;
	const int r = is_sure && tie == LEA_DUPLICATE_COPY && noted->state == LEA_DUPLICATE_SAID
			      ? lea_duplicate_settle_refusal(world, noted->vg_id)
			      : 0;

	/* Only an answer ends its waiting. */
	if (!is_reported(noted) && (is_sure || before == LEA_DUPLICATE_NOTED))
		noted->state = state_of(found, is_sure);
	if (r || !((vg && note_shown(noted, vg->id, vg->seqno)) || noted->state != before))
		return r;
	return put(world, noted);
}

int lea_duplicates_meet(struct lea_world *world, const struct lea_conf *conf,
			const struct lea_device *recorded, bool is_sure,
			const struct lea_found *found, struct lea_record *record)
{
	struct lea_duplicate duplicate, listed[LEA_DUPLICATES_MOST];
	int count, is_used, r = duplicate_of(world, &found->device, found->label.pvid, &duplicate);

	r = r ? r : lea_duplicate_tie(world, recorded, &found->device);
	if (r < 0)
		return r;
	record->tie = (enum lea_duplicate_tie)r;
	if (record->tie == LEA_DUPLICATE_STACKED || !has_events(world))
		return 0;
	r = ask_excluded(world, conf, duplicate.pvid, recorded, &found->device);
	record->is_left_out = r > 0 && is_sure;
	if (r)
		return r < 0 ? r : 0;
	count = lea_duplicate_list(world, duplicate.pvid, listed);
	for (int i = 0; i < count; i++)
		if (lea_devid_is_same(&listed[i].id, &duplicate.id) &&
		    (record->tie == LEA_DUPLICATE_COPY || is_reported(&listed[i])))
			return meet_again(world, &listed[i], is_sure, record->tie, found);
	r = lea_duplicate_is_dealt_with(world, found->vg, duplicate.pvid, recorded);
	if (r < 0)
		return r;
	is_used = lea_duplicate_is_in_use(world, lea_device_devno(recorded), found->vg);
	if (is_used < 0)
		return is_used;
	record->is_news = true;
	record->is_ignored = r || is_used;
	duplicate.is_path = record->tie == LEA_DUPLICATE_PATH;
	duplicate.state = duplicate.is_path ? LEA_DUPLICATE_SAID : state_of(found, is_sure);
	/* Of a VG that was dealt with and is down, the add of what may be no copy waits all the same. */
	if (record->is_ignored && (is_used || duplicate.state != LEA_DUPLICATE_WAITING))
		duplicate.state = LEA_DUPLICATE_IGNORED;
	if (found->vg)
		note_shown(&duplicate, found->vg->id, found->vg->seqno);
	return count < 0 ? count : put(world, &duplicate);
}

int lea_duplicates_is_copy(struct lea_world *world, const struct lea_conf *conf,
			   const struct lea_device *recorded,
			   const struct lea_duplicate_answer *answer, const struct lea_found *found)
{
	int tie, r;

	if (!has_events(world))
		return 0;
	tie = lea_duplicate_tie(world, recorded, &found->device);
	if (tie != LEA_DUPLICATE_COPY && tie != LEA_DUPLICATE_PATH)
		return tie < 0 ? tie : 0;
	r = lea_duplicate_is_in_use(world, lea_device_devno(recorded), found->vg);
	r = r ? r : lea_duplicate_is_used(world, found->vg, found->label.pvid, recorded);
	if (r)
		return r < 0 ? r : 0;
	r = tie == LEA_DUPLICATE_PATH ? lea_original_listed(world, conf, found->label.pvid, recorded,
							    &found->device)
				      : lea_original_decide(world, conf, found, found->vg, recorded,
							    &found->device, answer);
	return r < 0 ? r : r == LEA_ORIGINAL_SECOND;
}

int lea_duplicates_replace(struct lea_world *world, const struct lea_conf *conf,
			   const struct lea_device *recorded, const struct lea_found *found,
			   bool *ret_is_left_out)
{
	struct lea_duplicate duplicate;
	int r = duplicate_of(world, recorded, found->label.pvid, &duplicate);

	if (r)
		return r;
	r = ask_excluded(world, conf, duplicate.pvid, &found->device, recorded);
	*ret_is_left_out = r > 0;
	if (r)
		return r < 0 ? r : 0;
	if (found->vg)
		memcpy(duplicate.vg_id, found->vg->id, sizeof(duplicate.vg_id));
	return put(world, &duplicate);
}

int lea_duplicates_recorded(struct lea_world *world, const struct lea_found *found)
{
	struct lea_duplicate own, listed[LEA_DUPLICATES_MOST];
	const int count = lea_duplicate_list(world, found->label.pvid, listed);
	int r = count > 0 ? duplicate_of(world, &found->device, found->label.pvid, &own) : count;

	if (r || count <= 0)
		return r;
	r = lea_duplicate_drop(world, &own);
	for (int i = 0; !r && i < count; i++)
		if (listed[i].state == LEA_DUPLICATE_WAITING &&
		    !lea_devid_is_same(&listed[i].id, &own.id)) {
			listed[i].state = LEA_DUPLICATE_NOTED;
			r = put(world, &listed[i]);
		}
	return r;
}

static const struct lea_duplicate *find_listed(const struct lea_duplicate *listed, int count,
					       const struct lea_devid *id)
{
	for (int i = 0; i < count; i++)
		if (lea_devid_is_same(&listed[i].id, id))
			return &listed[i];
	return NULL;
}

int lea_duplicates_is_noted(struct lea_world *world, const char *pvid, const struct lea_devid *id,
			    bool *ret_is_reported)
{
	struct lea_duplicate listed[LEA_DUPLICATES_MOST];
	const int count = lea_duplicate_list(world, pvid, listed);
	const struct lea_duplicate *own = find_listed(listed, count, id);

	if (ret_is_reported)
		*ret_is_reported = own && is_reported(own);
	return count < 0 ? count : own != NULL;
}

/* ---- the check under the VG's lock */

struct check {
	const struct lea_duplicates_options *options;
	const struct lea_vg *vg;
	char *reason; /* [LEA_DUPLICATES_REASON_BYTES]: names the first copy */
	uint32_t copies;
	bool is_news;
	bool has_answer; /* one of them has given one */
	bool has_asked, is_up;
};

enum standing {
	STANDING_COPY,
	STANDING_TIED, /* another path, or stacked: the note stays, should the other device go */
	STANDING_IDLE, /* not asked: the VG is up, and the copy, if it is one, changes nothing */
	STANDING_NONE, /* it does not carry the PV */
};

static bool is_up(struct check *check)
{
	if (!check->has_asked)
		check->is_up = check->options->is_up && check->options->is_up(check->options->arg);
	check->has_asked = true;
	return check->is_up;
}

/* How is @duplicate, which may carry the PV, related to @own, the PV's device in the scan? Returns
 * an enum standing, with STANDING_COPY and *ret_answer, or a fault. *other: the caller's in any
 * case. */
static int ask(struct check *check, const struct lea_device *own,
	       const struct lea_duplicate *duplicate, struct lea_device *other,
	       struct lea_duplicate_answer *ret_answer)
{
	const struct lea_duplicates_options *options = check->options;
	const struct lea_scan_options scan_options = {
		.use_names_filter = !options->devices,
		.devices = options->devices,
		.device_count = options->device_count,
		.out_of_process = true,
		.lock = LEA_FILTER_LOCK_TRY,
	};
	int r = lea_device_find(options->world, &duplicate->id, other);

	if (r)
		return r < 0 ? r : STANDING_NONE;
	/* Before reading it: another path of the disk may hang. */
	r = lea_duplicate_tie(options->world, own, other);
	if (r != LEA_DUPLICATE_COPY)
		return r < 0 ? r : STANDING_TIED;
	r = options->devices ? 0
			     : ask_excluded(options->world, options->conf, duplicate->pvid, own,
					    other);
	if (r)
		return r < 0 ? r : STANDING_NONE;
	/* Nor is it read, which may take long: VGs that wait for this worker would wait, too. */
	if (is_up(check))
		return STANDING_IDLE;
	if (options->has_read)
		*options->has_read = true;
	r = lea_duplicate_carries(options->world, options->conf, &scan_options, other,
				  duplicate->pvid, kind_of(duplicate), ret_answer);
	if (!r && ret_answer->presence == LEA_SILENT) {
		memcpy(ret_answer->vg_id, duplicate->vg_id, sizeof(ret_answer->vg_id));
		ret_answer->seqno = duplicate->seqno;
	}
	return r ? r : ret_answer->presence == LEA_ABSENT ? STANDING_NONE : STANDING_COPY;
}

/* Orders the two by number, so that the text does not depend on which one has the record. */
static void name_copy(struct check *check, const struct lea_device *own,
		      const struct lea_device *other, const char *pvid)
{
	const bool is_first =
		own->major != other->major ? own->major < other->major : own->minor < other->minor;
	char uuid[39];

	lea_id_format(pvid, uuid);
	snprintf(check->reason, LEA_DUPLICATES_REASON_BYTES,
		 "PV %s is on %.40s and on %.40s: remove or exclude one of them", uuid,
		 is_first ? own->name : other->name, is_first ? other->name : own->name);
}

static int note_copy(struct check *check, struct lea_duplicate *duplicate,
		     const struct lea_duplicate_answer *answer)
{
	/* What was ignored once brings nothing up, also when the PV itself was added again. */
	const enum lea_duplicate_state state = duplicate->state == LEA_DUPLICATE_IGNORED
						       ? LEA_DUPLICATE_IGNORED
						       : LEA_DUPLICATE_SAID;
	const char *vg_id = check->vg->id;
	const uint32_t seqno = strcmp(answer->vg_id, vg_id) ? 0 : answer->seqno;
	const bool is_new = note_shown(duplicate, vg_id, seqno) || duplicate->state != state ||
			    duplicate->is_path;

	check->is_news |= duplicate->state != LEA_DUPLICATE_SAID;
	if (check->options->test || !is_new)
		return 0;
	duplicate->state = state;
	duplicate->is_path = false;
	return put(check->options->world, duplicate);
}

/* @is_noted: a note of @duplicate exists. */
static int check_one(struct check *check, const struct lea_found *found,
		     struct lea_duplicate *duplicate, bool is_noted)
{
	LEA_AUTO(lea_device_done) struct lea_device other = {0};
	const struct lea_duplicates_options *options = check->options;
	const struct lea_device *own = &found->device;
	struct lea_duplicate_answer answer;
	int r;

	if (own->major == duplicate->id.major && own->minor == duplicate->id.minor)
		return 0;
	r = ask(check, own, duplicate, &other, &answer);
	if (r == STANDING_NONE && is_noted && !options->test)
		return lea_duplicate_drop(options->world, duplicate);
	if (r)
		return r < 0 ? r : 0;
	r = lea_original_decide(options->world, options->devices ? NULL : options->conf, found,
				check->vg, own, &other, &answer);
	if (r < 0 || r == LEA_ORIGINAL_FIRST)
		return r < 0 ? r : 0;
	check->has_answer |= answer.presence == LEA_PRESENT;
	if (!check->copies++)
		name_copy(check, own, &other, duplicate->pvid);
	/* udev's link names only a number, which another disk may get. */
	duplicate->id.diskseq = other.diskseq;
	return note_copy(check, duplicate, &answer);
}

static int check_pv(struct check *check, const struct lea_found *found)
{
	struct lea_claimants claimants;
	int r = lea_claimants_find(check->options->world, found->label.pvid, &claimants);

	for (int i = 0; !r && i < claimants.count; i++)
		r = check_one(check, found, &claimants.one[i], i < claimants.noted);
	return r;
}

int lea_duplicates_check(const struct lea_duplicates_options *options,
			 const struct lea_scan_vg *scanned,
			 char ret_reason[static LEA_DUPLICATES_REASON_BYTES])
{
	struct check check = {.options = options, .vg = scanned->vg, .reason = ret_reason};
	const struct lea_log_fields fields = {.message_id = LEA_MESSAGE_DUPLICATE,
					      .vg = scanned->vg->name,
					      .vg_id = scanned->vg->id,
					      .reason = ret_reason};
	int r = 0;

	if (options->conf->allow_changes_with_duplicate_pvs)
		return 0;
	for (uint32_t i = 0; !r && i < scanned->vg->pv_count; i++)
		if (scanned->pv[i])
			r = check_pv(&check, scanned->pv[i]);
	if (r || !check.copies)
		return r;
	lea_log_with(options->world->log,
		     check.is_news || !options->quiet ? LEA_LOG_ERROR : LEA_LOG_VERBOSE, &fields,
		     "VG %s: not activated: %s", scanned->vg->name, ret_reason);
	return check.has_answer ? LEA_DUPLICATES_COPY : LEA_DUPLICATES_SILENT;
}

int lea_duplicates_shortage(int checked)
{
	return checked == LEA_DUPLICATES_SILENT ? LEA_NOT_NOW
	       : lea_is_shortage(checked)	? checked
						: 0;
}

/* ---- the VG is active */

/* Marks @duplicate as ignored. Logs only copies, and once a VG (*said). */
static void ignore(struct lea_world *world, const struct lea_scan_vg *scanned,
		   const struct lea_device *own, struct lea_duplicate *duplicate, bool *said)
{
	LEA_AUTO(lea_device_done) struct lea_device other = {0};
	char uuid[39];

	if (duplicate->state == LEA_DUPLICATE_IGNORED ||
	    lea_device_find(world, &duplicate->id, &other))
		return;
	duplicate->state = LEA_DUPLICATE_IGNORED;
	note_shown(duplicate, scanned->vg->id, 0);
	if (put(world, duplicate) || *said ||
	    lea_duplicate_tie(world, own, &other) != LEA_DUPLICATE_COPY)
		return;
	lea_id_format(duplicate->pvid, uuid);
	lea_log_with(world->log, LEA_LOG_WARNING,
		     &(const struct lea_log_fields){.vg = scanned->vg->name,
						    .vg_id = scanned->vg->id,
						    .pvid = duplicate->pvid},
		     "VG %s: is active on %s; PV %s is also on %s, which is ignored",
		     scanned->vg->name, own->name, uuid, other.name);
	*said = true;
}

void lea_duplicates_ignore(struct lea_world *world, const struct lea_scan_vg *scanned)
{
	struct lea_duplicate listed[LEA_DUPLICATES_MOST];
	bool said = false;

	if (!lea_duplicate_is_any(world))
		return;
	for (uint32_t i = 0; i < scanned->vg->pv_count; i++) {
		const struct lea_found *found = scanned->pv[i];
		int count = found ? lea_duplicate_list(world, found->label.pvid, listed) : 0;

		for (int k = 0; k < count; k++)
			ignore(world, scanned, &found->device, &listed[k], &said);
	}
}

/* ---- a duplicate has gone */

/* What is to be done about the devices of one PV when one of them does not carry it any more. */
struct again {
	struct lea_world *world;
	int event_fd;
	const struct lea_online *online; /* the record; NULL: there is none, or @is_free */
	/* Its device has gone, and what has its number now has an event of its own. */
	bool is_free;
	/* An administrator made another PV of it, as vgimportclone does: that activates nothing.
	 * But where it never was read as the PV, only udev said so, perhaps too late: the change
	 * may have come before what was refused for it. */
	bool is_change;
	bool has_answered;    /* it was read, and said that it is not the PV */
	const bool *is_other; /* [i]: likewise, its own event is about that; NULL: none */
	bool needs_claim;     /* it had a marker, or all was queued before: only a claim is a refusal */
	size_t *queued;	      /* counts devices; NULL: nobody asks */
};

static int queue_device(const struct again *again, enum lea_entry_kind kind,
			const struct lea_devid *id, const char *pvid)
{
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	int r = lea_device_find(again->world, id, &device);

	if (r)
		return r < 0 ? r : 0;
	r = lea_queue_put_device(again->event_fd, kind, &device, pvid);
	if (r >= 0 && again->queued)
		++*again->queued;
	return r;
}

/* Did the copy keep any VG from coming up? What a person has taken down stays down. > 0: yes, 0: no, or -errno. */
static int was_refused(const struct again *again, const struct lea_duplicate *listed, int count)
{
	int r = 0;

	for (int i = 0; !r && i < count; i++)
		r = lea_duplicate_has_claim(again->world, listed[i].vg_id, LEA_CLAIM_FAILED);
	return r ? r : !again->needs_claim;
}

/* An event of the disk asked for what is under way, and a path that is left is that disk. An add that
 * has waited for the answer came before a person could know it. */
static int queue_one(const struct again *again, const struct lea_duplicate *duplicate,
		     bool was_refused)
{
	enum lea_entry_kind kind = was_refused ? kind_of(duplicate) : LEA_ENTRY_CHANGE;
	int r = 0;

	if (duplicate->state == LEA_DUPLICATE_WAITING && again->has_answered)
		kind = LEA_ENTRY_MISSED;
	else if (again->is_change)
		kind = LEA_ENTRY_CHANGE;
	else if (duplicate->is_path)
		r = lea_duplicate_has_claim(again->world, duplicate->vg_id, LEA_CLAIM_CLAIMED);
	kind = r > 0 ? LEA_ENTRY_MISSED : kind;
	return r < 0 ? r : queue_device(again, kind, &duplicate->id, duplicate->pvid);
}

/* Queues the device that has the record, and those of @listed that may replace it. The refusal is
 * dropped last, so that a process that is killed before that leaves it for the next one. */
static int queue_again(const struct again *again, const struct lea_duplicate *listed, int count)
{
	const struct lea_online *online = again->online;
	const int is_refused = was_refused(again, listed, count);
	const enum lea_entry_kind kind =
		is_refused && !again->is_change ? LEA_ENTRY_MISSED : LEA_ENTRY_CHANGE;
	int r = is_refused < 0 ? is_refused : 0;

	if (!r && online)
		r = queue_device(again, kind, &(struct lea_devid){online->major, online->minor, 0},
				 listed[0].pvid);
	for (int i = 0; r >= 0 && i < count; i++) {
		if ((again->is_other && again->is_other[i]) ||
		    (listed[i].state == LEA_DUPLICATE_IGNORED && !again->is_free))
			continue;
		r = queue_one(again, &listed[i], is_refused);
	}
	for (int i = 0; r >= 0 && i < count; i++)
		r = lea_duplicate_forget_refusal(again->world, listed[i].vg_id);
	return r < 0 ? r : 0;
}

/* 0, LEA_ONLINE_ABSENT or -errno. */
static int read_record(struct lea_world *world, const char *pvid, struct lea_online *ret_online)
{
	int run_fd = lea_world_run(world);

	return run_fd < 0 ? run_fd : lea_online_read(run_fd, pvid, ret_online);
}

int lea_duplicates_gone(struct lea_world *world, int event_fd, const struct lea_device *device,
			const char *pvid, enum lea_duplicate_end end)
{
	const struct lea_devid id = lea_device_id(device);
	struct lea_duplicate listed[LEA_DUPLICATES_MOST];
	int r = 0, count = pvid[0] ? lea_duplicate_list(world, pvid, listed) : 0;
	struct lea_online online;
	const int absent = count > 0 ? read_record(world, pvid, &online) : 0;
	const struct lea_duplicate *own;
	const int was_read = count > 0 ? lea_marker_ask(event_fd, device, pvid) : 0;
	bool is_free;

	if (count <= 0 || absent < 0 || was_read < 0)
		return count <= 0 ? count : absent < 0 ? absent : was_read;
	own = find_listed(listed, count, &id);
	/* A command may have removed the record before. Without a marker either the removal is tried again. */
	is_free = absent ? !own && was_read : online.major == id.major && online.minor == id.minor;
	if (is_free || !own || !own->is_path)
		r = queue_again(&(struct again){.world = world,
						.event_fd = event_fd,
						.online = absent || is_free ? NULL : &online,
						.is_free = is_free,
						.has_answered = end != LEA_DUPLICATE_WENT,
						.is_change = end == LEA_DUPLICATE_MADE_ANOTHER &&
							     was_read,
						.needs_claim = was_read},
				listed, count);
	return r || !own ? r : lea_duplicate_drop(world, own);
}

/* ---- reconcile */

struct reconcile {
	struct lea_world *world;
	struct lea_scan_options options;
	const struct lea_conf *conf;
	int event_fd;
	struct lea_carried_list carried; /* read when it is asked for */
	size_t queued;
	int fault; /* the first one */
};

/* Does the device still carry the PV? A fault says nothing. */
static enum lea_presence ask_now(const struct reconcile *reconcile, const struct lea_devid *id,
				 const char *pvid, enum lea_entry_kind again,
				 struct lea_device *ret_device, bool *ret_is_another)
{
	struct lea_duplicate_answer answer;
	int r = lea_duplicate_ask(reconcile->world, reconcile->conf, &reconcile->options, id, pvid,
				  again, ret_device, &answer);

	*ret_is_another = !r && answer.is_another;
	return r ? LEA_SILENT : answer.presence;
}

/* The devices file may have changed since the duplicate was noted. An ignored one brings nothing
 * up, nor does one that gives no answer. 1: yes, 0: no, or a shortage: not known. */
static int ask_settled(const struct reconcile *reconcile, const struct lea_device *recorded,
		       const struct lea_duplicate *duplicate, const struct lea_device *device,
		       enum lea_presence presence)
{
	int meant, tie;

	if (!recorded->name || duplicate->state == LEA_DUPLICATE_IGNORED)
		return 0;
	tie = lea_duplicate_tie(reconcile->world, recorded, device);
	if (tie != LEA_DUPLICATE_COPY)
		return tie < 0 ? tie : 0;
	meant = lea_original_listed(reconcile->world, reconcile->conf, duplicate->pvid, recorded,
				    device);
	if (meant < 0)
		return meant;
	return meant == LEA_ORIGINAL_FIRST ||
	       (meant != LEA_ORIGINAL_UNSURE && presence == LEA_PRESENT);
}

/* What has become of the devices of one PV. */
struct change {
	bool is_other[LEA_DUPLICATES_MOST]; /* it does not carry the PV */
	bool has_gone[LEA_DUPLICATES_MOST]; /* its note goes */
	bool is_news;
	bool is_by_event; /* not all of the news is that something was made another PV */
};

/* Was this instance ever read as the PV? Otherwise nobody has made another PV of it: a removal, of
 * which nobody heard, has left its number to another disk. */
static int was_read(const struct reconcile *reconcile, const struct lea_device *device,
		    const char *pvid)
{
	return lea_marker_ask(reconcile->event_fd, device, pvid);
}

/* 0 or a shortage. */
static int ask_noted(const struct reconcile *reconcile, const struct lea_device *recorded,
		      const struct lea_duplicate *listed, int count, struct change *change)
{
	int r = 0;

	for (int i = 0; r >= 0 && i < count; i++) {
		LEA_AUTO(lea_device_done) struct lea_device device = {0};
		bool is_another;
		const enum lea_presence presence =
			ask_now(reconcile, &listed[i].id, listed[i].pvid, kind_of(&listed[i]),
				&device, &is_another);

		change->is_other[i] = presence == LEA_ABSENT;
		r = change->is_other[i]
			    ? 1
			    : ask_settled(reconcile, recorded, &listed[i], &device, presence);
		change->has_gone[i] = r > 0;
		if (!change->has_gone[i] || listed[i].is_path)
			continue;
		change->is_news = true;
		r = is_another ? was_read(reconcile, &device, listed[i].pvid) : 0;
		change->is_by_event |= !r;
	}
	return r < 0 ? r : 0;
}

/* A command has removed the record. Has its device gone since, and does no other one claim the PV
 * than those with a note? Where udev keeps no links nobody knows. */
static bool is_left_alone(struct lea_world *world, const char *pvid)
{
	struct lea_claimants claimants;
	int r = lea_udevlinks_are_kept(world) ? lea_claimants_find(world, pvid, &claimants) : -ENOENT;

	for (int i = r ? 0 : claimants.noted; !r && i < claimants.count; i++) {
		LEA_AUTO(lea_device_done) struct lea_device device = {0};

		r = lea_device_find(world, &claimants.one[i].id, &device) != LEA_DEVICE_GONE;
	}
	return !r;
}

/* vgimportclone and pvchange -u remove the record themselves. Does the mark of a device that is another
 * PV now say that it had the record? > 0: yes, 0: no, or a fault. */
static int was_made_another(struct reconcile *reconcile, const struct lea_duplicate *listed,
			    int count)
{
	const struct lea_carried *carried;
	size_t i;
	int r = lea_carried_find(reconcile->event_fd, &reconcile->carried, listed[0].pvid, &i);

	for (; !r && (carried = lea_carried_at(&reconcile->carried, listed[0].pvid, i)); i++) {
		LEA_AUTO(lea_device_done) struct lea_device device = {0};
		bool is_another = false;

		/* Those with a note are asked for themselves. */
		if (!find_listed(listed, count, &carried->id))
			ask_now(reconcile, &carried->id, listed[0].pvid, LEA_ENTRY_MISSED, &device,
				&is_another);
		r = is_another;
	}
	return r;
}

static int reconcile_pv(struct reconcile *reconcile, const char *pvid)
{
	LEA_AUTO(lea_device_done) struct lea_device recorded = {0};
	struct lea_duplicate listed[LEA_DUPLICATES_MOST];
	struct lea_online online = {0};
	const int absent = read_record(reconcile->world, pvid, &online);
	const struct lea_devid number = {online.major, online.minor, 0};
	bool is_another = false;
	const bool holds = !absent && ask_now(reconcile, &number, pvid, LEA_ENTRY_MISSED,
					      &recorded, &is_another) != LEA_ABSENT;
	const bool is_free = absent ? is_left_alone(reconcile->world, pvid) : !holds;
	struct change change = {.is_news = !holds};
	int r = 0, count = absent < 0 ? absent : lea_duplicate_list(reconcile->world, pvid, listed);

	if (count <= 0)
		return count;
	r = absent		   ? was_made_another(reconcile, listed, count)
	    : !holds && is_another ? was_read(reconcile, &recorded, pvid)
				   : 0;
	change.is_by_event = !holds && !r;
	r = r < 0 ? r : ask_noted(reconcile, &recorded, listed, count, &change);
	if (!r && change.is_news)
		r = queue_again(&(struct again){.world = reconcile->world,
						.event_fd = reconcile->event_fd,
						.online = holds ? &online : NULL,
						.is_free = is_free,
						.is_change = !change.is_by_event,
						.needs_claim = true,
						.is_other = change.is_other,
						.queued = &reconcile->queued},
				listed, count);
	for (int i = 0; !r && i < count; i++)
		if (change.has_gone[i])
			r = lea_duplicate_drop(reconcile->world, &listed[i]);
	return r;
}

/* What one PV needs does not keep the others waiting. */
static int reconcile_next(void *arg, const char *pvid)
{
	struct reconcile *reconcile = arg;
	const int r = reconcile_pv(reconcile, pvid);

	reconcile->fault = reconcile->fault ? reconcile->fault : r;
	return 0;
}

size_t lea_duplicates_reconcile(struct lea_world *world, const struct lea_conf *conf,
				struct lea_reader *reader, int event_fd)
{
	struct reconcile reconcile = {
		.world = world,
		.options = {.use_names_filter = true,
			    .out_of_process = true,
			    .reader = reader,
			    .lock = LEA_FILTER_LOCK_TRY},
		.conf = conf,
		.event_fd = event_fd,
	};
	int r = lea_duplicate_each(world, reconcile_next, &reconcile);

	lea_carried_done(&reconcile.carried);
	r = r < 0 ? r : reconcile.fault;
	if (r < 0)
		lea_log(world->log, LEA_LOG_WARNING, "reconciling copies of PVs: %s", strerror(-r));
	return reconcile.queued;
}
