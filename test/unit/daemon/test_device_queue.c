/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices that wait for a pass: which state stays. */
#include <string.h>

#include "daemon/device_queue.h"
#include "unit/suite.h"

static struct lea_device_queue pending;

static void setup(void)
{
	pending = (struct lea_device_queue){0};
}

static void teardown(void)
{
	lea_device_queue_done(&pending);
}

const struct fixture fixture = {setup, teardown};

static void put(uint32_t major, uint32_t minor, uint64_t diskseq, const char *name)
{
	struct lea_entry entry = {.device = {.major = major, .minor = minor, .diskseq = diskseq}};

	entry.device.name = strdup(name);
	ck_assert_ptr_nonnull(entry.device.name);
	ck_assert_int_eq(lea_device_queue_put(&pending, &entry), 0);
}

TEST(the_last_state_of_a_device_wins)
{
	put(8, 0, 1, "/dev/old");
	put(8, 16, 2, "/dev/other");
	put(8, 0, 1, "/dev/new");
	ck_assert_uint_eq(pending.count, 2);
	ck_assert_str_eq(pending.entry[0].device.name, "/dev/new");
	ck_assert_str_eq(pending.entry[1].device.name, "/dev/other");
	ck_assert_str_eq(pending.entry[0].key, "8:0-1");
}

static const struct {
	const char *claim;
	uint32_t major, minor;
	uint64_t diskseq;
} others[] = {
	{"another instance of the number is another device", 8, 16, 6},
	{"so is another minor", 8, 17, 5},
	{"so is another major", 9, 16, 5},
	{"so are swapped numbers", 16, 8, 5},
};

TEST_EACH(devices_that_differ_stay_apart, others)
{
	put(8, 16, 5, "/dev/one");
	put(others[_i].major, others[_i].minor, others[_i].diskseq, "/dev/two");
	ck_assert_msg(pending.count == 2, "%s", others[_i].claim);
}

TEST(a_device_is_found_by_number_and_instance)
{
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = 2},
				other = {.major = 8, .minor = 16, .diskseq = 3};

	ck_assert_ptr_null(lea_device_queue_find(&pending, &device));
	put(8, 0, 1, "/dev/sda");
	ck_assert_ptr_null(lea_device_queue_find(&pending, &device));
	put(8, 16, 2, "/dev/sdb");
	ck_assert_str_eq(lea_device_queue_find(&pending, &device)->device.name, "/dev/sdb");
	ck_assert_ptr_null(lea_device_queue_find(&pending, &other));
	lea_device_queue_clear(&pending);
	ck_assert_ptr_null(lea_device_queue_find(&pending, &device));
}

TEST(no_device_is_known_after_a_pass)
{
	for (uint32_t i = 0; i < 200; i++)
		put(8, i, 0, "/dev/a");
	lea_device_queue_clear(&pending);
	ck_assert_uint_eq(pending.count, 0);
	put(8, 7, 0, "/dev/b");
	ck_assert_uint_eq(pending.count, 1);
	ck_assert_str_eq(pending.entry[0].device.name, "/dev/b");
}
