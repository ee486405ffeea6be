/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PVs that are on two devices. A copy keeps its VG from being activated on every way that leads
 * there, until one of the two is excluded by a filter or gone: then the VG is looked at again. The
 * one place that decides is the look under the VG's lock; all others only leave notes
 * (event/rivals) and put devices into the queue.
 *
 * Two paths of one disk, and a device that is stacked on the other one, are no copies: the one
 * that was recorded first counts.
 */
#ifndef LEA_FLOW_RIVALS_H
#define LEA_FLOW_RIVALS_H

#include "base/err.h"
#include "flow/batch.h"
#include "flow/record.h"
#include "flow/scan.h"
#include "state/queue.h"

#define LEA_RIVALS_REASON_BYTES 192U

/* A PV that is on two devices, as far as the record says which one counts. Notes @found, and fills
 * in what @record says of it. @recorded: alive. 0 or -errno. */
LEA_MUST_CHECK int lea_rivals_meet(struct lea_world *world, const struct lea_device *recorded,
				   const struct lea_found *found, struct lea_record *record);
/* This one has the record now: it is nobody's rival. 0 or -errno. */
LEA_MUST_CHECK int lea_rivals_recorded(struct lea_world *world, const struct lea_found *found);

/* All borrowed. */
struct lea_rivals_how {
	struct lea_world *world;
	const struct lea_conf *conf;
	const char *const *devices; /* --devices list; NULL: not given */
	uint32_t device_count;
	bool test;  /* leave no note */
	bool quiet; /* say it once an epoch; else each time */
};

enum lea_rivals_outcome {
	LEA_RIVALS_COPY = 1, /* @ret_reason says which; logged */
};

/*
 * lea_rivals_check - is a PV of this VG on a copy, too?
 * @known: its devices, as read under the VG's lock
 * Asks the notes and udev for others that carry its PVIDs; those are read, in a child, with the
 * filters of now. One that can't be read counts as what it was said to be. A few system calls for
 * each PV where there are none. With allow_changes_with_duplicate_pvs nothing is asked. 0,
 * LEA_RIVALS_COPY, or a fault.
 */
LEA_MUST_CHECK int lea_rivals_check(const struct lea_rivals_how *how,
				    const struct lea_scan_vg *known,
				    char ret_reason[static LEA_RIVALS_REASON_BYTES]);

/* The VG is active: what came meanwhile is ignored, and said to be. One system call where no PV
 * has a rival. Faults don't matter: the next event of the device tells. */
void lea_rivals_ignore(struct lea_world *world, const struct lea_scan_vg *known);

/* A PV was removed: with one device less its VG may come up. Puts the devices that are left into
 * the queue. One system call where it had no rival. 0 or -errno. */
LEA_MUST_CHECK int lea_rivals_gone(const struct lea_batch_how *how, const struct lea_entry *entry);

/*
 * lea_rivals_compare - is every rival still one?
 * For removals that were lost, changed filters, copies that were wiped: reads all that are noted, in
 * a child, and puts the devices of a PV into the queue if one of them is none any more. One system
 * call where there are none. Faults are logged: the next comparison tries again.
 */
void lea_rivals_compare(struct lea_world *world, const struct lea_conf *conf, int event_fd);

#endif
