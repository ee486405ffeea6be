/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/run_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct {
	const char *path;
	mode_t type;
} rows[] = {
	{"event", S_IFDIR},	  {"event/lock", S_IFREG},   {"event/queue", S_IFDIR},
	{"event/taken", S_IFDIR}, {"event/failed", S_IFDIR}, {"event/claims", S_IFDIR},
	{"event/known", S_IFDIR}, {"event/newest", S_IFDIR}, {"pvs_online", S_IFDIR},
	{"pvs_lookup", S_IFDIR},  {"vgs_online", S_IFDIR},
};

static const char *name_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "folder";
	case S_IFREG:
		return "file";
	case S_IFIFO:
		return "FIFO";
	case S_IFLNK:
		return "symbolic link";
	case S_IFSOCK:
		return "socket";
	default:
		return "device";
	}
}

int lea_run_files_check(int run_fd, char ret_text[static LEA_RUN_FAULT_BYTES])
{
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *path = rows[i].path;

		if (fstatat(run_fd, path, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    (st.st_mode & S_IFMT) == rows[i].type)
			continue;
		snprintf(ret_text, LEA_RUN_FAULT_BYTES,
			 "/run/lvm/%s is a %s and not a %s; remove it: rm -r /run/lvm/%s", path,
			 name_of(st.st_mode), name_of(rows[i].type), path);
		return LEA_RUN_FILES_WRONG;
	}
	return 0;
}

const char *lea_run_files_why(int run_fd, int fault, char text[static LEA_RUN_FAULT_BYTES])
{
	if (run_fd < 0 || lea_is_shortage(fault) || !lea_run_files_check(run_fd, text))
		snprintf(text, LEA_RUN_FAULT_BYTES, "%s", strerror(-fault));
	return text;
}
