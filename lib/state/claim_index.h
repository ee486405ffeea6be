/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All claims, by the VG's name and by PV, for questions that their files, which are named by the
 * VG's id, do not answer. A claim is read when its file is new: however many passes ask, what is
 * read grows with the claims that are stored. Not current on its own: each pass that asks updates
 * it once.
 *
 * A changed inode number identifies a claim that was stored anew, because the tmpfs of /run never
 * reuses inode numbers.
 */
#pragma once

#include "base/cleanup.h"
#include "base/err.h"
#include "state/claim.h"

/* Zeroed: empty. */
struct lea_claim_index {
	struct lea_indexed_claim *claim;    /* [count], sorted by id; owned */
	struct lea_indexed_claim **by_name; /* [count]; owned */
	size_t count, room;
};

/* Forgets all, and gives the memory back. */
void lea_claim_index_clear(struct lea_claim_index *index);

/* Lists the folder and reads the claims that were stored since the last update. 0 or -errno. */
LEA_MUST_CHECK int lea_claim_index_update(struct lea_claim_index *index,
					  const struct lea_claims *claims);

/* Calls @tell for every valid claim of a VG with this name, as its file is now. A non-zero return
 * of
 * @tell ends the search and is returned. */
LEA_MUST_CHECK int lea_claim_index_each_named(
	const struct lea_claim_index *index, const struct lea_claims *claims, const char *name,
	int (*tell)(void *arg, const char *vg_id, const struct lea_claim *claim), void *arg);

/*
 * lea_claim_index_is_shared - may another VG of this name stand behind vgs_online/@name?
 * That file holds only the name. > 0: another VG than @vg_id has a claim of the name with which
 * the file comes, 0: none has, or -errno.
 */
LEA_MUST_CHECK int lea_claim_index_is_shared(const struct lea_claim_index *index,
					     const struct lea_claims *claims, const char *name,
					     const char *vg_id);

/* Forgets the claim, as lea_claim_forget. @index: current, or empty: it is updated if it is needed,
 * once for many calls. */
LEA_MUST_CHECK int lea_claim_index_forget(struct lea_claim_index *index,
					  const struct lea_claims *claims, const char *vg_id,
					  const struct lea_claim *claim);

/* A PV instance, and the VG that it is of now; "": of none, or the device is gone. */
struct lea_claim_move {
	struct lea_claim_pv pv;
	char vg_id[33];
	bool *has_left; /* borrowed; set if a claim of another VG had it; NULL: nobody asks */
};

/*
 * lea_claim_index_move_pvs - remove these PVs from the claims of other VGs
 * A PV is in one VG only. A claim without PVs is removed; one that is CLAIMED is left to its owner.
 * Instances are compared: the removal of an old disk does not undo what a new one has done.
 * Sorts @moves. 0 or -errno.
 */
LEA_MUST_CHECK int lea_claim_index_move_pvs(struct lea_claim_index *index,
					    const struct lea_claims *claims,
					    struct lea_claim_move *moves, size_t count);
