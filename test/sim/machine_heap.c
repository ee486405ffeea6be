/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The heap of the virtual processes: what they leave when they are killed goes with the history.
 * Blocks are given out one behind the other, and those that were freed are given out again by size.
 */
#include "sim/machine_private.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HEAP_BYTES  ((size_t)3 << 30)
#define HEAD	    32U
#define CLASS_BYTES 32U
#define CLASSES	    4096U

struct head {
	size_t bytes;
	struct head *next;
	bool is_free;
};

bool sim_heap_is_on;

static char *heap;
static size_t top, most;
static struct head *freed[CLASSES];

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);
void __libc_free(void *old);

int sim_heap_begin(void)
{
	if (heap)
		return 0;
	heap = mmap(NULL, HEAP_BYTES, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (heap == MAP_FAILED) {
		heap = NULL;
		return -errno;
	}
	return 0;
}

void sim_heap_reset(void)
{
	/* What a long history has touched is given back. */
	if (top > ((size_t)64 << 20))
		madvise(heap + ((size_t)64 << 20), top - ((size_t)64 << 20), MADV_DONTNEED);
	memset(freed, 0, sizeof(freed));
	top = most = 0;
}

size_t sim_heap_used(void)
{
	return top;
}

static bool is_ours(const void *block)
{
	return heap && (const char *)block >= heap && (const char *)block < heap + HEAP_BYTES;
}

static void *take(size_t bytes)
{
	const size_t size = (bytes + CLASS_BYTES - 1) / CLASS_BYTES * CLASS_BYTES;
	struct head **first = size / CLASS_BYTES < CLASSES ? &freed[size / CLASS_BYTES] : NULL;
	struct head *head;

	if (sim_strikes_memory())
		return NULL;
	if (first && *first) {
		head = *first;
		*first = head->next;
		head->is_free = false;
		return (char *)head + HEAD;
	}
	if (top + size + HEAD > HEAP_BYTES) {
		errno = ENOMEM;
		return NULL;
	}
	head = (struct head *)(void *)(heap + top);
	top += size + HEAD;
	head->bytes = size;
	head->is_free = false;
	return (char *)head + HEAD;
}

static void give(void *block)
{
	struct head *head = (struct head *)(void *)((char *)block - HEAD);

	/* As malloc(3) of libc does. */
	if (head->is_free)
		abort();
	if ((sim.now && sim.now->main->keeps) || head->bytes / CLASS_BYTES >= CLASSES)
		return;
	head->is_free = true;
	head->next = freed[head->bytes / CLASS_BYTES];
	freed[head->bytes / CLASS_BYTES] = head;
}

void *malloc(size_t bytes)
{
	return sim_heap_is_on ? take(bytes) : __libc_malloc(bytes);
}

void *sim_heap_take(size_t bytes)
{
	const uint32_t shorts = sim_shorts;
	void *block;

	/* Not calloc(), of which the compiler knows that it reads no variable. */
	sim_shorts = 0;
	block = sim_heap_is_on ? take(bytes) : __libc_malloc(bytes);
	sim_shorts = shorts;
	if (!block)
		abort();
	return memset(block, 0, bytes);
}

void free(void *block)
{
	if (!block)
		return;
	if (is_ours(block))
		give(block);
	else
		__libc_free(block);
}

void *calloc(size_t count, size_t bytes)
{
	size_t all;
	void *block;

	if (!sim_heap_is_on)
		return __libc_calloc(count, bytes);
	if (__builtin_mul_overflow(count, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	block = take(all);
	return block ? memset(block, 0, all) : NULL;
}

void *realloc(void *old, size_t bytes)
{
	size_t had;
	void *block;

	if (!old)
		return malloc(bytes);
	if (!is_ours(old))
		return __libc_realloc(old, bytes);
	had = ((struct head *)(void *)((char *)old - HEAD))->bytes;
	if (bytes <= had)
		return old;
	block = malloc(bytes);
	if (!block)
		return NULL;
	memcpy(block, old, had);
	free(old);
	return block;
}

void *memalign(size_t align, size_t bytes)
{
	if (!sim_heap_is_on)
		return __libc_memalign(align, bytes);
	/* Its head would not be in front of the block: such blocks come from libc. */
	return __libc_memalign(align, bytes);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	return memalign(align, bytes);
}

int posix_memalign(void **ret, size_t align, size_t bytes)
{
	void *block = memalign(align, bytes);

	if (!block)
		return ENOMEM;
	*ret = block;
	return 0;
}

size_t malloc_usable_size(void *block)
{
	return is_ours(block) ? ((struct head *)(void *)((char *)block - HEAD))->bytes : 0;
}

/* The machine's own heap stays as it is. */
int malloc_trim(size_t pad)
{
	(void)pad;
	return 0;
}
