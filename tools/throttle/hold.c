/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One file above all classes: locked, with a heartbeat, while a drain holds them. */
#include "throttle/throttle_private.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define FILE_NAME "hold"
#define LOCK_BYTE 0

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
	r = r ? r : beat(hold, clock->now_ms(clock));
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
	uint64_t last_ms;

	folder = openat(dir_fd, throttle, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return false;
	fd = openat(folder, FILE_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd >= 0 && lea_throttle_is_locked(fd, LOCK_BYTE) &&
	       pread(fd, &last_ms, sizeof(last_ms), 0) == (ssize_t)sizeof(last_ms) &&
	       now_ms <= last_ms + STALE_MS;
}

bool lea_throttle_is_drained(int event_fd, struct lea_clock *clock)
{
	return lea_throttle_is_held(event_fd, LEA_THROTTLE_FOLDER, clock->now_ms(clock));
}
