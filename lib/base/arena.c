/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of blocks; allocations fill the newest one from its start. Blocks double in size, so that
 * n bytes cost O(log n) calls of malloc.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BLOCK_BYTES 512U /* most VGs are small, and there may be thousands of them */
#define MAX_BLOCK_BYTES	  (1024U * 1024U)

struct block {
	struct block *next;
	size_t size_bytes, used_bytes;
	_Alignas(max_align_t) unsigned char bytes[];
};

struct lea_arena {
	struct block *newest;
	size_t left_bytes, next_block_bytes, has_bytes;
	bool is_full;
};

struct lea_arena *lea_arena_new(size_t max_bytes)
{
	struct lea_arena *arena = calloc(1, sizeof(*arena));

	if (arena) {
		arena->left_bytes = max_bytes;
		arena->next_block_bytes = FIRST_BLOCK_BYTES;
	}
	return arena;
}

void lea_arena_free(struct lea_arena *arena)
{
	struct block *next;

	if (!arena)
		return;
	for (struct block *block = arena->newest; block; block = next) {
		next = block->next;
		free(block);
	}
	free(arena);
}

size_t lea_arena_bytes(const struct lea_arena *arena)
{
	return arena->has_bytes;
}

static struct block *block_with_room(struct lea_arena *arena, size_t need)
{
	struct block *block = arena->newest;
	size_t size;

	if (block && block->size_bytes - block->used_bytes >= need)
		return block;
	size = need > arena->next_block_bytes ? need : arena->next_block_bytes;
	block = calloc(1, sizeof(*block) + size);
	if (!block)
		return NULL;
	block->size_bytes = size;
	block->next = arena->newest;
	arena->newest = block;
	arena->has_bytes += sizeof(*block) + size;
	if (arena->next_block_bytes < MAX_BLOCK_BYTES)
		arena->next_block_bytes *= 2;
	return block;
}

void *lea_arena_alloc(struct lea_arena *arena, size_t count, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	struct block *block;
	size_t bytes;
	void *memory;

	if (__builtin_mul_overflow(count, size, &bytes) ||
	    __builtin_add_overflow(bytes, align - 1, &bytes))
		return NULL;
	bytes &= ~(align - 1);
	if (bytes > arena->left_bytes) {
		arena->is_full = true;
		return NULL;
	}
	block = block_with_room(arena, bytes);
	if (!block)
		return NULL;
	memory = block->bytes + block->used_bytes;
	block->used_bytes += bytes;
	arena->left_bytes -= bytes;
	return memory;
}

bool lea_arena_is_full(const struct lea_arena *arena)
{
	return arena->is_full;
}

int lea_arena_make_room(struct lea_arena *arena, void *pointer_to_pointer, size_t *room,
			size_t count, size_t size)
{
	const size_t more = 2 * count + 16;
	void *old, *array;

	if (count <= *room)
		return 0;
	array = lea_arena_alloc(arena, more, size);
	if (!array)
		return -ENOMEM;
	memcpy(&old, pointer_to_pointer, sizeof(old));
	if (*room)
		memcpy(array, old, *room * size);
	memcpy(pointer_to_pointer, &array, sizeof(array));
	*room = more;
	return 0;
}

char *lea_arena_strdup(struct lea_arena *arena, const char *s)
{
	size_t bytes = strlen(s) + 1;
	char *copy = lea_arena_alloc(arena, bytes, 1);

	return copy ? memcpy(copy, s, bytes) : NULL;
}

char *lea_arena_printf(struct lea_arena *arena, const char *format, ...)
{
	va_list args, again;
	char *text = NULL;
	int length;

	va_start(args, format);
	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (length >= 0)
		text = lea_arena_alloc(arena, (size_t)length + 1, 1);
	if (text)
		vsnprintf(text, (size_t)length + 1, format, again);
	va_end(again);
	return text;
}
