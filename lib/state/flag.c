/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uses a record lock (fcntl), not flock: children share a flock, and a child that hangs on a disk
 * would keep it after its parent's death.
 */
#include "state/flag.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int lea_flag_raise(int event_fd, const char *name, int *ret_fd)
{
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	LEA_AUTO(lea_closep) int fd = -1;
	struct stat held, there;
	char text[32];
	int len;

	for (;;) {
		lea_closep(&fd);
		fd = openat(event_fd, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd < 0)
			return -errno;
		if (fcntl(fd, F_SETLK, &whole) < 0)
			return errno == EAGAIN || errno == EACCES ? LEA_FLAG_HELD : -errno;
		/* If the file was removed and recreated meanwhile, our lock is worthless. */
		if (fstat(fd, &held) < 0)
			return -errno;
		if (fstatat(event_fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
		    held.st_ino == there.st_ino && held.st_dev == there.st_dev)
			break;
	}
	/* The pid is only for people: a full disk must not stop us. */
	len = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
	if (pwrite(fd, text, (size_t)len, 0) == len && ftruncate(fd, len) < 0)
		return -errno;
	*ret_fd = LEA_TAKE_FD(fd);
	return 0;
}

int lea_flag_show(int event_fd, const char *name, int *ret_fd)
{
	struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
	LEA_AUTO(lea_closep) int fd = -1;
	int r = lea_file_create_empty(event_fd, name);

	if (r >= 0)
		fd = openat(event_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fcntl(fd, F_SETLK, &whole) < 0)
		return r < 0 ? r : -errno;
	*ret_fd = LEA_TAKE_FD(fd);
	return 0;
}

int lea_flag_ask(int event_fd, const char *name)
{
	LEA_AUTO(lea_closep)
	int fd = openat(event_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fd < 0 || fcntl(fd, F_GETLK, &whole) < 0)
		return lea_is_shortage(-errno) ? -errno : 0;
	return whole.l_type != F_UNLCK;
}
