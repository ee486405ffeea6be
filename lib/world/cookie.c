/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System V semaphores. */
#include "world/cookie.h"

#include <errno.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <time.h>

#define UDEV_DATA  "/run/udev/data"
#define LOOKS	   4U /* number of checks within still_ms */
#define KEY_PREFIX 0x0D4D0000U
#define KEY_BITS   0xFFFFU

int lea_cookie_complete(uint32_t cookie)
{
	struct sembuf less = {.sem_num = 0, .sem_op = -1, .sem_flg = IPC_NOWAIT};
	uint32_t base = cookie & KEY_BITS;
	int id;

	if (!base)
		return LEA_COOKIE_UNKNOWN;
	id = semget((key_t)(KEY_PREFIX | base), 1, 0);
	if (id < 0)
		return errno == ENOENT ? LEA_COOKIE_UNKNOWN : -errno;
	if (semop(id, &less, 1) == 0)
		return 0;
	return errno == EAGAIN || errno == EIDRM || errno == EINVAL ? LEA_COOKIE_UNKNOWN : -errno;
}

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Changes whenever udev makes progress: udev writes a file for each device that it has
 * processed. */
struct trace {
	int count;
	struct timespec written;
};

static struct trace look(int id)
{
	struct trace trace = {.count = semctl(id, 0, GETVAL)};
	struct stat st;

	if (!stat(UDEV_DATA, &st))
		trace.written = st.st_mtim;
	return trace;
}

static bool is_same(const struct trace *a, const struct trace *b)
{
	return a->count == b->count && a->written.tv_sec == b->written.tv_sec &&
	       a->written.tv_nsec == b->written.tv_nsec;
}

/* 0: the count is zero, or the semaphore is gone; -EAGAIN: not yet. */
static int sleep_on(int id, uint64_t ms)
{
	const struct timespec limit = {.tv_sec = (time_t)(ms / 1000),
				       .tv_nsec = (long)(ms % 1000) * 1000000};
	struct sembuf zero = {.sem_num = 0, .sem_op = 0};

	if (semtimedop(id, &zero, 1, &limit) == 0 || errno == EIDRM || errno == EINVAL)
		return 0;
	return errno == EINTR ? -EAGAIN : -errno;
}

/* Usually a single sleep, however many events there are; no polling. */
static int wait_for_zero(int id, uint32_t limit_ms, uint32_t still_ms)
{
	const uint64_t end = now_ms() + limit_ms,
		       slice = still_ms ? still_ms / LOOKS + 1 : limit_ms;
	struct trace last = look(id), now_is;
	uint64_t changed = now_ms(), now;
	int r;

	for (;;) {
		now = now_ms();
		r = sleep_on(id, now >= end ? 0 : end - now < slice ? end - now : slice);
		if (r != -EAGAIN)
			return r;
		now = now_ms();
		if (now >= end)
			return -ETIMEDOUT;
		now_is = look(id);
		if (!is_same(&now_is, &last))
			changed = now;
		else if (still_ms && now - changed >= still_ms)
			return LEA_COOKIE_STILL;
		last = now_is;
	}
}

int lea_cookie_wait(uint32_t key, uint32_t limit_ms, uint32_t still_ms)
{
	struct sembuf own = {.sem_num = 0, .sem_op = -1, .sem_flg = IPC_NOWAIT};
	int r, id = semget((key_t)key, 1, 0);

	if (id < 0)
		return errno == ENOENT ? 0 : -errno;
	/* EAGAIN: the count is zero already, completed by another process. */
	if (semop(id, &own, 1) < 0 && errno != EAGAIN)
		return errno == EIDRM || errno == EINVAL ? 0 : -errno;
	r = wait_for_zero(id, limit_ms, still_ms);
	if (semctl(id, 0, IPC_RMID) < 0 && errno != EIDRM && errno != EINVAL && !r)
		r = -errno;
	return r;
}
