/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Incomplete VGs that are to be activated in part after a wait (plan/incomplete_rules.h). Passes
 * note them; when a VG's wait is over, one of its devices is queued, as LEA_ENTRY_PARTIAL, and the
 * pass over that entry activates the VG. Where no setting asks for it, there is no struct
 * lea_partial, and all this costs nothing.
 */
#pragma once

#include "base/err.h"
#include "batch/batch.h"
#include "plan/incomplete_rules.h"
#include "scan/scan.h"

#include <stdbool.h>

struct lea_partial;

/* Logs a warning for each item of the settings that is not valid. Returns 0, with *ret_partial NULL
 * if no item asks for activation in part, or -ENOMEM. Borrows @world and @conf. */
LEA_MUST_CHECK int lea_partial_new(struct lea_world *world, const struct lea_conf *conf,
				   struct lea_partial **ret_partial);
/* In all functions below @partial may be NULL. */
void lea_partial_free(struct lea_partial *partial);

/* The rule for this VG; without @partial WAIT. */
struct lea_incomplete_choice lea_partial_choose(const struct lea_partial *partial,
						const struct lea_vg *vg);

/* A PV came: all waits begin again. */
void lea_partial_came(struct lea_partial *partial);
/* A device of a VG was counted. @found: with metadata. Never fails: without memory, or with
 * LEA_WAITING_MOST VGs, the VG merely waits. */
void lea_partial_note(struct lea_partial *partial, const struct lea_found *found, bool is_complete);
/* The wait of the VG of @found was over, but a disk that may have one of its PVs is silent: the
 * wait begins again, and lasts longer each time in a row, whatever the rule says. */
void lea_partial_wait_anew(struct lea_partial *partial, const struct lea_found *found);
/* Does any VG wait? */
bool lea_partial_is_waiting(const struct lea_partial *partial);

enum lea_partial_outcome {
	LEA_PARTIAL_QUEUED = 1, /* devices are pending */
};

/*
 * lea_partial_step - queue the VGs whose wait is over
 * @is_idle: udev works on no event; ignored unless a VG waits
 * To be called when nothing is pending and the gate is open. The first call queues the devices of
 * all incomplete VGs that no claim covers, so that a pass notes them; it reads all lookup files and
 * claims. A VG waits no longer when all its PVs that the last boot had are there, and udev is idle.
 * Logs a line when a VG begins to wait. *ret_wait_ms: call again after that time; -1: not needed.
 * Returns 0, LEA_PARTIAL_QUEUED, or -errno: then it does nothing within the next
 * LEA_WAITING_PAUSE_MS.
 */
LEA_MUST_CHECK int lea_partial_step(struct lea_partial *partial,
				    const struct lea_batch_options *options, bool is_idle,
				    int *ret_wait_ms);
