/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls that open, close and change files: points at which a process may die, or find no room. */
#include "sim/machine_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define WATCHES	      64U
#define WATCHES_FIRST 900 /* more descriptors than a history ever has */

int __real_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, ...);
int __real_openat64(int dir_fd, const char *path, int flags, mode_t mode);
int __wrap_openat64(int dir_fd, const char *path, int flags, ...);
int __real_inotify_init1(int flags);
ssize_t __real_read(int fd, void *bytes, size_t length);

static bool is_making(int dir_fd, const char *path, int flags)
{
	if ((flags & O_TMPFILE) == O_TMPFILE)
		return true;
	return flags & O_CREAT && (sim_room < 0 || faccessat(dir_fd, path, F_OK, 0) < 0);
}

int __wrap_openat64(int dir_fd, const char *path, int flags, ...)
{
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
	return sim_fd_note(__real_openat64(dir_fd, path, flags, mode), SIM_FD_FILE);
}

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

WRAP(int, closedir, (DIR * dir))
{
	if (!sim.now)
		return __real_closedir(dir);
	sim.use.calls++;
	if (sim_fd_drop(sim_slot(), dirfd(dir)))
		return __real_closedir(dir);
	return 0;
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

/* ---- inotify: the kernel takes 20 ms to close one, so what was closed is used again */

struct watch {
	int fd; /* the one that stays open; what a process has is a copy of it */
	bool is_used;
	int wd[WATCHES];
	uint32_t count;
};

static struct watch watches[WATCHES];
static uint32_t watch_count;

static struct watch *take_watch(int flags)
{
	struct watch *watch;
	int fd;

	for (uint32_t i = 0; i < watch_count; i++)
		if (!watches[i].is_used)
			return &watches[i];
	if (watch_count == WATCHES)
		return NULL;
	fd = __real_inotify_init1(flags);
	if (fd < 0)
		return NULL;
	watch = &watches[watch_count++];
	watch->fd = fcntl(fd, F_DUPFD_CLOEXEC, WATCHES_FIRST);
	__real_close(fd);
	return watch;
}

WRAP(int, inotify_init1, (int flags))
{
	struct watch *watch;
	int fd;

	if (sim_is_short())
		return -1;
	watch = take_watch(flags);
	fd = watch ? sim_fd_note(fcntl(watch->fd, F_DUPFD_CLOEXEC, 0), SIM_FD_WATCH) : -1;
	if (fd < 0)
		return -1;
	watch->is_used = true;
	sim_fds[fd].of = watch;
	return fd;
}

WRAP(int, inotify_add_watch, (int fd, const char *path, uint32_t mask))
{
	const int wd = __real_inotify_add_watch(fd, path, mask);
	struct watch *watch = wd < 0 ? NULL : sim_fds[fd].of;

	if (watch && watch->count == WATCHES)
		sim_break("too many watches");
	else if (watch)
		watch->wd[watch->count++] = wd;
	return wd;
}

void sim_watch_end(void *arg)
{
	struct watch *watch = arg;
	char events[4096];

	for (uint32_t i = 0; i < watch->count; i++)
		inotify_rm_watch(watch->fd, watch->wd[i]);
	while (__real_read(watch->fd, events, sizeof(events)) > 0)
		;
	watch->count = 0;
	watch->is_used = false;
}

/* Calls that change the tree: points at which a process may die. */
#define CHANGE(name, params, args, makes)                                                          \
	WRAP(int, name, params)                                                                    \
	{                                                                                          \
		if (sim.now) {                                                                     \
			sim_point(#name, NULL);                                                    \
			if (makes && sim_is_full())                                                \
				return -1;                                                         \
		}                                                                                  \
		return __real_##name args;                                                         \
	}

CHANGE(mkdir, (const char *path, mode_t mode), (path, mode), access(path, F_OK) < 0)
CHANGE(mkdirat, (int dir_fd, const char *path, mode_t mode), (dir_fd, path, mode),
       faccessat(dir_fd, path, F_OK, 0) < 0)
CHANGE(mknodat, (int dir_fd, const char *path, mode_t mode, dev_t number),
       (dir_fd, path, mode, number), faccessat(dir_fd, path, F_OK, 0) < 0)
CHANGE(linkat, (int from_fd, const char *from, int to_fd, const char *to, int flags),
       (from_fd, from, to_fd, to, flags), false)
WRAP(int, renameat, (int from_fd, const char *from, int to_fd, const char *to))
{
	bool replaces;

	sim_point("renameat", NULL);
	replaces = sim.now && sim_room >= 0 && !faccessat(to_fd, to, F_OK, 0);
	if (__real_renameat(from_fd, from, to_fd, to) < 0)
		return -1;
	if (replaces)
		sim_give_room();
	return 0;
}

CHANGE(renameat2, (int from_fd, const char *from, int to_fd, const char *to, unsigned int flags),
       (from_fd, from, to_fd, to, flags), false)
WRAP(int, unlinkat, (int dir_fd, const char *path, int flags))
{
	sim_point("unlinkat", NULL);
	if (__real_unlinkat(dir_fd, path, flags) < 0)
		return -1;
	sim_give_room();
	return 0;
}

WRAP(int, unlink, (const char *path))
{
	sim_point("unlink", NULL);
	if (__real_unlink(path) < 0)
		return -1;
	sim_give_room();
	return 0;
}

CHANGE(ftruncate64, (int fd, off_t length), (fd, length), false)

WRAP(ssize_t, write, (int fd, const void *bytes, size_t length))
{
	struct stat st;

	sim_point("write", NULL);
	/* A file of sysfs: udev is asked for an event. */
	if (sim.now && length == 3 && !memcmp(bytes, "add", 3) && !fstat(fd, &st))
		for (uint32_t disk = 0; disk < SIM_DISKS; disk++)
			if (sim_unit[disk].is_there && sim_unit[disk].uevent == st.st_ino) {
				sim_udev_event(disk, SIM_SYNTH);
				return 3;
			}
	return __real_write(fd, bytes, length);
}

WRAP(ssize_t, pwrite64, (int fd, const void *bytes, size_t length, off_t at))
{
	sim_point("pwrite", NULL);
	return __real_pwrite64(fd, bytes, length, at);
}

WRAP(ssize_t, read, (int fd, void *bytes, size_t length))
{
	sim.use.calls++;
	return __real_read(fd, bytes, length);
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
