/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that only grows and is freed at once. A VG and all that hangs on it lives in one.
 */
#ifndef LEA_BASE_ARENA_H
#define LEA_BASE_ARENA_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct lea_arena;

/*
 * lea_arena_new - an empty arena
 * @max_bytes: allocation fails with NULL beyond this sum: a hostile text can't make us grow further
 * Returns NULL when memory is out. Freed by lea_arena_free, which takes NULL.
 */
LEA_MUST_CHECK struct lea_arena *lea_arena_new(size_t max_bytes);
void lea_arena_free(struct lea_arena *arena);
void lea_arena_freep(struct lea_arena **arena);

/* Zeroed memory, aligned for any type; NULL beyond the limit. Borrowed from the arena. */
LEA_MUST_CHECK void *lea_arena_alloc(struct lea_arena *arena, size_t count, size_t size);

/* Memory that it has, in bytes. */
size_t lea_arena_bytes(const struct lea_arena *arena);

/* Was something refused because of the limit? Then it was too much, and not memory that was out. */
bool lea_arena_is_full(const struct lea_arena *arena);

/* Copies, NUL-terminated; NULL beyond the limit. */
LEA_MUST_CHECK char *lea_arena_strdup(struct lea_arena *arena, const char *s);
LEA_MUST_CHECK char *lea_arena_printf(struct lea_arena *arena, const char *format, ...)
	LEA_PRINTF(2, 3);

#endif
