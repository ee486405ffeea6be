/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch/moves.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/batch_private.h"

bool lea_batch_may_have_moved(const struct lea_found *found, const struct lea_record *record,
			      enum lea_entry_kind kind)
{
	if (found->kind == LEA_FOUND_ORPHAN)
		return true;
	switch (record->kind) {
	case LEA_RECORD_SHARED:
	case LEA_RECORD_FOREIGN:
	case LEA_RECORD_EXPORTED:
	case LEA_RECORD_ONLINE:
	case LEA_RECORD_DUPLICATE:
		return found->vg && (kind != LEA_ENTRY_ADD || record->replaced ||
				     !found->device.diskseq);
	case LEA_RECORD_NOTHING:
	case LEA_RECORD_MD:
	case LEA_RECORD_NOT_IN_VG:
	case LEA_RECORD_OUTDATED:
	case LEA_RECORD_FAILED:
	default:
		return false;
	}
}

int lea_batch_moves_put(struct lea_batch_moves *moves, const struct lea_devid *id, const char *pvid,
			const char *vg_id, bool *has_left)
{
	struct lea_claim_move *move;

	if (lea_make_room(&moves->list, &moves->room, moves->count + 1, sizeof(*moves->list)))
		return -ENOMEM;
	move = &moves->list[moves->count++];
	*move = (struct lea_claim_move){.pv.id = *id, .has_left = has_left};
	memcpy(move->pv.pvid, pvid, sizeof(move->pv.pvid));
	snprintf(move->vg_id, sizeof(move->vg_id), "%s", vg_id);
	return 0;
}

int lea_batch_moves_put_found(struct lea_batch_moves *moves, const struct lea_found *found,
			      bool *has_left)
{
	const struct lea_devid id = lea_device_id(&found->device);

	if (!found->vg && found->kind != LEA_FOUND_ORPHAN)
		return 0;
	return lea_batch_moves_put(moves, &id, found->label.pvid, found->vg ? found->vg->id : "",
				   has_left);
}

int lea_batch_moves_make(struct lea_batch_moves *moves, struct lea_candidates *candidates)
{
	struct lea_claim_index *index;
	int r;

	if (!moves->count)
		return 0;
	/* VGs of this pass may have claims since it was asked. */
	candidates->is_index_current = false;
	r = lea_candidates_index(candidates, &index);
	r = r ? r
	      : lea_claim_index_move_pvs(index, &candidates->claims, moves->list, moves->count);
	moves->count = 0;
	return r;
}

void lea_batch_moves_done(struct lea_batch_moves *moves)
{
	free(moves->list);
	*moves = (struct lea_batch_moves){0};
}
