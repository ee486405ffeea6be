/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's semaphores.
 */
#include "world/cookie.h"

#include <errno.h>
#include <sys/sem.h>
#include <time.h>

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

/* One sleep, however many events there are: nobody polls. */
static int wait_for_zero(int id, uint32_t limit_ms)
{
	struct sembuf zero = {.sem_num = 0, .sem_op = 0};
	const uint64_t end = now_ms() + limit_ms;

	for (;;) {
		const uint64_t now = now_ms(), left = now < end ? end - now : 0;
		const struct timespec limit = {.tv_sec = (time_t)(left / 1000),
					       .tv_nsec = (long)(left % 1000) * 1000000};

		if (semtimedop(id, &zero, 1, &limit) == 0 || errno == EIDRM || errno == EINVAL)
			return 0;
		if (errno == EAGAIN)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
}

int lea_cookie_wait(uint32_t key, uint32_t limit_ms)
{
	struct sembuf own = {.sem_num = 0, .sem_op = -1, .sem_flg = IPC_NOWAIT};
	int r, id = semget((key_t)key, 1, 0);

	if (id < 0)
		return errno == ENOENT ? 0 : -errno;
	/* EAGAIN: it is at zero already, completed from outside. */
	if (semop(id, &own, 1) < 0 && errno != EAGAIN)
		return errno == EIDRM || errno == EINVAL ? 0 : -errno;
	r = wait_for_zero(id, limit_ms);
	if (semctl(id, 0, IPC_RMID) < 0 && errno != EIDRM && errno != EINVAL && !r)
		r = -errno;
	return r;
}
