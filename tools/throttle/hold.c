/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One file above all classes: locked, with a heartbeat, while a drain holds them. If the drain is
 * killed, its command goes on, and holds them until it ends: not what it has left running, which
 * would keep a descriptor as well.
 */
#include "throttle/throttle_private.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define FILE_NAME "hold"
#define LOCK_BYTE 0

/* The file. */
struct content {
	uint64_t beat_ms;
	struct lea_proc_id command; /* pid 0: not begun */
};

struct lea_throttle_hold {
	int throttle_fd, fd; /* owned */
	uint64_t beat_ms;
	bool has_lapsed;
};

/* A drain that ended between our opening and our lock has unlinked what we locked. */
static int lock_file(struct lea_throttle_hold *hold)
{
	struct stat st;
	int r;

	for (;;) {
		hold->fd = openat(hold->throttle_fd, FILE_NAME,
				  O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (hold->fd < 0)
			return -errno;
		r = lea_throttle_lock(hold->fd, F_SETLK, F_WRLCK, LOCK_BYTE);
		if (r)
			return r == -EAGAIN ? LEA_THROTTLE_LATE : r;
		if (fstat(hold->fd, &st) < 0)
			return -errno;
		if (st.st_nlink)
			return 0;
		lea_closep(&hold->fd);
	}
}

/* Of a drain that was killed. One that we can't see counts as alive for a while. */
static bool command_lives(const struct content *content, uint64_t now_ms)
{
	enum lea_proc_life life;

	if (!content->command.pid)
		return false;
	life = lea_proc_life_of(&content->command);
	if (life != LEA_PROC_UNSEEN)
		return life == LEA_PROC_ALIVE;
	return now_ms < content->beat_ms + UNSEEN_MS;
}

static bool read_content(int fd, struct content *ret_content)
{
	return pread(fd, ret_content, sizeof(*ret_content), 0) == (ssize_t)sizeof(*ret_content);
}

/* With the lock. */
static int begin(struct lea_throttle_hold *hold, uint64_t now_ms)
{
	struct content content;

	if (read_content(hold->fd, &content) && command_lives(&content, now_ms))
		return LEA_THROTTLE_LATE;
	content = (struct content){.beat_ms = hold->beat_ms = now_ms};
	return pwrite(hold->fd, &content, sizeof(content), 0) < 0 ? -errno : 0;
}

static int beat(struct lea_throttle_hold *hold, uint64_t now_ms)
{
	hold->beat_ms = now_ms;
	return pwrite(hold->fd, &now_ms, sizeof(now_ms), 0) < 0 ? -errno : 0;
}

int lea_throttle_hold(int event_fd, struct lea_clock *clock, struct lea_throttle_hold **ret_hold)
{
	struct lea_throttle_hold *hold = calloc(1, sizeof(*hold));
	int r;

	if (!hold)
		return -ENOMEM;
	*hold = (struct lea_throttle_hold){.throttle_fd = -1, .fd = -1};
	r = hold->throttle_fd = lea_file_open_folder(event_fd, LEA_THROTTLE_FOLDER);
	r = r < 0 ? r : lea_file_check_private(hold->throttle_fd);
	r = r ? r : lock_file(hold);
	r = r ? r : begin(hold, clock->now_ms(clock));
	if (!r) {
		*ret_hold = hold;
		return 0;
	}
	lea_closep(&hold->fd);
	lea_closep(&hold->throttle_fd);
	free(hold);
	return r;
}

/* Without it the hold ends after a while; it is tried again. */
void lea_throttle_hold_beat(struct lea_throttle_hold *hold, struct lea_clock *clock)
{
	const uint64_t now_ms = clock->now_ms(clock);

	hold->has_lapsed |= now_ms > hold->beat_ms + STALE_MS;
	if (now_ms >= hold->beat_ms + BEAT_MS / 2 && beat(hold, now_ms))
		hold->beat_ms = 0;
}

bool lea_throttle_hold_adopt(struct lea_throttle_hold *hold, const struct lea_proc_id *child)
{
	return pwrite(hold->fd, child, sizeof(*child), offsetof(struct content, command)) ==
	       (ssize_t)sizeof(*child);
}

bool lea_throttle_hold_has_lapsed(struct lea_throttle_hold *hold)
{
	const bool has_lapsed = hold->has_lapsed;

	hold->has_lapsed = false;
	return has_lapsed;
}

void lea_throttle_unhold(struct lea_throttle_hold *hold)
{
	if (!hold)
		return;
	/* A file that stays is not locked, and counts for nothing. */
	if (unlinkat(hold->throttle_fd, FILE_NAME, 0) < 0)
		errno = 0;
	lea_closep(&hold->fd);
	lea_closep(&hold->throttle_fd);
	free(hold);
}

bool lea_throttle_is_held(int dir_fd, const char *throttle, uint64_t now_ms)
{
	LEA_AUTO(lea_closep) int folder = -1;
	LEA_AUTO(lea_closep) int fd = -1;
	struct content content;

	folder = openat(dir_fd, throttle, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return false;
	fd = openat(folder, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0 || !read_content(fd, &content))
		return false;
	return lea_throttle_is_locked(fd, LOCK_BYTE) ? now_ms <= content.beat_ms + STALE_MS
						     : command_lives(&content, now_ms);
}

bool lea_throttle_is_of_hold(int event_fd, const struct lea_proc_id ids[], size_t count)
{
	LEA_AUTO(lea_closep)
	int fd = openat(event_fd, LEA_THROTTLE_FOLDER "/" FILE_NAME,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct content content;

	return fd >= 0 && read_content(fd, &content) &&
	       lea_throttle_is_among(&content.command, ids, count);
}

bool lea_throttle_is_drained(int event_fd, struct lea_clock *clock)
{
	return lea_throttle_is_held(event_fd, LEA_THROTTLE_FOLDER, clock->now_ms(clock));
}
