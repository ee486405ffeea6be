/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's interfaces, opened once in main and passed to all modules: folders as descriptors,
 * ioctls and time as tables of functions. Tests use a scratch tree with sparse files as disks.
 */
#pragma once

#include "base/err.h"
#include "base/log.h"

struct lea_dm;
struct lea_udev;
struct lea_manager;
struct lea_ring;

struct lea_clock {
	uint64_t (*now_ms)(struct lea_clock *clock); /* monotonic */
	void (*sleep_ms)(struct lea_clock *clock, uint64_t ms);
};

/*
 * Paths are relative to these folders, so that nothing escapes a test tree. The functions below
 * open a descriptor at first use: an event that needs only /run opens only /run.
 */
struct lea_world {
	const char *root;    /* "" on a real machine, a folder in tests; borrowed */
	const char *run_dir; /* "/run/lvm"; lock and dev folders come from lea_conf */
	int run_fd, dev_fd, sys_fd, proc_fd; /* owned; -1 until used */
	struct lea_dm *dm;		     /* owned; NULL until used: kernel or fake */
	struct lea_clock *clock;	     /* borrowed; kernel or fake */
	const struct lea_udev *udev;	     /* NULL: no udev, as in a scratch tree */
	const struct lea_manager *manager;   /* NULL: no process 1 that can be asked */
	struct lea_ring *timeline; /* mapped; NULL: nothing is noted (lea_timeline_open) */
	uint32_t timeline_pid;	   /* of this process: getpid() is a system call */
	struct lea_step_now *step; /* shared with who waits for this process; NULL: nobody does */
	struct lea_log *log;	   /* borrowed */
	/* Opens a device in place of lea_blockdev_open; NULL: lea_blockdev_open does it itself. */
	int (*open_device)(struct lea_world *world, const char *path, uint32_t major,
			   uint32_t minor);
	char *const *environ_; /* borrowed: the environment of main; lib never calls getenv */
	const char *dev_dir;   /* "/dev"; main sets it from lea_conf before first use; borrowed */
};

/* @root: "" or a folder that replaces /. Opens nothing. */
void lea_world_init(struct lea_world *world, const char *root, struct lea_log *log,
		    char *const *environ_);
/* Closes the descriptors, unmaps the timeline and frees the dm. */
void lea_world_done(struct lea_world *world);
/* In a child that may hang: lea_proc_detach, and a world without open descriptors. */
void lea_world_detach(struct lea_world *world, int keep_fd);

/* In a child that goes on working with this world: lea_proc_keep with its folders and @keep_fd. */
void lea_world_keep(const struct lea_world *world, int keep_fd);

/* By its clock: monotonic. */
static inline uint64_t lea_world_now_ms(const struct lea_world *world)
{
	return world->clock->now_ms(world->clock);
}

/* The folder's descriptor (borrowed), opened at the first call, or -errno. run is created with mode
 * 0700; -EPERM (logged): other users can write to it. */
LEA_MUST_CHECK int lea_world_run(struct lea_world *world);
LEA_MUST_CHECK int lea_world_dev(struct lea_world *world);
LEA_MUST_CHECK int lea_world_sys(struct lea_world *world);
LEA_MUST_CHECK int lea_world_proc(struct lea_world *world);

/* @path below the root, for files without a descriptor of their own; owned (free), NULL: out of
 * memory. */
LEA_MUST_CHECK char *lea_world_path(const struct lea_world *world, const char *path);

/* Opens an existing folder below the root: a descriptor (owned) or -errno. No symbolic link. */
LEA_MUST_CHECK int lea_world_folder(const struct lea_world *world, const char *path);

#define LEA_BOOT_ID_BYTES 64U
/* The id of this boot, as the kernel writes it. Returns 0 or -errno. */
LEA_MUST_CHECK int lea_world_boot_id(struct lea_world *world,
				     char ret_boot[static LEA_BOOT_ID_BYTES]);

/* Value of NAME in the environment; NULL: not set. Borrowed. */
const char *lea_world_env(const struct lea_world *world, const char *name);
