/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that look random and that a seed determines, on every machine alike. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sim_random {
	uint64_t at;
};

/* A counter in large odd steps, whose bits are mixed; a seed of 0 is as good as any other. */
static inline uint64_t sim_random_next(struct sim_random *random)
{
	uint64_t x = random->at += 0x9e3779b97f4a7c15U;

	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93U;
	x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93U;
	return x ^ (x >> 32);
}

/* 0 to @count - 1; @count is not 0. */
static inline uint32_t sim_random_below(struct sim_random *random, uint32_t count)
{
	return (uint32_t)((sim_random_next(random) >> 32) * count >> 32);
}

static inline bool sim_random_chance(struct sim_random *random, uint32_t percent)
{
	return sim_random_below(random, 100) < percent;
}
