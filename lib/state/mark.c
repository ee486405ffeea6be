/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/mark.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/file.h"
#include "base/id.h"
#include "base/number.h"
#include "base/order.h"
#include "base/step.h"

#define PATH_BYTES 128
#define TEXT_BYTES 24U
#define FREE_TEXT  "free"

const char *lea_mark_folder(enum lea_mark mark)
{
	static const char *const folders[LEA_MARKS] = {[LEA_MARK_REFUSED] = "refused",
						       [LEA_MARK_UNSETTLED] = "unsettled",
						       [LEA_MARK_PROBED] = "probed",
						       [LEA_MARK_SKIPPED] = "skipped",
						       [LEA_MARK_CARRIED] = "carried",
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

int lea_mark_ask_any(int event_fd, enum lea_mark mark)
{
	return lea_file_ask(event_fd, lea_mark_folder(mark));
}

int lea_mark_ask(int event_fd, enum lea_mark mark, const char *key)
{
	char path[PATH_BYTES];

	path_of(mark, key, path);
	return lea_file_ask(event_fd, path);
}

/* Of a free device the mark is a symbolic link, of another one an empty file. */
static int put_refused(int refused_fd, const char *key, bool is_free)
{
	char text[TEXT_BYTES];
	int r = is_free ? lea_file_create_link(refused_fd, key, FREE_TEXT)
			: lea_file_create_empty(refused_fd, key);

	if (r != LEA_FILE_EXISTS)
		return r;
	r = lea_file_read_link(refused_fd, key, text, sizeof(text));
	if (r < 0 || !r == is_free)
		return r < 0 ? r : 0;
	if (is_free)
		return lea_file_replace_link(refused_fd, key, FREE_TEXT);
	r = lea_file_remove(refused_fd, key);
	return r < 0 ? r : lea_file_create_empty(refused_fd, key);
}

int lea_refused_set(int event_fd, const char *key, bool is_free, const struct timespec *begun)
{
	LEA_AUTO(lea_closep)
	int fd = lea_file_open_folder(event_fd, lea_mark_folder(LEA_MARK_REFUSED));
	struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, *begun};
	int r = fd < 0 ? fd : put_refused(fd, key, is_free);
	char taken[PATH_BYTES];
	struct stat st;

	if (r < 0)
		return r;
	snprintf(taken, sizeof(taken), "taken/%s", key);
	if (!fstatat(event_fd, taken, &st, AT_SYMLINK_NOFOLLOW))
		times[1] = st.st_mtim;
	return utimensat(fd, key, times, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

int lea_refused_ask_kept(int event_fd, const char *key)
{
	char path[PATH_BYTES], text[TEXT_BYTES];
	int r;

	path_of(LEA_MARK_REFUSED, key, path);
	r = lea_file_read_link(event_fd, path, text, sizeof(text));
	return r == LEA_FILE_NO_LINK ? 1 : lea_shortage_of(r);
}

static bool is_before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

bool lea_refused_is_older(int event_fd, const char *key, const struct timespec *than)
{
	char path[PATH_BYTES];
	struct timespec now;
	struct stat st;

	path_of(LEA_MARK_REFUSED, key, path);
	return !fstatat(event_fd, path, &st, AT_SYMLINK_NOFOLLOW) &&
	       (is_before(&st.st_mtim, than) ||
		(!clock_gettime(CLOCK_REALTIME, &now) && is_before(&now, &st.st_mtim)));
}

/* ---- marks with a text */

/* 1: *ret_text is set; 0: there is no such mark; or a shortage. */
static int ask_text(int event_fd, enum lea_mark mark, const char *key, char *ret_text, size_t bytes)
{
	char path[PATH_BYTES];
	int r;

	path_of(mark, key, path);
	r = lea_file_read_link(event_fd, path, ret_text, bytes);
	return r ? lea_shortage_of(r) : 1;
}

static int replace_text(int event_fd, enum lea_mark mark, const char *key, const char *text)
{
	LEA_AUTO(lea_closep) int fd = lea_file_open_folder(event_fd, lea_mark_folder(mark));

	return fd < 0 ? fd : lea_file_replace_link(fd, key, text);
}

/* 0, LEA_FILE_EXISTS or -errno. The first of its folder makes that. */
static int create_text(int event_fd, enum lea_mark mark, const char *key, const char *text)
{
	char path[PATH_BYTES];
	int r;

	path_of(mark, key, path);
	r = lea_file_create_link(event_fd, path, text);
	return r == LEA_FILE_ABSENT ? replace_text(event_fd, mark, key, text) : r;
}

/* 1: *ret_number is set; 0: there is no such mark; or a shortage. */
static int ask_number(int event_fd, enum lea_mark mark, const char *key, uint64_t *ret_number)
{
	char text[TEXT_BYTES];
	int r = ask_text(event_fd, mark, key, text, sizeof(text));

	return r > 0 ? lea_number_parse(text, UINT64_MAX, ret_number) : r;
}

static bool read_number(int event_fd, enum lea_mark mark, const char *key, uint64_t *ret_number)
{
	return ask_number(event_fd, mark, key, ret_number) > 0;
}

static bool is_number(int event_fd, enum lea_mark mark, const char *key, uint64_t number)
{
	uint64_t before;

	return read_number(event_fd, mark, key, &before) && before == number;
}

static int set_number(int event_fd, enum lea_mark mark, const char *key, uint64_t number)
{
	char text[TEXT_BYTES];
	int r;

	snprintf(text, sizeof(text), "%" PRIu64, number);
	r = create_text(event_fd, mark, key, text);
	if (r <= 0 || is_number(event_fd, mark, key, number))
		return r < 0 ? r : 0;
	return replace_text(event_fd, mark, key, text);
}

int lea_awaited_set(int event_fd, const char *vg_id, uint32_t pv_count, bool is_first)
{
	if (!lea_id_ok(vg_id))
		return -EINVAL;
	if (!is_first && is_number(event_fd, LEA_MARK_AWAITED, vg_id, pv_count))
		return 0;
	LEA_CRASHPOINT("await.put", vg_id);
	return set_number(event_fd, LEA_MARK_AWAITED, vg_id, pv_count);
}

int lea_awaited_ask(int event_fd, const char *vg_id, uint32_t pv_count)
{
	uint64_t before;
	int r = lea_id_ok(vg_id) ? ask_number(event_fd, LEA_MARK_AWAITED, vg_id, &before) : 0;

	return r > 0 ? pv_count >= before : r;
}

/* ---- read, though udev does not name it */

#define TIMES_MOST  16U /* the number is the time times this, and how often */
#define PAUSE_MS    60000U
#define PAUSES_MOST 9U /* doublings: eight hours */

int lea_probed_set(int event_fd, const char *key)
{
	uint64_t before;

	return read_number(event_fd, LEA_MARK_PROBED, key, &before)
		       ? 0
		       : set_number(event_fd, LEA_MARK_PROBED, key, 0);
}

int lea_probed_note(int event_fd, const char *key, bool is_silent, uint64_t now_ms)
{
	uint64_t before = 0, times, again_ms;

	if (!read_number(event_fd, LEA_MARK_PROBED, key, &before) && !is_silent)
		return 0;
	if (!is_silent)
		return before ? set_number(event_fd, LEA_MARK_PROBED, key, 0) : 0;
	times = before % TIMES_MOST;
	again_ms = now_ms + ((uint64_t)PAUSE_MS << times);
	times += times < PAUSES_MOST;
	return set_number(event_fd, LEA_MARK_PROBED, key, again_ms * TIMES_MOST + times);
}

bool lea_probed_is_set(int event_fd, const char *key, uint64_t now_ms)
{
	uint64_t number;

	return read_number(event_fd, LEA_MARK_PROBED, key, &number) &&
	       (!number || now_ms < number / TIMES_MOST);
}

int lea_skipped_set(int event_fd, const char *key, uint64_t seqnum)
{
	return set_number(event_fd, LEA_MARK_SKIPPED, key, seqnum);
}

bool lea_skipped_is_set(int event_fd, const char *key, uint64_t seqnum)
{
	return is_number(event_fd, LEA_MARK_SKIPPED, key, seqnum);
}

/* ---- the PV that it was when it got its record or its note */

int lea_carried_ask(int event_fd, const char *key, char ret_pvid[static 33])
{
	char text[TEXT_BYTES + 16];
	int r = ask_text(event_fd, LEA_MARK_CARRIED, key, text, sizeof(text));

	if (r <= 0 || !lea_id_ok(text))
		return r < 0 ? r : 0;
	memcpy(ret_pvid, text, 33);
	return 1;
}

int lea_carried_put(int event_fd, const char *key, const char *pvid, char ret_before[static 33])
{
	int r = lea_id_ok(pvid) ? create_text(event_fd, LEA_MARK_CARRIED, key, pvid) : -EINVAL;

	if (r <= 0)
		return r;
	r = lea_carried_ask(event_fd, key, ret_before);
	if (r <= 0)
		return r < 0 ? r : lea_carried_replace(event_fd, key, pvid);
	return strcmp(ret_before, pvid) != 0 ? LEA_CARRIED_ANOTHER : 0;
}

int lea_carried_replace(int event_fd, const char *key, const char *pvid)
{
	return lea_id_ok(pvid) ? replace_text(event_fd, LEA_MARK_CARRIED, key, pvid) : -EINVAL;
}

static int read_all(int event_fd, struct lea_carried_list *marks)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	struct lea_carried one;
	int r = lea_file_list(event_fd, lea_mark_folder(LEA_MARK_CARRIED), &dir);

	if (r == -ENOENT)
		return 0;
	while ((entry = lea_file_next(dir, &r))) {
		if (!lea_devid_parse(entry->d_name, &one.id))
			continue;
		r = lea_carried_ask(event_fd, entry->d_name, one.pvid);
		if (r > 0)
			r = lea_make_room(&marks->list, &marks->room, marks->count + 1, sizeof(one))
				    ? -ENOMEM
				    : 1;
		if (r > 0)
			marks->list[marks->count++] = one;
		r = r < 0 ? r : 0;
	}
	return r;
}

int lea_carried_find(int event_fd, struct lea_carried_list *marks, const char *pvid, size_t *ret_at)
{
	size_t low = 0, high;
	int r = marks->is_read ? 0 : read_all(event_fd, marks);

	if (r) {
		lea_carried_done(marks);
		return r;
	}
	if (!marks->is_read && marks->count)
		qsort(marks->list, marks->count, sizeof(*marks->list), lea_compare_text);
	marks->is_read = true;
	for (high = marks->count; low < high;) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(marks->list[middle].pvid, pvid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_at = low;
	return 0;
}

const struct lea_carried *lea_carried_at(const struct lea_carried_list *marks, const char *pvid,
					 size_t at)
{
	return at < marks->count && !strcmp(marks->list[at].pvid, pvid) ? &marks->list[at] : NULL;
}

void lea_carried_done(struct lea_carried_list *marks)
{
	free(marks->list);
	*marks = (struct lea_carried_list){0};
}
