/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake/tree.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_BYTES 512

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

const char *folder_place = "/tmp";

int folder_new(char path[static FOLDER_BYTES])
{
	int fd;

	snprintf(path, FOLDER_BYTES, "%s/lea-test-XXXXXX", folder_place);
	ck_assert_ptr_nonnull(mkdtemp(path));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	return fd;
}

/* A child that the code under test has left may still write to it. */
void folder_remove(const char *path, int fd)
{
	int tries = 0;

	close(fd);
	while (nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS) && access(path, F_OK) == 0) {
		ck_assert_msg(tries++ < 600, "%s: %s", path, strerror(errno));
		usleep(50000);
	}
}

static void keep(struct lea_log *log, enum lea_log_level level, const char *line)
{
	struct tree *tree = container_of(log, struct tree, log);
	size_t used = strlen(tree->logged);

	(void)level;
	snprintf(tree->logged + used, sizeof(tree->logged) - used, "%s\n", line);
}

void tree_init(struct tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	close(folder_new(tree->root));
	tree->log = (struct lea_log){.write = keep, .max_level = LEA_LOG_DEBUG};
	lea_world_init(&tree->world, tree->root, &tree->log, tree->environ_);
}

void tree_done(struct tree *tree)
{
	lea_world_done(&tree->world);
	for (unsigned int i = 0; i < tree->environ_count; i++)
		free(tree->environ_[i]);
	folder_remove(tree->root, -1);
}

static void full_path(struct tree *tree, const char *path, char full[static PATH_BYTES])
{
	ck_assert_int_lt(snprintf(full, PATH_BYTES, "%s%s", tree->root, path), PATH_BYTES);
	for (char *p = strchr(full + strlen(tree->root) + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
}

void tree_put_bytes(struct tree *tree, const char *path, const void *bytes, size_t len_bytes)
{
	char full[PATH_BYTES];
	int fd;

	full_path(tree, path, full);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, bytes, len_bytes), (ssize_t)len_bytes);
	close(fd);
}

void tree_put(struct tree *tree, const char *path, const char *text)
{
	tree_put_bytes(tree, path, text, strlen(text));
}

void tree_put_program(struct tree *tree, const char *path, const char *text)
{
	char full[PATH_BYTES];

	tree_put(tree, path, text);
	full_path(tree, path, full);
	ck_assert_int_eq(chmod(full, 0755), 0);
}

void tree_put_process(struct tree *tree, pid_t pid, const char *command, char state,
		      unsigned int start_ticks)
{
	char path[64], text[128];

	snprintf(path, sizeof(path), "/proc/%ld/stat", (long)pid);
	snprintf(text, sizeof(text),
		 "%ld (%s) %c 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %u 0 0\n", (long)pid, command,
		 state, start_ticks);
	tree_put(tree, path, text);
}

void tree_mkdir(struct tree *tree, const char *path)
{
	char full[PATH_BYTES];

	full_path(tree, path, full);
	ck_assert_int_eq(mkdir(full, 0755), 0);
}

void tree_link(struct tree *tree, const char *path, const char *target)
{
	char full[PATH_BYTES];

	full_path(tree, path, full);
	ck_assert_int_eq(symlink(target, full), 0);
}

void tree_remove(struct tree *tree, const char *path)
{
	char full[PATH_BYTES];

	full_path(tree, path, full);
	ck_assert_int_eq(remove(full), 0);
}

void tree_env(struct tree *tree, const char *entry)
{
	ck_assert_uint_lt(tree->environ_count, 7);
	tree->environ_[tree->environ_count] = strdup(entry);
	ck_assert_ptr_nonnull(tree->environ_[tree->environ_count++]);
}
