/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which VG lists a PV? An index of the files in pvs_lookup that reads each file once: for many PVs
 * without metadata the work grows with PVs plus files, not with their product.
 *
 * A changed inode number identifies a new file with an old name, because the tmpfs of /run never
 * reuses inode numbers. Before each answer the file is read again, so a removed file is never
 * returned.
 */
#pragma once

#include "base/cleanup.h"
#include "state/online.h"

struct lea_lookup_index;

/* Limit of the index's memory. Files beyond it are read again at each listing of the folder. */
#define LEA_LOOKUP_INDEX_BYTES (16U << 20)

/* Does not read files before the first search. */
LEA_MUST_CHECK int lea_lookup_index_new(struct lea_lookup_index **ret_index);
void lea_lookup_index_free(struct lea_lookup_index *index);
/* Forgets all, and gives the memory back. */
void lea_lookup_index_clear(struct lea_lookup_index *index);
LEA_DEFINE_FREEP(struct lea_lookup_index, lea_lookup_index_freep, lea_lookup_index_free);

/*
 * lea_lookup_index_find - the lookup file that lists @pvid
 * @run_fd: the run folder, the same in every call
 * Returns 0 with *ret_lookup (release with lea_lookup_done), LEA_ONLINE_ABSENT, or -errno. Skips
 * unreadable files. If several files list the PV, returns any of them.
 */
LEA_MUST_CHECK int lea_lookup_index_find(struct lea_lookup_index *index, int run_fd,
					 const char *pvid, struct lea_lookup *ret_lookup);
