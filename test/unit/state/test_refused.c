/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a device was refused: it was kept from us, or it was free. */
#include "state/mark.h"

#include "fake/no_descriptor.h"
#include "fake/tree.h"
#include "unit/suite.h"

#include <time.h>

#define KEY "8:16-7"

static char folder[FOLDER_BYTES];
static int event_fd;
static const struct timespec then = {.tv_sec = 1000};

static void setup(void)
{
	event_fd = folder_new(folder);
}

static void teardown(void)
{
	folder_remove(folder, event_fd);
}

const struct fixture fixture = {setup, teardown};

static int refuse_free(void)
{
	return lea_refused_set(event_fd, KEY, true, &then);
}

static int refuse_kept(void)
{
	return lea_refused_set(event_fd, KEY, false, &then);
}

static const struct row {
	int (*before)(void), (*refuse)(void);
	int kept;
} rows[] = {
	{NULL, NULL, 0},
	{NULL, refuse_free, 0},
	{NULL, refuse_kept, 1},
	{refuse_free, refuse_free, 0},
	{refuse_kept, refuse_kept, 1},
	{refuse_free, refuse_kept, 1},
	{refuse_kept, refuse_free, 0},
};

TEST_EACH(what_was_refused_last_counts, rows)
{
	const struct timespec later = {.tv_sec = 2000}, earlier = {.tv_sec = 500};
	const bool is_refused = rows[_i].refuse;

	if (rows[_i].before)
		ck_assert_int_eq(rows[_i].before(), 0);
	if (is_refused)
		ck_assert_int_eq(rows[_i].refuse(), 0);
	ck_assert_int_eq(lea_refused_ask_kept(event_fd, KEY), rows[_i].kept);
	ck_assert_int_eq(lea_mark_ask(event_fd, LEA_MARK_REFUSED, KEY), is_refused);
	ck_assert_int_eq(lea_refused_is_older(event_fd, KEY, &later), is_refused);
	ck_assert(!lea_refused_is_older(event_fd, KEY, &earlier));
	ck_assert_int_eq(lea_mark_drop(event_fd, LEA_MARK_REFUSED, KEY), 0);
	ck_assert_int_eq(lea_mark_ask(event_fd, LEA_MARK_REFUSED, KEY), 0);
}

/* What a filter has kept from us must not look free for want of a descriptor. */
TEST(a_shortage_leaves_what_was_kept)
{
	ck_assert_int_eq(refuse_kept(), 0);
	ck_assert_uint_ge(faults_of(refuse_kept, 0), 1);
	ck_assert_int_eq(lea_refused_ask_kept(event_fd, KEY), 1);
}
