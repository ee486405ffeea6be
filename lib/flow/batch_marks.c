/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/batch_marks.h"

#include <string.h>

#include "base/cleanup.h"
#include "flow/mark.h"

int lea_batch_marks_open(struct lea_batch_marks *marks, const struct lea_batch_how *how)
{
	marks->how = how;
	marks->has_refused = lea_refused_any(how->event_fd);
	marks->known_fd = lea_mark_open(how->event_fd);
	return marks->known_fd < 0 ? marks->known_fd : 0;
}

void lea_batch_marks_close(struct lea_batch_marks *marks)
{
	lea_closep(&marks->known_fd);
	marks->known_fd = -1;
}

static void tell(const struct lea_batch_marks *marks, const char *what, int r)
{
	if (r < 0)
		lea_log(marks->how->world->log, LEA_LOG_DEBUG, "%s: its mark: %s", what,
			strerror(-r));
}

/* What was refused when it came into use has become a PV of ours by a change. */
enum lea_entry_kind lea_batch_marks_kind(const struct lea_batch_marks *marks,
					 const struct lea_entry *entry)
{
	if (entry->kind == LEA_ENTRY_MISSED && marks->has_refused &&
	    lea_refused_is_set(marks->how->event_fd, entry->key))
		return LEA_ENTRY_CHANGE;
	return entry->kind;
}

/* Is there nothing to be done about this instance before it is added once more? One that could not
 * be judged is to be read again, unless a change led to it. */
static bool is_refused(const struct lea_found *found, const struct lea_record *record,
		       enum lea_entry_kind kind)
{
	if (record->kind == LEA_RECORD_ONLINE || record->kind == LEA_RECORD_DUPLICATE)
		return false;
	return kind == LEA_ENTRY_CHANGE ||
	       (found->kind != LEA_FOUND_UNREADABLE && found->kind != LEA_FOUND_GONE &&
		record->kind != LEA_RECORD_FAILED);
}

/*
 * A device that was read and has no record: what makes it a PV of a VG of ours from now on is an
 * administrator's change, which activates nothing. An add makes this void.
 */
void lea_batch_marks_judged(const struct lea_batch_marks *marks, const struct lea_found *found,
			    const struct lea_record *record, enum lea_entry_kind kind)
{
	const int event_fd = marks->how->event_fd;
	struct lea_entry entry = {.device = {.major = found->device.major,
					     .minor = found->device.minor,
					     .diskseq = found->device.diskseq}};

	lea_entry_set_key(&entry);
	if (is_refused(found, record, kind))
		tell(marks, entry.key, lea_refused_set(event_fd, entry.key));
	else if (kind == LEA_ENTRY_ADD && marks->has_refused)
		tell(marks, entry.key, lea_refused_drop(event_fd, entry.key));
}

void lea_batch_marks_recorded(const struct lea_batch_marks *marks, const struct lea_found *found)
{
	tell(marks, found->device.name,
	     lea_mark_set(marks->known_fd, &found->device, found->label.pvid));
}

void lea_batch_marks_gone(const struct lea_batch_marks *marks, const struct lea_entry *entry)
{
	if (entry->pvid[0])
		tell(marks, entry->pvid, lea_mark_drop(marks->known_fd, &entry->device, entry->pvid));
	if (marks->has_refused)
		tell(marks, entry->key, lea_refused_drop(marks->how->event_fd, entry->key));
}
