/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
/* Shared by need.c and need_text.c, for no other file. */
#pragma once

#include "base/arena.h"
#include "memory/need.h"

#define LEA_NEED_VALUE_CHARS 255U

struct lea_need_list {
	struct lea_needs needs;
	struct lea_arena *arena; /* holds this struct */
	struct lea_need need[LEA_NEED_MOST];
	const char *word[LEA_NEED_MOST], *last[LEA_NEED_MOST];
};

/* Adds a need (copied) unless it is there; then the lower of both limits counts. 0, -EINVAL (not a
 * valid word), -E2BIG (too many), or -ENOMEM. */
LEA_MUST_CHECK int lea_need_list_add(struct lea_need_list *list, const struct lea_need *added);

/* Is it "vg", "vg/lv" or "@tag", with valid names? */
bool lea_need_is_word(const char *word);
