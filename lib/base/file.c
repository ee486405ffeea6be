/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hidden names carry pid, time and a counter. The counter is the only variable of the process
 * outside a struct: two threads, or two calls in one clock tick, must get different names. If names
 * collide anyway, O_EXCL fails and the next number is tried.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/libc.h"

#define HIDDEN_PREFIX	 ".new-"
#define FIRST_READ_BYTES 4096U
#define HIDDEN_TRIES	 16
#define PATH_BYTES	 512U
#define LOCK_PAUSE_MS	 5U

static int open_to_read(int dir_fd, const char *name, int flags, int *ret_fd)
{
	/* O_NONBLOCK: a planted fifo must not block us. */
	int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | flags);

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? LEA_FILE_ABSENT : -errno;
	*ret_fd = fd;
	return 0;
}

/* Reads up to @size_bytes or to the end of the file. A read that ends at @claimed_bytes counts as
 * the end. */
static int read_up_to(int fd, char *bytes, size_t size_bytes, size_t claimed_bytes,
		      size_t *ret_bytes)
{
	size_t have = 0;
	ssize_t n;

	while (have < size_bytes) {
		n = read(fd, bytes + have, size_bytes - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		have += (size_t)n;
		if (have == claimed_bytes)
			break;
	}
	*ret_bytes = have;
	return 0;
}

/* @claimed_bytes: size by fstat, which is wrong or 0 for files of /proc and /sys. */
static int read_all(int fd, size_t claimed_bytes, size_t max_bytes, char **ret_text,
		    size_t *ret_bytes)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t have = 0, size = FIRST_READ_BYTES, got = 0;
	char *bigger;
	int r;

	if (claimed_bytes >= size && claimed_bytes <= max_bytes)
		size = claimed_bytes + 1;
	for (;;) {
		/* Ask for one byte more than allowed, to notice a file that is too large. */
		if (size > max_bytes + 1)
			size = max_bytes + 1;
		bigger = realloc(text, size + 1);
		if (!bigger)
			return -ENOMEM;
		text = bigger;
		r = read_up_to(fd, text + have, size - have, claimed_bytes, &got);
		if (r)
			return r;
		have += got;
		if (have > max_bytes)
			return -EFBIG;
		if (have < size)
			break;
		size *= 2;
	}
	text[have] = '\0';
	if (ret_bytes)
		*ret_bytes = have;
	*ret_text = LEA_TAKE(text);
	return 0;
}

static int read_regular(int fd, size_t max_bytes, char **ret_text, size_t *ret_bytes)
{
	struct stat st;

	if (max_bytes > SIZE_MAX / 4)
		return -EINVAL;
	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	return read_all(fd, (size_t)st.st_size, max_bytes, ret_text, ret_bytes);
}

int lea_file_read(int dir_fd, const char *name, size_t max_bytes, char **ret_text,
		  size_t *ret_bytes)
{
	LEA_AUTO(lea_closep) int fd = -1;
	int r = open_to_read(dir_fd, name, O_NOFOLLOW, &fd);

	return r ? r : read_regular(fd, max_bytes, ret_text, ret_bytes);
}

int lea_file_read_config(const char *path, size_t max_bytes, char **ret_text, size_t *ret_bytes)
{
	LEA_AUTO(lea_closep) int fd = -1;
	int r = open_to_read(AT_FDCWD, path, 0, &fd);

	return r ? r : read_regular(fd, max_bytes, ret_text, ret_bytes);
}

int lea_file_read_into(int dir_fd, const char *name, char *buffer, size_t size_bytes)
{
	LEA_AUTO(lea_closep) int fd = -1;
	size_t have;
	ssize_t n;
	int r;

	if (!size_bytes)
		return -EINVAL;
	r = open_to_read(dir_fd, name, O_NOFOLLOW, &fd);
	if (r)
		return r;
	/* One read is enough: an attribute arrives whole, and a second read would only see its
	 * end. */
	do
		n = read(fd, buffer, size_bytes - 1);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	have = (size_t)n;
	buffer[have] = '\0';
	return 0;
}

int lea_file_create_empty_as(int dir_fd, const char *name, mode_t mode)
{
	/* mknod is one call; open would need a close. */
	if (mknodat(dir_fd, name, S_IFREG | mode, 0) < 0)
		return errno == EEXIST ? LEA_FILE_EXISTS : -errno;
	return 0;
}

int lea_file_create_empty(int dir_fd, const char *name)
{
	return lea_file_create_empty_as(dir_fd, name, 0600);
}

static int write_all(int fd, const char *bytes, size_t len_bytes)
{
	ssize_t n;

	while (len_bytes) {
		n = write(fd, bytes, len_bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		bytes += n;
		len_bytes -= (size_t)n;
	}
	return 0;
}

static void name_hidden(char hidden[static LEA_FILE_HIDDEN_BYTES])
{
	static unsigned int counter;
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	snprintf(hidden, LEA_FILE_HIDDEN_BYTES, HIDDEN_PREFIX "%ld-%lld-%ld-%u", (long)getpid(),
		 (long long)now.tv_sec, now.tv_nsec,
		 __atomic_fetch_add(&counter, 1U, __ATOMIC_RELAXED));
}

static int create_hidden(int dir_fd, char hidden[static LEA_FILE_HIDDEN_BYTES], int *ret_fd)
{
	int fd;

	for (int i = 0; i < HIDDEN_TRIES; i++) {
		name_hidden(hidden);
		fd = openat(dir_fd, hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			    0600);
		if (fd >= 0) {
			*ret_fd = fd;
			return 0;
		}
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Writes a complete file under a hidden name. Leaves nothing behind on a fault. */
static int write_hidden(int dir_fd, char hidden[static LEA_FILE_HIDDEN_BYTES], const void *bytes,
			size_t len_bytes, bool is_durable)
{
	int fd = -1, r;

	r = create_hidden(dir_fd, hidden, &fd);
	if (r)
		return r;
	r = write_all(fd, bytes, len_bytes);
	if (!r && is_durable && fsync(fd) < 0)
		r = -errno;
	if (close(fd) < 0 && !r)
		r = -errno;
	if (r)
		unlinkat(dir_fd, hidden, 0);
	return r;
}

/*
 * Creates a file that has no name until it is complete: no reader sees it earlier, and nothing is
 * left if the process dies. 0, LEA_FILE_EXISTS, or -errno; after -errno the caller uses a hidden
 * name, because not every file system has O_TMPFILE and AT_EMPTY_PATH takes a privilege.
 */
static int create_unnamed(int dir_fd, const char *folder, const char *path, const void *bytes,
			  size_t len_bytes)
{
	LEA_AUTO(lea_closep)
	int fd = openat(dir_fd, folder, O_WRONLY | O_TMPFILE | O_CLOEXEC | O_NOFOLLOW, 0600);
	int r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, bytes, len_bytes);
	if (!r && linkat(fd, "", dir_fd, path, AT_EMPTY_PATH) < 0)
		r = errno == EEXIST ? LEA_FILE_EXISTS : -errno;
	return r;
}

int lea_file_create_in(int dir_fd, const char *folder, const char *name, const void *bytes,
		       size_t len_bytes)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	char path[PATH_BYTES];
	int len = snprintf(path, sizeof(path), "%s/%s", folder, name);
	int r;

	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	r = create_unnamed(dir_fd, folder, path, bytes, len_bytes);
	if (r >= 0)
		return r;
	folder_fd = lea_file_open_folder(dir_fd, folder);
	return folder_fd < 0 ? folder_fd : lea_file_create(folder_fd, name, bytes, len_bytes);
}

int lea_file_create(int dir_fd, const char *name, const void *bytes, size_t len_bytes)
{
	char hidden[LEA_FILE_HIDDEN_BYTES];
	int r;

	r = write_hidden(dir_fd, hidden, bytes, len_bytes, false);
	if (r)
		return r;
	if (linkat(dir_fd, hidden, dir_fd, name, 0) < 0)
		r = errno == EEXIST ? LEA_FILE_EXISTS : -errno;
	unlinkat(dir_fd, hidden, 0);
	return r;
}

/* Gives what is complete its name. */
static int publish(int dir_fd, const char *hidden, const char *name)
{
	int r;

	if (renameat(dir_fd, hidden, dir_fd, name) == 0)
		return 0;
	r = -errno;
	unlinkat(dir_fd, hidden, 0);
	return r;
}

static int replace(int dir_fd, const char *name, const void *bytes, size_t len_bytes,
		   bool is_durable)
{
	char hidden[LEA_FILE_HIDDEN_BYTES];
	int r = write_hidden(dir_fd, hidden, bytes, len_bytes, is_durable);

	return r ? r : publish(dir_fd, hidden, name);
}

int lea_file_stage(int dir_fd, const void *bytes, size_t len_bytes,
		   char ret_hidden[static LEA_FILE_HIDDEN_BYTES])
{
	return write_hidden(dir_fd, ret_hidden, bytes, len_bytes, false);
}

int lea_file_name_staged(int dir_fd, const char *hidden, const char *name)
{
	if (!renameat2(dir_fd, hidden, dir_fd, name, RENAME_NOREPLACE))
		return 0;
	return errno == EEXIST ? LEA_FILE_EXISTS : -errno;
}

int lea_file_exchange(int dir_fd, const char *hidden, const char *name)
{
	if (!renameat2(dir_fd, hidden, dir_fd, name, RENAME_EXCHANGE))
		return 0;
	return errno == ENOENT ? LEA_FILE_ABSENT : -errno;
}

int lea_file_replace(int dir_fd, const char *name, const void *bytes, size_t len_bytes)
{
	return replace(dir_fd, name, bytes, len_bytes, false);
}

int lea_file_replace_durably(int dir_fd, const char *name, const void *bytes, size_t len_bytes)
{
	int r = replace(dir_fd, name, bytes, len_bytes, true);

	return r ? r : fsync(dir_fd) < 0 ? -errno : 0;
}

int lea_file_create_link(int dir_fd, const char *path, const char *text)
{
	if (symlinkat(text, dir_fd, path) == 0)
		return 0;
	return errno == EEXIST ? LEA_FILE_EXISTS : errno == ENOENT ? LEA_FILE_ABSENT : -errno;
}

int lea_file_replace_link(int dir_fd, const char *name, const char *text)
{
	char hidden[LEA_FILE_HIDDEN_BYTES];
	int r = LEA_FILE_EXISTS;

	for (int i = 0; r == LEA_FILE_EXISTS && i < HIDDEN_TRIES; i++) {
		name_hidden(hidden);
		r = lea_file_create_link(dir_fd, hidden, text);
	}
	if (r)
		return r == LEA_FILE_EXISTS ? -EEXIST : r > 0 ? -ENOENT : r;
	return publish(dir_fd, hidden, name);
}

int lea_file_read_link(int dir_fd, const char *path, char *buffer, size_t size_bytes)
{
	ssize_t n = size_bytes ? readlinkat(dir_fd, path, buffer, size_bytes - 1) : 0;

	if (!size_bytes)
		return -EINVAL;
	if (n < 0)
		return errno == ENOENT || errno == ENOTDIR ? LEA_FILE_ABSENT
		       : errno == EINVAL		   ? LEA_FILE_NO_LINK
							   : -errno;
	buffer[n] = '\0';
	return 0;
}

int lea_file_lock(int fd, uint32_t most_ms)
{
	const struct timespec pause = {.tv_nsec = LOCK_PAUSE_MS * 1000000L};

	for (uint32_t waited_ms = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; waited_ms += LOCK_PAUSE_MS) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (waited_ms >= most_ms)
			return -EAGAIN;
		nanosleep(&pause, NULL);
	}
	return 0;
}

int lea_file_ask(int dir_fd, const char *path)
{
	if (!faccessat(dir_fd, path, F_OK, AT_SYMLINK_NOFOLLOW))
		return 1;
	return lea_is_shortage(-errno) ? -errno : 0;
}

int lea_file_remove(int dir_fd, const char *name)
{
	if (unlinkat(dir_fd, name, 0) == 0)
		return 0;
	return errno == ENOENT || errno == ENOTDIR ? LEA_FILE_ABSENT : -errno;
}

int lea_file_remove_in(int dir_fd, const char *folder, const char *name)
{
	LEA_AUTO(lea_closep)
	int folder_fd = openat(dir_fd, folder, O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (folder_fd < 0)
		return errno == ENOENT ? LEA_FILE_ABSENT : -errno;
	return lea_file_remove(folder_fd, name);
}

int lea_file_check_private(int folder_fd)
{
	struct stat st;

	if (fstat(folder_fd, &st) < 0)
		return -errno;
	return (st.st_uid && st.st_uid != geteuid()) || st.st_mode & (S_IWGRP | S_IWOTH) ? -EPERM
											 : 0;
}

/* "PID-..." follows the prefix. If another process got the same pid, the file stays until that
 * process ends. */
static bool is_leftover(const char *name)
{
	char *end;
	long pid;

	if (strncmp(name, HIDDEN_PREFIX, strlen(HIDDEN_PREFIX)) != 0)
		return false;
	pid = strtol(name + strlen(HIDDEN_PREFIX), &end, 10);
	return *end == '-' && pid > 0 && pid <= INT32_MAX && kill((pid_t)pid, 0) < 0 &&
	       errno == ESRCH;
}

int lea_file_list(int dir_fd, const char *path, DIR **ret_dir)
{
	int r, fd = openat(dir_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return -errno;
	*ret_dir = fdopendir(fd);
	if (*ret_dir)
		return 0;
	r = -errno;
	close(fd);
	return r;
}

const struct dirent *lea_file_next(DIR *dir, int *r)
{
	const struct dirent *entry;

	if (*r)
		return NULL;
	errno = 0;
	while ((entry = readdir(dir)) &&
	       (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")))
		;
	/* A folder that was removed meanwhile has no more names. */
	if (!entry && errno != ENOENT)
		*r = -errno;
	return entry;
}

void lea_file_tidy(int dir_fd, const char *folder)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(dir_fd, folder, &dir);

	while ((entry = lea_file_next(dir, &r)))
		if (is_leftover(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
}

int lea_file_open_folder(int dir_fd, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW;
	int fd = openat(dir_fd, name, flags);

	/* Try to open first: the folder nearly always exists, and then one call is enough. */
	if (fd < 0 && errno == ENOENT) {
		if (mkdirat(dir_fd, name, 0700) < 0 && errno != EEXIST)
			return -errno;
		fd = openat(dir_fd, name, flags);
	}
	return fd < 0 ? -errno : fd;
}

int lea_file_make_folder(int dir_fd, const char *name)
{
	struct stat st;

	if (mkdirat(dir_fd, name, 0700) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}
