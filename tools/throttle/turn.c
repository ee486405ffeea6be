/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "throttle/turn.h"

#include <stddef.h>
#include <string.h>

/* ---- turn */

bool lea_throttle_lane_parse(const char *word, enum lea_throttle_lane *ret_lane)
{
	static const char *const words[] = {"high", "normal", "low"};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word, words[i])) {
			*ret_lane = (enum lea_throttle_lane)i;
			return true;
		}
	return false;
}

enum lea_throttle_lane lea_throttle_turn(const bool waits[static LEA_THROTTLE_LANES],
					 const struct lea_throttle_runs *runs, uint32_t share)
{
	const bool normal = waits[LEA_THROTTLE_NORMAL], low = waits[LEA_THROTTLE_LOW];

	if (waits[LEA_THROTTLE_HIGH] && (runs->high < share || (!normal && !low)))
		return LEA_THROTTLE_HIGH;
	return normal && (runs->normal < share || !low) ? LEA_THROTTLE_NORMAL : LEA_THROTTLE_LOW;
}

void lea_throttle_count(struct lea_throttle_runs *runs, enum lea_throttle_lane lane,
			const bool waits[static LEA_THROTTLE_LANES])
{
	const bool low = waits[LEA_THROTTLE_LOW], lower = low || waits[LEA_THROTTLE_NORMAL];

	if (lane == LEA_THROTTLE_HIGH)
		runs->high = lower ? runs->high + 1 : 0;
	else
		runs->high = 0;
	if (lane == LEA_THROTTLE_NORMAL)
		runs->normal = low ? runs->normal + 1 : 0;
	else if (lane == LEA_THROTTLE_LOW)
		runs->normal = 0;
}

/* ---- waits */

/* The longest wait of a bucket: 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15 ... ms */
static uint64_t next_edge(uint64_t edge)
{
	return edge + (edge < 8 ? 1 : edge / 4);
}

uint32_t lea_throttle_bucket(uint64_t wait_ms)
{
	uint32_t bucket = 0;

	for (uint64_t edge = 0; edge < wait_ms && bucket + 1 < LEA_THROTTLE_BUCKETS; bucket++)
		edge = next_edge(edge);
	return bucket;
}

uint64_t lea_throttle_percentile(const uint32_t counts[static LEA_THROTTLE_BUCKETS],
				 uint32_t percent)
{
	uint64_t all = 0, sum = 0, edge = 0;

	for (uint32_t i = 0; i < LEA_THROTTLE_BUCKETS; i++)
		all += counts[i];
	for (uint32_t i = 0; i < LEA_THROTTLE_BUCKETS; i++, edge = next_edge(edge)) {
		sum += counts[i];
		if (sum && sum * 100 >= all * percent)
			return edge;
	}
	return 0;
}
