/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/timeline_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "memory/boot_memory_file.h"
#include "world/timeline.h"

#define NAME "timeline"

/* A file that is not ours counts as absent. */
static int read_ring(int folder_fd, const char *name, struct lea_arena *arena,
		     struct lea_ring_records *ret_records)
{
	LEA_AUTO(lea_freep) char *bytes = NULL;
	size_t len;
	int r = lea_file_check_private(folder_fd);

	r = r ? r : lea_file_read(folder_fd, name, LEA_RING_BYTES, &bytes, &len);
	r = r ? r : lea_ring_parse(arena, bytes, len, ret_records);
	return r > 0 || (r < 0 && !lea_is_shortage(r)) ? LEA_TIMELINE_ABSENT : r;
}

/* The ring in /run, of a process that may not have mapped it. Creates nothing. */
static int read_now(struct lea_world *world, struct lea_arena *arena,
		    struct lea_ring_records *ret_records)
{
	LEA_AUTO(lea_closep) int run_fd = lea_world_folder(world, world->run_dir);

	if (run_fd < 0)
		return lea_is_shortage(run_fd) ? run_fd : LEA_TIMELINE_ABSENT;
	return read_ring(run_fd, LEA_TIMELINE_FILE, arena, ret_records);
}

static int read_kept(struct lea_world *world, struct lea_arena *arena, uint32_t number,
		     struct lea_ring_records *ret_records)
{
	LEA_AUTO(lea_closep) int folder_fd = lea_world_folder(world, LEA_TIMELINE_FOLDER);
	char name[24] = NAME;

	if (number)
		snprintf(name, sizeof(name), NAME ".%u", number);
	return folder_fd < 0 ? LEA_TIMELINE_ABSENT : read_ring(folder_fd, name, arena, ret_records);
}

static bool is_same_boot(const struct lea_ring_records *a, const struct lea_ring_records *b)
{
	return a->boot[0] && !strcmp(a->boot, b->boot);
}

/* The file of this boot has its beginning, which the ring may have overwritten. */
static int read_present(struct lea_world *world, struct lea_arena *arena,
			struct lea_ring_records *ret_records)
{
	struct lea_ring_records kept;
	int s, r = read_now(world, arena, ret_records);

	if (r)
		return r;
	s = read_kept(world, arena, 0, &kept);
	if (s < 0 || s == LEA_TIMELINE_ABSENT || !is_same_boot(&kept, ret_records) ||
	    kept.written > ret_records->written)
		return s < 0 ? s : 0;
	return lea_ring_join(arena, &kept, ret_records, ret_records);
}

int lea_timeline_read(struct lea_world *world, struct lea_arena *arena, uint32_t back,
		      struct lea_ring_records *ret_records)
{
	char boot[LEA_BOOT_ID_BYTES], id[LEA_RING_BOOT_BYTES];
	struct lea_ring_records newest;
	uint32_t number;
	int r;

	if (!back)
		return read_present(world, arena, ret_records);
	r = read_kept(world, arena, 0, &newest);
	r = r ? r : lea_world_boot_id(world, boot);
	if (r)
		return r;
	lea_ring_boot(boot, id);
	number = strcmp(newest.boot, id) ? back - 1 : back;
	if (number)
		return read_kept(world, arena, number, ret_records);
	*ret_records = newest;
	return 0;
}

int lea_timeline_read_boot(struct lea_world *world, struct lea_arena *arena,
			   struct lea_ring_records *ret_records)
{
	char boot[LEA_BOOT_ID_BYTES], id[LEA_RING_BOOT_BYTES];
	struct lea_ring_records newest;
	int r = lea_world_boot_id(world, boot);

	r = r ? r : read_kept(world, arena, 0, &newest);
	if (r)
		return r;
	lea_ring_boot(boot, id);
	if (strcmp(newest.boot, id) != 0)
		return LEA_TIMELINE_ABSENT;
	*ret_records = newest;
	return 0;
}

/* Renames each kept file to the next older name. The newest keeps its name as well, until the new
 * one replaces it. What does not work is lost for people, and nothing else. */
static void keep_older(int folder_fd)
{
	char from[24], to[24];

	for (unsigned int i = LEA_TIMELINES_KEPT - 1; i > 1; i--) {
		snprintf(from, sizeof(from), NAME ".%u", i - 1);
		snprintf(to, sizeof(to), NAME ".%u", i);
		if (renameat(folder_fd, from, folder_fd, to) < 0 && errno != ENOENT)
			return;
	}
	if (linkat(folder_fd, NAME, folder_fd, NAME ".1", 0) < 0)
		return;
}

static int write_file(struct lea_world *world, const struct lea_ring_records *records)
{
	LEA_AUTO(lea_closep) int folder_fd = lea_boot_memory_folder(world, "/var/lib");
	LEA_AUTO(lea_freep) void *bytes = NULL;
	size_t len;
	int r = folder_fd < 0 ? folder_fd : lea_ring_format(records, &bytes, &len);

	if (r)
		return r;
	keep_older(folder_fd);
	return lea_file_replace_durably(folder_fd, NAME, bytes, len);
}

int lea_timeline_keep(struct lea_world *world)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(2 * LEA_RING_ARENA_BYTES);
	struct lea_ring_records now, kept;
	int r = arena ? read_now(world, arena, &now) : -ENOMEM;

	if (r)
		return r < 0 ? r : 0;
	r = read_kept(world, arena, 0, &kept);
	if (r < 0 || (!r && is_same_boot(&kept, &now)))
		return r;
	return write_file(world, &now);
}
