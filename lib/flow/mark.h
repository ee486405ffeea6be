/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event/known: an empty file for each instance of a PV that has a record. The udev rule tests it by
 * name, so that a change of such a PV starts no process. Marks only save work: one that is missing
 * costs a look.
 */
#ifndef LEA_FLOW_MARK_H
#define LEA_FLOW_MARK_H

#include "base/err.h"
#include "world/device.h"

#include <stdbool.h>

#define LEA_MARK_FOLDER "known"

/*
 * event/refused: an empty file for each instance that a pass has read and that left no record: no PV
 * of a VG, of another host, exported, filtered ... What makes it one of ours later is a change, which
 * activates nothing.
 */
#define LEA_REFUSED_FOLDER "refused"

/* The folder, made if need be; the caller closes it. @event_fd: /run/lvm/event. -errno. */
LEA_MUST_CHECK int lea_mark_open(int event_fd);
/* @known_fd: of lea_mark_open. @device: its numbers and instance count. 0 or -errno. */
LEA_MUST_CHECK int lea_mark_set(int known_fd, const struct lea_device *device, const char *pvid);
LEA_MUST_CHECK int lea_mark_drop(int known_fd, const struct lea_device *device, const char *pvid);
/* One look at /run; false when it can't be told, too. @pvid: "" is of no PV. */
bool lea_mark_is_set(int event_fd, const struct lea_device *device, const char *pvid);
/* @event_fd: /run/lvm/event; @key: of the queue's entry of this instance. 0 or -errno. */
LEA_MUST_CHECK int lea_refused_set(int event_fd, const char *key);
LEA_MUST_CHECK int lea_refused_drop(int event_fd, const char *key);
/* Has any been set since there is a folder? */
bool lea_refused_any(int event_fd);
bool lea_refused_is_set(int event_fd, const char *key);

/* Drops files of both folders whose instances are not there any more; @is_there: one look at sysfs,
 * say. */
void lea_mark_tidy(int event_fd,
		   bool (*is_there)(void *arg, uint32_t major, uint32_t minor, uint64_t diskseq),
		   void *arg);

#endif
