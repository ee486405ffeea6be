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

#include "state/online.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Limit of the index's memory. Files beyond it are read again at each listing of the folder. */
#define LEA_LOOKUP_INDEX_BYTES (16U << 20)

/* Zeroed: empty, and reads no file before the first search. */
struct lea_lookup_index {
	int run_fd;		 /* borrowed from the caller */
	struct lea_arena *arena; /* owns files and ids; NULL: none yet */
	void *files, *ids;	 /* trees; ids: the first of each PVID */
	struct stat listed;	 /* the folder's status at the last listing */
	bool is_current;	 /* every file is indexed as long as the folder is unchanged */
};

/* Forgets all, and gives the memory back. */
void lea_lookup_index_clear(struct lea_lookup_index *index);

/*
 * lea_lookup_index_find - the lookup file that lists @pvid
 * @run_fd: the run folder, the same in every call
 * Returns 0 with *ret_lookup (release with lea_lookup_done), LEA_ONLINE_ABSENT, or -errno. Skips
 * unreadable files. If several files list the PV, returns any of them.
 */
LEA_MUST_CHECK int lea_lookup_index_find(struct lea_lookup_index *index, int run_fd,
					 const char *pvid, struct lea_lookup *ret_lookup);
