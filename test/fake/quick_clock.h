/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A clock that sleeps no longer than a test should. Include it once. */
#pragma once

#include "world/clock_kernel.h"

static uint64_t slept_ms;

static uint64_t quick_now_ms(struct lea_clock *clock)
{
	(void)clock;
	return lea_clock_kernel()->now_ms(lea_clock_kernel()) + slept_ms;
}

static void quick_sleep_ms(struct lea_clock *clock, uint64_t ms)
{
	(void)clock;
	lea_clock_kernel()->sleep_ms(lea_clock_kernel(), ms > 5 ? 1 : ms);
	slept_ms += ms;
}

static struct lea_clock quick = {quick_now_ms, quick_sleep_ms};
