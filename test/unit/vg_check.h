/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of what becomes of a metadata text, in an arena for each test. Include it once. */
#pragma once

#include "disk/vg.h"
#include "unit/suite.h"
#include "unit/vg_text.h"

#include <string.h>

static struct lea_arena *arena;

static void setup(void)
{
	arena = lea_arena_new(64U << 20);
	ck_assert_ptr_nonnull(arena);
}

static void teardown(void)
{
	lea_arena_free(arena);
}

const struct fixture fixture = {setup, teardown};

struct text_row {
	const char *claim, *text;
	const char *complaint; /* NULL: accepted */
	const char *reason;    /* why the VG is handed over */
};

static void check_text(const struct text_row *row)
{
	struct lea_why why = {NULL, 0};
	struct lea_vg *vg = NULL;
	int r = lea_vg_parse(arena, row->text, strlen(row->text), &why, &vg);

	if (row->complaint) {
		ck_assert_msg(r == LEA_VG_REFUSED, "%s", row->claim);
		ck_assert_str_eq(why.what, row->complaint);
		return;
	}
	ck_assert_msg(r == 0, "%s: %s at %d", row->claim, why.what, (int)why.at);
	ck_assert_msg(!vg->delegate_reason == !row->reason, "%s: %s", row->claim,
		      vg->delegate_reason);
	if (row->reason)
		ck_assert_str_eq(vg->delegate_reason, row->reason);
}
