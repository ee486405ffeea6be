/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/remember.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/order.h"
#include "daemon/boot_memory_collect.h"
#include "daemon/udev_wait.h"
#include "memory/boot_memory_file.h"
#include "memory/need_memory.h"
#include "memory/needs_read.h"
#include "memory/timeline_file.h"
#include "state/online.h"

#define TRIES_MOST 5U
#define BUSY_MS	   2000 /* pause while udev is busy */

enum outcome {
	LATER = 1, /* a later step may find more; a missing LV was logged */
};

static const struct lea_boot_vg *find_vg(const struct lea_boot_memory *memory,
					 const struct lea_need *need)
{
	for (uint32_t i = 0; i < memory->vg_count; i++)
		if (lea_need_names_vg(need, memory->vg[i].name))
			return &memory->vg[i];
	return NULL;
}

/* Is the VG expected? It was there at the last boot, or some of its PVs are. Any other name may be
 * one that only looks like a VG. */
static bool is_expected(struct lea_world *world, const struct lea_boot_memory *before,
			const struct lea_need *need)
{
	const int run_fd = lea_world_run(world);
	char name[128];

	if (find_vg(before, need))
		return true;
	if (need->kind != LEA_NEED_WORD || need->value[0] == '@' ||
	    strcspn(need->value, "/") >= sizeof(name))
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(need->value, "/"), need->value);
	return run_fd >= 0 && lea_lookup_exists(run_fd, name);
}

/* The first need that is expected and not met; NULL: this was a good boot. */
static const struct lea_need *find_missing(struct lea_world *world, const struct lea_needs *needs,
					   const struct lea_boot_memory *before,
					   const struct lea_boot_memory *now)
{
	for (uint32_t i = 0; i < needs->count; i++) {
		const struct lea_boot_vg *vg = find_vg(now, &needs->need[i]);

		if (vg ? !lea_need_is_met(&needs->need[i], vg)
		       : is_expected(world, before, &needs->need[i]))
			return &needs->need[i];
	}
	return NULL;
}

static int write_memory(struct lea_world *world, const struct lea_conf *conf,
			struct lea_arena *arena, const struct lea_boot_memory *before,
			const char *machine, const char *boot)
{
	LEA_AUTO(lea_needs_freep) struct lea_needs *needs = NULL;
	struct lea_boot_memory memory = {0};
	const struct lea_need *missing;
	int r = lea_needs_read(world, conf, &needs);

	r = r ? r : lea_boot_memory_collect(world, arena, before, machine, boot, &memory);
	r = r ? r : lea_need_remembered(needs, &memory);
	if (r)
		return r;
	missing = find_missing(world, needs, before, &memory);
	if (missing) {
		lea_log(world->log, LEA_LOG_VERBOSE,
			"this boot is not remembered yet: %s, which %s needs, is not active, or a "
			"PV of it is on two devices",
			missing->value, missing->user);
		return LATER;
	}
	/* A boot without any VG does not replace the memory of one that had some. */
	return memory.vg_count ? lea_boot_memory_write(world, &memory) : LATER;
}

/* Returns 0, LATER or -errno. */
static int remember(struct lea_world *world, const struct lea_conf *conf, struct lea_arena *arena)
{
	char machine[LEA_BOOT_MEMORY_ID_BYTES], boot[LEA_BOOT_ID_BYTES];
	struct lea_boot_memory before = {0};
	int r = lea_boot_memory_machine(world, machine);

	r = r ? r : lea_world_boot_id(world, boot);
	if (r)
		return r;
	if (!machine[0]) {
		lea_log(world->log, LEA_LOG_VERBOSE,
			"this boot is not remembered: the machine has no /etc/machine-id");
		return LATER;
	}
	r = lea_boot_memory_read(world, arena, &before);
	if (!r && !strcmp(before.boot, boot))
		return 0;
	if (before.vg_count)
		qsort(before.vg, before.vg_count, sizeof(*before.vg), lea_compare_text);
	return lea_is_shortage(r) ? r : write_memory(world, conf, arena, &before, machine, boot);
}

static void keep_timeline(struct lea_remember *state, struct lea_world *world)
{
	const int r = state->has_timeline ? 0 : lea_timeline_keep(world);

	state->has_timeline = true;
	if (r < 0)
		lea_log(world->log, LEA_LOG_VERBOSE,
			"the timeline of this boot is not kept: %s/timeline: %s",
			LEA_BOOT_MEMORY_FOLDER, strerror(-r));
}

int lea_remember_step(struct lea_remember *state, struct lea_world *world,
		      const struct lea_conf *conf)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = NULL;
	int r;

	if (state->is_done || state->tries >= TRIES_MOST)
		return -1;
	if (lea_udev_is_busy(world))
		return BUSY_MS;
	keep_timeline(state, world);
	arena = lea_arena_new((size_t)4 * LEA_BOOT_MEMORY_ARENA_BYTES);
	r = arena ? remember(world, conf, arena) : -ENOMEM;
	state->is_done = r == 0;
	state->tries += r != 0;
	if (r < 0)
		lea_log(world->log, LEA_LOG_VERBOSE, "this boot is not remembered: %s/boot: %s",
			LEA_BOOT_MEMORY_FOLDER, strerror(-r));
	return -1;
}
