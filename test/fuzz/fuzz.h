/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzz target is one function of some bytes. libFuzzer calls it with bytes that it makes up (make
 * fuzz-programs), replay.c with every input of a corpus (make check). The function states by
 * CLAIM() what must hold for any bytes; the sanitizers check the rest.
 */
#pragma once

#include "world/world.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libFuzzer prescribes the name. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CLAIM(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fuzz_broken(#condition, __FILE__, __LINE__);                               \
	} while (0)
_Noreturn void fuzz_broken(const char *claim, const char *file, int line);

/* Bytes not used yet; zeros when there are no more. */
struct fuzz_in {
	const uint8_t *at;
	size_t left;
};
uint8_t fuzz_u8(struct fuzz_in *in);
uint32_t fuzz_u32(struct fuzz_in *in);
uint64_t fuzz_u64(struct fuzz_in *in);
/* The text before the next @end; owned, in a block without a spare byte. */
char *fuzz_text_to(struct fuzz_in *in, char end);
/* The remaining bytes up to the first NUL, as text; owned, in a block without a spare byte. */
char *fuzz_rest(struct fuzz_in *in);

/* Is it printable ASCII only? */
bool fuzz_is_plain(const char *text);

/*
 * A world with a folder in memory as /, kept while the program runs. Its log checks that no message
 * contains a control character.
 */
struct lea_world *fuzz_world(void);
/* Opens a file in that folder for writing; creates missing folders. */
int fuzz_file(const char *path);
/* Makes these bytes the whole content of the file. */
void fuzz_fill(int fd, const void *bytes, size_t size);
/* Number of names in a folder there, without "." and "..". */
unsigned int fuzz_count(const char *path);
void fuzz_remove(const char *path);

/* Where LVM's text begins, for the mutations of mutate.c; defined by each target that has text. */
extern const size_t fuzz_text_at;
