/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the machine offers, opened once in main and handed to everybody: folders as descriptors,
 * ioctls and time as tables of functions. In tests a scratch tree with sparse files as disks.
 */
#ifndef LEA_WORLD_WORLD_H
#define LEA_WORLD_WORLD_H

#include "base/err.h"
#include "base/log.h"

struct lea_dm;

struct lea_clock {
	uint64_t (*now_ms)(struct lea_clock *clock); /* monotonic */
	void (*sleep_ms)(struct lea_clock *clock, uint64_t ms);
};

/*
 * Paths are relative to these, so that nothing can escape a test tree. A descriptor is opened at
 * its first use through the functions below: an event that needs only /run opens only /run.
 */
struct lea_world {
	const char *root;    /* "" on a real machine, a folder in tests; borrowed */
	const char *run_dir; /* "/run/lvm"; lock folder and dev folder come from lea_conf */
	int run_fd, dev_fd, sys_fd, proc_fd; /* owned; -1 until used */
	struct lea_dm *dm;		     /* owned; NULL until used: kernel or fake */
	struct lea_clock *clock;	     /* borrowed; kernel or fake */
	struct lea_log *log;		     /* borrowed */
	char *const *environ_; /* borrowed: the environment main got; lib never calls getenv */
	const char *dev_dir; /* "/dev"; main sets it to lea_conf's before the first use; borrowed */
};

/* @root: "" or a folder that stands for /. Opens nothing. */
void lea_world_init(struct lea_world *world, const char *root, struct lea_log *log,
		    char *const *environ_);
void lea_world_done(struct lea_world *world);

/* Descriptor (borrowed) of the folder, opened at the first call; -errno. run is created 0700. */
LEA_MUST_CHECK int lea_world_run(struct lea_world *world);
LEA_MUST_CHECK int lea_world_dev(struct lea_world *world);
LEA_MUST_CHECK int lea_world_sys(struct lea_world *world);
LEA_MUST_CHECK int lea_world_proc(struct lea_world *world);

/* @path below the root, for what has no descriptor of its own; owned (free), NULL: no memory. */
LEA_MUST_CHECK char *lea_world_path(const struct lea_world *world, const char *path);

/* Value of NAME in the environment, NULL when it is not there. Borrowed. */
const char *lea_world_env(const struct lea_world *world, const char *name);

#endif
