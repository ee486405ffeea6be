/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two search trees: files by name, ids by PVID. An outdated file has no inode number any more; it
 * stays in memory, because ids point to it.
 */
#include "state/lookup_index.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/order.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define LOOKUPS	    "pvs_lookup"
#define UNPUBLISHED ".new-" /* base/file.h: a file being written */
/* lvm2 creates the file first and fills it later. A VG with a single PV has no file. */
#define MEMBERS_MIN 2U

struct file {
	char name[128];
	ino_t inode; /* 0: outdated or not indexed */
};

struct id {
	char pvid[33];
	struct file *file;
	struct id *next; /* same PVID, usually in another file */
};

/* The trees do not own their nodes. */
static void keep(void *node)
{
	(void)node;
}

void lea_lookup_index_clear(struct lea_lookup_index *index)
{
	tdestroy(index->files, keep);
	tdestroy(index->ids, keep);
	lea_arena_free(index->arena);
	*index = (struct lea_lookup_index){0};
}

static bool add_ids(struct lea_lookup_index *index, struct file *file,
		    const struct lea_lookup *lookup)
{
	struct id *id = lea_arena_alloc(index->arena, lookup->count, sizeof(*id)), **first;

	for (uint32_t i = 0; id && i < lookup->count; i++, id++) {
		memcpy(id->pvid, lookup->pvid[i], sizeof(id->pvid));
		id->file = file;
		first = tsearch(id, &index->ids, lea_compare_text);
		if (!first)
			return false;
		/* Takes constant time even if a file repeats one id. */
		if (*first != id) {
			id->next = (*first)->next;
			(*first)->next = id;
		}
	}
	return id;
}

/* Adds a file to the index. False: no room, or too few members; the next listing reads it again. */
static bool add_file(struct lea_lookup_index *index, ino_t inode, const struct lea_lookup *lookup)
{
	struct file *file = NULL, **node;

	if (!index->arena)
		index->arena = lea_arena_new(LEA_LOOKUP_INDEX_BYTES);
	if (index->arena && lookup->count >= MEMBERS_MIN)
		file = lea_arena_alloc(index->arena, 1, sizeof(*file));
	if (!file)
		return false;
	memcpy(file->name, lookup->vg, sizeof(file->name));
	node = tsearch(file, &index->files, lea_compare_text);
	if (!node)
		return false;
	(*node)->inode = 0;
	*node = file;
	if (add_ids(index, file, lookup))
		file->inode = inode;
	return file->inode;
}

/* @inode: of a new file, which is added to the index; 0: old file. 0: the file lists @pvid; or
 * LEA_ONLINE_ABSENT, also if it cannot be read, or a shortage. */
static int read_file(struct lea_lookup_index *index, const char *name, ino_t inode,
		     const char *pvid, struct lea_lookup *ret_lookup)
{
	struct lea_lookup lookup = {0};
	const int r = lea_lookup_read(index->run_fd, name, &lookup);

	if (r || (inode && !add_file(index, inode, &lookup)))
		index->is_current = false;
	if (lea_is_shortage(r))
		return r;
	if (lea_lookup_lists(&lookup, pvid)) {
		*ret_lookup = lookup;
		return 0;
	}
	lea_lookup_done(&lookup);
	return LEA_ONLINE_ABSENT;
}

static bool is_new(const struct lea_lookup_index *index, const struct dirent *entry)
{
	struct file *const *node = tfind(entry->d_name, &index->files, lea_compare_text);

	if (node && (*node)->inode == entry->d_ino)
		return false;
	return strncmp(entry->d_name, UNPUBLISHED, strlen(UNPUBLISHED));
}

/* Has the kernel's clock of time stamps ticked? Then a later change alters the stamp. */
static bool has_ticked(const struct timespec *stamp)
{
	struct timespec now;

	return !clock_gettime(CLOCK_REALTIME_COARSE, &now) &&
	       (now.tv_sec != stamp->tv_sec || now.tv_nsec > stamp->tv_nsec);
}

/* Reads the new files of the folder until one lists @pvid; the next listing reads the rest. A file that
 * is not read must not hide another one that lists the PV. */
static int list(struct lea_lookup_index *index, const char *pvid, struct lea_lookup *ret_lookup)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int fault = 0, shortage = 0, r = lea_file_list(index->run_fd, LOOKUPS, &dir);

	if (r)
		return r == -ENOENT ? LEA_ONLINE_ABSENT : r;
	index->is_current =
		!fstat(dirfd(dir), &index->listed) && has_ticked(&index->listed.st_mtim);
	r = LEA_ONLINE_ABSENT;
	while (r && (entry = lea_file_next(dir, &fault))) {
		if (!is_new(index, entry))
			continue;
		r = read_file(index, entry->d_name, entry->d_ino, pvid, ret_lookup);
		shortage = r < 0 ? r : shortage;
	}
	index->is_current = index->is_current && r && !fault;
	fault = fault ? fault : shortage;
	return r ? (fault ? fault : LEA_ONLINE_ABSENT) : 0;
}

static bool is_current(const struct lea_lookup_index *index)
{
	struct stat now;

	return index->is_current && !fstatat(index->run_fd, LOOKUPS, &now, AT_SYMLINK_NOFOLLOW) &&
	       now.st_ino == index->listed.st_ino &&
	       !memcmp(&now.st_mtim, &index->listed.st_mtim, sizeof(now.st_mtim));
}

int lea_lookup_index_find(struct lea_lookup_index *index, int run_fd, const char *pvid,
			  struct lea_lookup *ret_lookup)
{
	struct id *const *node = tfind(pvid, &index->ids, lea_compare_text);
	int r;

	index->run_fd = run_fd;
	for (const struct id *id = node ? *node : NULL; id; id = id->next) {
		if (!id->file->inode)
			continue;
		r = read_file(index, id->file->name, 0, pvid, ret_lookup);
		if (r <= 0)
			return r;
		id->file->inode = 0;
		index->is_current = false;
	}
	return is_current(index) ? LEA_ONLINE_ABSENT : list(index, pvid, ret_lookup);
}
