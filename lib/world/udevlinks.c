/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/udevlinks.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/id.h"

#define LISTING_BYTES 2048U /* some fifty names, more devices per PVID than any machine has */

/* -1: there is none, or it cannot be read for good; or -errno of a shortage. */
static int open_folder(const struct lea_world *world, const char *pvid)
{
	static const char *const forms[] = {"", "\\x2f"};
	char path[PATH_MAX], uuid[39];
	int fd = -1;

	lea_id_format(pvid, uuid);
	for (size_t i = 0; fd == -1 && i < ARRAY_SIZE(forms); i++) {
		snprintf(path, sizeof(path),
			 "%s/run/udev/links/%sdisk\\x2fby-id\\x2flvm-pv-uuid-%s", world->root,
			 forms[i], uuid);
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (fd < 0 && lea_is_shortage(-errno))
			return -errno;
	}
	return fd;
}

/* Uses getdents64, because readdir() takes more system calls: nearly every folder has one name. */
int lea_udevlinks_pv(const struct lea_world *world, const char *pvid, struct lea_devno *ret_devnos,
		     size_t room, size_t *ret_count)
{
	_Alignas(struct dirent64) char buffer[LISTING_BYTES];
	LEA_AUTO(lea_closep) int fd = open_folder(world, pvid);
	const struct dirent64 *entry;
	size_t count = 0;
	ssize_t bytes;

	if (fd < -1)
		return fd;
	bytes = fd < 0 ? 0 : getdents64(fd, (void *)buffer, sizeof(buffer));
	if (bytes < 0 && lea_is_shortage(-errno))
		return -errno;
	for (ssize_t at = 0; at < bytes && count < room; at += entry->d_reclen) {
		entry = (const struct dirent64 *)(const void *)(buffer + at);
		count += entry->d_name[0] == 'b' &&
			 lea_devno_parse(entry->d_name + 1, &ret_devnos[count]);
	}
	*ret_count = count;
	return 0;
}

bool lea_udevlinks_are_kept(const struct lea_world *world)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/run/udev/links", world->root);
	return !access(path, F_OK);
}
