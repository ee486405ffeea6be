/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mode of one file: 0600 no request, 0700 requested, 0610 being processed. */
#include "state/reconcile_request.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"

#define MODE_IDLE    0600
#define MODE_ASKED   0700
#define MODE_IN_WORK 0610
#define MODE_BITS    0777

int lea_reconcile_request_prepare(int event_fd)
{
	int r = lea_file_create_empty(event_fd, LEA_COMPARE_FILE);

	return r < 0 ? r : 0;
}

int lea_reconcile_request_put(int event_fd)
{
	LEA_AUTO(lea_closep)
	int fd = openat(event_fd, LEA_COMPARE_FILE,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);

	if (fd < 0 && errno == ENOENT)
		fd = openat(event_fd, LEA_COMPARE_FILE,
			    O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, MODE_IDLE);
	return fd < 0 || fchmod(fd, MODE_ASKED) < 0 ? -errno : 0;
}

/* The file's mode; 0: no such file. */
static int read_mode(int event_fd)
{
	struct stat st;

	if (fstatat(event_fd, LEA_COMPARE_FILE, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : -errno;
	return S_ISREG(st.st_mode) ? (int)(st.st_mode & MODE_BITS) : -EINVAL;
}

static int set_mode(int event_fd, mode_t mode)
{
	return fchmodat(event_fd, LEA_COMPARE_FILE, mode, 0) < 0 ? -errno : 0;
}

int lea_reconcile_request_take(int event_fd)
{
	int r, mode = read_mode(event_fd);

	if (mode == MODE_IN_WORK)
		return LEA_RECONCILE_DUE;
	if (mode != MODE_ASKED)
		return mode < 0 ? mode : 0;
	r = set_mode(event_fd, MODE_IN_WORK);
	return r ? r : LEA_RECONCILE_DUE;
}

int lea_reconcile_request_done(int event_fd)
{
	int mode = read_mode(event_fd);

	if (mode != MODE_IN_WORK)
		return mode < 0 ? mode : 0;
	return set_mode(event_fd, MODE_IDLE);
}
