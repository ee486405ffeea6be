/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scan/backoff.h"
#include "unit/suite.h"

static struct lea_backoff late;

static uint32_t deadline(uint32_t minor, uint64_t diskseq, uint32_t deadline_ms)
{
	const struct lea_device device = {.major = 8, .minor = minor, .diskseq = diskseq};

	return lea_backoff_deadline_ms(&late, &device, deadline_ms);
}

static void was_late(uint32_t minor, uint32_t times)
{
	const struct lea_device device = {.major = 8, .minor = minor, .diskseq = 1};

	for (uint32_t i = 0; i < times; i++)
		lea_backoff_note_timeout(&late, &device, true, NULL);
}

TEST(a_deadline_doubles_each_time_it_is_missed)
{
	ck_assert_uint_eq(deadline(1, 1, 10000), 10000);
	was_late(1, 1);
	ck_assert_uint_eq(deadline(1, 1, 10000), 20000);
	was_late(1, 2);
	ck_assert_uint_eq(deadline(1, 1, 10000), 80000);
	ck_assert_msg(deadline(2, 1, 10000) == 10000, "another one");
	ck_assert_msg(deadline(1, 2, 10000) == 10000, "another one that has its number");
}

TEST(a_deadline_grows_to_its_limit_only)
{
	was_late(1, 1000);
	ck_assert_uint_eq(deadline(1, 1, 100), LEA_BACKOFF_MOST_MS);
	ck_assert_msg(deadline(1, 1, 2 * LEA_BACKOFF_MOST_MS) == 2 * LEA_BACKOFF_MOST_MS,
		      "never less than the others");
}

TEST(a_device_in_time_has_the_usual_deadline_again)
{
	const struct lea_device device = {.major = 8, .minor = 1, .diskseq = 1};

	lea_backoff_clear(&late, &device);
	was_late(1, 3);
	lea_backoff_clear(&late, &device);
	ck_assert_uint_eq(deadline(1, 1, 10000), 10000);
	was_late(1, 1);
	ck_assert_uint_eq(deadline(1, 1, 10000), 20000);
}

TEST(a_device_that_was_cut_short_keeps_its_deadline)
{
	const struct lea_device device = {.major = 8, .minor = 1, .diskseq = 7};

	lea_backoff_note_timeout(&late, &device, false, NULL);
	ck_assert_msg(deadline(1, 7, 10000) == 10000, "its time was not too short");
	ck_assert(lea_backoff_has_key(&late, "8:1-7"));
	ck_assert(!lea_backoff_has_key(&late, "8:1-8") && !lea_backoff_has_key(&late, "8:17-7"));
	ck_assert(!lea_backoff_has_key(&late, "8:1") && !lea_backoff_has_key(&late, ""));
	lea_backoff_clear(&late, &device);
	ck_assert(!lea_backoff_has_key(&late, "8:1-7"));
}

TEST(the_last_late_devices_are_remembered)
{
	for (uint32_t minor = 0; minor < LEA_BACKOFF_DEVICES + 1; minor++)
		was_late(minor, 1);
	ck_assert_uint_eq(deadline(0, 1, 10000), 10000);
	for (uint32_t minor = 1; minor < LEA_BACKOFF_DEVICES + 1; minor++)
		ck_assert_uint_eq(deadline(minor, 1, 10000), 20000);
}

TEST(an_add_is_owed_until_there_is_an_answer)
{
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = 7};

	lea_backoff_note_timeout(&late, &device, true, NULL);
	ck_assert(lea_backoff_is_silent(&late, &device) && !lea_backoff_owes_add(&late, &device, "B"));
	lea_backoff_note_timeout(&late, &device, false, "");
	lea_backoff_note_timeout(&late, &device, true, NULL);
	ck_assert_msg(lea_backoff_owes_add(&late, &device, "B"), "a change does not answer it");
	lea_backoff_note_answer(&late, &device);
	ck_assert(!lea_backoff_owes_add(&late, &device, "B"));
	lea_backoff_note_timeout(&late, &device, true, NULL);
	ck_assert(!lea_backoff_owes_add(&late, &device, "B"));
}

/* An add of PV A was missed, or that of the device; is one of this PV owed? The second timeout is for
 * nothing, or for an add of another PV. */
static const struct {
	const char *owed, *then, *pvid;
	bool is_owed;
} debts[] = {
	{"A", NULL, "A", true}, {"A", NULL, "B", false}, {"A", NULL, "", true},
	{"", NULL, "B", true},	{"", "A", "B", true},	 {"A", "B", "B", true},
};

TEST_EACH(what_is_another_pv_by_now_was_not_missed, debts)
{
	const struct lea_device device = {.major = 8, .minor = 16, .diskseq = 7};

	lea_backoff_note_timeout(&late, &device, true, debts[_i].owed);
	lea_backoff_note_timeout(&late, &device, true, debts[_i].then);
	ck_assert_msg(lea_backoff_owes_add(&late, &device, debts[_i].pvid) == debts[_i].is_owed,
		      "row %d", _i);
}
