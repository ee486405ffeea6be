/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boot scan: runs while the gate is closed. It takes PVs as udev finishes them and handles them
 * in batches with the runner's code, so that a PV is handled in whatever phase of boot it arrives.
 */
#pragma once

#include "base/err.h"
#include "batch/batch.h"
#include "daemon/device_queue.h"
#include "state/queue_watch.h"

/* All borrowed. */
struct lea_boot_scan_options {
	struct lea_batch_options batch;
	/*
	 * Called when everything that udev announced is handled and udev is idle or has been quiet
	 * for LEA_UDEV_QUIET_MS; and at boot_deadline_ms, by another thread, even while a pass is
	 * busy. May be called twice, by that thread even after lea_boot_scan_run returned.
	 */
	void (*ready)(void *arg);
	void *arg;
	/* What the passes that have ended have scanned, of this run and of those with earlier
	 * settings. What they have recorded is not scanned again: a person may have taken its VG
	 * down since. */
	struct lea_device_queue *done;
	/* Of the settings; NULL: what changes counts from the runner on. */
	const struct lea_queue_watch *watch;
};

enum lea_boot_scan_outcome {
	LEA_BOOT_SCAN_CONF = 1, /* settings may have changed: call it again with a new session */
};
/* Blocks until the gate is open and each VG is active or has failed. Returns 0, LEA_BOOT_SCAN_CONF
 * or -errno. */
LEA_MUST_CHECK int lea_boot_scan_run(const struct lea_boot_scan_options *options);
