/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scratch folder that stands for / in tests, and a log that keeps its lines. */
#ifndef LEA_TEST_FAKE_TREE_H
#define LEA_TEST_FAKE_TREE_H

#include <stddef.h>

#include "base/log.h"
#include "world/world.h"

#define TREE_LOG_BYTES 4096

struct tree {
	char root[64];
	struct lea_world world; /* rooted in the tree */
	struct lea_log log;	/* every level, one line each, "\n" behind */
	char logged[TREE_LOG_BYTES];
	char *environ_[8];
	unsigned int environ_count;
};

void tree_init(struct tree *tree);
void tree_done(struct tree *tree);
/* Makes the folders on the way. @path: "/sys/dev/block/8:0/size" */
void tree_put(struct tree *tree, const char *path, const char *text);
void tree_put_bytes(struct tree *tree, const char *path, const void *bytes, size_t len_bytes);
void tree_mkdir(struct tree *tree, const char *path);
void tree_link(struct tree *tree, const char *path, const char *target);
void tree_remove(struct tree *tree, const char *path);
/* "NAME=value": what lea_world_env sees. */
void tree_env(struct tree *tree, const char *entry);

#endif
