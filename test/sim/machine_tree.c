/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tree of files, in memory: folders, files, links, open files, their locks, and inotify. Its
 * functions fail as the system's do, with -1 and errno. Folders list the newest name first, as
 * tmpfs does, and each change has a stamp of its own. Nobody is denied anything: all run as root.
 */
#include "sim/machine_tree.h"

#include "sim/machine_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#define LINKS_MOST  8U
#define FIRST_ROOM  4096U
#define EVENTS_ROOM 1024U

struct name {
	struct name *next;
	struct sim_inode *inode;
	char text[];
};

struct sim_inode {
	ino_t number;
	mode_t mode;
	uint32_t links, opens;
	struct timespec changed;
	char *bytes; /* of a file; the target of a link */
	size_t size, room;
	struct name *names;	 /* of a folder; the newest one first */
	struct sim_inode *above; /* of a folder */
	uint32_t shared;	 /* flock */
	bool is_exclusive;
};

/* Where a path leads. @inode is NULL if the folder has no such name. */
struct place {
	struct sim_inode *folder, *inode;
	char name[NAME_MAX + 1];
};

static struct sim_inode root = {.number = 1, .mode = S_IFDIR | 0755, .links = 1, .above = &root};
static ino_t last_number = 1;
static struct timespec last_change;
static struct sim_watch *watches;

static int fail(int error)
{
	errno = error;
	return -1;
}

static void touch(struct sim_inode *inode)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (now.tv_sec < last_change.tv_sec ||
	    (now.tv_sec == last_change.tv_sec && now.tv_nsec <= last_change.tv_nsec)) {
		now = last_change;
		now.tv_nsec++;
	}
	inode->changed = last_change = now;
}

/* ---- inotify */

static void queue_event(struct sim_watch *watch, int wd, uint32_t mask, const char *name)
{
	const size_t length = strlen(name);
	const struct inotify_event event = {
		.wd = wd, .mask = mask, .len = length ? (uint32_t)(length / 16 + 1) * 16 : 0};
	const size_t bytes = sizeof(event) + event.len;
	char *at;

	if (watch->used + bytes > watch->room) {
		watch->room = 2 * watch->room + EVENTS_ROOM;
		watch->events = realloc(watch->events, watch->room);
		if (!watch->events)
			abort();
	}
	at = watch->events + watch->used;
	memcpy(at, &event, sizeof(event));
	memset(at + sizeof(event), 0, event.len);
	memcpy(at + sizeof(event), name, length);
	/* As the kernel does: what is the same as the last one is not told again. */
	if (watch->used - watch->last == bytes && !memcmp(watch->events + watch->last, at, bytes))
		return;
	watch->last = watch->used;
	watch->used += bytes;
}

static void tell_watches(const struct sim_inode *inode, uint32_t mask, const char *name)
{
	for (struct sim_watch *watch = watches; watch; watch = watch->next)
		for (uint32_t i = 0; i < SIM_WATCHED; i++)
			if (watch->on[i].inode == inode && watch->on[i].mask & mask)
				queue_event(watch, (int)i + 1, mask, name);
}

/* A change of @inode, which has this name in this folder. */
static void tell(const struct sim_inode *folder, const char *name, const struct sim_inode *inode,
		 uint32_t mask)
{
	if (!watches)
		return;
	if (S_ISDIR(inode->mode))
		mask |= IN_ISDIR;
	tell_watches(folder, mask, name);
	if (mask & (IN_OPEN | IN_CLOSE_WRITE))
		tell_watches(inode, mask, "");
}

static void forget_watched(const struct sim_inode *inode)
{
	for (struct sim_watch *watch = watches; watch; watch = watch->next)
		for (uint32_t i = 0; i < SIM_WATCHED; i++)
			if (watch->on[i].inode == inode) {
				if (watch->on[i].mask & IN_DELETE_SELF)
					queue_event(watch, (int)i + 1, IN_DELETE_SELF, "");
				queue_event(watch, (int)i + 1, IN_IGNORED, "");
				watch->on[i].inode = NULL;
			}
}

struct sim_watch *sim_watch_new(void)
{
	struct sim_watch *watch = calloc(1, sizeof(*watch));

	if (!watch)
		abort();
	watch->next = watches;
	watches = watch;
	return watch;
}

void sim_watch_end(struct sim_watch *watch)
{
	struct sim_watch **at = &watches;

	while (*at != watch)
		at = &(*at)->next;
	*at = watch->next;
	free(watch->events);
	free(watch);
}

ssize_t sim_watch_read(struct sim_watch *watch, char *bytes, size_t room)
{
	struct inotify_event event;
	size_t taken = 0, length;

	while (taken < watch->used) {
		memcpy(&event, watch->events + taken, sizeof(event));
		length = sizeof(event) + event.len;
		if (taken + length > room)
			break;
		taken += length;
	}
	if (!taken)
		return fail(EAGAIN);
	memcpy(bytes, watch->events, taken);
	watch->used -= taken;
	memmove(watch->events, watch->events + taken, watch->used);
	watch->last = watch->last < taken ? 0 : watch->last - taken;
	return (ssize_t)taken;
}

/* ---- names */

static struct sim_inode *new_inode(mode_t mode)
{
	struct sim_inode *inode = calloc(1, sizeof(*inode));

	if (!inode)
		abort();
	inode->number = ++last_number;
	inode->mode = mode;
	touch(inode);
	return inode;
}

static void let_go(struct sim_inode *inode)
{
	if (inode->links || inode->opens)
		return;
	forget_watched(inode);
	free(inode->bytes);
	free(inode);
}

static struct name **find(struct sim_inode *folder, const char *text)
{
	struct name **at = &folder->names;

	while (*at && strcmp((*at)->text, text) != 0)
		at = &(*at)->next;
	return at;
}

static void add_name(struct place *place, struct sim_inode *inode)
{
	const size_t bytes = strlen(place->name) + 1;
	struct name *name = malloc(sizeof(*name) + bytes);

	if (!name)
		abort();
	memcpy(name->text, place->name, bytes);
	name->inode = inode;
	name->next = place->folder->names;
	place->folder->names = name;
	place->inode = inode;
	inode->links++;
	if (S_ISDIR(inode->mode))
		inode->above = place->folder;
	touch(place->folder);
}

static void drop_name(struct sim_inode *folder, struct name **at)
{
	struct name *name = *at;

	*at = name->next;
	name->inode->links--;
	touch(folder);
	free(name);
}

static int resolve(struct sim_inode *from, const char *path, bool follows, uint32_t depth,
		   struct place *ret);

static int follow(struct place *place, uint32_t depth)
{
	if (depth == LINKS_MOST)
		return fail(ELOOP);
	return resolve(place->folder, place->inode->bytes, true, depth + 1, place);
}

/* The next part of the path; "": none. */
static const char *take_part(const char *path, char part[static NAME_MAX + 1])
{
	size_t length;

	while (*path == '/')
		path++;
	for (length = 0; *path && *path != '/'; path++)
		if (length < NAME_MAX)
			part[length++] = *path;
	part[length] = '\0';
	return path;
}

static bool is_end(const char *path)
{
	while (*path == '/')
		path++;
	return !*path;
}

static int resolve(struct sim_inode *from, const char *path, bool follows, uint32_t depth,
		   struct place *ret)
{
	struct place at = {.folder = from->above ? from->above : from, .inode = from};
	const struct name *name;
	bool is_last;

	for (;;) {
		path = take_part(path, at.name);
		if (!at.name[0])
			break;
		is_last = is_end(path);
		if (!at.inode)
			return fail(ENOENT);
		if (!S_ISDIR(at.inode->mode))
			return fail(ENOTDIR);
		if (!strcmp(at.name, "."))
			continue;
		if (!strcmp(at.name, "..")) {
			at.inode = at.inode->above;
			continue;
		}
		at.folder = at.inode;
		name = *find(at.folder, at.name);
		at.inode = name ? name->inode : NULL;
		if (at.inode && S_ISLNK(at.inode->mode) && (!is_last || follows) &&
		    follow(&at, depth))
			return -1;
		if (is_last)
			break;
	}
	*ret = at;
	return 0;
}

static int resolve_there(struct sim_inode *from, const char *path, bool follows, struct place *ret)
{
	if (resolve(from, path, follows, 0, ret))
		return -1;
	return ret->inode ? 0 : fail(ENOENT);
}

/* For a name that is to be made. */
static int resolve_free(struct sim_inode *from, const char *path, struct place *ret)
{
	if (resolve(from, path, false, 0, ret))
		return -1;
	if (ret->inode)
		return fail(EEXIST);
	return ret->folder->links ? 0 : fail(ENOENT);
}

struct sim_inode *sim_tree_root(void)
{
	return &root;
}

int sim_tree_make(struct sim_inode *from, const char *path, mode_t mode, const char *target)
{
	struct place place;

	if (resolve_free(from, path, &place))
		return -1;
	add_name(&place, new_inode(mode));
	if (target) {
		place.inode->bytes = strdup(target);
		place.inode->size = strlen(target);
	}
	tell(place.folder, place.name, place.inode, IN_CREATE);
	return 0;
}

int sim_tree_link(struct sim_inode *inode, struct sim_inode *to, const char *path)
{
	struct place place;

	if (resolve_free(to, path, &place))
		return -1;
	add_name(&place, inode);
	tell(place.folder, place.name, inode, IN_CREATE);
	return 0;
}

int sim_tree_remove(struct sim_inode *from, const char *path, bool is_folder)
{
	struct place place;

	if (resolve_there(from, path, false, &place))
		return -1;
	if (!is_folder && S_ISDIR(place.inode->mode))
		return fail(EISDIR);
	if (is_folder && !S_ISDIR(place.inode->mode))
		return fail(ENOTDIR);
	if (place.inode->names)
		return fail(ENOTEMPTY);
	drop_name(place.folder, find(place.folder, place.name));
	tell(place.folder, place.name, place.inode, IN_DELETE);
	let_go(place.inode);
	return 0;
}

int sim_tree_rename(struct sim_inode *from, const char *path, struct sim_inode *to,
		    const char *to_path, bool replaces)
{
	struct place old, new;
	struct sim_inode *replaced;

	if (resolve_there(from, path, false, &old) || resolve(to, to_path, false, 0, &new))
		return -1;
	replaced = new.inode;
	if (replaced && !replaces)
		return fail(EEXIST);
	if (replaced == old.inode)
		return 0;
	if (replaced && S_ISDIR(replaced->mode) != S_ISDIR(old.inode->mode))
		return fail(S_ISDIR(replaced->mode) ? EISDIR : ENOTDIR);
	if (replaced && replaced->names)
		return fail(ENOTEMPTY);
	if (!new.folder->links)
		return fail(ENOENT);
	if (replaced)
		drop_name(new.folder, find(new.folder, new.name));
	drop_name(old.folder, find(old.folder, old.name));
	add_name(&new, old.inode);
	tell(old.folder, old.name, old.inode, IN_MOVED_FROM);
	tell(new.folder, new.name, old.inode, IN_MOVED_TO);
	tell_watches(old.inode, IN_MOVE_SELF, "");
	if (replaced)
		let_go(replaced);
	return 0;
}

int sim_tree_exchange(struct sim_inode *from, const char *path, struct sim_inode *to,
		      const char *to_path)
{
	struct place old, new;
	struct sim_inode *other;

	if (resolve_there(from, path, false, &old) || resolve_there(to, to_path, false, &new))
		return -1;
	other = new.inode;
	drop_name(new.folder, find(new.folder, new.name));
	drop_name(old.folder, find(old.folder, old.name));
	add_name(&new, old.inode);
	add_name(&old, other);
	tell(old.folder, old.name, new.inode, IN_MOVED_FROM);
	tell(new.folder, new.name, new.inode, IN_MOVED_TO);
	tell(new.folder, new.name, old.inode, IN_MOVED_FROM);
	tell(old.folder, old.name, old.inode, IN_MOVED_TO);
	return 0;
}

void sim_tree_clear(struct sim_inode *folder)
{
	while (folder->names) {
		struct sim_inode *inode = folder->names->inode;

		sim_tree_clear(inode);
		drop_name(folder, &folder->names);
		let_go(inode);
	}
}

struct sim_inode *sim_tree_find(struct sim_inode *from, const char *path, bool follows)
{
	struct place place;

	return resolve_there(from, path, follows, &place) ? NULL : place.inode;
}

void sim_tree_stat(const struct sim_inode *inode, struct stat *ret)
{
	static uid_t user = (uid_t)-1;

	if (user == (uid_t)-1)
		user = geteuid();
	*ret = (struct stat){.st_dev = 77,
			     .st_ino = inode->number,
			     .st_mode = inode->mode,
			     .st_nlink = inode->links,
			     .st_uid = user,
			     .st_size = (off_t)inode->size,
			     .st_atim = inode->changed,
			     .st_mtim = inode->changed,
			     .st_ctim = inode->changed};
}

mode_t sim_tree_mode(const struct sim_inode *inode)
{
	return inode->mode;
}

void sim_tree_set_mode(struct sim_inode *inode, mode_t mode)
{
	inode->mode = (inode->mode & S_IFMT) | (mode & 07777);
}

void sim_tree_set_time(struct sim_inode *inode, time_t seconds)
{
	inode->changed = (struct timespec){.tv_sec = seconds};
}

struct timespec sim_tree_last_stamp(void)
{
	return last_change;
}

void sim_tree_set_stamp(struct sim_inode *inode, const struct timespec *stamp)
{
	if (stamp)
		inode->changed = *stamp;
	else
		touch(inode);
}

ssize_t sim_tree_target(const struct sim_inode *inode, char *target, size_t bytes)
{
	if (!S_ISLNK(inode->mode))
		return fail(EINVAL);
	if (bytes > inode->size)
		bytes = inode->size;
	memcpy(target, inode->bytes, bytes);
	return (ssize_t)bytes;
}

void sim_tree_each(struct sim_inode *folder,
		   void (*see)(void *arg, const char *name, bool is_folder), void *arg)
{
	for (const struct name *name = folder->names; name; name = name->next)
		see(arg, name->text, S_ISDIR(name->inode->mode));
}

/* ---- open files */

static struct sim_file *open_inode(const struct place *place, int flags)
{
	struct sim_file *file = calloc(1, sizeof(*file));

	if (!file)
		abort();
	*file = (struct sim_file){.inode = place->inode, .folder = place->folder, .flags = flags};
	memcpy(file->name, place->name, sizeof(file->name));
	file->inode->opens++;
	file->folder->opens++;
	if (!(flags & O_PATH))
		tell(place->folder, place->name, place->inode, IN_OPEN);
	return file;
}

static int check_kind(const struct sim_inode *inode, int flags)
{
	if (flags & O_CREAT && flags & O_EXCL)
		return fail(EEXIST);
	if (flags & O_DIRECTORY && !S_ISDIR(inode->mode))
		return fail(ENOTDIR);
	if (S_ISLNK(inode->mode))
		return fail(ELOOP);
	if (S_ISDIR(inode->mode) && (flags & O_ACCMODE) != O_RDONLY)
		return fail(EISDIR);
	return 0;
}

struct sim_file *sim_tree_open(struct sim_inode *from, const char *path, int flags, mode_t mode)
{
	const bool follows = !(flags & O_NOFOLLOW) && !(flags & O_CREAT && flags & O_EXCL);
	struct place place;

	if (resolve(from, path, follows, 0, &place))
		return NULL;
	if ((flags & O_TMPFILE) == O_TMPFILE && place.inode) {
		place.inode = new_inode(S_IFREG | mode);
		return open_inode(&place, flags);
	}
	if (place.inode) {
		if (check_kind(place.inode, flags))
			return NULL;
		if (flags & O_TRUNC)
			sim_tree_resize(place.inode, 0);
		return open_inode(&place, flags);
	}
	if (!(flags & O_CREAT) || !place.folder->links) {
		errno = ENOENT;
		return NULL;
	}
	add_name(&place, new_inode(S_IFREG | mode));
	tell(place.folder, place.name, place.inode, IN_CREATE);
	return open_inode(&place, flags);
}

void sim_file_close(struct sim_file *file)
{
	sim_file_lock(file, LOCK_UN);
	if ((file->flags & O_ACCMODE) != O_RDONLY)
		tell(file->folder, file->name, file->inode, IN_CLOSE_WRITE);
	file->inode->opens--;
	let_go(file->inode);
	file->folder->opens--;
	let_go(file->folder);
	free(file);
}

void sim_tree_resize(struct sim_inode *inode, size_t size)
{
	if (size > inode->room) {
		inode->room = size < FIRST_ROOM ? FIRST_ROOM : 2 * size;
		inode->bytes = realloc(inode->bytes, inode->room);
		if (!inode->bytes)
			abort();
	}
	if (size > inode->size)
		memset(inode->bytes + inode->size, 0, size - inode->size);
	inode->size = size;
	touch(inode);
}

ssize_t sim_tree_read(const struct sim_inode *inode, void *bytes, size_t length, size_t at)
{
	if (S_ISDIR(inode->mode))
		return fail(EISDIR);
	if (at >= inode->size)
		return 0;
	if (length > inode->size - at)
		length = inode->size - at;
	memcpy(bytes, inode->bytes + at, length);
	return (ssize_t)length;
}

ssize_t sim_tree_write(struct sim_inode *inode, const void *bytes, size_t length, size_t at)
{
	sim_tree_resize(inode, at + length > inode->size ? at + length : inode->size);
	if (length)
		memcpy(inode->bytes + at, bytes, length);
	return (ssize_t)length;
}

void *sim_tree_map(struct sim_inode *inode)
{
	inode->opens++; /* who has it does not tell when it is done */
	return inode->bytes;
}

int sim_file_lock(struct sim_file *file, int operation)
{
	struct sim_inode *inode = file->inode;
	const int wanted = operation & ~LOCK_NB, had = file->lock;

	inode->shared -= had == LOCK_SH;
	inode->is_exclusive = inode->is_exclusive && had != LOCK_EX;
	file->lock = 0;
	if (wanted == LOCK_UN)
		return 0;
	if (inode->is_exclusive || (wanted == LOCK_EX && inode->shared))
		return fail(EWOULDBLOCK);
	inode->shared += wanted == LOCK_SH;
	inode->is_exclusive = wanted == LOCK_EX;
	file->lock = wanted;
	return 0;
}

static bool put_dirent(char *bytes, size_t room, size_t *used, const char *name,
		       const struct sim_inode *inode)
{
	const size_t length = strlen(name) + 1;
	const size_t all = (offsetof(struct dirent64, d_name) + length + 7) / 8 * 8;
	struct dirent64 *entry = (struct dirent64 *)(void *)(bytes + *used);

	if (*used + all > room)
		return false;
	entry->d_ino = inode->number;
	entry->d_off = 0;
	entry->d_reclen = (unsigned short)all;
	entry->d_type = (unsigned char)IFTODT(inode->mode);
	memcpy(entry->d_name, name, length);
	*used += all;
	return true;
}

ssize_t sim_file_list(struct sim_file *file, char *bytes, size_t room)
{
	bool fits = true;
	size_t used = 0;

	if (!S_ISDIR(file->inode->mode))
		return fail(ENOTDIR);
	if (!file->inode->links)
		return fail(ENOENT);
	if (file->at++)
		return 0;
	put_dirent(bytes, room, &used, ".", file->inode);
	put_dirent(bytes, room, &used, "..", file->inode->above);
	for (const struct name *name = file->inode->names; name && fits; name = name->next)
		fits = put_dirent(bytes, room, &used, name->text, name->inode);
	if (!fits)
		sim_break("too many names in a folder");
	return (ssize_t)used;
}

int sim_watch_add(struct sim_watch *watch, struct sim_inode *inode, uint32_t mask)
{
	if (mask & IN_ONLYDIR && !S_ISDIR(inode->mode))
		return fail(ENOTDIR);
	for (uint32_t i = 0; i < SIM_WATCHED; i++)
		if (!watch->on[i].inode || watch->on[i].inode == inode) {
			watch->on[i].inode = inode;
			watch->on[i].mask = mask;
			return (int)i + 1;
		}
	return fail(ENOSPC);
}
