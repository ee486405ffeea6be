/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One pass over entries of the queue.
 *
 * A removal event says what was; the kernel is asked what is. If the number is in use again, the
 * record may be that of the new device: it is, if that has a marker of the PV. Where instances are
 * not numbered the new device is read first, and the old record is removed only if it is another
 * PV.
 */
#include "batch/batch.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/devset.h"
#include "base/id.h"
#include "base/step.h"
#include "batch/batch_private.h"
#include "batch/former.h"
#include "batch/incomplete.h"
#include "batch/markers.h"
#include "batch/moves.h"
#include "batch/partial.h"
#include "batch/pass_cache.h"
#include "record/duplicate_tie.h"
#include "record/duplicates.h"
#include "record/record.h"
#include "record/recorded_marker.h"
#include "scan/scan.h"
#include "state/claim.h"
#include "state/mark.h"
#include "world/device_find.h"
#include "world/sysfs.h"
#include "world/timeline.h"
#include "world/udevdb.h"

struct lea_batch_pass {
	const struct lea_batch_options *options;
	struct lea_entry *entries;
	size_t count;
	struct lea_batch_summary *summary;
	struct lea_scan *scan;
	struct lea_recorder *recorder;
	struct lea_candidates *candidates;
	struct lea_retry_set retries;
	struct lea_batch_marks marks;
	/* One for each device that has an entry: the leading devices of the scan, in its order. */
	struct queued_device *queued; /* [queued_count]; owned */
	size_t queued_count;
	bool *is_over;		      /* [count]; owned: of a removal, with which all is done */
	struct lea_batch_moves moves;
	int fault; /* after VGs were given to the workers */
	uint64_t begun_ms;
};

struct queued_device {
	enum lea_entry_kind kind;
	bool is_online; /* it has a record */
	bool is_new;	/* it had none before */
	bool has_left;	/* a claim of another VG had it */
	bool is_noted;	/* another device has the record; this one is noted as a duplicate */
	bool is_new_instance; /* the entry is another's, and this one is left to its own event */
	uint64_t repeated_ms; /* as of lea_repeats_find */
};

/* 0 or a fault, which is logged, and retried if it is a shortage. @is_back: 1, 0 or -errno */
static int drop_record(struct lea_batch_pass *pass, const struct lea_entry *entry, const char *pvid,
		       int is_back)
{
	char id[39];
	int r;

	lea_id_format(pvid, id);
	LEA_CRASHPOINT("rec.gone", pvid);
	r = is_back < 0 ? is_back
			: lea_record_gone(pass->recorder, entry->device.major, entry->device.minor,
					  pvid, is_back);
	if (r < 0)
		lea_log(pass->options->world->log, LEA_LOG_ERROR,
			"PV %s: its device was removed, but its record could not be removed: %s",
			id, strerror(-r));
	lea_retry_set_add(&pass->retries, r, &entry->device);
	return r;
}

/* As drop_record. */
static int handle_removal(struct lea_batch_pass *pass, const struct lea_entry *entry, int is_back)
{
	if (!entry->pvid[0])
		return 0;
	pass->summary->gone++;
	return drop_record(pass, entry, entry->pvid, is_back);
}

/* The device went before anybody read it as the PV that the entry names: what is kept is of the PV that
 * it was before. The order is that of lea_batch_leave_former. */
static int forget_former(struct lea_batch_pass *pass, const struct lea_entry *entry)
{
	const int event_fd = pass->options->event_fd;
	char before[33];
	int r = lea_carried_ask(event_fd, entry->key, before);

	if (r <= 0)
		return r;
	if (strcmp(before, entry->pvid) != 0) {
		r = lea_duplicates_gone(pass->options->world, event_fd, &entry->device, before,
					LEA_DUPLICATE_WENT);
		if (r)
			return r;
		if (drop_record(pass, entry, before, lea_batch_carries_now(pass->options->world, entry, before)))
			return 0;
	}
	r = lea_mark_drop(event_fd, LEA_MARK_CARRIED, entry->key);
	return r ? r : lea_marker_drop(pass->marks.known_fd, &entry->device, before);
}

/*
 * Where the kernel does not number instances, a claim would cover the next disk with the number of
 * a PV that is gone. With instance numbers none does, so nothing need be done. The other PVs stay
 * in the claim: a command may have taken the VG down.
 */
static int take_from_claims(struct lea_batch_pass *pass)
{
	int r = 0;

	for (size_t i = 0; !r && i < pass->count; i++) {
		const struct lea_entry *entry = &pass->entries[i];
		const struct lea_devid id = lea_device_number(&entry->device);

		if (entry->device.is_gone && entry->pvid[0] && !entry->device.diskseq)
			r = lea_batch_moves_put(&pass->moves, &id, entry->pvid, "", NULL);
	}
	return r ? r : lea_batch_moves_make(&pass->moves, pass->candidates);
}

/* The number is free, or another disk's, which has not been this PV for us and has an event of its
 * own. A copy that took over the number must not have the record before the PV itself. */
static int is_over(const struct lea_batch_pass *pass, const struct lea_entry *entry,
		   bool *ret_is_over, bool *ret_is_free)
{
	struct lea_world *world = pass->options->world;
	const struct lea_devno devno = lea_device_devno(&entry->device);
	struct lea_device now = entry->device; /* borrowed */
	int r;

	*ret_is_over = *ret_is_free = !lea_sysfs_has_device(world, devno);
	if (*ret_is_free)
		return 0;
	r = lea_sysfs_diskseq(world, devno, &now.diskseq);
	if (r || !entry->device.diskseq || !now.diskseq || now.diskseq == entry->device.diskseq)
		return r;
	r = lea_marker_ask(pass->options->event_fd, &now, entry->pvid);
	*ret_is_over = !r;
	return r < 0 ? r : 0;
}

/* The marker goes last: a removal that is tried again without it would be that of a disk that was never read, and
 * activate a VG. */
static int forget_one(struct lea_batch_pass *pass, const struct lea_entry *entry, bool *ret_is_over)
{
	bool is_free;
	int r = lea_duplicates_gone(pass->options->world, pass->options->event_fd, &entry->device,
				    entry->pvid, LEA_DUPLICATE_WENT);

	r = r ? r : is_over(pass, entry, ret_is_over, &is_free);
	if (!r && *ret_is_over) {
		if (handle_removal(pass, entry,
				   is_free ? 0 : lea_batch_carries_now(pass->options->world, entry,
							       entry->pvid)))
			return 0;
		r = forget_former(pass, entry);
	}
	if (!r)
		lea_batch_marks_gone(&pass->marks, entry);
	return r;
}

/* Handles removals that are over; the others wait until the new device was read. */
static int forget_gone(struct lea_batch_pass *pass)
{
	int r = take_from_claims(pass);

	pass->is_over = calloc(pass->count + 1, sizeof(*pass->is_over));
	if (!pass->is_over)
		return -ENOMEM;
	for (size_t i = 0; !r && i < pass->count; i++)
		if (pass->entries[i].device.is_gone)
			r = forget_one(pass, &pass->entries[i], &pass->is_over[i]);
	return r;
}

/* The device of a VG whose wait is over comes late as any other: the wait is judged anew. */
static enum lea_entry_kind kind_again(enum lea_entry_kind kind)
{
	return kind == LEA_ENTRY_PARTIAL ? LEA_ENTRY_MISSED : kind;
}

/* Moves a device out of its entry and leaves its numbers there. */
static struct lea_scan_device take_device(struct lea_entry *entry, enum lea_entry_kind kind)
{
	struct lea_scan_device device = {
		.device = entry->device, .again = kind_again(kind), .is_asked = true};

	memcpy(device.expected, entry->pvid, sizeof(device.expected));
	entry->device.name = entry->device.devlinks = entry->device.properties = NULL;
	return device;
}

/* For a number that is in use again: nothing known of the old device is true of the new one. */
static int renew(struct lea_world *world, struct lea_scan_device *renewed)
{
	struct lea_device *device = &renewed->device;

	renewed->expected[0] = '\0';
	free(device->devlinks);
	free(device->properties);
	device->devlinks = device->properties = NULL;
	device->is_gone = false;
	device->seqnum = 0;
	return lea_sysfs_diskseq(world, lea_device_devno(device), &device->diskseq);
}

/*
 * The disk may have been replaced since, and the old device's state must not be recorded over the new.
 * @is_doubtful: the entry is not ordered with events.
 */
static int is_overtaken(struct lea_world *world, const struct lea_device *device, bool is_doubtful,
			bool *ret_is)
{
	uint64_t diskseq = 0;
	int r = is_doubtful ? lea_sysfs_diskseq(world, lea_device_devno(device), &diskseq) : 0;

	/* Not each kernel tells the number of a partition's disk with the event. */
	*ret_is = diskseq && device->diskseq && diskseq != device->diskseq;
	return r;
}

/* *ret_device: the caller's in any case. */
static int prepare(struct lea_batch_pass *pass, struct lea_entry *entry, bool is_doubtful,
		   struct queued_device *queued, struct lea_scan_device *ret_device)
{
	struct lea_world *world = pass->options->world;
	struct lea_device *device = &ret_device->device;
	bool is_old = true;
	int r = entry->device.is_gone ? 0
				      : is_overtaken(world, &entry->device, is_doubtful, &is_old);

	if (r)
		return r;
	r = lea_batch_marks_kind(&pass->marks, entry, &queued->kind);
	if (r)
		return r;
	queued->repeated_ms = lea_repeats_find(&pass->options->cache->repeats, entry);
	/* That the old device was added is no reason to activate what is on the new one. */
	if (is_old && queued->kind == LEA_ENTRY_ADD)
		queued->kind = LEA_ENTRY_MISSED;
	*ret_device = take_device(entry, queued->kind);
	r = is_old ? renew(world, ret_device) : 0;
	r = r || !is_old ? r : lea_batch_is_unread_successor(pass->options->event_fd, entry, device);
	queued->is_new_instance = r > 0;
	if (r || is_old)
		return r < 0 ? r : 0;
	return device->diskseq
		       ? 0
		       : lea_sysfs_diskseq(world, lea_device_devno(device), &device->diskseq);
}

static int read_devices(struct lea_batch_pass *pass)
{
	LEA_AUTO(lea_freep) struct lea_scan_device *devices = calloc(pass->count, sizeof(*devices));
	LEA_AUTO(lea_freep) bool *is_doubtful = calloc(pass->count, sizeof(*is_doubtful));
	size_t n = 0;
	int r;

	pass->queued = calloc(pass->count, sizeof(*pass->queued));
	if (!devices || !is_doubtful || !pass->queued)
		return -ENOMEM;
	r = lea_event_order_judge(&pass->options->cache->order, pass->entries, pass->count,
				  is_doubtful);
	for (size_t i = 0; !r && i < pass->count; i++) {
		struct lea_entry *entry = &pass->entries[i];
		const struct lea_devno devno = lea_device_devno(&entry->device);

		/* For the others the filters check sysfs, since they want the size. */
		if (pass->is_over[i] ||
		    (entry->device.is_gone && !lea_sysfs_has_device(pass->options->world, devno)))
			continue;
		r = prepare(pass, entry, is_doubtful[i], &pass->queued[n], &devices[n]);
		n++;
	}
	pass->queued_count = r ? 0 : n;
	pass->summary->devices += (uint32_t)pass->queued_count;
	r = r || !n ? r : lea_scan_add_expected(pass->scan, devices, n);
	for (size_t i = 0; i < n; i++)
		lea_device_done(&devices[i].device);
	/* The boot scan hears of events in their order. */
	if (!r && !pass->options->is_boot)
		lea_event_order_note(&pass->options->cache->order, pass->entries, pass->count);
	return r;
}

/* The claim of the VG before must not stay for as long as the device does. Only a PV that had been
 * dealt with can be in it. */
static int note_move(struct lea_batch_pass *pass, const struct lea_found *found,
		     const struct lea_record *record, struct queued_device *queued)
{
	const int event_fd = pass->options->event_fd;
	const struct lea_devid id = lea_device_id(&found->device);
	char key[LEA_DEVID_TEXT_BYTES], before[33];
	int r;

	if (!lea_batch_may_have_moved(found, record, queued->kind))
		return 0;
	lea_devid_format(&id, key);
	/* Not of its marker, which a shortage takes back. */
	r = lea_carried_ask(event_fd, key, before);
	r = r ? r : lea_mark_ask(event_fd, LEA_MARK_REFUSED, key);
	return r > 0 ? lea_batch_moves_put_found(&pass->moves, found, &queued->has_left) : r;
}

/* The device that had the record, perhaps since this pass, is a copy of @original. */
static void leave_copy(struct lea_batch_pass *pass, const struct lea_found *original,
		       const struct lea_record *record)
{
	struct lea_found *const *found;
	size_t count;

	if (record->is_left_out)
		lea_retry_set_add(&pass->retries,
				  lea_batch_marks_left_out(&pass->marks, record),
				  &original->device);
	found = lea_scan_found(pass->scan, &count);
	for (size_t i = 0; i < pass->queued_count; i++) {
		struct queued_device *queued = &pass->queued[i];

		if (found[i]->device.major != record->other_major ||
		    found[i]->device.minor != record->other_minor || !queued->is_online)
			continue;
		queued->is_online = false;
		queued->is_noted = found[i]->is_duplicate = true;
		pass->summary->pvs--;
	}
}

static int leave_former(struct lea_batch_pass *pass, const struct lea_found *found, bool is_held,
			enum lea_entry_kind kind)
{
	const int r = lea_batch_leave_former(pass->options, pass->marks.known_fd, pass->recorder,
					     found, is_held, kind);

	lea_retry_set_add(&pass->retries, r, &found->device);
	return r;
}

/* Did it say that it is no PV that gets a record? */
static bool is_no_pv_of_ours(const struct lea_found *found, const struct lea_record *record)
{
	return record->kind != LEA_RECORD_ONLINE && record->kind != LEA_RECORD_DUPLICATE &&
	       record->kind != LEA_RECORD_FAILED && lea_batch_has_answered(found);
}

/* No event of the device asks for its VG now. */
static bool is_tried_again(const struct queued_device *queued)
{
	return queued->kind == LEA_ENTRY_MISSED || queued->kind == LEA_ENTRY_PARTIAL;
}

static int record_device(struct lea_batch_pass *pass, struct lea_found *found,
			 struct queued_device *queued)
{
	struct lea_record record = {0};
	int r;

	lea_batch_exclude_other(found);
	found->repeated_ms = queued->repeated_ms;
	if (queued->is_new_instance)
		return 0;
	r = lea_batch_leave_expected(pass->options, found);
	if (r)
		return r;
	r = is_tried_again(queued) ? lea_batch_is_made_since(pass->options->world, found) : 0;
	if (r < 0)
		return r;
	if (r || (is_tried_again(queued) && lea_batch_is_another(found)))
		queued->kind = LEA_ENTRY_CHANGE;
	lea_batch_log_found(pass->options->world->log, found);
	lea_retry_set_add(&pass->retries, found->fault, &found->device);
	lea_record_found(pass->recorder, found, &record);
	lea_batch_log_record(pass->options->world, found, &record);
	lea_retry_set_add(&pass->retries, record.fault, &found->device);
	if (record.was_copied)
		leave_copy(pass, found, &record);
	/* A PV has come, perhaps of a VG that would be activated without it. */
	if (queued->kind == LEA_ENTRY_ADD && lea_found_silence(found))
		lea_partial_came(pass->options->partial);
	queued->is_online = record.kind == LEA_RECORD_ONLINE;
	queued->is_new = record.is_new;
	if (queued->is_online)
		lea_timeline_note(
			pass->options->world, LEA_RING_RECORDED,
			&(struct lea_timeline_note){.vg = found->vg ? found->vg->id : NULL,
						    .text = record.vg_name,
						    .device = lea_device_devno(&found->device)});
	/* Another device is this PV: neither changes nor the text of this one are of use. */
	found->is_duplicate = record.kind == LEA_RECORD_DUPLICATE;
	queued->is_noted = found->is_duplicate && record.tie != LEA_DUPLICATE_STACKED;
	pass->summary->pvs += queued->is_online;
	if (is_no_pv_of_ours(found, &record))
		leave_former(pass, found, false, queued->kind);
	r = note_move(pass, found, &record, queued);
	lea_retry_set_add(&pass->retries,
			  lea_batch_marks_judged(&pass->marks, found, &record, queued->kind),
			  &found->device);
	return r;
}

/* Does the PV come for the first time, for all that waits for PVs? A second event of it shows no
 * progress. If that is not known, it does: the wait for other PVs then ends later, not earlier. */
static bool is_new_here(const struct lea_batch_pass *pass, const struct lea_found *found)
{
	return pass->options->partial &&
	       lea_marker_ask(pass->options->event_fd, &found->device, found->label.pvid) <= 0;
}

static int await_rest(struct lea_batch_pass *pass, const struct lea_found *found,
		      const struct lea_record *record)
{
	const uint32_t pv_count = found->vg->pv_count;
	const int r = lea_awaited_set(pass->options->event_fd, found->vg->id, pv_count,
				      record->missing + 1 >= pv_count);

	lea_retry_set_add(&pass->retries, r, &found->device);
	return lea_is_shortage(r) ? 0 : r;
}

/* The change of another PV may complete the VG in a later pass, which does not know of this one. */
static int end_wait(struct lea_batch_pass *pass, const struct lea_found *found,
		    enum lea_entry_kind kind)
{
	const int r = lea_candidates_end_wait(pass->candidates, found, kind);

	lea_retry_set_add(&pass->retries, r, &found->device);
	return lea_is_shortage(r) ? 0 : r;
}

static int count_device(struct lea_batch_pass *pass, struct lea_found *found,
			enum lea_entry_kind kind)
{
	struct lea_record record = {0};
	bool is_added = false;
	int r = 0;

	lea_record_count(pass->recorder, found, false, &record);
	lea_batch_log_record(pass->options->world, found, &record);
	/* Nothing is to be made of them from here on. */
	if (record.outdated) {
		found->vg = NULL;
		found->is_outdated = true;
	}
	lea_retry_set_add(&pass->retries, record.fault, &found->device);
	if (record.kind != LEA_RECORD_ONLINE)
		return 0;
	lea_incomplete_note(pass->options->waiting, record.vg_name,
			    record.complete == LEA_COMPLETE);
	if (is_new_here(pass, found))
		lea_partial_came(pass->options->partial);
	if (record.complete != LEA_COMPLETE && kind == LEA_ENTRY_PARTIAL && found->vg)
		return lea_candidates_add(pass->candidates, found, &record, kind);
	/* A change of another PV may complete it. */
	if (record.complete != LEA_COMPLETE && found->vg)
		r = lea_candidates_was_added(pass->candidates, found, kind, &is_added);
	if (!r && is_added)
		r = await_rest(pass, found, &record);
	else if (!r && record.complete != LEA_COMPLETE && found->vg)
		r = end_wait(pass, found, kind);
	/* A change activates nothing, so it begins no wait, either. */
	if (found->vg && (kind != LEA_ENTRY_CHANGE || record.complete == LEA_COMPLETE))
		lea_partial_note(pass->options->partial, found, record.complete == LEA_COMPLETE);
	if (r || record.complete != LEA_COMPLETE)
		return r;
	lea_timeline_note(pass->options->world, LEA_RING_COMPLETE,
			  &(struct lea_timeline_note){.vg = found->vg ? found->vg->id : NULL,
						      .text = record.vg_name,
						      .device = lea_device_devno(&found->device)});
	return lea_candidates_add(pass->candidates, found, &record, kind);
}

/* Counts what a change led to, or all others. */
static int count_all(struct lea_batch_pass *pass, bool are_changes)
{
	struct lea_found *const *found;
	size_t count;
	int r = 0;

	found = lea_scan_found(pass->scan, &count);
	for (size_t i = 0; r == 0 && i < pass->queued_count; i++)
		if (pass->queued[i].is_online &&
		    (pass->queued[i].kind == LEA_ENTRY_CHANGE) == are_changes)
			r = count_device(pass, found[i], pass->queued[i].kind);
	return r;
}

/* Records all devices before it counts any VG, so that counting needs no files of members that are
 * in this pass. */
static int record_all(struct lea_batch_pass *pass)
{
	struct lea_found *const *found;
	size_t count;
	int r = 0;

	found = lea_scan_found(pass->scan, &count);
	for (size_t i = 0; r == 0 && i < pass->queued_count; i++)
		r = record_device(pass, found[i], &pass->queued[i]);
	r = r ? r : lea_batch_moves_make(&pass->moves, pass->candidates);
	for (size_t i = 0; r == 0 && i < pass->queued_count; i++) {
		struct queued_device *queued = &pass->queued[i];

		/* The VG before failed for now; that the PV is of another one since was a change. */
		if (queued->has_left && is_tried_again(queued)) {
			queued->kind = LEA_ENTRY_CHANGE;
			r = lea_batch_marks_changed(&pass->marks, found[i]);
		}
		/* What was refused when it came ends the wait of its VG, whichever PV is counted first. */
		if (!r && queued->is_online && queued->is_new && found[i]->vg)
			r = end_wait(pass, found[i], queued->kind);
	}
	/* A change must not hide what else brings the device: of a number that is in use again, the
	 * removal leads to the new device as well. */
	r = r ? r : count_all(pass, false);
	return r ? r : count_all(pass, true);
}

/* Members that had no event in this pass were read only now. */
static int note_members(const struct lea_batch_pass *pass)
{
	struct lea_found *const *found;
	size_t count;
	int r = 0;

	found = lea_scan_found(pass->scan, &count);
	for (size_t i = pass->queued_count; r == 0 && i < count; i++)
		if (found[i]->kind == LEA_FOUND_PV && !found[i]->is_duplicate)
			r = lea_record_seen(pass->recorder, found[i]);
	return r;
}

/* The marker is set last, because a device that has one is not checked for an earlier PV again. A PV
 * that had one and no record is of another VG by now, perhaps: others remove records, as vgremove does. */
static int mark_one(struct lea_batch_pass *pass, const struct lea_found *found,
		    const struct queued_device *queued)
{
	const int event_fd = pass->options->event_fd;

	if (!queued->is_new && lea_marker_ask(event_fd, &found->device, found->label.pvid) > 0)
		return 0;
	if (lea_is_shortage(leave_former(pass, found, true, queued->kind)))
		return 0;
	return lea_batch_marks_recorded(&pass->marks, found) == LEA_MARKER_WAS_SET && queued->is_new
		       ? lea_batch_moves_put_found(&pass->moves, found, NULL)
		       : 0;
}

/* Called when VGs have their claims: a marker says that nothing remains to be done. */
static void mark_all(struct lea_batch_pass *pass)
{
	struct lea_found *const *found;
	size_t count;
	int r = 0;

	found = lea_scan_found(pass->scan, &count);
	for (size_t i = 0; i < pass->queued_count; i++) {
		int s = 0;

		if (pass->queued[i].is_online || pass->queued[i].is_noted)
			s = mark_one(pass, found[i], &pass->queued[i]);
		r = r ? r : s;
	}
	r = r ? r : lea_batch_moves_make(&pass->moves, pass->candidates);
	if (r < 0)
		lea_log(pass->options->world->log, LEA_LOG_DEBUG, "claims of moved PVs: %s",
			strerror(-r));
}

/* Finds the first device of each number; ret_first is indexed like @numbers. */
static int index_found(struct lea_found *const *all, size_t count, struct lea_devset *numbers,
		       struct lea_found **ret_first)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < count; i++) {
		const struct lea_devid number = lea_device_number(&all[i]->device);

		r = lea_devset_add(numbers, &number);
		if (r == 0)
			ret_first[numbers->count - 1] = all[i];
	}
	return r < 0 ? r : 0;
}

/* Is @found another device than the one that was removed? If a reconcile only supposes that, no
 * answer proves nothing: the device may be the same. */
static bool has_replaced(const struct lea_batch_pass *pass, const struct lea_entry *entry,
			 const struct lea_found *found)
{
	if (!entry->device.seqnum && lea_duplicate_is_silent(pass->options->world, found) != 0)
		return false;
	return !lea_found_carries(found, entry->pvid);
}

/* For PVs that were removed and whose number is in use again: is the same PV on it? */
static int forget_replaced(struct lea_batch_pass *pass)
{
	LEA_AUTO(lea_devset_done) struct lea_devset numbers = {0};
	LEA_AUTO(lea_freep) struct lea_found **first = NULL;
	struct lea_found *const *all;
	size_t count;
	int r;

	all = lea_scan_found(pass->scan, &count);
	first = calloc(count + 1, sizeof(struct lea_found *));
	r = first ? index_found(all, count, &numbers, first) : -ENOMEM;
	for (size_t i = 0; r == 0 && i < pass->count; i++) {
		const struct lea_entry *entry = &pass->entries[i];
		const struct lea_devid number = lea_device_number(&entry->device);
		const size_t at = entry->device.is_gone && !pass->is_over[i]
					  ? lea_devset_find(&numbers, &number)
					  : LEA_DEVSET_NONE;

		if (at != LEA_DEVSET_NONE && has_replaced(pass, entry, first[at]))
			handle_removal(pass, entry, false);
	}
	return r;
}

static int new_scan(const struct lea_batch_options *options, struct lea_scan **ret_scan)
{
	const struct lea_scan_options scan_options = {.use_names_filter = true,
						      .out_of_process = true,
						      .is_patient = true,
						      .reader = options->reader,
						      .texts = &options->cache->texts,
						      .devicesfile = &options->cache->file};

	return lea_scan_new(options->world, options->conf, &scan_options, ret_scan);
}

/* Asked before entries are taken: a pass that failed with a wrong setting would count as one that
 * its entries have killed, and after a few of them all would be quarantined. */
int lea_batch_check(const struct lea_batch_options *options)
{
	struct lea_scan *scan = NULL;
	int r;

	if (!options->conf->event_activation)
		return 0;
	r = new_scan(options, &scan);
	lea_scan_free(scan);
	return r > 0 ? LEA_BATCH_BAD_FILTER : r;
}

/* A filter that is wrong is no reason to leave entries of devices that nobody reads. */
static int open_tools(struct lea_batch_pass *pass, bool reads)
{
	struct lea_record_options record = {.check_complete = true,
					    .count_later = true,
					    .use_names_filter = true,
					    .out_of_process = true,
					    .reader = pass->options->reader,
					    .vgs = &pass->options->cache->vgs,
					    .lookups = &pass->options->cache->lookups};
	int r;

	r = lea_batch_marks_open(&pass->marks, pass->options);
	if (!r && reads)
		r = new_scan(pass->options, &pass->scan);
	record.scan = pass->scan;
	r = r ? r
	      : lea_recorder_new(pass->options->world, pass->options->conf, &record,
				 &pass->recorder);
	r = r ? r : lea_candidates_new(pass->options, &pass->retries, &pass->candidates);
	/* There a wrong filter is an outcome, and it was logged. */
	return r > 0 ? -EINVAL : r;
}

void lea_batch_drop(struct lea_batch_pass *pass)
{
	if (!pass)
		return;
	if (lea_candidates_open(pass->candidates))
		lea_candidates_stop(pass->candidates);
	lea_candidates_free(pass->candidates);
	lea_recorder_free(pass->recorder);
	lea_scan_free(pass->scan);
	lea_pass_cache_end(pass->options->cache);
	lea_batch_marks_close(&pass->marks);
	lea_retry_set_done(&pass->retries);
	free(pass->queued);
	free(pass->is_over);
	lea_batch_moves_done(&pass->moves);
	free(pass);
}

static int process(struct lea_batch_pass *pass)
{
	int r;

	r = open_tools(pass, true);
	/* Removals first: a removal that is handled after its number was read and recorded again
	 * drops the new record (M_LATE_REMOVE in test/model/vg.pml). */
	r = r ? r : forget_gone(pass);
	r = r ? r : read_devices(pass);
	if (r)
		return r;
	r = forget_replaced(pass);
	r = r ? r : record_all(pass);
	r = r ? r : lea_candidates_start(pass->candidates, pass->scan, pass->summary);
	r = r ? r : note_members(pass);
	if (r == 0)
		mark_all(pass);
	return r;
}

/* With event_activation=0. A removal is heeded, for nothing is read for it: without it a disk that
 * comes when the setting is 1 again would look like the one that went. Entries are finished all the
 * same: as long as one is pending, the runner does not sleep. */
static int leave_unread(struct lea_batch_pass *pass)
{
	int r;

	if (!pass->summary->is_off_said)
		lea_log(pass->options->world->log, LEA_LOG_WARNING,
			"event_activation=0: devices are not read, nothing is activated");
	pass->summary->is_off_said = true;
	r = open_tools(pass, false);
	r = r ? r : forget_gone(pass);
	for (size_t i = 0; !r && i < pass->count; i++)
		r = lea_batch_marks_unheeded(pass->options, &pass->entries[i]);
	return r ? r : lea_retry_set_mark(&pass->retries, pass->entries, pass->count);
}

int lea_batch_start(const struct lea_batch_options *options, struct lea_entry *entries,
		    size_t count, struct lea_batch_summary *summary,
		    struct lea_batch_pass **ret_pass)
{
	struct lea_batch_pass *pass;
	int r;

	*ret_pass = NULL;
	if (!count)
		return 0;
	pass = calloc(1, sizeof(*pass));
	if (!pass)
		return -ENOMEM;
	*pass = (struct lea_batch_pass){.options = options, .summary = summary,
					.entries = entries, .count = count,
					.begun_ms = lea_world_now_ms(options->world),
					.marks = {.known_fd = -1}};
	lea_pass_cache_begin(options->cache);
	r = options->conf->event_activation ? process(pass) : leave_unread(pass);
	/* The workers are those of other passes, too. */
	if (lea_candidates_open(pass->candidates)) {
		pass->fault = r;
	} else if (r || !options->conf->event_activation) {
		if (lea_is_shortage(r))
			lea_repeats_note(&options->cache->repeats, entries, count, pass->begun_ms);
		lea_batch_drop(pass);
		return r;
	}
	*ret_pass = pass;
	return 0;
}

bool lea_batch_is_done(const struct lea_batch_pass *pass)
{
	return !pass || !lea_candidates_open(pass->candidates);
}

int lea_batch_end(struct lea_batch_pass *pass)
{
	int r;

	if (!pass)
		return 0;
	r = lea_candidates_finish(pass->candidates);
	lea_batch_marks_take_back(&pass->marks, pass->scan, &pass->retries);
	r = r ? r : pass->fault;
	r = r ? r : lea_retry_set_mark(&pass->retries, pass->entries, pass->count);
	if (lea_is_shortage(r))
		lea_repeats_note(&pass->options->cache->repeats, pass->entries, pass->count,
				 pass->begun_ms);
	lea_batch_drop(pass);
	return r;
}
