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

/* The folder, made if need be; the caller closes it. @event_fd: /run/lvm/event. -errno. */
LEA_MUST_CHECK int lea_marker_open(int event_fd);
enum lea_marker_outcome { LEA_MARKER_WAS_SET = 1 };
/* @known_fd: from lea_marker_open. @device: number and diskseq. set: 0, LEA_MARKER_WAS_SET or
 * -errno. drop: 0, also of an absent one, or -errno. */
LEA_MUST_CHECK int lea_marker_set(int known_fd, const struct lea_device *device, const char *pvid);
LEA_MUST_CHECK int lea_marker_drop(int known_fd, const struct lea_device *device, const char *pvid);
/* Is it set? As lea_file_ask; 0 for @pvid "". */
LEA_MUST_CHECK int lea_marker_ask(int event_fd, const struct lea_device *device, const char *pvid);
/* The same; @run_fd: /run/lvm. */
LEA_MUST_CHECK int lea_marker_ask_in(int run_fd, const struct lea_device *device,
				     const char *pvid);

/* Drops these files, and the marks (state/mark.h), of instances that are not there any more. */
void lea_marker_tidy(struct lea_world *world, int event_fd);
