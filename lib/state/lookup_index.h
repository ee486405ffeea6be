/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which VG lists this PV? The files of pvs_lookup, each read once: over many PVs without metadata
 * the work grows with PVs and files, not with their product.
 *
 * A file is told from a later one of the same name by its inode number, which the tmpfs of /run
 * never gives twice. An answer is always read from its file now: what others removed is none.
 */
#ifndef LEA_STATE_LOOKUP_INDEX_H
#define LEA_STATE_LOOKUP_INDEX_H

#include "state/online.h"

struct lea_lookup_index;

/* Bounds of what is kept; files beyond are read anew each time, so that nothing is missed. */
#define LEA_LOOKUP_INDEX_FILES 16384U
#define LEA_LOOKUP_INDEX_IDS   (256U * 1024U)

/* Touches nothing before the first find. */
LEA_MUST_CHECK int lea_lookup_index_new(struct lea_lookup_index **ret_index);
void lea_lookup_index_free(struct lea_lookup_index *index);
void lea_lookup_index_freep(struct lea_lookup_index **index);

/*
 * lea_lookup_index_find - the lookup file that lists @pvid
 * @run_fd: the run folder, the same in every call
 * Returns 0 (*ret_lookup: lea_lookup_done), LEA_ONLINE_ABSENT, or -errno. A file that can't be read
 * is passed over. Of several files that list the PV any may be the answer.
 */
LEA_MUST_CHECK int lea_lookup_index_find(struct lea_lookup_index *index, int run_fd,
					 const char *pvid, struct lea_lookup *ret_lookup);

/* What it cost so far. */
struct lea_lookup_index_cost {
	size_t files_read, listings;
};
struct lea_lookup_index_cost lea_lookup_index_cost(const struct lea_lookup_index *index);

#endif
