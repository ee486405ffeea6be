/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/mark.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/step.h"

#define PATH_BYTES 128
#define TEXT_BYTES 16U

const char *lea_mark_folder(enum lea_mark mark)
{
	static const char *const folders[LEA_MARKS] = {[LEA_MARK_REFUSED] = "refused",
						       [LEA_MARK_UNSETTLED] = "unsettled",
						       [LEA_MARK_PROBED] = "probed",
						       [LEA_MARK_AWAITED] = LEA_AWAITED_FOLDER};

	return folders[mark];
}

static void path_of(enum lea_mark mark, const char *key, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%s/%s", lea_mark_folder(mark), key);
}

int lea_mark_set(int event_fd, enum lea_mark mark, const char *key)
{
	LEA_AUTO(lea_closep) int fd = lea_file_open_folder(event_fd, lea_mark_folder(mark));
	int r = fd < 0 ? fd : lea_file_create_empty(fd, key);

	return r < 0 ? r : 0;
}

int lea_mark_drop(int event_fd, enum lea_mark mark, const char *key)
{
	int r = lea_file_remove_in(event_fd, lea_mark_folder(mark), key);

	return r < 0 && r != -ENOENT ? r : 0;
}

bool lea_mark_any(int event_fd, enum lea_mark mark)
{
	return !faccessat(event_fd, lea_mark_folder(mark), F_OK, AT_SYMLINK_NOFOLLOW);
}

bool lea_mark_is_set(int event_fd, enum lea_mark mark, const char *key)
{
	char path[PATH_BYTES];

	path_of(mark, key, path);
	return !faccessat(event_fd, path, F_OK, AT_SYMLINK_NOFOLLOW);
}

int lea_refused_set(int event_fd, const char *key)
{
	LEA_AUTO(lea_closep)
	int fd = lea_file_open_folder(event_fd, lea_mark_folder(LEA_MARK_REFUSED));
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
	int r = fd < 0 ? fd : lea_file_create_empty(fd, key);
	char taken[PATH_BYTES];
	struct stat st;

	if (r < 0)
		return r;
	snprintf(taken, sizeof(taken), "taken/%s", key);
	if (!fstatat(event_fd, taken, &st, AT_SYMLINK_NOFOLLOW))
		times[1] = st.st_mtim;
	else if (r != LEA_FILE_EXISTS)
		return 0;
	return utimensat(fd, key, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

bool lea_refused_is_older(int event_fd, const char *key, const struct timespec *than)
{
	char path[PATH_BYTES];
	struct stat st;

	path_of(LEA_MARK_REFUSED, key, path);
	return !fstatat(event_fd, path, &st, AT_SYMLINK_NOFOLLOW) &&
	       (st.st_mtim.tv_sec < than->tv_sec ||
		(st.st_mtim.tv_sec == than->tv_sec && st.st_mtim.tv_nsec < than->tv_nsec));
}

static bool read_awaited(int event_fd, const char *path, uint32_t *ret_count)
{
	char text[TEXT_BYTES];

	return !lea_file_read_link(event_fd, path, text, sizeof(text)) &&
	       sscanf(text, "%" SCNu32, ret_count) == 1;
}

static bool is_awaited_same(int event_fd, const char *path, uint32_t pv_count)
{
	uint32_t before;

	return read_awaited(event_fd, path, &before) && before == pv_count;
}

int lea_awaited_set(int event_fd, const char *vg_id, uint32_t pv_count, bool is_first)
{
	LEA_AUTO(lea_closep) int folder_fd = -1;
	char path[PATH_BYTES], text[TEXT_BYTES];
	int r;

	if (!lea_id_ok(vg_id))
		return -EINVAL;
	path_of(LEA_MARK_AWAITED, vg_id, path);
	if (!is_first && is_awaited_same(event_fd, path, pv_count))
		return 0;
	LEA_CRASHPOINT("await.put", vg_id);
	snprintf(text, sizeof(text), "%" PRIu32, pv_count);
	r = lea_file_create_link(event_fd, path, text);
	if (r <= 0 || (is_first && is_awaited_same(event_fd, path, pv_count)))
		return r < 0 ? r : 0;
	folder_fd = lea_file_open_folder(event_fd, LEA_AWAITED_FOLDER);
	return folder_fd < 0 ? folder_fd : lea_file_replace_link(folder_fd, vg_id, text);
}

bool lea_awaited_is_set(int event_fd, const char *vg_id, uint32_t pv_count)
{
	char path[PATH_BYTES];
	uint32_t before;

	if (!lea_id_ok(vg_id))
		return false;
	path_of(LEA_MARK_AWAITED, vg_id, path);
	return read_awaited(event_fd, path, &before) && pv_count >= before;
}
