/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When is it useless to wait any longer for a device? */
#include "daemon/progress.h"

#include "unit/suite.h"

const struct fixture fixture = {NULL, NULL};

#define LIMIT 90000U
#define BUSY  false
#define IDLE  true
#define NONE  UINT64_MAX

/* A wait that began at 5 s. Before the row's look there was one at 10 s, with two devices and one
 * PV, and one at moved_ms with one device more, unless that is 0. */
static const struct {
	const char *claim;
	uint64_t moved_ms, now_ms, limit_ms;
	uint32_t devices, pvs;
	bool is_idle, is_asked, is_activating;
	int want;
	uint64_t next_ms;
} rows[] = {
	{"before the limit nothing ends", 0, 94999, LIMIT, 2, 1, IDLE, false, false,
	 LEA_PROGRESS_LIMIT, 95000},
	{"at the limit a machine that is still ends", 0, 95000, LIMIT, 2, 1, IDLE, false, false, 0,
	 40000},
	{"a new device 30 s before the limit is long ago", 65000, 95000, LIMIT, 3, 1, IDLE, false,
	 false, 0, 95000},
	{"a new device 29 s before the limit is not", 66000, 95000, LIMIT, 3, 1, IDLE, false, false,
	 LEA_PROGRESS_RECENT, 96000},
	{"a new device at the limit goes on", 0, 95000, LIMIT, 3, 1, IDLE, false, false,
	 LEA_PROGRESS_RECENT, 125000},
	{"so does a new PV", 0, 95000, LIMIT, 2, 2, IDLE, false, false, LEA_PROGRESS_RECENT,
	 125000},
	{"busy udev gets the whole limit since the last progress", 60000, 149999, LIMIT, 3, 1, BUSY,
	 false, false, LEA_PROGRESS_RECENT, 150000},
	{"a disk that hangs in udev holds no longer than that", 60000, 150000, LIMIT, 3, 1, BUSY,
	 false, false, 0, 150000},
	{"a device that went is no progress", 60000, 95000, LIMIT, 2, 1, IDLE, false, false, 0,
	 90000},
	{"a device that came back is none either", 60000, 100000, LIMIT, 3, 1, IDLE, false, false,
	 0, 90000},
	{"a disk after minutes of others' progress ends nothing", 600000, 620000, LIMIT, 3, 1, BUSY,
	 false, false, LEA_PROGRESS_RECENT, 690000},
	{"nothing ends while somebody types", 0, 400000, LIMIT, 2, 1, IDLE, true, false,
	 LEA_PROGRESS_ASKED, 430000},
	{"nothing ends while the VG is activated", 0, 400000, LIMIT, 2, 1, IDLE, false, true,
	 LEA_PROGRESS_ACTIVATING, 430000},
	{"a short limit has a short pause", 20000, 25000, 20000, 3, 1, IDLE, false, false,
	 LEA_PROGRESS_RECENT, 26666},
	{"a long limit is kept", 60000, 700000, 900000, 3, 1, IDLE, false, false,
	 LEA_PROGRESS_LIMIT, 905000},
	{"without a limit nothing ends", 0, 86400000, NONE, 2, 1, IDLE, false, false,
	 LEA_PROGRESS_LIMIT, NONE},
};

static int step(struct lea_progress *progress, const struct lea_progress_facts *facts,
		uint64_t *ret_next_ms)
{
	lea_progress_note(progress, facts);
	return lea_progress_judge(progress, facts, ret_next_ms);
}

TEST_EACH(wait_ends_when_nothing_makes_progress, rows)
{
	struct lea_progress progress = {0};
	struct lea_progress_facts facts = {.now_ms = 10000,
					   .begin_ms = 5000,
					   .limit_ms = rows[_i].limit_ms,
					   .devices = 2,
					   .pvs = 1};
	uint64_t next_ms;
	int got;

	ck_assert_int_eq(step(&progress, &facts, &next_ms), LEA_PROGRESS_LIMIT);
	if (rows[_i].moved_ms) {
		facts.now_ms = rows[_i].moved_ms;
		facts.devices = 3;
		ck_assert_int_ne(step(&progress, &facts, &next_ms), 0);
	}
	facts.now_ms = rows[_i].now_ms;
	facts.devices = rows[_i].devices;
	facts.pvs = rows[_i].pvs;
	facts.is_idle = rows[_i].is_idle;
	facts.is_asked = rows[_i].is_asked;
	facts.is_activating = rows[_i].is_activating;
	got = step(&progress, &facts, &next_ms);
	ck_assert_msg(got == rows[_i].want, "%s: %d", rows[_i].claim, got);
	ck_assert_msg(next_ms == rows[_i].next_ms, "%s: next at %llu", rows[_i].claim,
		      (unsigned long long)next_ms);
}

TEST(time_of_typing_counts_as_progress)
{
	struct lea_progress progress = {0};
	struct lea_progress_facts facts = {.now_ms = 10000, .limit_ms = LIMIT, .is_idle = true};
	uint64_t next_ms;

	facts.is_asked = true;
	for (; facts.now_ms < 310000; facts.now_ms += 15000)
		ck_assert_int_ne(step(&progress, &facts, &next_ms), 0);
	/* typed: the key is derived now, and no device has come yet */
	facts.is_asked = false;
	ck_assert_int_eq(step(&progress, &facts, &next_ms), LEA_PROGRESS_RECENT);
	facts.now_ms = next_ms;
	ck_assert_int_eq(step(&progress, &facts, &next_ms), 0);
}
