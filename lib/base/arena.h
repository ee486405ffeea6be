/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that only grows and is freed in one call. A VG and everything that belongs to it lives in
 * one arena.
 */
#pragma once

#include "base/cleanup.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct lea_arena;

/*
 * lea_arena_new - an empty arena
 * @max_bytes: limit on the sum of all allocations; it bounds what hostile metadata can use
 * Returns NULL when out of memory. The caller frees the arena with lea_arena_free (NULL is fine).
 */
LEA_MUST_CHECK struct lea_arena *lea_arena_new(size_t max_bytes);
void lea_arena_free(struct lea_arena *arena);
LEA_DEFINE_FREEP(struct lea_arena, lea_arena_freep, lea_arena_free);

/* Zeroed memory, aligned for any type, owned by the arena. NULL beyond the limit or out of
 * memory. */
LEA_MUST_CHECK void *lea_arena_alloc(struct lea_arena *arena, size_t count, size_t size);

/* As lea_make_room, for an array of the arena; what it was in before is freed with the arena. */
LEA_MUST_CHECK int lea_arena_make_room(struct lea_arena *arena, void *pointer_to_pointer,
				       size_t *room, size_t count, size_t size);

/* Bytes taken from malloc so far. */
size_t lea_arena_bytes(const struct lea_arena *arena);

/* Did an allocation fail because of the limit? If not, a NULL meant that memory ran out. */
bool lea_arena_is_full(const struct lea_arena *arena);

/* NUL-terminated copies, owned by the arena; NULL as lea_arena_alloc. */
LEA_MUST_CHECK char *lea_arena_strdup(struct lea_arena *arena, const char *s);
LEA_MUST_CHECK char *lea_arena_printf(struct lea_arena *arena, const char *format, ...)
	LEA_PRINTF(2, 3);
