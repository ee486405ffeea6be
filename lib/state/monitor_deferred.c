/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file's mode marks an attempt: changing it needs no space. */
#include "state/monitor_deferred.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"

#define FOLDER	   "event/unwatched"
#define MODE_ASKED 0700
#define ID_CHARS   32

/* The path below /run/lvm, or -EINVAL. */
static int path_of(const char *vg_id, char path[sizeof(FOLDER) + ID_CHARS + 1])
{
	if (!lea_id_ok(vg_id))
		return -EINVAL;
	snprintf(path, sizeof(FOLDER) + ID_CHARS + 1, FOLDER "/%s", vg_id);
	return 0;
}

int lea_monitor_deferred_note(int run_fd, const char *vg_id)
{
	LEA_AUTO(lea_closep) int event_fd = -1;
	LEA_AUTO(lea_closep) int folder_fd = -1;
	int r;

	if (!lea_id_ok(vg_id))
		return -EINVAL;
	event_fd = lea_file_open_folder(run_fd, "event");
	if (event_fd < 0)
		return event_fd;
	folder_fd = lea_file_open_folder(event_fd, "unwatched");
	if (folder_fd < 0)
		return folder_fd;
	r = lea_file_create_empty(folder_fd, vg_id);
	return r < 0 ? r : 0;
}

bool lea_monitor_deferred_is_asked(int run_fd, const char *vg_id)
{
	char path[sizeof(FOLDER) + ID_CHARS + 1];
	struct stat st;

	return path_of(vg_id, path) == 0 && !fstatat(run_fd, path, &st, AT_SYMLINK_NOFOLLOW) &&
	       (st.st_mode & MODE_ASKED) == MODE_ASKED;
}

int lea_monitor_deferred_drop(int run_fd, const char *vg_id)
{
	int r = lea_id_ok(vg_id) ? lea_file_remove_in(run_fd, FOLDER, vg_id) : -EINVAL;

	return r < 0 ? r : 0;
}

int lea_monitor_deferred_set_asked(int run_fd, const char *vg_id)
{
	char path[sizeof(FOLDER) + ID_CHARS + 1];
	int r = path_of(vg_id, path);

	return r ? r : fchmodat(run_fd, path, MODE_ASKED, 0) ? -errno : 0;
}

static int visit_file(DIR *dir, const char *name,
		      int (*tell)(void *arg, const char *vg_id, bool is_asked), void *arg)
{
	struct stat st;

	if (!lea_id_ok(name) || fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode))
		return 0;
	return tell(arg, name, (st.st_mode & MODE_ASKED) == MODE_ASKED);
}

int lea_monitor_deferred_each(int run_fd, int (*tell)(void *arg, const char *vg_id, bool is_asked),
			      void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(run_fd, FOLDER, &dir);

	if (r)
		return r == -ENOENT ? 0 : r;
	while ((entry = lea_file_next(dir, &r)))
		r = visit_file(dir, entry->d_name, tell, arg);
	return r;
}
