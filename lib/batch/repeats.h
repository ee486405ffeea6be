/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a shortage leaves to the next passes of this process: adds that come back, whose VGs may have been
 * activated since, and claims that could not be ended. Without it a VG that a person takes down between
 * two passes would come up with the second one.
 */
#pragma once

#include "base/devset.h"
#include "state/claim.h"
#include "state/queue.h"
#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed: nothing. */
struct lea_repeats {
	struct lea_devset adds; /* numbers of devices, each with that of the event as its instance */
	uint64_t *begun_ms;	/* [i]: when the first pass with it began; owned */
	size_t add_room;
	char (*vg_id)[33];	/* [vg_count], of claims; owned */
	size_t vg_count, vg_room;
};

/* The entries of a pass that began at @begun_ms (lea_world_now_ms) come back, but for those with is_settled.
 * What there is no memory for counts as new. */
void lea_repeats_note(struct lea_repeats *repeats, const struct lea_entry *entries, size_t count,
		      uint64_t begun_ms);
/* When did the first pass with this add begin, if it has come back? 0: it has not, as a later event of the
 * device. */
uint64_t lea_repeats_find(struct lea_repeats *repeats, const struct lea_entry *entry);
/* The VG is active, and its claim, which this process has, still says that it is under way. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_repeats_keep_claim(struct lea_repeats *repeats, const char *vg_id);
/* Ends these claims: DONE. 0, or the shortage for which one of them stays as it is. */
LEA_MUST_CHECK int lea_repeats_end_claims(struct lea_repeats *repeats,
					  const struct lea_claims *claims);
/* Nothing comes back to this program: what it claims now, nobody would end, for after an exec the process is
 * the same. Such a claim is ended, or else dropped. Frees all. */
void lea_repeats_done(struct lea_repeats *repeats, struct lea_world *world);
