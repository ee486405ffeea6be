/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "throttle/turn.h"
#include "unit/suite.h"

#include <string.h>

/* Which lanes are served while all have plenty that waits. */
static void serve(const bool waits[static 3], uint32_t share, size_t count, char *text)
{
	struct lea_throttle_runs runs = {0, 0};

	for (size_t i = 0; i < count; i++) {
		const enum lea_throttle_lane lane = lea_throttle_turn(waits, &runs, share);

		ck_assert(waits[lane]);
		lea_throttle_count(&runs, lane, waits);
		text[i] = "hnl"[lane];
	}
	text[count] = '\0';
}

static const struct {
	bool waits[3];
	uint32_t share;
	const char *order;
} shares[] = {
	{{true, true, true}, 2, "hhnhhnhhlhhnhhnhhl"},
	{{true, true, false}, 4, "hhhhnhhhhn"},
	{{true, false, true}, 4, "hhhhlhhhhl"},
	{{false, true, true}, 1, "nlnl"},
	{{true, false, false}, 1, "hhhh"},
	{{false, false, true}, 4, "llll"},
};

TEST_EACH(a_lane_gets_its_share_and_no_lane_starves, shares)
{
	char order[32];

	serve(shares[_i].waits, shares[_i].share, strlen(shares[_i].order), order);
	ck_assert_str_eq(order, shares[_i].order);
}

TEST(a_percentile_is_at_most_a_quarter_too_long)
{
	uint32_t counts[LEA_THROTTLE_BUCKETS] = {0};
	uint64_t p;

	ck_assert_uint_eq(lea_throttle_percentile(counts, 50), 0);
	for (uint64_t ms = 1; ms <= 1000; ms++)
		counts[lea_throttle_bucket(ms)]++;
	p = lea_throttle_percentile(counts, 50);
	ck_assert(p >= 500 && p <= 625);
	p = lea_throttle_percentile(counts, 99);
	ck_assert(p >= 990 && p <= 1238);
	ck_assert(lea_throttle_bucket(UINT64_MAX) < LEA_THROTTLE_BUCKETS);
}
