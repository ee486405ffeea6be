/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PVs that are on two devices. While a copy exists, no event and no command activates the VG; once
 * one of the two devices is gone or excluded by a filter, the VG is tried again. Only the check
 * under the VG's lock decides; the other functions keep notes (event/duplicates) and queue devices.
 *
 * Two paths to one disk, and a device stacked on the other, are not copies: the device that was
 * recorded first is used. Of two copies the one that the devices file lists is the PV, and no note
 * is kept of the other one; if it lists both alike, the one that the last good boot had, and the
 * other one is ignored (duplicate_original.h).
 */
#pragma once

#include "base/err.h"
#include "record/duplicate_tie.h"
#include "record/record.h"
#include "scan/scan.h"
#include "state/queue.h"

#define LEA_DUPLICATES_REASON_BYTES 192U

/* For a PV on @found whose record names another device, @recorded, which may still carry it, or
 * does (@is_sure): notes @found as its duplicate and fills in tie, is_news, is_ignored and
 * is_left_out of @record. 0 or -errno. */
LEA_MUST_CHECK int lea_duplicates_meet(struct lea_world *world, const struct lea_conf *conf,
				       const struct lea_device *recorded, bool is_sure,
				       const struct lea_found *found, struct lea_record *record);
/*
 * lea_duplicates_is_copy - is it @recorded that is the copy, and @found the PV?
 * As lea_original_find says, and only while nothing uses @recorded, and its metadata, by @answer,
 * are not newer. > 0: yes, 0: no, or -errno.
 */
LEA_MUST_CHECK int lea_duplicates_is_copy(struct lea_world *world, const struct lea_conf *conf,
					  const struct lea_device *recorded,
					  const struct lea_duplicate_answer *answer,
					  const struct lea_found *found);
/* @found takes the record of the copy @recorded, which is noted as its duplicate. *ret_is_left_out: the
 * devices file does not mean it, and there is no note. 0 or -errno. */
LEA_MUST_CHECK int lea_duplicates_replace(struct lea_world *world, const struct lea_conf *conf,
					  const struct lea_device *recorded,
					  const struct lea_found *found, bool *ret_is_left_out);

/* @found has the record, and was read as the PV: drops its note, and no other device waits for its
 * answer any more. One system call if the PV has no duplicates. 0 or -errno. */
LEA_MUST_CHECK int lea_duplicates_recorded(struct lea_world *world, const struct lea_found *found);

/* Is this instance noted as a duplicate? One system call if the PV has none. *ret_is_reported: it was
 * reported in this boot, so its own event was heeded; NULL: not asked. 1: yes, 0: no, or -errno. */
LEA_MUST_CHECK int lea_duplicates_is_noted(struct lea_world *world, const char *pvid,
					   const struct lea_devid *id, bool *ret_is_reported);

/* All borrowed. */
struct lea_duplicates_options {
	struct lea_world *world;
	const struct lea_conf *conf;
	const char *const *devices; /* --devices list; NULL: not given */
	uint32_t device_count;
	bool test;  /* leave no note */
	bool quiet; /* log an error only once an epoch; else each time */
	/* Is all of the VG active that would be activated? Asked once there is a copy: then that
	 * does not count, as nothing is built on either. NULL: a copy counts in any case. */
	bool (*is_up)(void *arg);
	void *arg;	/* for is_up */
	bool *has_read; /* becomes true if a device is read, however long that takes; NULL: not
			   asked for */
};

enum lea_duplicates_outcome {
	LEA_DUPLICATES_COPY = 1, /* @ret_reason names both devices; logged */
	LEA_DUPLICATES_SILENT,	 /* likewise, but no copy has given an answer */
};

/*
 * lea_duplicates_check - does a PV of this VG have a copy on another device?
 * @scanned: the VG as read under its lock
 * Looks for other devices with its PVIDs in the notes and in udev's links, and reads these in a
 * child with the current filters; one that does not answer counts as a copy. Costs a few system
 * calls for each PV without duplicates. With allow_changes_with_duplicate_pvs it checks nothing.
 * Returns 0, an outcome or a fault. A copy does not count if the PV's device is known to be the
 * original (lea_original_find).
 */
LEA_MUST_CHECK int lea_duplicates_check(const struct lea_duplicates_options *options,
					const struct lea_scan_vg *scanned,
					char ret_reason[static LEA_DUPLICATES_REASON_BYTES]);

/* Of what lea_duplicates_check returned: a transient fault if a later try may find no copy, or 0.
 */
int lea_duplicates_shortage(int checked);

/* After an activation: marks the duplicates of the VG's PVs as ignored and logs one copy. One
 * system call if no PV has a duplicate. Faults are not reported: the duplicate's next event tries
 * again. */
void lea_duplicates_ignore(struct lea_world *world, const struct lea_scan_vg *scanned);

/* What has become of a device that was a PV. */
enum lea_duplicate_end {
	LEA_DUPLICATE_WENT,	   /* it was removed */
	LEA_DUPLICATE_WIPED,	   /* it was read, and is no PV of a VG */
	LEA_DUPLICATE_MADE_ANOTHER /* likewise, but another PV, as after vgimportclone */
};

/*
 * lea_duplicates_gone - @device does not carry @pvid any more
 * Queues the other devices with this PV, since the VG may be activated now, and one that was
 * ignored may be the PV. Asks the record, so it comes before that is dropped. One system call if
 * the PV had no duplicate. 0 or -errno.
 */
LEA_MUST_CHECK int lea_duplicates_gone(struct lea_world *world, int event_fd,
				       const struct lea_device *device, const char *pvid,
				       enum lea_duplicate_end end);

/*
 * lea_duplicates_reconcile - is every noted duplicate still one?
 * Finds lost removals, changed filters and wiped copies: reads all noted devices in a child, and
 * queues the devices of a PV if one of them no longer carries it. One system call if there are no
 * notes. @reader: that hears of who waits, so that a silent duplicate does not hold them up; NULL:
 * its own. Faults are logged: the next reconcile tries again. Returns how many were queued.
 */
size_t lea_duplicates_reconcile(struct lea_world *world, const struct lea_conf *conf,
				struct lea_reader *reader, int event_fd);
