/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * udev's broadcasts and its tag index: block devices as udev finishes with them. For the boot scan;
 * needs the real udev, no scratch tree.
 */
#pragma once

#include "base/err.h"
#include "world/device.h"

#include <stdbool.h>

struct lea_udevmon;

/* One device as udev has finished with it. */
struct lea_udevmon_event {
	struct lea_device device; /* owned: lea_device_done */
	char fs_uuid[64];	  /* ID_FS_UUID, "" if none */
	bool is_pv;		  /* LVM2_member, and the last event set the tag */
	bool is_activation;	  /* a dm device whose table was made live: DM_ACTIVATION */
	/* A change of a device in use; not known from the tag index. */
	bool is_change;
	bool was_in_use; /* before this PV was made of it: LVMEVENT_FIRST */
	/* Somebody closed it after writing, and our rule has not left that to a reconcile: it has
	 * yet to be read. Not known from the tag index. */
	bool is_written;
};

/*
 * lea_udevmon_open - listen from now on to block devices with @tag; "": to all of them
 * With a large receive buffer: nothing is read while a pass works.
 */
LEA_MUST_CHECK int lea_udevmon_open(const char *tag, struct lea_udevmon **ret_monitor);
void lea_udevmon_close(struct lea_udevmon *monitor);

/* Readable when something has come. Borrowed. */
int lea_udevmon_fd(const struct lea_udevmon *monitor);

enum lea_udevmon_outcome {
	LEA_UDEVMON_NONE = 1, /* nothing (more) there */
	LEA_UDEVMON_OVERFLOW, /* some were lost: enumerate */
	LEA_UDEVMON_FAILED,   /* udev gave up on a device: nothing is kept of it */
};
/* The next broadcast; never blocks. Returns 0, an outcome, or -ENOMEM. */
LEA_MUST_CHECK int lea_udevmon_receive(struct lea_udevmon *monitor,
				       struct lea_udevmon_event *ret_event);

/*
 * lea_udevmon_drain - passes over all that has come
 * Returns 0, or LEA_UDEVMON_FAILED if one of them is a failure (UDEV_WORKER_FAILED, since systemd
 * 248) or one was lost. Never blocks.
 */
LEA_MUST_CHECK int lea_udevmon_drain(struct lea_udevmon *monitor);

/* Every device in the tag's index that udev has finished. @tell takes over the event's device; its
 * non-zero return ends the walk and is returned. */
LEA_MUST_CHECK int lea_udevmon_enumerate(struct lea_udevmon *monitor,
					 int (*tell)(void *arg, struct lea_udevmon_event *event),
					 void *arg);
