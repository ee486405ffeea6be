/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The boot pass: resident while the gate is closed. Takes PVs as udev finishes them, in batches,
 * through the same code as the runner, so that an arrival in any phase of boot has an owner.
 */
#ifndef LEA_FLOW_BOOTPASS_H
#define LEA_FLOW_BOOTPASS_H

#include "base/err.h"
#include "flow/batch.h"

/* All borrowed. */
struct lea_bootpass_how {
	struct lea_batch_how batch; /* workers: not NULL */
	/*
	 * Called when all that udev has announced is handled and it has nothing in work, or has
	 * been quiet for boot_quiet_ms; and at boot_deadline_ms by another thread, even if a pass
	 * is still busy then. May be called twice.
	 */
	void (*ready)(void *arg);
	void *arg;
};

/* Returns when the gate is open and its VGs are up or have failed, 0 or -errno. */
LEA_MUST_CHECK int lea_bootpass_run(const struct lea_bootpass_how *how);

#endif
