/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/complete.h"
#include "unit/suite.h"

static const struct {
	const char *claim;
	uint32_t count;
	uint32_t recorded[6]; /* indexes in the order of recording, ended by LEA_MEMBERS_NONE */
	enum lea_complete want;
	uint32_t missing, next;
} rows[] = {
	{"no members: nobody knows",
	 0,
	 {LEA_MEMBERS_NONE},
	 LEA_COMPLETE_UNKNOWN,
	 0,
	 LEA_MEMBERS_NONE},
	{"the only member is awaited", 1, {LEA_MEMBERS_NONE}, LEA_COMPLETE_WAITING, 1, 0},
	{"one of one is all", 1, {0, LEA_MEMBERS_NONE}, LEA_COMPLETE, 0, LEA_MEMBERS_NONE},
	{"one of three leaves two", 3, {0, LEA_MEMBERS_NONE}, LEA_COMPLETE_WAITING, 2, 1},
	{"members come in any order", 3, {2, 0, LEA_MEMBERS_NONE}, LEA_COMPLETE_WAITING, 1, 1},
	{"the same member twice counts once",
	 2,
	 {1, 1, LEA_MEMBERS_NONE},
	 LEA_COMPLETE_WAITING,
	 1,
	 0},
	{"all of three", 3, {2, 1, 0, LEA_MEMBERS_NONE}, LEA_COMPLETE, 0, LEA_MEMBERS_NONE},
	{"an index outside is nobody", 2, {7, LEA_MEMBERS_NONE}, LEA_COMPLETE_WAITING, 2, 0},
};

TEST_EACH(members_that_are_missing_are_counted, rows)
{
	bool recorded[8] = {false};
	struct lea_members members;

	lea_members_init(&members, recorded, rows[_i].count);
	for (size_t i = 0; rows[_i].recorded[i] != LEA_MEMBERS_NONE; i++)
		lea_members_recorded(&members, rows[_i].recorded[i]);
	ck_assert_msg(lea_complete_check(&members) == rows[_i].want, "%s", rows[_i].claim);
	ck_assert_msg(members.missing == rows[_i].missing, "%s", rows[_i].claim);
	ck_assert_msg(lea_members_next_missing(&members) == rows[_i].next, "%s", rows[_i].claim);
}

TEST(the_walk_never_goes_back)
{
	bool recorded[4] = {false};
	struct lea_members members;

	lea_members_init(&members, recorded, 4);
	lea_members_recorded(&members, 0);
	ck_assert_uint_eq(lea_members_next_missing(&members), 1);
	lea_members_recorded(&members, 2);
	ck_assert_uint_eq(lea_members_next_missing(&members), 1);
	lea_members_recorded(&members, 1);
	ck_assert_uint_eq(lea_members_next_missing(&members), 3);
}
