/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/recorded_marker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/number.h"
#include "state/mark.h"
#include "world/sysfs.h"

#define NAME_BYTES 128

/* "MAJ:MIN-DISKSEQ-UUID", UUID with hyphens: the udev rule tests this name. */
static void name_of(const struct lea_device *device, const char *pvid, char name[NAME_BYTES])
{
	char uuid[39], diskseq[24] = "";

	lea_id_format(pvid, uuid);
	if (device->diskseq)
		snprintf(diskseq, sizeof(diskseq), "%" PRIu64, device->diskseq);
	snprintf(name, NAME_BYTES, "%" PRIu32 ":%" PRIu32 "-%s-%s", device->major, device->minor,
		 diskseq, uuid);
}

int lea_marker_open(int event_fd)
{
	return lea_file_open_folder(event_fd, LEA_MARKER_FOLDER);
}

static int change(int known_fd, const struct lea_device *device, const char *pvid,
		  int (*options)(int dir_fd, const char *name))
{
	char name[NAME_BYTES];

	name_of(device, pvid, name);
	return options(known_fd, name);
}

int lea_marker_set(int known_fd, const struct lea_device *device, const char *pvid)
{
	const int r = change(known_fd, device, pvid, lea_file_create_empty);

	return r == LEA_FILE_EXISTS ? LEA_MARKER_WAS_SET : r;
}

int lea_marker_drop(int known_fd, const struct lea_device *device, const char *pvid)
{
	const int r = change(known_fd, device, pvid, lea_file_remove);

	return r < 0 ? r : 0;
}

static int ask(int dir_fd, const char *folder, const struct lea_device *device, const char *pvid)
{
	char name[NAME_BYTES], path[64 + NAME_BYTES];

	if (!pvid[0])
		return 0;
	name_of(device, pvid, name);
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return lea_file_ask(dir_fd, path);
}

int lea_marker_ask(int event_fd, const struct lea_device *device, const char *pvid)
{
	return ask(event_fd, LEA_MARKER_FOLDER, device, pvid);
}

int lea_marker_ask_in(int run_fd, const struct lea_device *device, const char *pvid)
{
	return ask(run_fd, "event/" LEA_MARKER_FOLDER, device, pvid);
}

/* Of a name in any of the folders. Others are not ours. */
static bool parse_name(const char *name, struct lea_devid *ret_id)
{
	struct lea_devno devno;
	uint64_t diskseq = 0;

	if (!lea_devno_take(&name, &devno))
		return false;
	/* A mark's instance is empty where the kernel has none, and a UUID may begin with a digit.
	 */
	if (*name++ == '-' && !lea_number_take(&name, &diskseq))
		diskseq = 0;
	*ret_id = (struct lea_devid){devno.major, devno.minor, diskseq};
	return true;
}

static void tidy_folder(struct lea_world *world, int event_fd, const char *folder)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	struct lea_devid id;
	int r = lea_file_list(event_fd, folder, &dir);

	while ((entry = lea_file_next(dir, &r)))
		if (parse_name(entry->d_name, &id) &&
		    lea_sysfs_find_instance(world, &id) == LEA_SYSFS_ABSENT)
			unlinkat(dirfd(dir), entry->d_name, 0);
}

void lea_marker_tidy(struct lea_world *world, int event_fd)
{
	tidy_folder(world, event_fd, LEA_MARKER_FOLDER);
	for (enum lea_mark mark = 0; mark < LEA_INSTANCE_MARKS; mark++)
		tidy_folder(world, event_fd, lea_mark_folder(mark));
}
