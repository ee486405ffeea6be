/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One device's own corner of sysfs.
 */
#include "world/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

#define PATH_BYTES    512U
#define LISTING_BYTES 2048U

static int path_of(struct lea_devno devno, const char *attribute, char path[static PATH_BYTES])
{
	int bytes = snprintf(path, PATH_BYTES, "dev/block/%u:%u%s%s", devno.major, devno.minor,
			     attribute[0] ? "/" : "", attribute);

	return bytes < 0 || bytes >= (int)PATH_BYTES ? -ENAMETOOLONG : 0;
}

bool lea_sysfs_has_device(struct lea_world *world, struct lea_devno devno)
{
	char path[PATH_BYTES];
	struct stat st;
	int sys_fd = lea_world_sys(world);

	return sys_fd >= 0 && !path_of(devno, "", path) &&
	       fstatat(sys_fd, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

int lea_sysfs_text(struct lea_world *world, struct lea_devno devno, const char *attribute,
		   char *ret_text, size_t size_bytes)
{
	char path[PATH_BYTES];
	size_t bytes;
	int sys_fd = lea_world_sys(world);
	int r;

	if (sys_fd < 0)
		return sys_fd == -ENOENT ? LEA_SYSFS_ABSENT : sys_fd;
	r = path_of(devno, attribute, path);
	if (r)
		return r;
	r = lea_file_read_into(sys_fd, path, ret_text, size_bytes);
	if (r == LEA_FILE_ABSENT || r == -ENODEV || r == -ENXIO || r == -EINVAL)
		return LEA_SYSFS_ABSENT; /* the kernel has such attributes, of devices without them
					  */
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
	int sys_fd = lea_world_sys(world);
	ssize_t n;
	int r;

	if (sys_fd < 0)
		return sys_fd;
	r = path_of(devno, attribute, path);
	if (r)
		return r;
	fd = openat(sys_fd, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? LEA_SYSFS_ABSENT : -errno;
	n = read(fd, ret_bytes, *len_bytes);
	if (n < 0)
		return LEA_SYSFS_ABSENT;
	*len_bytes = (size_t)n;
	return 0;
}

int lea_sysfs_number(struct lea_world *world, struct lea_devno devno, const char *attribute,
		     uint64_t *ret_number)
{
	char text[32], *end;
	unsigned long long number;
	int r;

	r = lea_sysfs_text(world, devno, attribute, text, sizeof(text));
	if (r)
		return r;
	if (!isdigit((unsigned char)text[0]))
		return LEA_SYSFS_MALFORMED;
	errno = 0;
	number = strtoull(text, &end, 10);
	if (errno || *end)
		return LEA_SYSFS_MALFORMED;
	*ret_number = number;
	return 0;
}

uint64_t lea_sysfs_diskseq(struct lea_world *world, struct lea_devno devno)
{
	uint64_t diskseq = 0;

	if (lea_sysfs_number(world, devno, "diskseq", &diskseq) &&
	    lea_sysfs_number(world, devno, "../diskseq", &diskseq))
		return 0;
	return diskseq;
}

static bool uuid_begins(int holders_fd, const char *name, const char *prefix)
{
	char path[PATH_BYTES], uuid[LEA_SYSFS_VALUE_BYTES];
	int bytes = snprintf(path, sizeof(path), "%s/dm/uuid", name);

	return bytes > 0 && bytes < (int)sizeof(path) &&
	       !lea_file_read_into(holders_fd, path, uuid, sizeof(uuid)) &&
	       !strncmp(uuid, prefix, strlen(prefix));
}

/*
 * Not by readdir(), which asks twice more than we need to. An answer with room left for any further
 * name is the whole folder: these are short, nearly always empty, and asked for every disk.
 */
static int find_holder(int holders_fd, const char *prefix, bool *ret_has)
{
	_Alignas(struct dirent64) char buffer[LISTING_BYTES];
	const struct dirent64 *entry;
	ssize_t bytes;

	do {
		bytes = getdents64(holders_fd, buffer, sizeof(buffer));
		if (bytes < 0)
			return -errno;
		for (ssize_t at = 0; at < bytes && !*ret_has; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(const void *)(buffer + at);
			if (entry->d_name[0] != '.')
				*ret_has = uuid_begins(holders_fd, entry->d_name, prefix);
		}
	} while (!*ret_has && bytes > (ssize_t)(sizeof(buffer) - sizeof(struct dirent64)));
	return 0;
}

int lea_sysfs_announce(struct lea_world *world, struct lea_devno devno)
{
	LEA_AUTO(lea_closep) int fd = -1;
	char path[PATH_BYTES];
	int sys_fd = lea_world_sys(world);
	int r = sys_fd < 0 ? sys_fd : path_of(devno, "uevent", path);

	if (r)
		return r;
	fd = openat(sys_fd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? LEA_SYSFS_ABSENT : -errno;
	return write(fd, "add", 3) == 3 ? 0 : -errno;
}

int lea_sysfs_holder(struct lea_world *world, struct lea_devno devno, const char *folder,
		     const char *prefix, bool *ret_has)
{
	LEA_AUTO(lea_closep) int fd = -1;
	char path[PATH_BYTES];
	int sys_fd = lea_world_sys(world);
	int r;

	if (sys_fd < 0)
		return sys_fd;
	r = path_of(devno, folder, path);
	if (r)
		return r;
	fd = openat(sys_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? LEA_SYSFS_ABSENT : -errno;
	*ret_has = false;
	return find_holder(fd, prefix, ret_has);
}
