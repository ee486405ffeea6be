/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A device that was read, and is not the PV any more that it was: what is kept of it as that PV ends
 * at once. For lib/batch only.
 */
#pragma once

#include "base/err.h"
#include "batch/batch.h"
#include "record/record.h"
#include "scan/scan.h"
#include "state/entry_kind.h"

#include <stdbool.h>

/*
 * Is it another PV than the one that was missed, that a record names, or that was asked about and
 * answered late? An administrator changed it since, as vgimportclone does, and that activates
 * nothing.
 */
bool lea_batch_is_another(const struct lea_found *found);

/* Has this instance never had a record, or a note, as a PV? Then its own event decides about it,
 * which may be an add, and none of what had its number before. 1, 0 (also where instances are not
 * numbered), or -errno. */
LEA_MUST_CHECK int lea_batch_is_unread(int event_fd, const struct lea_device *device);

/* Has the entry's number another instance by now, @device, which was never read? A removal may also be told of one that
 * is still there (udevadm trigger --action=remove); no event of its own follows then. As lea_batch_is_unread. */
LEA_MUST_CHECK int lea_batch_is_unread_successor(int event_fd, const struct lea_entry *entry,
						 const struct lea_device *device);

/* udev could not name the content of this device when it was queued, and can now: an administrator
 * made the PV meanwhile. That is a change, because the device was already in use. 1: yes, 0: no, or a shortage. */
LEA_MUST_CHECK int lea_batch_is_made_since(struct lea_world *world, const struct lea_found *found);

/* Did it say what it is? Not if it gave no answer, is gone, or was not to be read. */
bool lea_batch_has_answered(const struct lea_found *found);

/*
 * Excludes a device with a label that udev would not have called a PV, such as half of a mirror or
 * the disk below a DRBD device: lvm2's own rule ignores it. Without an answer from libblkid the
 * label counts.
 */
void lea_batch_exclude_other(struct lea_found *found);

/* A PV that udev or a record named may have been wiped before it was read, and udev's change of what
 * is no PV starts no process. A VG that it was a copy of was refused for it, and a copy of it is the
 * PV now. 0 or -errno. */
LEA_MUST_CHECK int lea_batch_leave_expected(const struct lea_batch_options *options,
					    const struct lea_found *found);

/* The same for a member of a VG that has no entry in this pass: if it is another PV now, its change
 * may have been lost, and it is queued. In this pass it is no second device of that PV if it is but
 * another path of the disk that has the record. */
LEA_MUST_CHECK int lea_batch_leave_member(const struct lea_batch_options *options,
					  struct lea_found *found);

/*
 * lea_batch_leave_former - the device was read, and has answered
 * @known_fd: from lea_marker_open; @recorder: of the pass
 * @is_held: it has its record, or its note as a duplicate, as the PV that it is
 * @kind: of its entry
 * If the device had its record, or its note, as another PV, these go, and what was refused for them
 * is tried again. The next such question will be about the PV that it is now. Returns 0 or -errno,
 * with which all is as before or can be done again. Costs one system call where nothing has to be
 * done.
 */
LEA_MUST_CHECK int lea_batch_leave_former(const struct lea_batch_options *options, int known_fd,
					  struct lea_recorder *recorder,
					  const struct lea_found *found, bool is_held,
					  enum lea_entry_kind kind);

/* The number of a removed device is another instance's by now. Does udev say that it carries the same PV? 1, 0
 * or -errno. */
LEA_MUST_CHECK int lea_batch_carries_now(struct lea_world *world, const struct lea_entry *entry,
					 const char *wanted);
