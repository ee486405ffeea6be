/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratch folders of tests: a plain one, and one that replaces / and has a log that keeps its
 * lines.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/log.h"
#include "world/world.h"

#define FOLDER_BYTES   32
#define TREE_LOG_BYTES 65536

/* Where folders are made: "/tmp", or another short path. */
extern const char *folder_place;

/* Creates an empty folder, sets its path and returns its descriptor, for folder_remove(). */
int folder_new(char path[static FOLDER_BYTES]);
/* Closes the folder and removes it, if it is there, with all that is in it. */
void folder_remove(const char *path, int fd);

struct tree {
	char root[FOLDER_BYTES];
	struct lea_world world; /* rooted in the tree */
	struct lea_log log;	/* all levels; each line ends in "\n" */
	char logged[TREE_LOG_BYTES];
	char *environ_[8];
	unsigned int environ_count;
};

void tree_init(struct tree *tree);
void tree_done(struct tree *tree);
/* Creates a file and its parent folders. @path: "/sys/dev/block/8:0/size" */
void tree_put(struct tree *tree, const char *path, const char *text);
/* The same, executable. */
void tree_put_program(struct tree *tree, const char *path, const char *text);
void tree_put_bytes(struct tree *tree, const char *path, const void *bytes, size_t len_bytes);
/* /proc/PID/stat of a process. The owner of a claim, for one, must appear to be alive. */
void tree_put_process(struct tree *tree, pid_t pid, const char *command, char state,
		      unsigned int start_ticks);
void tree_mkdir(struct tree *tree, const char *path);
void tree_link(struct tree *tree, const char *path, const char *target);
void tree_remove(struct tree *tree, const char *path);
/* Adds "NAME=value" to the environment that lea_world_env reads. */
void tree_env(struct tree *tree, const char *entry);
