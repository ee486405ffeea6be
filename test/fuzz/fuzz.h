/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzz target is one function over some bytes. libFuzzer calls it with bytes of its own making
 * (make fuzz-programs), replay.c with every file of a corpus (make check). What must hold whatever
 * the bytes are stands in it as CLAIM()s; the rest is the sanitizers' business.
 */
#ifndef LEA_TEST_FUZZ_FUZZ_H
#define LEA_TEST_FUZZ_FUZZ_H

#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name is libFuzzer's. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLAIM(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fuzz_broken(#condition, __FILE__, __LINE__);                               \
	} while (0)
_Noreturn void fuzz_broken(const char *claim, const char *file, int line);

/* Bytes not yet used. Zeros when there are no more. */
struct fuzz_in {
	const uint8_t *at;
	size_t left;
};
uint8_t fuzz_u8(struct fuzz_in *in);
uint32_t fuzz_u32(struct fuzz_in *in);
uint64_t fuzz_u64(struct fuzz_in *in);
/* Up to the next @end, which is left out; owned, in a block without a byte more than it needs. */
char *fuzz_text_to(struct fuzz_in *in, char end);
/* All that is left, the same way, cut at the first NUL. */
char *fuzz_rest(struct fuzz_in *in);

/* Printable ASCII and nothing else? */
bool fuzz_is_plain(const char *text);

/*
 * A folder in memory that stands for / as long as the program runs. Its log checks every line:
 * none has a control character in it.
 */
struct lea_world *fuzz_world(void);
/* A file below it, opened to be filled; folders on the way are made. */
int fuzz_file(const char *path);
/* The file has these bytes and no others. */
void fuzz_fill(int fd, const void *bytes, size_t size);
/* How many names a folder below it has, without "." and "..". */
unsigned int fuzz_count(const char *path);
void fuzz_remove(const char *path);

/* Where LVM's text begins, for the mutations of mutate.c; in every target that has text. */
extern const size_t fuzz_text_at;

#endif
