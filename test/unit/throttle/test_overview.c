/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of all classes: no age is below 0, and nothing that was seen began after "now". */
#include "throttle/overview.h"
#include "unit/queue_folder.h"
#include "unit/suite.h"

const struct fixture fixture = {queue_setup, queue_teardown};

static const struct {
	const char *claim;
	uint64_t now_ms, since_ms, age_ms;
} ages[] = {
	{"a second ago", 5000, 4000, 1000},
	{"just now", 5000, 5000, 0},
	{"by a clock that is ahead, of another namespace of time", 5000, 9000, 0},
};

TEST_EACH(an_age_is_never_below_0, ages)
{
	const struct lea_throttle_all all = {.now_ms = ages[_i].now_ms};

	ck_assert_msg(lea_throttle_age_ms(&all, ages[_i].since_ms) == ages[_i].age_ms, "%s",
		      ages[_i].claim);
}
