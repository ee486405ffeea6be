/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Of which entries the kernel is asked for the instance. */
#include "batch/event_order.h"

#include "unit/suite.h"

const struct fixture fixture;

static struct lea_entry entry_of(uint32_t minor, uint64_t diskseq, uint64_t seqnum)
{
	return (struct lea_entry){
		.device = {.major = 8, .minor = minor, .diskseq = diskseq, .seqnum = seqnum}};
}

static bool is_doubtful(const struct lea_event_order *order, struct lea_entry entry)
{
	bool is = false;

	ck_assert_int_eq(lea_event_order_judge(order, &entry, 1, &is), 0);
	return is;
}

TEST(the_first_entry_is_believed)
{
	const struct lea_event_order order = {0};
	struct lea_entry left = entry_of(16, 1, 5);

	left.is_leftover = true;
	ck_assert(!is_doubtful(&order, entry_of(16, 1, 5)));
	ck_assert_msg(is_doubtful(&order, entry_of(16, 1, 0)), "it is of no event");
	ck_assert(is_doubtful(&order, left));
}

TEST(an_entry_that_is_older_than_a_pass_is_not)
{
	const struct lea_entry pass[] = {entry_of(32, 2, 7), entry_of(48, 3, 9)};
	struct lea_event_order order = {0};

	lea_event_order_note(&order, pass, 2);
	ck_assert(is_doubtful(&order, entry_of(16, 1, 8)));
	ck_assert_msg(!is_doubtful(&order, entry_of(48, 3, 9)), "tried again");
	ck_assert(!is_doubtful(&order, entry_of(16, 1, 10)));
	lea_event_order_note(&order, pass, 1);
	ck_assert_msg(is_doubtful(&order, entry_of(16, 1, 8)), "whatever came last");
}

/* A dead runner had taken what is the latest, or had finished it. */
TEST(after_what_a_dead_runner_has_left_no_entry_is)
{
	struct lea_entry left = entry_of(16, 2, 9), next = entry_of(32, 3, 4);
	struct lea_event_order order = {0};

	left.is_leftover = true;
	lea_event_order_note(&order, &left, 1);
	ck_assert(is_doubtful(&order, entry_of(48, 4, 12)));
	lea_event_order_note(&order, &next, 1);
	ck_assert(is_doubtful(&order, entry_of(16, 1, 5)));
	ck_assert(!is_doubtful(&order, entry_of(48, 4, 12)));
}

/* The removal of an instance is about another one than its successor's event. */
TEST(two_instances_of_a_number_are_not)
{
	struct lea_entry pass[] = {entry_of(16, 1, 5), entry_of(32, 2, 6), entry_of(16, 3, 7),
				   entry_of(48, 4, 8), entry_of(48, 5, 9)};
	const struct lea_event_order order = {0};
	bool is[ARRAY_SIZE(pass)] = {false};

	pass[3].device.is_gone = true;
	ck_assert_int_eq(lea_event_order_judge(&order, pass, ARRAY_SIZE(pass), is), 0);
	ck_assert(is[0] && is[2]);
	ck_assert(!is[1] && !is[3] && !is[4]);
}
