/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/bounds.h"

#define MOST_WORKERS	10U
#define WORKERS_PER_CPU 2U
#define LVS_ALONE	512U
#define LVS_PER_CPU	4U
#define LEAST_LVS	8U

static uint32_t within(uint64_t count, uint32_t least, uint32_t most)
{
	if (count < least)
		return least;
	return count < most ? (uint32_t)count : most;
}

uint32_t lea_bound_workers(uint32_t set, uint32_t cpus)
{
	return set ? set : within((uint64_t)cpus * WORKERS_PER_CPU, WORKERS_PER_CPU, MOST_WORKERS);
}

uint32_t lea_bound_lvs(uint32_t set, uint32_t cpus, bool is_alone)
{
	if (set)
		return set;
	return is_alone ? LVS_ALONE : within((uint64_t)cpus * LVS_PER_CPU, LEAST_LVS, LVS_ALONE);
}
