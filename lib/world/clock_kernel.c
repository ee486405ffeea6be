/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real clock. */
#include "world/clock_kernel.h"

#include <errno.h>
#include <time.h>

static uint64_t now_ms(struct lea_clock *clock)
{
	struct timespec now = {0};

	(void)clock;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000U + (uint64_t)now.tv_nsec / 1000000U;
}

static void sleep_ms(struct lea_clock *clock, uint64_t ms)
{
	struct timespec left = {.tv_sec = (time_t)(ms / 1000U),
				.tv_nsec = (long)(ms % 1000U) * 1000000L};

	(void)clock;
	/* Continue an interrupted sleep, or a signal would shorten every back-off. */
	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
		;
}

struct lea_clock *lea_clock_kernel(void)
{
	static struct lea_clock kernel = {.now_ms = now_ms, .sleep_ms = sleep_ms};

	return &kernel;
}
