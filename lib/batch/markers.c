/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch/markers.h"

#include <string.h>

#include "base/cleanup.h"
#include "record/recorded_marker.h"
#include "scan/reader.h"
#include "world/device_find.h"
#include "world/hung.h"

int lea_batch_marks_open(struct lea_batch_marks *marks, const struct lea_batch_options *options)
{
	marks->options = options;
	marks->hung_fd = -1;
	clock_gettime(CLOCK_REALTIME_COARSE, &marks->begun);
	/* If it is not known, each one is asked for. */
	marks->has[LEA_MARK_REFUSED] = lea_mark_ask_any(options->event_fd, LEA_MARK_REFUSED) != 0;
	marks->has[LEA_MARK_UNSETTLED] =
		lea_mark_ask_any(options->event_fd, LEA_MARK_UNSETTLED) != 0;
	marks->known_fd = lea_marker_open(options->event_fd);
	return marks->known_fd < 0 ? marks->known_fd : 0;
}

void lea_batch_marks_close(struct lea_batch_marks *marks)
{
	lea_closep(&marks->known_fd);
	lea_closep(&marks->hung_fd);
	marks->known_fd = marks->hung_fd = -1;
}

static void log_fault(const struct lea_batch_marks *marks, const char *what, int r)
{
	if (r < 0)
		lea_log(marks->options->world->log, LEA_LOG_DEBUG, "%s: its recorded marker: %s",
			what, strerror(-r));
}

static int ask(const struct lea_batch_marks *marks, enum lea_mark mark, const char *key)
{
	return marks->has[mark] ? lea_mark_ask(marks->options->event_fd, mark, key) : 0;
}

static int drop(const struct lea_batch_marks *marks, enum lea_mark mark, const char *key)
{
	return marks->has[mark] ? lea_mark_drop(marks->options->event_fd, mark, key) : 0;
}

/* Does an add of the device wait for an answer? 1, 0 or a shortage. */
static int owes_add(const struct lea_batch_marks *marks, const struct lea_device *device,
		    const char *pvid)
{
	return lea_reader_owes_add(marks->options->reader, marks->hung_fd, device, pvid);
}

/* A device that was refused when it came into use has since become a PV of ours by a change, and
 * one that a change led to, or that nobody read then, was not settled. But a change of one whose add
 * still waits for an answer brings that answer. */
int lea_batch_marks_kind(struct lea_batch_marks *marks, const struct lea_entry *entry,
			 enum lea_entry_kind *ret_kind)
{
	const bool is_change = entry->kind == LEA_ENTRY_CHANGE;
	int r = 0;

	*ret_kind = entry->kind;
	if (is_change && !marks->has_asked_hung) {
		marks->hung_fd = lea_hung_open(marks->options->world);
		r = marks->hung_fd < 0 ? lea_shortage_of(marks->hung_fd) : 0;
		if (r)
			return r;
		marks->has_asked_hung = true;
	}
	r = is_change ? owes_add(marks, &entry->device, entry->pvid) : 0;
	if (r < 0)
		return r;
	if (r)
		*ret_kind = LEA_ENTRY_MISSED;
	if (*ret_kind != LEA_ENTRY_MISSED)
		return 0;
	r = ask(marks, LEA_MARK_REFUSED, entry->key);
	r = r || is_change ? r : ask(marks, LEA_MARK_UNSETTLED, entry->key);
	if (r > 0)
		*ret_kind = LEA_ENTRY_CHANGE;
	return r < 0 ? r : 0;
}

int lea_batch_marks_unheeded(const struct lea_batch_options *options,
			     const struct lea_entry *entry)
{
	const int event_fd = options->event_fd;
	int r;

	if (entry->device.is_gone)
		return 0;
	r = lea_marker_ask(event_fd, &entry->device, entry->pvid);
	return r ? (r < 0 ? r : 0) : lea_mark_set(event_fd, LEA_MARK_UNSETTLED, entry->key);
}

/* Is what was found a state of the moment, after which the device is to be read again? */
static bool is_momentary(const struct lea_found *found, const struct lea_record *record)
{
	return lea_found_silence(found) || record->kind == LEA_RECORD_FAILED ||
	       (found->kind == LEA_FOUND_EXCLUDED && found->excluded == LEA_EXCLUDED_NO_SYSFS);
}

/* *ret_mark: LEA_MARKS: none. A change that is not settled must not hide an add that has no answer yet.
 * During boot udev's file says as what the device came (LVMEVENT_FIRST), and first of the boot before: a
 * mark would outlast that. 0 or a shortage. */
static int mark_of(const struct lea_batch_marks *marks, const struct lea_found *found,
		   const struct lea_record *record, enum lea_entry_kind kind,
		   enum lea_mark *ret_mark)
{
	int r;

	*ret_mark = LEA_MARKS;
	if (record->kind == LEA_RECORD_DUPLICATE && record->is_left_out && marks->options->is_boot)
		*ret_mark = LEA_MARK_UNSETTLED;
	if (record->kind == LEA_RECORD_ONLINE || record->kind == LEA_RECORD_DUPLICATE ||
	    found->kind == LEA_FOUND_GONE)
		return 0;
	if (!is_momentary(found, record)) {
		*ret_mark = LEA_MARK_REFUSED;
		return 0;
	}
	if (kind != LEA_ENTRY_CHANGE || marks->options->is_boot)
		return 0;
	r = owes_add(marks, &found->device, found->expected);
	if (!r)
		*ret_mark = LEA_MARK_UNSETTLED;
	return r < 0 ? r : 0;
}

/* Its change events must start the enqueuer again: by one it may become a PV of another VG. */
static void forget_record(const struct lea_batch_marks *marks, const struct lea_found *found)
{
	if (lea_found_is_pv(found))
		log_fault(marks, found->device.name,
			  lea_marker_drop(marks->known_fd, &found->device, found->label.pvid));
}

void lea_batch_marks_take_back(const struct lea_batch_marks *marks, const struct lea_scan *scan,
			       struct lea_retry_set *retries)
{
	struct lea_found *const *found;
	size_t count;

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; i < count; i++)
		if (lea_retry_set_has(retries, &found[i]->device))
			forget_record(marks, found[i]);
}

static bool is_no_vg_of_ours(const struct lea_record *record)
{
	return record->kind == LEA_RECORD_EXPORTED || record->kind == LEA_RECORD_FOREIGN ||
	       record->kind == LEA_RECORD_SHARED;
}

/* When the VG becomes ours again, that is an administrator's change: it does not end the wait of an
 * add that came before. */
static int end_wait(const struct lea_batch_marks *marks, const struct lea_found *found,
		    const struct lea_record *record)
{
	return found->vg && is_no_vg_of_ours(record)
		       ? lea_mark_drop(marks->options->event_fd, LEA_MARK_AWAITED, found->vg->id)
		       : 0;
}

/*
 * A device that was read and has no record. If it becomes a PV of one of our VGs from now on, that
 * is an administrator's change, which activates nothing. An add clears the marker.
 */
int lea_batch_marks_judged(const struct lea_batch_marks *marks, const struct lea_found *found,
			   const struct lea_record *record, enum lea_entry_kind kind)
{
	const struct lea_devid id = lea_device_id(&found->device);
	enum lea_mark mark;
	char key[LEA_DEVID_TEXT_BYTES];
	int r = mark_of(marks, found, record, kind, &mark), s = end_wait(marks, found, record);

	r = r ? r : s;
	s = 0;
	lea_devid_format(&id, key);
	if (mark == LEA_MARK_REFUSED) {
		s = lea_refused_set(marks->options->event_fd, key,
				    found->kind == LEA_FOUND_NOT_PV || found->kind == LEA_FOUND_ORPHAN,
				    &marks->begun);
		forget_record(marks, found);
	} else if (kind == LEA_ENTRY_ADD) {
		s = drop(marks, LEA_MARK_REFUSED, key);
	}
	r = r ? r : s;
	/* What is excluded is not asked whether udev names it; it had a mark if not. */
	if (found->is_unnamed || found->kind == LEA_FOUND_EXCLUDED)
		log_fault(marks, key,
			  lea_probed_note(marks->options->event_fd, key,
					  is_momentary(found, record),
					  lea_world_now_ms(marks->options->world)));
	if (mark == LEA_MARK_UNSETTLED)
		s = lea_mark_set(marks->options->event_fd, mark, key);
	else
		s = drop(marks, LEA_MARK_UNSETTLED, key);
	r = r ? r : s;
	log_fault(marks, key, r);
	return r;
}

int lea_batch_marks_left_out(const struct lea_batch_marks *marks, const struct lea_record *record)
{
	LEA_AUTO(lea_device_done) struct lea_device copy = {0};
	const struct lea_devid number = {record->other_major, record->other_minor, 0};
	char key[LEA_DEVID_TEXT_BYTES];
	struct lea_devid id;
	int r = marks->options->is_boot ? lea_device_find(marks->options->world, &number, &copy)
					: LEA_DEVICE_GONE;

	if (r)
		return r < 0 ? r : 0;
	id = lea_device_id(&copy);
	lea_devid_format(&id, key);
	r = lea_mark_set(marks->options->event_fd, LEA_MARK_UNSETTLED, key);
	log_fault(marks, key, r);
	return r;
}

int lea_batch_marks_changed(const struct lea_batch_marks *marks, const struct lea_found *found)
{
	const struct lea_devid id = lea_device_id(&found->device);
	char key[LEA_DEVID_TEXT_BYTES];

	lea_devid_format(&id, key);
	return lea_mark_set(marks->options->event_fd, LEA_MARK_UNSETTLED, key);
}

int lea_batch_marks_recorded(const struct lea_batch_marks *marks, const struct lea_found *found)
{
	const int r = lea_marker_set(marks->known_fd, &found->device, found->label.pvid);

	log_fault(marks, found->device.name, r);
	return r;
}

void lea_batch_marks_gone(const struct lea_batch_marks *marks, const struct lea_entry *entry)
{
	if (entry->pvid[0])
		log_fault(marks, entry->pvid,
			  lea_marker_drop(marks->known_fd, &entry->device, entry->pvid));
	log_fault(marks, entry->key, drop(marks, LEA_MARK_REFUSED, entry->key));
	log_fault(marks, entry->key, drop(marks, LEA_MARK_UNSETTLED, entry->key));
}
