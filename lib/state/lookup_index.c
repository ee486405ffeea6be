/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two search trees: files by name, ids by PVID. A file that is not believed any more stays in
 * memory, marked, because ids point to it; the bounds hold for these, too.
 */
#include "state/lookup_index.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define LOOKUPS	    "pvs_lookup"
#define UNPUBLISHED ".new-" /* base/file.h: somebody is writing this one */
/* lvm2 makes the file first and fills it then; one of a VG of a single PV is never made. */
#define MEMBERS_MIN 2U
/* A folder may change again within one tick of the clock that stamps it: 10 ms at most. */
#define TICKS_NS    50000000

struct file;

struct id {
	char pvid[33];
	struct file *file;
	struct id *next; /* the same PVID, mostly of another file */
};

struct file {
	char name[128];
	ino_t inode;
	bool is_gone;	/* not in by_name */
	struct id *ids; /* owned */
	struct file *next;
};

struct lea_lookup_index {
	void *by_name;	    /* of struct file */
	void *by_pvid;	    /* of struct id, the first of each PVID */
	struct file *files; /* all there ever were; owned */
	size_t file_count, id_count;
	struct stat listed; /* the folder as it was listed */
	bool is_current;    /* as long as the folder looks like that, every file is known */
	struct lea_lookup_index_cost cost;
};

int lea_lookup_index_new(struct lea_lookup_index **ret_index)
{
	struct lea_lookup_index *index = calloc(1, sizeof(*index));

	if (!index)
		return -ENOMEM;
	*ret_index = index;
	return 0;
}

/* The trees own nothing that they point to. */
static void keep(void *node)
{
	(void)node;
}

void lea_lookup_index_free(struct lea_lookup_index *index)
{
	if (!index)
		return;
	tdestroy(index->by_name, keep);
	tdestroy(index->by_pvid, keep);
	while (index->files) {
		struct file *file = index->files;

		index->files = file->next;
		free(file->ids);
		free(file);
	}
	free(index);
}

void lea_lookup_index_freep(struct lea_lookup_index **index)
{
	lea_lookup_index_free(*index);
}

struct lea_lookup_index_cost lea_lookup_index_cost(const struct lea_lookup_index *index)
{
	return index->cost;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(((const struct id *)a)->pvid, ((const struct id *)b)->pvid);
}

static void forget(struct lea_lookup_index *index, struct file *file)
{
	tdelete(file, &index->by_name, compare_names);
	file->is_gone = true;
	index->is_current = false;
}

/* Behind the first of its PVID: a file that names one id a thousand times costs no walk. */
static int add_id(struct lea_lookup_index *index, struct id *id)
{
	struct id **node = tsearch(id, &index->by_pvid, compare_ids);

	if (!node)
		return -ENOMEM;
	if (*node != id) {
		id->next = (*node)->next;
		(*node)->next = id;
	}
	return 0;
}

static int add_ids(struct lea_lookup_index *index, struct file *file,
		   const struct lea_lookup *lookup)
{
	int r = 0;

	file->ids = calloc(lookup->count, sizeof(*file->ids));
	if (!file->ids)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < lookup->count; i++) {
		memcpy(file->ids[i].pvid, lookup->pvid[i], sizeof(file->ids[i].pvid));
		file->ids[i].file = file;
		r = add_id(index, &file->ids[i]);
	}
	index->id_count += lookup->count;
	return r;
}

static bool has_room(const struct lea_lookup_index *index, const struct lea_lookup *lookup)
{
	return lookup->count >= MEMBERS_MIN && index->file_count < LEA_LOOKUP_INDEX_FILES &&
	       lookup->count <= LEA_LOOKUP_INDEX_IDS - index->id_count;
}

static int add_file(struct lea_lookup_index *index, ino_t inode, const struct lea_lookup *lookup)
{
	struct file *file = calloc(1, sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->inode = inode;
	memcpy(file->name, lookup->vg, sizeof(file->name));
	file->next = index->files;
	index->files = file;
	index->file_count++;
	if (!tsearch(file, &index->by_name, compare_names))
		return -ENOMEM;
	return add_ids(index, file, lookup);
}

static bool is_known(struct lea_lookup_index *index, const struct dirent *entry)
{
	struct file key, **node;

	if (strlen(entry->d_name) >= sizeof(key.name))
		return false;
	strcpy(key.name, entry->d_name); /* fits: checked above */
	node = tfind(&key, &index->by_name, compare_names);
	if (!node)
		return false;
	if ((*node)->inode == entry->d_ino)
		return true;
	forget(index, *node);
	return false;
}

static int read_lookup(struct lea_lookup_index *index, int run_fd, const char *name,
		       struct lea_lookup *ret_lookup)
{
	index->cost.files_read++;
	return lea_lookup_read(run_fd, name, ret_lookup);
}

/* A file that is new. 0: it lists @pvid, nobody needs to ask it again. */
static int meet(struct lea_lookup_index *index, int run_fd, const struct dirent *entry,
		const char *pvid, struct lea_lookup *ret_lookup)
{
	struct lea_lookup lookup = {0};
	int r = 0;

	/* One that can't be read is no reason to miss the one that lists the PV. */
	if (read_lookup(index, run_fd, entry->d_name, &lookup)) {
		index->is_current = false;
		return LEA_ONLINE_ABSENT;
	}
	if (has_room(index, &lookup))
		r = add_file(index, entry->d_ino, &lookup);
	else
		index->is_current = false;
	if (!r && lea_lookup_lists(&lookup, pvid)) {
		*ret_lookup = lookup;
		return 0;
	}
	lea_lookup_done(&lookup);
	return r ? r : LEA_ONLINE_ABSENT;
}

static bool is_name(const char *name)
{
	return strcmp(name, ".") && strcmp(name, "..") &&
	       strncmp(name, UNPUBLISHED, strlen(UNPUBLISHED));
}

/* Reads what is new in the folder up to the answer; the rest is left to the next listing. */
static int meet_all(struct lea_lookup_index *index, int run_fd, DIR *dir, const char *pvid,
		    struct lea_lookup *ret_lookup)
{
	const struct dirent *entry;
	int r = LEA_ONLINE_ABSENT;

	while (r == LEA_ONLINE_ABSENT && (entry = readdir(dir)))
		if (is_name(entry->d_name) && !is_known(index, entry))
			r = meet(index, run_fd, entry, pvid, ret_lookup);
	return r;
}

/* Would every later change show in the time stamp? */
static bool is_old(const struct timespec *stamp)
{
	struct timespec now;
	int64_t seconds, ns;

	if (clock_gettime(CLOCK_REALTIME, &now))
		return false;
	seconds = (int64_t)now.tv_sec - stamp->tv_sec;
	if (seconds < -1 || seconds > 1)
		return true;
	ns = seconds * 1000000000 + now.tv_nsec - stamp->tv_nsec;
	return ns <= -TICKS_NS || ns >= TICKS_NS;
}

static int list(struct lea_lookup_index *index, int run_fd, const char *pvid,
		struct lea_lookup *ret_lookup)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	int r = lea_file_list(run_fd, LOOKUPS, &dir);

	index->is_current = false;
	if (r)
		return r == -ENOENT ? LEA_ONLINE_ABSENT : r;
	if (fstat(dirfd(dir), &index->listed))
		return -errno;
	index->cost.listings++;
	index->is_current = is_old(&index->listed.st_mtim);
	r = meet_all(index, run_fd, dir, pvid, ret_lookup);
	if (r != LEA_ONLINE_ABSENT)
		index->is_current = false;
	return r;
}

static bool is_current(const struct lea_lookup_index *index, int run_fd)
{
	struct stat now;

	return index->is_current && !fstatat(run_fd, LOOKUPS, &now, AT_SYMLINK_NOFOLLOW) &&
	       now.st_ino == index->listed.st_ino && now.st_dev == index->listed.st_dev &&
	       now.st_mtim.tv_sec == index->listed.st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == index->listed.st_mtim.tv_nsec;
}

/* Does the file still say so? */
static int confirm(struct lea_lookup_index *index, int run_fd, const struct id *id,
		   struct lea_lookup *ret_lookup)
{
	struct lea_lookup lookup = {0};

	if (read_lookup(index, run_fd, id->file->name, &lookup))
		return LEA_ONLINE_ABSENT;
	if (lea_lookup_lists(&lookup, id->pvid)) {
		*ret_lookup = lookup;
		return 0;
	}
	lea_lookup_done(&lookup);
	return LEA_ONLINE_ABSENT;
}

static int search(struct lea_lookup_index *index, int run_fd, const char *pvid,
		  struct lea_lookup *ret_lookup)
{
	struct id key = {0}, **node;

	snprintf(key.pvid, sizeof(key.pvid), "%s", pvid);
	node = tfind(&key, &index->by_pvid, compare_ids);
	for (struct id *id = node ? *node : NULL; id; id = id->next) {
		if (id->file->is_gone)
			continue;
		if (!confirm(index, run_fd, id, ret_lookup))
			return 0;
		forget(index, id->file);
	}
	return LEA_ONLINE_ABSENT;
}

int lea_lookup_index_find(struct lea_lookup_index *index, int run_fd, const char *pvid,
			  struct lea_lookup *ret_lookup)
{
	int r = search(index, run_fd, pvid, ret_lookup);

	if (r != LEA_ONLINE_ABSENT || is_current(index, run_fd))
		return r;
	r = list(index, run_fd, pvid, ret_lookup);
	return r == LEA_ONLINE_ABSENT ? search(index, run_fd, pvid, ret_lookup) : r;
}
