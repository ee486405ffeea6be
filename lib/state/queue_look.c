/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What there is to do, and whether somebody does it: nothing is changed by a look. */
#include "state/queue.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

bool lea_queue_is_running(int event_fd)
{
	LEA_AUTO(lea_closep) int fd = openat(event_fd, "lock", O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fd >= 0 && fcntl(fd, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
}

int lea_queue_count(int event_fd, const char *folder, size_t *ret_count)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	struct dirent *name;
	size_t count = 0, len;
	int r;

	r = lea_file_list(event_fd, folder, &dir);
	if (r)
		return r;
	while ((name = readdir(dir))) {
		len = strlen(name->d_name);
		if (name->d_name[0] != '.' && (len < 4 || strcmp(name->d_name + len - 4, ".why")))
			count++;
	}
	*ret_count = count;
	return 0;
}

bool lea_queue_has_pending(int event_fd)
{
	size_t count;

	return lea_queue_count(event_fd, "queue", &count) == 0 && count;
}

bool lea_queue_has_pending_but(int event_fd, bool (*skips)(void *arg, const char *key), void *arg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *name;
	bool any = false;

	if (lea_file_list(event_fd, "queue", &dir))
		return false;
	while (!any && (name = readdir(dir)))
		any = name->d_name[0] != '.' && !skips(arg, name->d_name);
	return any;
}

bool lea_queue_has_work(int event_fd)
{
	size_t count;

	return lea_queue_has_pending(event_fd) ||
	       (lea_queue_count(event_fd, "taken", &count) == 0 && count);
}
