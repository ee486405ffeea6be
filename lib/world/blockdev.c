/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads directly: the page cache may hold outdated data, and scanning must not fill it. Files that
 * don't support direct I/O are read through the cache.
 */
#include "world/blockdev.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

#define UEVENT_BYTES 4096U
#define OPEN_FLAGS   (O_RDONLY | O_CLOEXEC | O_NONBLOCK)

static int open_direct(int dir_fd, const char *path)
{
	int fd = openat(dir_fd, path, OPEN_FLAGS | O_DIRECT);

	if (fd < 0 && errno == EINVAL)
		fd = openat(dir_fd, path, OPEN_FLAGS);
	return fd < 0 ? -errno : fd;
}

/* Regular files are only accepted in test trees. */
static bool is_device(const struct lea_world *world, const struct stat *st, uint32_t major,
		      uint32_t minor)
{
	if (S_ISBLK(st->st_mode))
		return major(st->st_rdev) == major && minor(st->st_rdev) == minor;
	return S_ISREG(st->st_mode) && world->root[0];
}

static bool is_it(const struct lea_world *world, int fd, uint32_t major, uint32_t minor)
{
	struct stat st;

	return !fstat(fd, &st) && is_device(world, &st, major, minor);
}

bool lea_blockdev_is_at(const struct lea_world *world, const char *path, uint32_t major,
			uint32_t minor)
{
	LEA_AUTO(lea_freep) char *full = lea_world_path(world, path);
	struct stat st;

	return full && !stat(full, &st) && is_device(world, &st, major, minor);
}

/* Opens the device by the kernel's name, because a path may now lead to another device. */
static int open_by_number(struct lea_world *world, uint32_t major, uint32_t minor)
{
	int sys_fd = lea_world_sys(world), dev_fd = lea_world_dev(world);
	char attribute[64], uevent[UEVENT_BYTES];
	char *name;
	int r;

	if (sys_fd < 0 || dev_fd < 0)
		return sys_fd < 0 ? sys_fd : dev_fd;
	snprintf(attribute, sizeof(attribute), "dev/block/%u:%u/uevent", major, minor);
	r = lea_file_read_into(sys_fd, attribute, uevent, sizeof(uevent));
	if (r)
		return r < 0 ? r : -ENODEV;
	name = strstr(uevent, "DEVNAME=");
	if (!name)
		return -ENODEV;
	name += strlen("DEVNAME=");
	name[strcspn(name, "\n")] = '\0';
	return open_direct(dev_fd, name);
}

static int open_device(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	LEA_AUTO(lea_freep) char *full = path ? lea_world_path(world, path) : NULL;
	LEA_AUTO(lea_closep) int fd = full ? open_direct(AT_FDCWD, full) : -ENOENT;

	if (path && !full)
		return -ENOMEM;
	if (fd >= 0 && is_it(world, fd, major, minor))
		return LEA_TAKE_FD(fd);
	/* Other faults do not depend on the name, so another name would not help. */
	if (fd < 0 && fd != -ENOENT && fd != -ENOTDIR)
		return fd;
	lea_closep(&fd);
	fd = open_by_number(world, major, minor);
	if (fd >= 0 && !is_it(world, fd, major, minor))
		return -ENODEV;
	return LEA_TAKE_FD(fd);
}

int lea_blockdev_open(struct lea_world *world, const char *path, uint32_t major, uint32_t minor)
{
	return (world->open_device ? world->open_device : open_device)(world, path, major, minor);
}

int lea_blockdev_diskseq(int fd, uint64_t *ret_diskseq)
{
#ifdef BLKGETDISKSEQ
	if (!ioctl(fd, BLKGETDISKSEQ, ret_diskseq))
		return 0;
	return errno == ENOSYS ? -ENOTTY : -errno; /* so says who emulates a kernel: qemu-user */
#else
	(void)fd;
	(void)ret_diskseq;
	return -ENOTTY;
#endif
}

int lea_blockdev_size(int fd, uint64_t *ret_bytes)
{
	struct stat st;
	uint64_t bytes;

	if (!ioctl(fd, BLKGETSIZE64, &bytes)) {
		*ret_bytes = bytes;
		return 0;
	}
	if (errno != ENOTTY)
		return -errno;
	if (fstat(fd, &st) < 0)
		return -errno;
	*ret_bytes = (uint64_t)st.st_size;
	return 0;
}

/* Reads until @need bytes are there; alignment may add bytes up to @room. */
static int read_fully(int fd, uint64_t offset, uint8_t *bytes, size_t need, size_t room)
{
	size_t got = 0;

	while (got < need) {
		ssize_t n = pread(fd, bytes + got, room - got, (off_t)(offset + got));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			return -EIO;
		got += (size_t)n;
	}
	return 0;
}

int lea_blockdev_read(int fd, uint64_t offset_bytes, void *bytes, size_t len_bytes)
{
	LEA_AUTO(lea_freep) void *bounce = NULL;
	uint64_t start = offset_bytes & ~(uint64_t)(LEA_BLOCKDEV_ALIGN - 1);
	size_t before = (size_t)(offset_bytes - start);
	size_t room;
	int r;

	if (offset_bytes > INT64_MAX - LEA_BLOCKDEV_ALIGN ||
	    len_bytes > SSIZE_MAX - 2 * LEA_BLOCKDEV_ALIGN)
		return -EINVAL;
	room = (before + len_bytes + LEA_BLOCKDEV_ALIGN - 1) & ~(size_t)(LEA_BLOCKDEV_ALIGN - 1);
	if (room == len_bytes && !((uintptr_t)bytes & (LEA_BLOCKDEV_ALIGN - 1)))
		return read_fully(fd, start, bytes, len_bytes, room);
	if (posix_memalign(&bounce, LEA_BLOCKDEV_ALIGN, room))
		return -ENOMEM;
	r = read_fully(fd, start, bounce, before + len_bytes, room);
	if (!r)
		memcpy(bytes, (uint8_t *)bounce + before, len_bytes);
	return r;
}
