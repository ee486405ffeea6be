/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads sysfs files of a single device. */
#include "world/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"

#define PATH_BYTES    512U
#define LISTING_BYTES 2048U

/* Writes the attribute's path below the folder whose descriptor is returned. */
static int path_of(struct lea_world *world, struct lea_devno devno, const char *attribute,
		   char path[static PATH_BYTES])
{
	int bytes = snprintf(path, PATH_BYTES, "dev/block/%u:%u%s%s", devno.major, devno.minor,
			     attribute[0] ? "/" : "", attribute);

	return bytes < 0 || bytes >= (int)PATH_BYTES ? -ENAMETOOLONG : lea_world_sys(world);
}

bool lea_sysfs_has_device(struct lea_world *world, struct lea_devno devno)
{
	char path[PATH_BYTES];
	struct stat st;
	int sys_fd = path_of(world, devno, "", path);

	return sys_fd < 0 || !fstatat(sys_fd, path, &st, AT_SYMLINK_NOFOLLOW) || errno != ENOENT;
}

int lea_sysfs_find(struct lea_world *world, const char *name, struct lea_devno *ret_devno)
{
	static const char folder[] = "class/block/";
	char path[PATH_BYTES], text[32];
	int r, bytes = snprintf(path, PATH_BYTES, "%s%s/dev", folder, name);

	if (bytes < 0 || bytes >= (int)PATH_BYTES)
		return 0;
	for (char *at = path + strlen(folder); at < path + bytes - strlen("/dev"); at++)
		if (*at == '/')
			*at = '!';
	r = lea_file_read_into(lea_world_sys(world), path, text, sizeof(text));
	return r ? lea_shortage_of(r) : lea_devno_parse(text, ret_devno);
}

int lea_sysfs_text(struct lea_world *world, struct lea_devno devno, const char *attribute,
		   char *ret_text, size_t size_bytes)
{
	char path[PATH_BYTES];
	size_t bytes;
	int sys_fd = path_of(world, devno, attribute, path);
	int r;

	if (sys_fd < 0)
		return sys_fd == -ENOENT ? LEA_SYSFS_ABSENT : sys_fd;
	r = lea_file_read_into(sys_fd, path, ret_text, size_bytes);
	if (r == LEA_FILE_ABSENT || r == -ENODEV || r == -ENXIO || r == -EINVAL)
		return LEA_SYSFS_ABSENT; /* the attribute exists but cannot be read */
	if (r)
		return r;
	bytes = strlen(ret_text);
	while (bytes && isspace((unsigned char)ret_text[bytes - 1]))
		ret_text[--bytes] = '\0';
	return 0;
}

int lea_sysfs_bytes(struct lea_world *world, struct lea_devno devno, const char *attribute,
		    uint8_t *ret_bytes, size_t *len_bytes)
{
	LEA_AUTO(lea_closep) int fd = -1;
	char path[PATH_BYTES];
	int sys_fd = path_of(world, devno, attribute, path);
	ssize_t n;

	if (sys_fd < 0)
		return sys_fd;
	fd = openat(sys_fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? LEA_SYSFS_ABSENT : -errno;
	n = read(fd, ret_bytes, *len_bytes);
	if (n < 0)
		return lea_is_shortage(-errno) ? -errno : LEA_SYSFS_ABSENT;
	*len_bytes = (size_t)n;
	return 0;
}

int lea_sysfs_number(struct lea_world *world, struct lea_devno devno, const char *attribute,
		     uint64_t *ret_number)
{
	char text[32];
	int r = lea_sysfs_text(world, devno, attribute, text, sizeof(text));

	return r ? r : lea_number_parse(text, UINT64_MAX, ret_number) ? 0 : LEA_SYSFS_MALFORMED;
}

int lea_sysfs_partition(struct lea_world *world, struct lea_devno devno, uint32_t *ret_number)
{
	uint64_t number;
	int r = lea_sysfs_number(world, devno, "partition", &number);

	*ret_number = r || number > UINT32_MAX ? 0 : (uint32_t)number;
	return lea_shortage_of(r);
}

int lea_sysfs_address(struct lea_world *world, struct lea_devno devno, bool is_partition,
		      char *ret_text, size_t size_bytes)
{
	static const char folder[] = "/devices/";
	char path[PATH_BYTES], target[PATH_BYTES], *begin, *end;
	const int sys_fd = path_of(world, devno, "", path);
	const ssize_t bytes = sys_fd < 0 ? -1 : readlinkat(sys_fd, path, target, sizeof(target));

	if (sys_fd < 0)
		return sys_fd;
	if (bytes < 0)
		return errno == ENOENT || errno == EINVAL ? LEA_SYSFS_ABSENT : -errno;
	if ((size_t)bytes == sizeof(target))
		return LEA_SYSFS_MALFORMED;
	target[bytes] = '\0';
	begin = strstr(target, folder);
	end = is_partition ? strrchr(target, '/') : NULL;
	if (!begin || (is_partition && end <= begin))
		return LEA_SYSFS_MALFORMED;
	begin += strlen(folder);
	if (end)
		*end = '\0';
	end = strstr(begin, "/block/");
	if (end)
		*end = '\0';
	if (strlen(begin) >= size_bytes)
		return LEA_SYSFS_MALFORMED;
	memcpy(ret_text, begin, strlen(begin) + 1);
	return 0;
}

static int read_diskseq(struct lea_world *world, struct lea_devno devno, uint64_t *ret_diskseq)
{
	int r = lea_sysfs_number(world, devno, "diskseq", ret_diskseq);

	return r > 0 ? lea_sysfs_number(world, devno, "../diskseq", ret_diskseq) : r;
}

int lea_sysfs_diskseq(struct lea_world *world, struct lea_devno devno, uint64_t *ret_diskseq)
{
	uint64_t diskseq = 0;
	int r = read_diskseq(world, devno, &diskseq);

	if (r < 0)
		return r;
	*ret_diskseq = r ? 0 : diskseq;
	return 0;
}

int lea_sysfs_find_instance(struct lea_world *world, const struct lea_devid *id)
{
	const struct lea_devno devno = {id->major, id->minor};
	char path[PATH_BYTES];
	struct stat st;
	uint64_t diskseq = 0;
	int r, sys_fd = path_of(world, devno, "", path);

	if (sys_fd < 0)
		return sys_fd;
	if (fstatat(sys_fd, path, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT || errno == ENOTDIR ? LEA_SYSFS_ABSENT : -errno;
	if (!id->diskseq)
		return 0;
	r = read_diskseq(world, devno, &diskseq);
	return r < 0 ? r : r || diskseq != id->diskseq ? LEA_SYSFS_ABSENT : 0;
}

/* 1: it does, 0: it does not, or the holder has none; or a shortage. */
static int uuid_begins(int holders_fd, const char *name, const char *prefix)
{
	char path[PATH_BYTES], uuid[LEA_SYSFS_VALUE_BYTES];
	int bytes = snprintf(path, sizeof(path), "%s/dm/uuid", name);
	int r = bytes > 0 && bytes < (int)sizeof(path)
			? lea_file_read_into(holders_fd, path, uuid, sizeof(uuid))
			: -ENAMETOOLONG;

	return r ? lea_shortage_of(r) : !strncmp(uuid, prefix, strlen(prefix));
}

/*
 * Uses getdents64, because readdir() takes two more system calls. If the buffer has room for
 * another name, the listing is complete: these folders are short and nearly always empty, and every
 * disk is checked.
 */
static int find_holder(int holders_fd, const char *prefix, bool begins, bool *ret_has)
{
	_Alignas(struct dirent64) char buffer[LISTING_BYTES];
	const struct dirent64 *entry;
	ssize_t bytes;
	int r;

	do {
		bytes = getdents64(holders_fd, (void *)buffer, sizeof(buffer));
		if (bytes < 0)
			return -errno;
		for (ssize_t at = 0; at < bytes && !*ret_has; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(const void *)(buffer + at);
			if (entry->d_name[0] == '.')
				continue;
			r = uuid_begins(holders_fd, entry->d_name, prefix);
			if (r < 0)
				return r;
			*ret_has = r == begins;
		}
	} while (!*ret_has && bytes > (ssize_t)(sizeof(buffer) - sizeof(struct dirent64)));
	return 0;
}

int lea_sysfs_announce(struct lea_world *world, struct lea_devno devno)
{
	LEA_AUTO(lea_closep) int fd = -1;
	char path[PATH_BYTES];
	int sys_fd = path_of(world, devno, "uevent", path);

	if (sys_fd < 0)
		return sys_fd;
	fd = openat(sys_fd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? LEA_SYSFS_ABSENT : -errno;
	return write(fd, "add", 3) == 3 ? 0 : -errno;
}

static int any_holder(struct lea_world *world, struct lea_devno devno, const char *folder,
		      const char *prefix, bool begins, bool *ret_has)
{
	LEA_AUTO(lea_closep) int fd = -1;
	char path[PATH_BYTES];
	int sys_fd = path_of(world, devno, folder, path);

	if (sys_fd < 0)
		return sys_fd;
	fd = openat(sys_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? LEA_SYSFS_ABSENT : -errno;
	*ret_has = false;
	return find_holder(fd, prefix, begins, ret_has);
}

int lea_sysfs_holder(struct lea_world *world, struct lea_devno devno, const char *folder,
		     const char *prefix, bool *ret_has)
{
	return any_holder(world, devno, folder, prefix, true, ret_has);
}

int lea_sysfs_holder_but(struct lea_world *world, struct lea_devno devno, const char *folder,
			 const char *prefix, bool *ret_has)
{
	return any_holder(world, devno, folder, prefix, false, ret_has);
}

int lea_sysfs_has_holder(struct lea_world *world, struct lea_devno devno, const char *holder)
{
	char attribute[64], path[PATH_BYTES];
	int sys_fd;

	snprintf(attribute, sizeof(attribute), "holders/%.32s", holder);
	sys_fd = path_of(world, devno, attribute, path);
	return sys_fd < 0 ? lea_shortage_of(sys_fd) : lea_file_ask(sys_fd, path);
}
