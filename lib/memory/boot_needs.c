/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory/boot_needs.h"

#include <errno.h>

#include "memory/boot_memory_file.h"
#include "memory/need_memory.h"

static bool has_file_system(const struct lea_needs *needs)
{
	for (uint32_t i = 0; i < needs->count; i++)
		if (needs->need[i].kind == LEA_NEED_UUID || needs->need[i].kind == LEA_NEED_LABEL)
			return true;
	return false;
}

/* A memory that cannot be used costs the order of VGs, nothing else. */
static int add_remembered(struct lea_world *world, struct lea_needs *needs)
{
	LEA_AUTO(lea_arena_freep)
	struct lea_arena *arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	struct lea_boot_memory memory = {0};
	int r = arena ? lea_boot_memory_read(world, arena, &memory) : -ENOMEM;

	if (!r)
		r = lea_need_remembered(needs, &memory);
	return lea_is_shortage(r) ? r : 0;
}

int lea_boot_needs_read(struct lea_world *world, const struct lea_conf *conf,
			struct lea_needs **ret_needs)
{
	int r = lea_needs_read(world, conf, ret_needs);

	if (r || !has_file_system(*ret_needs))
		return r;
	r = add_remembered(world, *ret_needs);
	if (r)
		lea_needs_freep(ret_needs);
	return r;
}
