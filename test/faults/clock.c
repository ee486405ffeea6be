/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A wall clock that jumps: each reading is days before or after the last one. For LD_PRELOAD. The
 * monotonic clock is unchanged, as the kernel promises.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DAYS (3 * 24 * 60 * 60)

static time_t jump(void)
{
	static int looks;

	return __atomic_fetch_add(&looks, 1, __ATOMIC_RELAXED) % 2 ? DAYS : -DAYS;
}

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	long r = syscall(SYS_clock_gettime, clock, ret_time);

	if (r == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		ret_time->tv_sec += jump();
	return (int)r;
}

time_t time(time_t *ret_time)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (ret_time)
		*ret_time = now.tv_sec;
	return now.tv_sec;
}

int gettimeofday(struct timeval *ret_time, void *zone)
{
	struct timespec now;
	int r = clock_gettime(CLOCK_REALTIME, &now);

	(void)zone;
	ret_time->tv_sec = now.tv_sec;
	ret_time->tv_usec = now.tv_nsec / 1000;
	return r;
}
