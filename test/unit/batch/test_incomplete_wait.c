/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wait follows progress: it runs only while no further PV comes, from when udev is idle. */
#include "batch/incomplete_wait.h"

#include "unit/suite.h"

#define BUSY_MOST 180000U
#define WAIT	  30000U

static struct lea_incomplete_wait wait;

static bool look(uint64_t now_ms, bool is_idle)
{
	return lea_incomplete_wait_look(&wait, now_ms, is_idle, BUSY_MOST);
}

static uint32_t left(uint64_t now_ms)
{
	return lea_incomplete_wait_left(&wait, now_ms, WAIT);
}

TEST(wait_begins_when_udev_is_idle)
{
	lea_incomplete_wait_came(&wait, 1000);
	ck_assert(!look(1000, false));
	ck_assert(!look(90000, false));
	ck_assert_msg(left(90000) == WAIT, "nothing was waited yet");
	ck_assert(look(100000, true));
	ck_assert_uint_eq(left(100000), WAIT);
	ck_assert_uint_eq(left(110000), WAIT - 10000);
	ck_assert_uint_eq(left(129999), 1);
	ck_assert_uint_eq(left(130000), 0);
}

TEST(each_further_pv_begins_it_anew)
{
	lea_incomplete_wait_came(&wait, 1000);
	ck_assert(look(2000, true));
	ck_assert_uint_eq(left(31999), 1);
	lea_incomplete_wait_came(&wait, 31999);
	ck_assert_uint_eq(left(40000), WAIT);
	ck_assert(look(40000, true));
	ck_assert_uint_eq(left(40000), WAIT);
	ck_assert_uint_eq(left(70000), 0);
}

/* A PV may be on its way through udev. */
TEST(nothing_is_over_while_udev_is_busy_again)
{
	lea_incomplete_wait_came(&wait, 1000);
	ck_assert(look(2000, true));
	ck_assert(!look(40000, false));
	ck_assert(look(41000, true));
	ck_assert_msg(!left(41000), "the wait went on meanwhile");
}

TEST(udev_that_is_busy_for_ever_counts_as_idle)
{
	lea_incomplete_wait_came(&wait, 1000);
	ck_assert(!look(1000 + BUSY_MOST - 1, false));
	ck_assert(look(1000 + BUSY_MOST, false));
	ck_assert_uint_eq(left(1000 + BUSY_MOST), WAIT);
}

TEST(vg_that_has_all_is_over_with_the_first_idle_look)
{
	lea_incomplete_wait_came(&wait, 1000);
	ck_assert_msg(lea_incomplete_wait_left(&wait, 1000, 0), "udev was not looked at");
	ck_assert(look(1000, true));
	ck_assert_uint_eq(lea_incomplete_wait_left(&wait, 1000, 0), 0);
}
