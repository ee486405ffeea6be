/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state/throttle_bounds.h"
#include "unit/queue_folder.h"
#include "unit/suite.h"

#include <sys/stat.h>

const struct fixture fixture = {queue_setup, queue_teardown};

static struct lea_throttle_bounds found_below(const char *root, uint32_t slots)
{
	const struct lea_conf conf = {
		.throttle_slots = slots, .throttle_per_vg = 3, .throttle_wait_ms = 7};
	struct lea_world world;

	lea_world_init(&world, root, NULL, NULL);
	return lea_throttle_bounds_find(&world, event_fd, &conf);
}

static void publish(uint32_t slots)
{
	const struct lea_conf conf = {.throttle_slots = slots, .throttle_per_vg = 1};
	struct lea_world world;

	lea_world_init(&world, "", NULL, NULL);
	ck_assert_int_eq(lea_throttle_bounds_write(&world, event_fd, &conf), 0);
}

TEST(without_a_link_each_has_its_own)
{
	ck_assert_uint_eq(found_below("", 5).slots, 5);
	ck_assert_uint_eq(found_below(dir, 5).slots, 5);
}

TEST(another_root_has_those_of_the_host)
{
	struct lea_throttle_bounds bounds;

	publish(2);
	bounds = found_below(dir, 5);
	ck_assert_uint_eq(bounds.slots, 2);
	ck_assert_uint_eq(bounds.per_vg, 1);
	ck_assert_uint_eq(bounds.wait_ms, 0);
	/* the host's own are never older than its settings */
	bounds = found_below("", 5);
	ck_assert_uint_eq(bounds.slots, 5);
	ck_assert_uint_eq(bounds.per_vg, 3);
	ck_assert_uint_eq(bounds.wait_ms, 7);
	publish(4);
	ck_assert_uint_eq(found_below(dir, 5).slots, 4);
}

static const char *const nonsense[] = {"x", "0 0 0 1:1", "65 0 0 1:1", "4 17 0 1:1",
				       "4 1 86400001 1:1", "4 1 0", "4 1"};

TEST_EACH(what_makes_no_sense_is_not_believed, nonsense)
{
	ck_assert_int_eq(symlinkat(nonsense[_i], event_fd, "throttle-bounds"), 0);
	ck_assert_uint_eq(found_below(dir, 5).slots, 5);
}
