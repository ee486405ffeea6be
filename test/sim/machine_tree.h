/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tree of files, in memory (machine_tree.c). What can fail returns -1 or NULL, and sets errno.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

struct sim_inode;

/* What open() makes; all descriptors that were copied from one have it together. */
struct sim_file {
	struct sim_inode *inode, *folder;
	char name[NAME_MAX + 1]; /* in the folder, when it was opened */
	size_t at;
	int flags, lock;
};

/* Paths begin at @from; a leading slash means nothing. */
struct sim_inode *sim_tree_root(void);
struct sim_inode *sim_tree_find(struct sim_inode *from, const char *path, bool follows);
/* A folder, an empty file, or a link with its target. */
int sim_tree_make(struct sim_inode *from, const char *path, mode_t mode, const char *target);
int sim_tree_link(struct sim_inode *inode, struct sim_inode *to, const char *path);
int sim_tree_remove(struct sim_inode *from, const char *path, bool is_folder);
int sim_tree_exchange(struct sim_inode *from, const char *path, struct sim_inode *to,
		      const char *to_path);
int sim_tree_rename(struct sim_inode *from, const char *path, struct sim_inode *to,
		    const char *to_path, bool replaces);
void sim_tree_clear(struct sim_inode *folder); /* all below it */
void sim_tree_stat(const struct sim_inode *inode, struct stat *ret);
mode_t sim_tree_mode(const struct sim_inode *inode);
void sim_tree_set_mode(struct sim_inode *inode, mode_t mode);
void sim_tree_set_time(struct sim_inode *inode, time_t seconds);
/* NULL: to that of now. */
/* The newest stamp: no clock is before it. */
struct timespec sim_tree_last_stamp(void);
void sim_tree_set_stamp(struct sim_inode *inode, const struct timespec *stamp);
ssize_t sim_tree_target(const struct sim_inode *inode, char *target, size_t bytes);
void sim_tree_each(struct sim_inode *folder,
		   void (*see)(void *arg, const char *name, bool is_folder), void *arg);

struct sim_file *sim_tree_open(struct sim_inode *from, const char *path, int flags, mode_t mode);
void sim_file_close(struct sim_file *file);
void sim_tree_resize(struct sim_inode *inode, size_t size);
ssize_t sim_tree_read(const struct sim_inode *inode, void *bytes, size_t length, size_t at);
ssize_t sim_tree_write(struct sim_inode *inode, const void *bytes, size_t length, size_t at);
void *sim_tree_map(struct sim_inode *inode);
int sim_file_lock(struct sim_file *file, int operation); /* as flock() that does not block */
ssize_t sim_file_list(struct sim_file *file, char *bytes, size_t room); /* as getdents64() */

/* ---- inotify */
#define SIM_WATCHED 8U
struct sim_watch {
	struct sim_watch *next;
	struct {
		const struct sim_inode *inode;
		uint32_t mask;
	} on[SIM_WATCHED];
	char *events;		 /* as read() gives them */
	size_t used, room, last; /* @last: where the last one begins */
};
struct sim_watch *sim_watch_new(void);
void sim_watch_end(struct sim_watch *watch);
int sim_watch_add(struct sim_watch *watch, struct sim_inode *inode, uint32_t mask);
ssize_t sim_watch_read(struct sim_watch *watch, char *bytes, size_t room);
