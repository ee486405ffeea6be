/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The devices of a pass that must be tried again because the machine lacked something
 * (lea_is_shortage). All other devices of the pass are done.
 */
#pragma once

#include "base/devset.h"
#include "scan/scan.h"
#include "state/queue.h"

/* Zeroed: empty. */
struct lea_retry_set {
	int fault;		   /* the first shortage; 0: none */
	struct lea_devset numbers; /* of the devices to retry */
	bool is_full;		   /* there was no memory for more: no entry counts as settled */
};

/* Adds @device if @fault is a shortage; does nothing otherwise. */
void lea_retry_set_add(struct lea_retry_set *retries, int fault, const struct lea_device *device);
/* Adds all PVs of a VG: an entry of any of them leads to the VG again. */
void lea_retry_set_add_vg(struct lea_retry_set *retries, int fault,
			  const struct lea_scan_vg *scanned);
/* Sets is_settled in the entries that need no retry. Returns the shortage, or 0. */
LEA_MUST_CHECK int lea_retry_set_mark(struct lea_retry_set *retries, struct lea_entry *entries,
				      size_t count);
/* Does the device have to come back? */
bool lea_retry_set_has(struct lea_retry_set *retries, const struct lea_device *device);
void lea_retry_set_done(struct lea_retry_set *retries);
