/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event/known: an empty file for each device instance whose PV has a record. The udev rule tests
 * for it by name, so that a change uevent of such a PV starts no process. Markers only save work:
 * if one is missing, the device is read once more. Others may remove the record, so who relies on a
 * marker looks at the record, too; the udev rule cannot, and leaves that to the next reconcile.
 */
#pragma once

#include "base/err.h"
#include "world/device.h"
#include "world/world.h"

#include <stdbool.h>

#define LEA_MARKER_FOLDER "known"

/*
 * event/refused: an empty file for each device instance that was read but not recorded (no PV of a
 * VG, foreign, exported, filtered ...), so that a reconcile does not queue it again. Only a change
 * can make it usable later, and a change activates nothing.
 */
#define LEA_REFUSED_FOLDER "refused"

/*
 * event/unsettled: an empty file for each instance that a change led to, and that could not be
 * judged: it could not be read, or was excluded for the moment (filter/exclusion.h). The next
 * reconcile queues it as a change.
 */
#define LEA_UNSETTLED_FOLDER "unsettled"

/*
 * event/probed: an empty file for each instance of whose content udev says nothing, and that was
 * queued to be read. It is read once.
 */
#define LEA_PROBED_FOLDER "probed"

/* The folder, made if need be; the caller closes it. @event_fd: /run/lvm/event. -errno. */
LEA_MUST_CHECK int lea_marker_open(int event_fd);
/* @known_fd: from lea_marker_open. @device: number and diskseq. 0 or -errno; setting twice
 * and dropping an absent one are fine. */
LEA_MUST_CHECK int lea_marker_set(int known_fd, const struct lea_device *device, const char *pvid);
LEA_MUST_CHECK int lea_marker_drop(int known_fd, const struct lea_device *device, const char *pvid);
/* One system call; false also if that fails, and for @pvid "". */
bool lea_marker_is_set(int event_fd, const struct lea_device *device, const char *pvid);
/* @event_fd: /run/lvm/event. @key: of the instance's queue entry. 0 or -errno. */
LEA_MUST_CHECK int lea_refused_set(int event_fd, const char *key);
LEA_MUST_CHECK int lea_refused_drop(int event_fd, const char *key);
/* Does the folder exist, so that some may be set? */
bool lea_refused_any(int event_fd);
bool lea_refused_is_set(int event_fd, const char *key);
/* The same for event/unsettled. */
LEA_MUST_CHECK int lea_unsettled_set(int event_fd, const char *key);
LEA_MUST_CHECK int lea_unsettled_drop(int event_fd, const char *key);
bool lea_unsettled_any(int event_fd);
bool lea_unsettled_is_set(int event_fd, const char *key);
/* The same for event/probed. */
LEA_MUST_CHECK int lea_probed_set(int event_fd, const char *key);
bool lea_probed_is_set(int event_fd, const char *key);

/* Drops files of all four folders whose instances are not there any more. */
void lea_marker_tidy(struct lea_world *world, int event_fd);
