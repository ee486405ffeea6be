/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/remember.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "daemon/boot_memory_collect.h"
#include "daemon/udev_wait.h"
#include "memory/boot_memory_file.h"
#include "memory/need_memory.h"
#include "memory/needs_read.h"
#include "memory/timeline_file.h"
#include "world/mounts.h"

#define BUSY_MS	       2000   /* pause while udev is busy */
#define PAUSE_LEAST_MS 15000U /* between two looks; doubled while there are changes */
#define PAUSE_MOST_MS  (5U * 60U * 1000U)

enum outcome {
	NOTHING = 1, /* there is nothing new */
};

static int write_memory(struct lea_world *world, const struct lea_conf *conf,
			struct lea_arena *arena, const struct lea_boot_memory *before,
			const char *machine, const char *boot)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	struct lea_boot_memory memory = {0};
	int r = lea_needs_read(world, conf, &needs);

	r = r ? r : lea_boot_memory_collect(world, arena, before, machine, boot, &memory);
	/* If they are too many, those that are needed are remembered. */
	r = r ? r : lea_need_remembered(needs, &memory);
	if (r || (!memory.vg_count && !before->vg_count))
		return r ? r : NOTHING;
	r = lea_boot_memory_write(world, &memory);
	return r > 0 ? NOTHING : r;
}

/* Returns 0, NOTHING or -errno. */
static int remember(struct lea_world *world, const struct lea_conf *conf)
{
	LEA_AUTO(lea_arena_freep)
	struct lea_arena *arena = lea_arena_new((size_t)4 * LEA_BOOT_MEMORY_ARENA_BYTES);
	char machine[LEA_BOOT_MEMORY_ID_BYTES], boot[LEA_BOOT_ID_BYTES];
	struct lea_boot_memory before = {0};
	int r = arena ? lea_boot_memory_machine(world, machine) : -ENOMEM;

	r = r ? r : lea_world_boot_id(world, boot);
	if (r || !machine[0])
		return r ? r : NOTHING;
	r = lea_boot_memory_read(world, arena, &before);
	return lea_is_shortage(r) ? r : write_memory(world, conf, arena, &before, machine, boot);
}

static void keep_timeline(struct lea_remember *state, struct lea_world *world)
{
	const int r = state->has_timeline ? 0 : lea_timeline_keep(world);

	state->has_timeline = true;
	if (r < 0)
		lea_log(world->log, LEA_LOG_VERBOSE,
			"the timeline of this boot is not kept: " LEA_TIMELINE_FOLDER
			"/timeline: %s",
			strerror(-r));
}

/* udev replaces a file for each device that it handles, also for an LV that gets a file system. */
static struct timespec udev_written(const struct lea_world *world)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(world, "/run/udev/data");
	struct stat st;

	return path && !stat(path, &st) ? st.st_mtim : (struct timespec){0};
}

static void see(const struct lea_remember *state, const struct lea_world *world,
		uint64_t ret_seen[static LEA_REMEMBER_SEEN])
{
	const struct timespec written[] = {udev_written(world),
					   lea_mounts_written(world, LEA_FSTAB),
					   lea_mounts_written(world, LEA_CRYPTTAB)};

	ret_seen[0] = state->passes;
	for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
		ret_seen[1 + 2 * i] = (uint64_t)written[i].tv_sec;
		ret_seen[2 + 2 * i] = (uint64_t)written[i].tv_nsec;
	}
}

/* The first changes after a rest are seen soon: somebody may set the machine up, and restart it. */
static uint32_t next_pause(const struct lea_remember *state, uint64_t now)
{
	if (!state->has_looked || now - state->looked_ms >= (uint64_t)2 * PAUSE_MOST_MS)
		return PAUSE_LEAST_MS;
	return 2 * state->pause_ms > PAUSE_MOST_MS ? PAUSE_MOST_MS : 2 * state->pause_ms;
}

static void tell(struct lea_remember *state, const struct lea_world *world, int fault)
{
	if (fault && fault != state->told)
		lea_log(world->log, LEA_LOG_PRINT,
			"what the next boot should know of this one is not remembered: %s",
			strerror(-fault));
	state->told = fault;
}

int lea_remember_step(struct lea_remember *state, struct lea_world *world,
		      const struct lea_conf *conf)
{
	const uint64_t now = lea_world_now_ms(world);
	uint64_t seen[LEA_REMEMBER_SEEN];
	int r;

	see(state, world, seen);
	if (state->has_looked && !memcmp(seen, state->seen, sizeof(seen)))
		return -1;
	if (state->has_looked && now - state->looked_ms < state->pause_ms)
		return (int)(state->pause_ms - (now - state->looked_ms));
	if (lea_udev_is_busy(world))
		return BUSY_MS;
	keep_timeline(state, world);
	r = remember(world, conf);
	tell(state, world, r < 0 ? r : 0);
	state->pause_ms = next_pause(state, now);
	state->looked_ms = now;
	state->has_looked = true;
	memcpy(state->seen, seen, sizeof(seen));
	/* After a fault the next reconcile asks again. */
	if (r < 0)
		state->seen[0]--;
	/* A file system is made some time after its LV, and no event comes of it. */
	return r ? -1 : (int)state->pause_ms;
}
