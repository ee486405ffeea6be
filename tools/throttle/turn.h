/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* lvmevent throttle: whose turn it is. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Lanes of a queue: each is a FIFO of its own. */
enum lea_throttle_lane {
	LEA_THROTTLE_HIGH,
	LEA_THROTTLE_NORMAL,
	LEA_THROTTLE_LOW,
	LEA_THROTTLE_LANES
};
/* "high", "normal" or "low"; false for any other word. */
bool lea_throttle_lane_parse(const char *word, enum lea_throttle_lane *ret_lane);

/* Commands of a lane that were begun in a row while a lower lane waited. */
struct lea_throttle_runs {
	uint32_t high, normal;
};
/*
 * lea_throttle_turn - which lane begins the next command
 * @waits: which lanes have a command that waits; at least one
 * @share: number of commands of a lane that go before one of a lower lane
 */
enum lea_throttle_lane lea_throttle_turn(const bool waits[static LEA_THROTTLE_LANES],
					 const struct lea_throttle_runs *runs, uint32_t share);
/* Notes that a command of @lane was begun. */
void lea_throttle_count(struct lea_throttle_runs *runs, enum lea_throttle_lane lane,
			const bool waits[static LEA_THROTTLE_LANES]);

/* Waits are counted in buckets, each a quarter longer than the one before it. */
#define LEA_THROTTLE_BUCKETS 96U
uint32_t lea_throttle_bucket(uint64_t wait_ms);
/* The wait that @percent of the counted ones did not exceed, in ms, up to a quarter too long. 0:
 * none was counted. */
uint64_t lea_throttle_percentile(const uint32_t counts[static LEA_THROTTLE_BUCKETS],
				 uint32_t percent);
