/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "world/udevbrief.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

#define NAME_BYTES 32U

int lea_udevbrief_open(const struct lea_world *world)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/run/udev/data", world->root);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

/* Keeps only properties and strips their mark. False: udev has not initialized the device. */
static bool keep_properties(char *text)
{
	bool is_finished = false;
	char *to = text;

	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		is_finished |= line[0] == 'I' && line[1] == ':';
		if (line[0] != 'E' || line[1] != ':')
			continue;
		memmove(to, line + 2, (size_t)(end - line) - 2);
		to += end - line - 2;
	}
	*to = '\0';
	return is_finished;
}

static void name_file(struct lea_devno devno, char name[static NAME_BYTES])
{
	snprintf(name, NAME_BYTES, "b%" PRIu32 ":%" PRIu32, devno.major, devno.minor);
}

int lea_udevbrief_read(int data_fd, struct lea_devno devno, char ret_lines[LEA_UDEVBRIEF_BYTES])
{
	char name[NAME_BYTES];
	int r = data_fd;

	name_file(devno, name);
	if (r >= 0)
		r = lea_file_read_into(data_fd, name, ret_lines, LEA_UDEVBRIEF_BYTES);
	if (r)
		return lea_shortage_of(r);
	return strlen(ret_lines) < LEA_UDEVBRIEF_BYTES - 1 && keep_properties(ret_lines);
}

bool lea_udevbrief_stored_at(int data_fd, struct lea_devno devno, struct timespec *ret_at)
{
	struct stat st;
	char name[NAME_BYTES];

	name_file(devno, name);
	if (data_fd < 0 || fstatat(data_fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return false;
	*ret_at = st.st_mtim;
	return true;
}
