/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds by an id or a name what lvmevent explain has gathered, without a walk. */
#pragma once

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct lea_index_row {
	const char *key; /* borrowed */
	void *value;	 /* borrowed */
	const void *of;	 /* what the value belongs to; borrowed; NULL: nothing */
	size_t number;	 /* rows with the same key stay in this order */
};

/* Zeroed: empty. Rows are added first, then sorted once, then found. */
struct lea_index {
	struct lea_index_row *row; /* [count]; owned, see lea_index_done */
	size_t count, room;
};

/* 0 or -ENOMEM. */
LEA_MUST_CHECK int lea_index_add(struct lea_index *index, const char *key, void *value,
				 const void *of);
void lea_index_sort(struct lea_index *index);
void lea_index_done(struct lea_index *index);

/* The rows with this key: the first one (borrowed), and how many; NULL and 0: none. */
const struct lea_index_row *lea_index_find(const struct lea_index *index, const char *key,
					   size_t *ret_count);
