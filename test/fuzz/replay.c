/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * FUZZ-TARGET FILE|FOLDER...: the target over each file, once whole and once in each of a few cut
 * forms. The compiler's own sanitizers and the target's claims decide; a crash is a failure.
 */
#include "fuzz/fuzz.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
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

/* In a block of its own size: a byte beyond it would be seen. */
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

static int run_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	uint8_t *bytes;
	size_t size;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	bytes = read_file(path, &size);
	if (!bytes) {
		fprintf(stderr, "%s: can't be read\n", path);
		return 1;
	}
	run(bytes, size);
	for (unsigned int i = 0; i < CUTS; i++)
		run(bytes, size * i / CUTS);
	free(bytes);
	count++;
	return 0;
}

int main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++)
		if (nftw(argv[i], run_file, 8, FTW_PHYS))
			return 1;
	printf("%s: %u inputs\n", argv[0], count);
	/* A corpus that is not there proves nothing. */
	return count ? 0 : 1;
}
