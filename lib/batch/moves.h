/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PVs that have left the VGs whose claims list them. They are gathered, and taken from the claims
 * together. */
#pragma once

#include "base/err.h"
#include "record/record.h"
#include "scan/scan.h"
#include "state/claim_index.h"
#include "state/entry_kind.h"

#include <stdbool.h>
#include <stddef.h>

struct lea_candidates;

/* Zeroed: none. */
struct lea_batch_moves {
	struct lea_claim_move *list; /* [count]; owned, released by lea_batch_moves_done */
	size_t count, room;
};

/*
 * Does the device show of which VG the PV is now, and may a claim of another VG have it? It has if
 * the administrator has made it a PV of another VG, perhaps of the same name, or of none. Of a PV
 * that just came no claim can know, unless instances are not numbered.
 */
bool lea_batch_may_have_moved(const struct lea_found *found, const struct lea_record *record,
			      enum lea_entry_kind kind);
/* @vg_id: of which it is now; "": of none. @has_left: as in struct lea_claim_move. 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_batch_moves_put(struct lea_batch_moves *moves, const struct lea_devid *id,
				       const char *pvid, const char *vg_id, bool *has_left);
/* The same of a device that was read. A PV without metadata does not show of which VG it is: that is
 * no sign that it is of none. */
LEA_MUST_CHECK int lea_batch_moves_put_found(struct lea_batch_moves *moves,
					     const struct lea_found *found, bool *has_left);
/* Takes them from the claims, and forgets them. 0 or -errno. */
LEA_MUST_CHECK int lea_batch_moves_make(struct lea_batch_moves *moves,
					struct lea_candidates *candidates);
void lea_batch_moves_done(struct lea_batch_moves *moves);
