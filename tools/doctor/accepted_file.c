/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor/accepted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

#define FILE_NAME    "lvmevent-doctor.accepted"
#define LOCK_MOST_MS 5000U
#define PATH_BYTES   512U
#define NOT_USED     "nothing in it is taken for accepted"

static int refuse(struct lea_world *world, const struct lea_conf *conf, enum lea_log_level level,
		  uint64_t line, const char *what)
{
	char path[PATH_BYTES];

	lea_conf_path(conf, FILE_NAME, path, sizeof(path));
	if (line)
		lea_log(world->log, level, "%s, line %" PRIu64 ": %s; " NOT_USED, path, line, what);
	else
		lea_log(world->log, level, "%s: %s; " NOT_USED, path, what);
	return LEA_ACCEPTED_FILE_BAD;
}

/* Who may write into the folder or the file? 0, LEA_FILE_ABSENT or -errno. */
static int check_writers(int folder_fd)
{
	LEA_AUTO(lea_closep)
	int fd = openat(folder_fd, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const int r = lea_file_check_private(folder_fd);

	if (fd < 0)
		return errno == ENOENT ? LEA_FILE_ABSENT : -errno;
	return r ? r : lea_file_check_private(fd);
}

static int read_file(struct lea_world *world, const struct lea_conf *conf,
		     enum lea_log_level level, int folder_fd, struct lea_accepted *accepted)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	struct lea_why why = {0};
	size_t bytes;
	int r = check_writers(folder_fd);

	r = r ? r : lea_file_read(folder_fd, FILE_NAME, LEA_ACCEPTED_MAX_BYTES, &text, &bytes);
	if (r == LEA_FILE_ABSENT)
		return 0;
	if (lea_is_shortage(r))
		return r;
	if (r)
		return refuse(world, conf, level, 0,
			      r == -EPERM ? "users other than root may write it" : strerror(-r));
	r = lea_accepted_parse(text, bytes, &why, accepted);
	if (r)
		lea_accepted_done(accepted);
	return r > 0 ? refuse(world, conf, level, why.at, why.what) : r;
}

static int open_folder(const struct lea_world *world, const struct lea_conf *conf)
{
	return lea_world_folder(world, conf->system_dir);
}

int lea_accepted_read(struct lea_world *world, const struct lea_conf *conf,
		      enum lea_log_level level, struct lea_accepted *ret_accepted)
{
	LEA_AUTO(lea_closep) int folder_fd = open_folder(world, conf);

	*ret_accepted = (struct lea_accepted){0};
	if (folder_fd == -ENOENT)
		return 0;
	if (folder_fd < 0)
		return lea_is_shortage(folder_fd)
			       ? folder_fd
			       : refuse(world, conf, level, 0, strerror(-folder_fd));
	return read_file(world, conf, level, folder_fd, ret_accepted);
}

static int write_file(int folder_fd, const struct lea_accepted *accepted)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	size_t bytes;
	int r = lea_accepted_format(accepted, &text, &bytes);

	if (r)
		return r > 0 ? -EFBIG : r;
	return lea_file_replace_durably(folder_fd, FILE_NAME, text, bytes);
}

int lea_accepted_change(struct lea_world *world, const struct lea_conf *conf,
			int (*change)(void *arg, struct lea_accepted *accepted), void *arg)
{
	LEA_AUTO(lea_closep) int folder_fd = open_folder(world, conf);
	LEA_AUTO(lea_accepted_done) struct lea_accepted accepted = {0};
	int r = folder_fd < 0 ? folder_fd : lea_file_lock(folder_fd, LOCK_MOST_MS);

	r = r ? r : read_file(world, conf, LEA_LOG_ERROR, folder_fd, &accepted);
	if (r)
		return r;
	lea_file_tidy(folder_fd, ".");
	r = change(arg, &accepted);
	return r > 0 ? write_file(folder_fd, &accepted) : r;
}
