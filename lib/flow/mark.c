/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow/mark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "disk/name.h"

#define NAME_BYTES 128

/* What the udev rule tests: numbers, instance, UUID with hyphens. */
static void name_of(const struct lea_device *device, const char *pvid, char name[NAME_BYTES])
{
	char uuid[39], diskseq[24] = "";

	lea_id_format(pvid, uuid);
	if (device->diskseq)
		snprintf(diskseq, sizeof(diskseq), "%" PRIu64, device->diskseq);
	snprintf(name, NAME_BYTES, "%" PRIu32 ":%" PRIu32 "-%s-%s", device->major, device->minor,
		 diskseq, uuid);
}

int lea_mark_open(int event_fd)
{
	return lea_file_open_folder(event_fd, LEA_MARK_FOLDER);
}

static int change(int known_fd, const struct lea_device *device, const char *pvid,
		  int (*how)(int dir_fd, const char *name))
{
	char name[NAME_BYTES];
	int r;

	name_of(device, pvid, name);
	r = how(known_fd, name);
	return r < 0 ? r : 0;
}

int lea_mark_set(int known_fd, const struct lea_device *device, const char *pvid)
{
	return change(known_fd, device, pvid, lea_file_create_empty);
}

int lea_mark_drop(int known_fd, const struct lea_device *device, const char *pvid)
{
	return change(known_fd, device, pvid, lea_file_remove);
}

bool lea_mark_is_set(int event_fd, const struct lea_device *device, const char *pvid)
{
	char name[NAME_BYTES], path[sizeof(LEA_MARK_FOLDER) + NAME_BYTES];

	if (!pvid[0])
		return false;
	name_of(device, pvid, name);
	snprintf(path, sizeof(path), LEA_MARK_FOLDER "/%s", name);
	return !faccessat(event_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

int lea_refused_set(int event_fd, const char *key)
{
	LEA_AUTO(lea_closep) int fd = lea_file_open_folder(event_fd, LEA_REFUSED_FOLDER);
	int r = fd < 0 ? fd : lea_file_create_empty(fd, key);

	return r < 0 ? r : 0;
}

int lea_refused_drop(int event_fd, const char *key)
{
	int r = lea_file_remove_in(event_fd, LEA_REFUSED_FOLDER, key);

	return r < 0 && r != -ENOENT ? r : 0;
}

bool lea_refused_any(int event_fd)
{
	return !faccessat(event_fd, LEA_REFUSED_FOLDER, F_OK, AT_SYMLINK_NOFOLLOW);
}

bool lea_refused_is_set(int event_fd, const char *key)
{
	char path[NAME_BYTES];

	snprintf(path, sizeof(path), LEA_REFUSED_FOLDER "/%s", key);
	return !faccessat(event_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

static void tidy_folder(int event_fd, const char *folder,
			bool (*is_there)(void *arg, uint32_t major, uint32_t minor,
					 uint64_t diskseq),
			void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	uint32_t major, minor;

	if (lea_file_list(event_fd, folder, &dir))
		return;
	while ((entry = readdir(dir))) {
		uint64_t diskseq = 0;

		/* Others are not ours. */
		if (sscanf(entry->d_name, "%" SCNu32 ":%" SCNu32 "-%" SCNu64, &major, &minor,
			   &diskseq) >= 2 &&
		    !is_there(arg, major, minor, diskseq))
			unlinkat(dirfd(dir), entry->d_name, 0);
	}
}

void lea_mark_tidy(int event_fd,
		   bool (*is_there)(void *arg, uint32_t major, uint32_t minor, uint64_t diskseq),
		   void *arg)
{
	tidy_folder(event_fd, LEA_MARK_FOLDER, is_there, arg);
	tidy_folder(event_fd, LEA_REFUSED_FOLDER, is_there, arg);
}
