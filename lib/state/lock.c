/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lvm2's file locks are flocks on files that the last user unlinks. After a wait, the lock may be
 * on a file that no longer has its name; it is valid only if descriptor and path refer to the same
 * inode.
 */
#include "state/lock.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "world/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The modes of lvm2's files with its default umask of 077. */
#define LOCK_MODE   0700
#define DIR_MODE    0700
#define D_FILE_MODE 0600

#define MAX_LOCKS_BYTES (4U * 1024U * 1024U)

struct lea_lock {
	char *path;
	int fd;
	bool stays; /* a D_ file is never unlinked */
};

static void free_lock(struct lea_lock *lock)
{
	if (!lock)
		return;
	if (lock->fd >= 0)
		close(lock->fd);
	free(lock->path);
	free(lock);
}

LEA_DEFINE_FREEP(struct lea_lock, free_lockp, free_lock);

static bool is_devices_file(const char *name)
{
	return !strncmp(name, "D_", 2);
}

static struct lea_lock *new_lock(const char *dir, const char *name, const char *suffix)
{
	LEA_AUTO(free_lockp) struct lea_lock *lock = calloc(1, sizeof(*lock));

	if (!lock)
		return NULL;
	lock->fd = -1;
	lock->stays = is_devices_file(name);
	if (asprintf(&lock->path, "%s/%s%s", dir, name, suffix) < 0) {
		lock->path = NULL;
		return NULL;
	}
	return LEA_TAKE(lock);
}

/* Does the path still refer to the locked file? */
static bool is_current(const struct lea_lock *lock)
{
	struct stat named, held;

	return !stat(lock->path, &named) && !fstat(lock->fd, &held) &&
	       named.st_dev == held.st_dev && named.st_ino == held.st_ino;
}

static int make_one(const char *path, mode_t mode)
{
	return mkdir(path, mode) < 0 && errno != EEXIST ? -errno : 0;
}

/* Creates the folder and its parents: early in a boot /run/lock may not exist. */
static int make_dir(const char *dir)
{
	LEA_AUTO(lea_freep) char *path = NULL;
	int r = make_one(dir, DIR_MODE);

	if (r != -ENOENT)
		return r;
	path = strdup(dir);
	if (!path)
		return -ENOMEM;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		r = make_one(path, 0755);
		if (r < 0)
			return r;
		*slash = '/';
	}
	return make_one(dir, DIR_MODE);
}

/* The folder is mostly there. */
static int open_file(const struct lea_lock *lock, const char *dir)
{
	const int flags = O_CREAT | O_APPEND | O_RDWR | O_CLOEXEC | O_NOFOLLOW;
	const mode_t mode = lock->stays ? D_FILE_MODE : LOCK_MODE;
	int r, fd = open(lock->path, flags, mode);

	if (fd >= 0 || errno != ENOENT)
		return fd < 0 ? -errno : fd;
	r = make_dir(dir);
	if (r < 0)
		return r;
	fd = open(lock->path, flags, mode);
	return fd < 0 ? -errno : fd;
}

/* One attempt: 0, LEA_LOCK_BUSY, -ESTALE if the file was unlinked meanwhile, or a fault. */
static int try_lock(struct lea_lock *lock, const char *dir, int operation)
{
	lock->fd = open_file(lock, dir);
	if (lock->fd < 0)
		return lock->fd;
	if (flock(lock->fd, operation) < 0)
		return errno == EWOULDBLOCK ? LEA_LOCK_BUSY : -errno;
	return is_current(lock) ? 0 : -ESTALE;
}

static int take_file(struct lea_lock *lock, const char *dir, enum lea_lock_mode mode, bool wait)
{
	const int operation = (mode == LEA_LOCK_SHARED ? LOCK_SH : LOCK_EX) | (wait ? 0 : LOCK_NB);
	int r;

	for (;;) {
		r = try_lock(lock, dir, operation);
		if (r != -ESTALE)
			return r;
		if (!wait)
			return LEA_LOCK_BUSY;
		close(lock->fd);
		lock->fd = -1;
	}
}

/* Unlinks the file if no other process has locked it. A waiting process notices by the inode. */
static void unlink_unless_used(const struct lea_lock *lock)
{
	if (!lock->stays && !flock(lock->fd, LOCK_EX | LOCK_NB) && is_current(lock))
		unlink(lock->path);
}

static void release_turnstile(struct lea_lock **aux)
{
	if (*aux && (*aux)->fd >= 0)
		unlink_unless_used(*aux);
	free_lock(LEA_TAKE(*aux));
}

static int take_turnstile(const struct lea_lock_options *options, const char *name,
			  struct lea_lock **ret_aux)
{
	LEA_AUTO(free_lockp) struct lea_lock *aux = new_lock(options->dir, name, ":aux");
	int r;

	if (!aux)
		return -ENOMEM;
	r = take_file(aux, options->dir, LEA_LOCK_EXCLUSIVE, options->wait);
	if (!r)
		*ret_aux = LEA_TAKE(aux);
	return r;
}

int lea_lock_take(const struct lea_lock_options *options, const char *name,
		  struct lea_lock **ret_lock)
{
	LEA_AUTO(release_turnstile) struct lea_lock *aux = NULL;
	LEA_AUTO(free_lockp) struct lea_lock *lock = NULL;
	int r;

	if (!*name || strchr(name, '/'))
		return -EINVAL;
	if (options->turnstile && !is_devices_file(name)) {
		r = take_turnstile(options, name, &aux);
		if (r)
			return r;
		/* Readers leave the turnstile before they wait; a writer waits inside, so that new
		 * readers cannot overtake it. */
		if (options->mode == LEA_LOCK_SHARED)
			release_turnstile(&aux);
	}
	lock = new_lock(options->dir, name, "");
	if (!lock)
		return -ENOMEM;
	r = take_file(lock, options->dir, options->mode, options->wait);
	if (!r)
		*ret_lock = LEA_TAKE(lock);
	return r;
}

void lea_lock_release(struct lea_lock *lock)
{
	if (!lock)
		return;
	flock(lock->fd, LOCK_UN);
	unlink_unless_used(lock);
	free_lock(lock);
}

int lea_lock_fd(const struct lea_lock *lock)
{
	return lock ? lock->fd : -1;
}

int lea_lock_release_theirs(pid_t pid, int fd, const char *dir, const char *name)
{
	LEA_AUTO(free_lockp) struct lea_lock *lock = new_lock(dir, name, "");

	if (!lock)
		return -ENOMEM;
	lock->fd = lea_proc_dup(pid, fd);
	if (lock->fd < 0)
		return lock->fd;
	if (!is_current(lock))
		return -ESTALE;
	return flock(lock->fd, LOCK_UN) ? -errno : 0;
}

pid_t lea_lock_holder(int proc_fd, const char *dir, const char *name)
{
	LEA_AUTO(lea_freep) char *path = NULL, *text = NULL;
	char file[64], *state = NULL, kind[8], at[64];
	struct stat st;
	long pid;

	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return 0;
	}
	if (stat(path, &st) < 0 || lea_file_read(proc_fd, "locks", MAX_LOCKS_BYTES, &text, NULL))
		return 0;
	snprintf(file, sizeof(file), "%02x:%02x:%lu", major(st.st_dev), minor(st.st_dev),
		 (unsigned long)st.st_ino);
	for (const char *line = strtok_r(text, "\n", &state); line;
	     line = strtok_r(NULL, "\n", &state))
		/* A waiter's line has "->" in place of the kind. */
		if (sscanf(line, "%*s %7s %*s %*s %ld %63s", kind, &pid, at) == 3 &&
		    !strcmp(kind, "FLOCK") && !strcmp(at, file) && pid > 0)
			return (pid_t)pid;
	return 0;
}
