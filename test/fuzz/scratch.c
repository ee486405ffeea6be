/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers for all targets: parts of the input, and a tree of files. */
#include "fuzz/fuzz.h"

#include "world/clock_kernel.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 256U

void fuzz_broken(const char *claim, const char *file, int line)
{
	fprintf(stderr, "%s:%d: it is not so that %s\n", file, line, claim);
	abort();
}

static void take(struct fuzz_in *in, void *to, size_t bytes)
{
	size_t there = in->left < bytes ? in->left : bytes;

	memset(to, 0, bytes);
	memcpy(to, in->at, there);
	in->at += there;
	in->left -= there;
}

uint8_t fuzz_u8(struct fuzz_in *in)
{
	uint8_t value;

	take(in, &value, sizeof(value));
	return value;
}

uint32_t fuzz_u32(struct fuzz_in *in)
{
	uint32_t value;

	take(in, &value, sizeof(value));
	return value;
}

uint64_t fuzz_u64(struct fuzz_in *in)
{
	uint64_t value;

	take(in, &value, sizeof(value));
	return value;
}

static char *copy(const uint8_t *bytes, size_t size)
{
	size_t len = size ? strnlen((const char *)bytes, size) : 0;
	char *text = malloc(len + 1);

	if (!text)
		abort();
	memcpy(text, bytes, len);
	text[len] = '\0';
	return text;
}

char *fuzz_text_to(struct fuzz_in *in, char end)
{
	const uint8_t *found = in->left ? memchr(in->at, end, in->left) : NULL;
	size_t len = found ? (size_t)(found - in->at) : in->left;
	char *text = copy(in->at, len);

	in->at += len + (found != NULL);
	in->left -= len + (found != NULL);
	return text;
}

char *fuzz_rest(struct fuzz_in *in)
{
	char *text = copy(in->at, in->left);

	in->at += in->left;
	in->left = 0;
	return text;
}

bool fuzz_is_plain(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/* ---- the tree */

static char root[64];
static struct lea_world world;
static char *const no_environment[] = {NULL};

static void check_line(struct lea_log *log, enum lea_log_level level, const char *line)
{
	(void)log;
	(void)level;
	for (; *line; line++)
		CLAIM((unsigned char)*line >= ' ' && *line != 0x7f);
}

static struct lea_log checking_log = {.write = check_line, .max_level = LEA_LOG_DEBUG};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_tree(void)
{
	lea_world_done(&world);
	nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

struct lea_world *fuzz_world(void)
{
	if (root[0])
		return &world;
	strcpy(root,
	       access("/dev/shm", W_OK) ? "/tmp/lea-fuzz-XXXXXX" : "/dev/shm/lea-fuzz-XXXXXX");
	CLAIM(mkdtemp(root));
	lea_world_init(&world, root, &checking_log, no_environment);
	world.clock = lea_clock_kernel();
	atexit(remove_tree);
	return &world;
}

static void full_path(const char *path, char full[static PATH_BYTES])
{
	fuzz_world();
	CLAIM(snprintf(full, PATH_BYTES, "%s%s", root, path) < (int)PATH_BYTES);
}

int fuzz_file(const char *path)
{
	char full[PATH_BYTES];
	int fd;

	full_path(path, full);
	for (char *p = strchr(full + strlen(root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0700);
		*p = '/';
	}
	fd = open(full, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	CLAIM(fd >= 0);
	return fd;
}

void fuzz_fill(int fd, const void *bytes, size_t size)
{
	CLAIM(!ftruncate(fd, (off_t)size));
	CLAIM(!size || pwrite(fd, bytes, size, 0) == (ssize_t)size);
}

unsigned int fuzz_count(const char *path)
{
	char full[PATH_BYTES];
	unsigned int count = 0;
	DIR *dir;

	full_path(path, full);
	dir = opendir(full);
	if (!dir)
		return 0;
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

void fuzz_remove(const char *path)
{
	char full[PATH_BYTES];

	full_path(path, full);
	remove(full);
}
