/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls on files. Those of the tree are in memory (machine_tree.c), and their descriptors are not
 * the kernel's; other ones are real. What opens, closes or changes a file is a point at which a
 * process may die, or find no room.
 */
#include "sim/machine_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define LISTED 32768U

/* What the tree allocates is no memory of the process that runs. */
#define IN_TREE(call)                                                                              \
	({                                                                                         \
		struct sim_proc *own_ = sim_outside();                                             \
		__typeof__(call) got_ = (call);                                                    \
		sim_inside(own_);                                                                  \
		got_;                                                                              \
	})

struct sim_file *sim_file_of(int fd)
{
	return sim.now && fd >= SIM_TREE_FIRST && fd < SIM_FDS && sim_fds[fd].kind == SIM_FD_TREE
		       ? sim_fds[fd].of
		       : NULL;
}

/* Where a path begins, and what is left of it. NULL: it is none of the tree. */
static struct sim_inode *base_of(int dir_fd, const char **path)
{
	const size_t root = strlen(sim.root);
	struct sim_file *file;
	int used = 0;

	if (!sim.now)
		return NULL;
	if (**path != '/') {
		file = sim_file_of(dir_fd);
		return file ? file->inode : NULL;
	}
	if (!strncmp(*path, sim.root, root) && ((*path)[root] == '/' || !(*path)[root])) {
		*path += root;
		return sim_tree_root();
	}
	if (sscanf(*path, "/proc/self/fd/%d%n", &dir_fd, &used) != 1 || !sim_file_of(dir_fd))
		return NULL;
	*path += used;
	return sim_file_of(dir_fd)->inode;
}

static int new_fd(enum sim_fd_kind kind, void *of)
{
	int fd = SIM_TREE_FIRST;

	while (fd < SIM_FDS && sim_fds[fd].owners)
		fd++;
	sim_fd_note(fd, kind);
	if (fd == SIM_FDS)
		return -1;
	sim_fds[fd].of = of;
	return fd;
}

/* ---- opening and closing */

WRAP(int, faccessat, (int dir_fd, const char *path, int mode, int flags))
{
	struct sim_inode *base = base_of(dir_fd, &path);

	if (!base)
		return __real_faccessat(dir_fd, path, mode, flags);
	return sim_tree_find(base, path, !(flags & AT_SYMLINK_NOFOLLOW)) ? 0 : -1;
}

WRAP(int, access, (const char *path, int mode))
{
	return sim.now ? __wrap_faccessat(AT_FDCWD, path, mode, 0) : __real_access(path, mode);
}

static bool is_making(int dir_fd, const char *path, int flags)
{
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return true;
	return flags & O_CREAT && (sim_room < 0 || faccessat(dir_fd, path, F_OK, 0) < 0);
}

int __real_openat64(int dir_fd, const char *path, int flags, mode_t mode);
int __wrap_openat64(int dir_fd, const char *path, int flags, ...);
int __wrap_openat64(int dir_fd, const char *path, int flags, ...)
{
	struct sim_inode *base;
	struct sim_file *file;
	mode_t mode = 0;
	va_list args;

	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	if (!sim.now)
		return __real_openat64(dir_fd, path, flags, mode);
	if (is_making(dir_fd, path, flags)) {
		sim_point("openat", NULL);
		if (sim_is_full())
			return -1;
	}
	sim.use.calls++;
	if (sim_is_short())
		return -1;
	base = base_of(dir_fd, &path);
	if (!base)
		return sim_fd_note(__real_openat64(dir_fd, path, flags, mode), SIM_FD_FILE);
	file = IN_TREE(sim_tree_open(base, path, flags, mode));
	return file ? new_fd(SIM_FD_TREE, file) : -1;
}

int __real_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	return __wrap_openat64(AT_FDCWD, path, flags, mode);
}

WRAP(int, close, (int fd))
{
	if (!sim.now)
		return __real_close(fd);
	sim.use.calls++;
	if (fd < 0 || fd >= SIM_FDS || !(sim_fds[fd].owners & (uint64_t)1 << sim_slot())) {
		errno = EBADF;
		return -1;
	}
	sim_locks_drop_file(fd);
	sim_fd_close(sim_slot(), fd);
	return 0;
}

WRAP(int, close_range, (unsigned int first, unsigned int last, int flags))
{
	if (!sim.now)
		return __real_close_range(first, last, flags);
	for (unsigned int fd = first; fd <= last && fd < SIM_FDS; fd++)
		__wrap_close((int)fd);
	return 0;
}

WRAP(int, dup, (int fd))
{
	return __real_dup(fd);
}

WRAP(int, socketpair, (int domain, int type, int protocol, int fds[2]))
{
	int r;

	if (sim.now) {
		sim_point("socketpair", NULL);
		if (sim_is_short())
			return -1;
	}
	r = __real_socketpair(domain, type, protocol, fds);
	if (!r) {
		sim_fd_note(fds[0], SIM_FD_FILE);
		sim_fd_note(fds[1], SIM_FD_FILE);
	}
	return r;
}

WRAP(int, inotify_init1, (int flags))
{
	if (!sim.now)
		return __real_inotify_init1(flags);
	if (sim_is_short())
		return -1;
	return new_fd(SIM_FD_WATCH, IN_TREE(sim_watch_new()));
}

WRAP(int, inotify_add_watch, (int fd, const char *path, uint32_t mask))
{
	struct sim_inode *base = base_of(AT_FDCWD, &path);
	struct sim_inode *inode;

	if (!base)
		return __real_inotify_add_watch(fd, path, mask);
	inode = sim_tree_find(base, path, !(mask & IN_DONT_FOLLOW));
	return inode ? sim_watch_add(sim_fds[fd].of, inode, mask) : -1;
}

/* ---- folders: what libc's own would do, with the same amount of memory */

struct own_dir {
	int fd;
	size_t at, used;
	char entries[LISTED];
};

WRAP(ssize_t, getdents64, (int fd, void *bytes, size_t room))
{
	struct sim_file *file = sim_file_of(fd);

	return file ? sim_file_list(file, bytes, room) : __real_getdents64(fd, bytes, room);
}

/* Processes list only folders of the tree. */
WRAP(DIR *, fdopendir, (int fd))
{
	struct own_dir *dir;

	if (!sim.now)
		return __real_fdopendir(fd);
	if (!sim_file_of(fd) || !S_ISDIR(sim_tree_mode(sim_file_of(fd)->inode))) {
		errno = ENOTDIR;
		return NULL;
	}
	dir = malloc(sizeof(*dir));
	if (dir) {
		dir->fd = fd;
		dir->at = dir->used = 0;
	}
	return (DIR *)dir;
}

WRAP(DIR *, opendir, (const char *path))
{
	struct sim_inode *base = base_of(AT_FDCWD, &path);
	struct sim_file *file;

	if (!sim.now)
		return __real_opendir(path);
	errno = ENOENT;
	file = base ? IN_TREE(sim_tree_open(base, path, O_RDONLY | O_DIRECTORY, 0)) : NULL;
	return file ? __wrap_fdopendir(new_fd(SIM_FD_TREE, file)) : NULL;
}

WRAP(struct dirent64 *, readdir64, (DIR * of))
{
	struct own_dir *dir = (struct own_dir *)of;
	struct dirent64 *entry;
	ssize_t bytes;

	if (!sim.now)
		return __real_readdir64(of);
	if (sim_strikes_memory())
		return NULL;
	if (dir->at == dir->used) {
		bytes = __wrap_getdents64(dir->fd, dir->entries, sizeof(dir->entries));
		if (bytes <= 0)
			return NULL;
		dir->at = 0;
		dir->used = (size_t)bytes;
	}
	entry = (struct dirent64 *)(void *)(dir->entries + dir->at);
	dir->at += entry->d_reclen;
	return entry;
}

WRAP(int, dirfd, (DIR * dir))
{
	return sim.now ? ((struct own_dir *)dir)->fd : __real_dirfd(dir);
}

WRAP(int, closedir, (DIR * dir))
{
	if (!sim.now)
		return __real_closedir(dir);
	sim.use.calls++;
	if (sim_fd_drop(sim_slot(), dirfd(dir)))
		free(dir);
	return 0;
}

/* ---- looking */

static int stat_of(const struct sim_inode *inode, struct stat *ret)
{
	if (!inode)
		return -1;
	sim_tree_stat(inode, ret);
	return 0;
}

WRAP(int, fstat64, (int fd, struct stat *ret))
{
	return sim_file_of(fd) ? stat_of(sim_file_of(fd)->inode, ret) : __real_fstat64(fd, ret);
}

WRAP(int, fstatat64, (int dir_fd, const char *path, struct stat *ret, int flags))
{
	struct sim_inode *base = base_of(dir_fd, &path);

	if (!base)
		return __real_fstatat64(dir_fd, path, ret, flags);
	return stat_of(sim_tree_find(base, path, !(flags & AT_SYMLINK_NOFOLLOW)), ret);
}

WRAP(int, stat64, (const char *path, struct stat *ret))
{
	return sim.now ? __wrap_fstatat64(AT_FDCWD, path, ret, 0) : __real_stat64(path, ret);
}

WRAP(int, lstat64, (const char *path, struct stat *ret))
{
	return sim.now ? __wrap_fstatat64(AT_FDCWD, path, ret, AT_SYMLINK_NOFOLLOW)
		       : __real_lstat64(path, ret);
}

WRAP(ssize_t, readlinkat, (int dir_fd, const char *path, char *target, size_t bytes))
{
	struct sim_inode *base = base_of(dir_fd, &path), *inode;

	if (!base)
		return __real_readlinkat(dir_fd, path, target, bytes);
	inode = sim_tree_find(base, path, false);
	return inode ? sim_tree_target(inode, target, bytes) : -1;
}

WRAP(int, fstatvfs64, (int fd, struct statvfs *ret))
{
	if (!sim_file_of(fd))
		return __real_fstatvfs64(fd, ret);
	*ret = (struct statvfs){.f_frsize = 4096, .f_bsize = 4096, .f_bavail = 1 << 20};
	return 0;
}

/* ---- changes of the tree */

/* A point, and whether a new name still fits. */
static bool may_change(const char *call, int dir_fd, const char *path, bool makes)
{
	if (sim.now)
		sim_point(call, NULL);
	return !sim.now || !makes ||
	       __wrap_faccessat(dir_fd, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0 || !sim_is_full();
}

WRAP(int, mkdirat, (int dir_fd, const char *path, mode_t mode))
{
	struct sim_inode *base;

	if (!may_change("mkdirat", dir_fd, path, true))
		return -1;
	base = base_of(dir_fd, &path);
	return base ? IN_TREE(sim_tree_make(base, path, S_IFDIR | mode, NULL))
		    : __real_mkdirat(dir_fd, path, mode);
}

WRAP(int, mkdir, (const char *path, mode_t mode))
{
	struct sim_inode *base;

	if (!may_change("mkdir", AT_FDCWD, path, true))
		return -1;
	base = base_of(AT_FDCWD, &path);
	return base ? IN_TREE(sim_tree_make(base, path, S_IFDIR | mode, NULL))
		    : __real_mkdir(path, mode);
}

WRAP(int, mknodat, (int dir_fd, const char *path, mode_t mode, dev_t number))
{
	struct sim_inode *base;

	if (!may_change("mknodat", dir_fd, path, true))
		return -1;
	base = base_of(dir_fd, &path);
	return base ? IN_TREE(sim_tree_make(base, path, mode, NULL))
		    : __real_mknodat(dir_fd, path, mode, number);
}

WRAP(int, symlinkat, (const char *target, int dir_fd, const char *path))
{
	struct sim_inode *base;

	if (!may_change("symlinkat", dir_fd, path, true))
		return -1;
	base = base_of(dir_fd, &path);
	return base ? IN_TREE(sim_tree_make(base, path, S_IFLNK | 0777, target))
		    : __real_symlinkat(target, dir_fd, path);
}

WRAP(int, linkat, (int from_fd, const char *from, int to_fd, const char *to, int flags))
{
	struct sim_inode *base, *inode;

	may_change("linkat", to_fd, to, false);
	base = base_of(from_fd, &from);
	if (!base)
		return __real_linkat(from_fd, from, to_fd, to, flags);
	inode = flags & AT_EMPTY_PATH ? base : sim_tree_find(base, from, false);
	base = base_of(to_fd, &to);
	return inode && base ? IN_TREE(sim_tree_link(inode, base, to)) : -1;
}

static int rename_in_tree(int from_fd, const char *from, int to_fd, const char *to, bool replaces)
{
	struct sim_inode *base = base_of(from_fd, &from), *to_base = base_of(to_fd, &to);

	if (base && to_base)
		return IN_TREE(sim_tree_rename(base, from, to_base, to, replaces));
	errno = EXDEV;
	return -1;
}

static int exchange_in_tree(int from_fd, const char *from, int to_fd, const char *to)
{
	struct sim_inode *base = base_of(from_fd, &from), *to_base = base_of(to_fd, &to);

	if (base && to_base)
		return IN_TREE(sim_tree_exchange(base, from, to_base, to));
	errno = EXDEV;
	return -1;
}

WRAP(int, renameat, (int from_fd, const char *from, int to_fd, const char *to))
{
	bool replaces;

	if (!sim.now)
		return __real_renameat(from_fd, from, to_fd, to);
	sim_point("renameat", NULL);
	replaces = sim_room >= 0 && !faccessat(to_fd, to, F_OK, AT_SYMLINK_NOFOLLOW);
	if (rename_in_tree(from_fd, from, to_fd, to, true) < 0)
		return -1;
	if (replaces)
		sim_give_room();
	return 0;
}

WRAP(int, renameat2, (int from_fd, const char *from, int to_fd, const char *to, unsigned int flags))
{
	if (!sim.now)
		return __real_renameat2(from_fd, from, to_fd, to, flags);
	sim_point("renameat2", NULL);
	if (flags & RENAME_EXCHANGE)
		return exchange_in_tree(from_fd, from, to_fd, to);
	return rename_in_tree(from_fd, from, to_fd, to, !(flags & RENAME_NOREPLACE));
}

WRAP(int, unlinkat, (int dir_fd, const char *path, int flags))
{
	struct sim_inode *base;

	sim_point("unlinkat", NULL);
	base = base_of(dir_fd, &path);
	if ((base ? IN_TREE(sim_tree_remove(base, path, flags & AT_REMOVEDIR))
		  : __real_unlinkat(dir_fd, path, flags)) < 0)
		return -1;
	sim_give_room();
	return 0;
}

WRAP(int, unlink, (const char *path))
{
	struct sim_inode *base;

	sim_point("unlink", NULL);
	base = base_of(AT_FDCWD, &path);
	if ((base ? IN_TREE(sim_tree_remove(base, path, false)) : __real_unlink(path)) < 0)
		return -1;
	sim_give_room();
	return 0;
}

WRAP(int, rmdir, (const char *path))
{
	struct sim_inode *base = base_of(AT_FDCWD, &path);

	return base ? IN_TREE(sim_tree_remove(base, path, true)) : __real_rmdir(path);
}

WRAP(int, fchmod, (int fd, mode_t mode))
{
	if (!sim_file_of(fd))
		return __real_fchmod(fd, mode);
	sim_tree_set_mode(sim_file_of(fd)->inode, mode);
	return 0;
}

WRAP(int, fchmodat, (int dir_fd, const char *path, mode_t mode, int flags))
{
	struct sim_inode *base = base_of(dir_fd, &path), *inode;

	if (!base)
		return __real_fchmodat(dir_fd, path, mode, flags);
	inode = sim_tree_find(base, path, true);
	if (!inode)
		return -1;
	sim_tree_set_mode(inode, mode);
	return 0;
}

/* Only the time of the last change is known here. */
WRAP(int, utimensat, (int dir_fd, const char *path, const struct timespec times[2], int flags))
{
	struct sim_inode *base = base_of(dir_fd, &path), *inode;

	if (!base)
		return __real_utimensat(dir_fd, path, times, flags);
	inode = sim_tree_find(base, path, !(flags & AT_SYMLINK_NOFOLLOW));
	if (!inode)
		return -1;
	sim_tree_set_stamp(inode, times && times[1].tv_nsec != UTIME_NOW ? &times[1] : NULL);
	return 0;
}

/* ---- content */

static int resize(struct sim_inode *inode, off_t length)
{
	sim_tree_resize(inode, (size_t)length);
	return 0;
}

WRAP(int, ftruncate64, (int fd, off_t length))
{
	struct sim_file *file = sim_file_of(fd);

	sim_point("ftruncate64", NULL);
	return file ? IN_TREE(resize(file->inode, length)) : __real_ftruncate64(fd, length);
}

/* A file of sysfs: udev is asked for an event. */
static bool asks_udev(int fd, const void *bytes, size_t length)
{
	struct stat st;

	if (!sim.now || length != 3 || memcmp(bytes, "add", 3) != 0 || __wrap_fstat64(fd, &st))
		return false;
	for (uint32_t disk = 0; disk < SIM_DISKS; disk++)
		if (sim_unit[disk].is_there && sim_unit[disk].uevent == st.st_ino) {
			sim_udev_event(disk, SIM_SYNTH);
			return true;
		}
	return false;
}

WRAP(ssize_t, write, (int fd, const void *bytes, size_t length))
{
	struct sim_file *file = sim_file_of(fd);

	sim_point("write", NULL);
	if (asks_udev(fd, bytes, length))
		return (ssize_t)length;
	if (!file)
		return __real_write(fd, bytes, length);
	file->at += length;
	return IN_TREE(sim_tree_write(file->inode, bytes, length, file->at - length));
}

WRAP(ssize_t, pwrite64, (int fd, const void *bytes, size_t length, off_t at))
{
	struct sim_file *file = sim_file_of(fd);

	sim_point("pwrite", NULL);
	return file ? IN_TREE(sim_tree_write(file->inode, bytes, length, (size_t)at))
		    : __real_pwrite64(fd, bytes, length, at);
}

WRAP(ssize_t, read, (int fd, void *bytes, size_t length))
{
	struct sim_file *file = sim_file_of(fd);
	ssize_t got;

	sim.use.calls++;
	if (sim.now && fd >= SIM_TREE_FIRST && fd < SIM_FDS && sim_fds[fd].kind == SIM_FD_WATCH)
		return sim_watch_read(sim_fds[fd].of, bytes, length);
	if (!file)
		return __real_read(fd, bytes, length);
	got = sim_tree_read(file->inode, bytes, length, file->at);
	file->at += got > 0 ? (size_t)got : 0;
	return got;
}

WRAP(off_t, lseek64, (int fd, off_t offset, int whence))
{
	struct sim_file *file = sim_file_of(fd);
	struct stat st;

	if (!file)
		return __real_lseek64(fd, offset, whence);
	sim_tree_stat(file->inode, &st);
	file->at = (size_t)(offset + (whence == SEEK_END   ? st.st_size
				      : whence == SEEK_CUR ? (off_t)file->at
							   : 0));
	return (off_t)file->at;
}

WRAP(int, fsync, (int fd))
{
	return sim_file_of(fd) ? 0 : __real_fsync(fd);
}

/* It stays as long as the machine: munmap() refuses what is no page. */
WRAP(void *, mmap64, (void *at, size_t bytes, int rights, int flags, int fd, off_t offset))
{
	struct sim_file *file = sim_file_of(fd);

	return file ? sim_tree_map(file->inode)
		    : __real_mmap64(at, bytes, rights, flags, fd, offset);
}

/* ---- parts of our program that have no place here */

int __wrap_lea_confine_reader(int write_fd);
int __wrap_lea_confine_reader(int write_fd)
{
	(void)write_fd;
	return 0;
}

struct sd_event;
struct lea_rules_watch;
int __wrap_lea_rules_watch_open(struct lea_world *world, struct sd_event *loop,
				struct lea_rules_watch **ret_watch);
int __wrap_lea_rules_watch_open(struct lea_world *world, struct sd_event *loop,
				struct lea_rules_watch **ret_watch)
{
	(void)world;
	(void)loop;
	*ret_watch = NULL;
	return 0;
}

void __wrap_lea_rules_refresh(struct lea_world *world);
void __wrap_lea_rules_refresh(struct lea_world *world)
{
	(void)world;
}

/* By what is on the disk: libblkid would take a hundred system calls. */
int __wrap_lea_blkid_type(int fd, char ret_type[static 32]);
int __wrap_lea_blkid_type(int fd, char ret_type[static 32])
{
	char head[1];
	const struct sim_fd *of = fd >= 0 && fd < SIM_FDS ? &sim_fds[fd] : NULL;

	if (pread(fd, head, 1, 0) < 0)
		return -EIO;
	strcpy(ret_type,
	       of && of->kind == SIM_FD_DISK && sim_unit[of->disk].on.is_pv ? "LVM2_member" : "");
	return 0;
}

/* libdevmapper lists all pools: one that a killed process leaves must not go with its heap. */
struct dm_pool;
struct dm_pool *__real_dm_pool_create(const char *name, size_t bytes);
struct dm_pool *__wrap_dm_pool_create(const char *name, size_t bytes);
struct dm_pool *__wrap_dm_pool_create(const char *name, size_t bytes)
{
	const bool was_on = sim_heap_is_on;
	struct dm_pool *pool;

	sim_heap_is_on = false;
	pool = __real_dm_pool_create(name, bytes);
	sim_heap_is_on = was_on;
	return pool;
}
