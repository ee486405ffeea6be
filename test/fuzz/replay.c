/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FUZZ-TARGET FILE|FOLDER...: runs the target on each input, once on the whole input and once on
 * each of a few truncated forms. A file NAME.pack holds the inputs of a corpus; any other file is
 * one input. A crash, which the sanitizers or a claim may cause, is a failure.
 *
 * A pack (created by test/fuzz/corpus) is the number of its inputs, then each input after its size;
 * numbers are 32 bits, little-endian. A pack that is truncated, has bytes after its last input, or
 * has no input fails.
 */
#include "base/bytes.h"
#include "fuzz/fuzz.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CUTS 8U

static unsigned int count;

static uint8_t *read_file(const char *path, size_t *ret_size)
{
	FILE *in = fopen(path, "r");
	struct stat st;
	uint8_t *bytes;

	if (!in || fstat(fileno(in), &st))
		return NULL;
	bytes = malloc((size_t)st.st_size + 1);
	*ret_size = bytes ? fread(bytes, 1, (size_t)st.st_size, in) : 0;
	fclose(in);
	return bytes;
}

/* In a block of exactly this size, so that the sanitizers notice a read beyond it. */
static void run(const uint8_t *bytes, size_t size)
{
	uint8_t *own = malloc(size ? size : 1);

	if (!own)
		abort();
	for (size_t i = 0; i < size; i++)
		own[i] = bytes[i];
	LLVMFuzzerTestOneInput(own, size);
	free(own);
}

static void run_input(const uint8_t *bytes, size_t size)
{
	run(bytes, size);
	for (unsigned int i = 0; i < CUTS; i++)
		run(bytes, size * i / CUTS);
	count++;
}

/* Runs each input; false: the pack is not whole. */
static bool run_pack(const uint8_t *pack, size_t size)
{
	size_t at = 4;
	uint32_t inputs;

	if (size < at)
		return false;
	inputs = lea_le32(pack);
	for (uint32_t i = 0; i < inputs; i++) {
		uint32_t length;

		if (!lea_range_ok(at, 4, size))
			return false;
		length = lea_le32(pack + at);
		at += 4;
		if (!lea_range_ok(at, length, size))
			return false;
		run_input(pack + at, length);
		at += length;
	}
	return inputs && at == size;
}

static bool is_pack(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot && !strcmp(dot, ".pack");
}

static int run_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	uint8_t *bytes;
	size_t size;
	bool is_whole = true;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	bytes = read_file(path, &size);
	if (!bytes) {
		fprintf(stderr, "%s: cannot be read\n", path);
		return 1;
	}
	if (is_pack(path))
		is_whole = run_pack(bytes, size);
	else
		run_input(bytes, size);
	free(bytes);
	if (!is_whole)
		fprintf(stderr, "%s: the pack is damaged or empty\n", path);
	return is_whole ? 0 : 1;
}

int main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++)
		switch (nftw(argv[i], run_file, 8, FTW_PHYS)) {
		case 0:
			break;
		case -1:
			perror(argv[i]);
			return 1;
		default:
			return 1;
		}
	/* Not to stdout, which a target may have redirected. */
	fprintf(stderr, "%s: %u inputs\n", argv[0], count);
	/* A missing corpus proves nothing. */
	return count ? 0 : 1;
}
