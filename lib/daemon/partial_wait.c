/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/partial_wait.h"

#include "base/cleanup.h"
#include "daemon/udev_wait.h"
#include "memory/boot_memory_file.h"

/* Without a memory every VG waits as long as its rule says. */
static void read_memory(struct lea_partial_wait *wait, const struct lea_batch_options *options)
{
	struct lea_boot_memory memory = {0};

	if (wait->is_read)
		return;
	wait->is_read = true;
	wait->arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	if (wait->arena && !lea_boot_memory_read(options->world, wait->arena, &memory))
		wait->memory = memory;
}

int lea_partial_wait_step(struct lea_partial_wait *wait, const struct lea_batch_options *options,
			  int *ret_wait_ms)
{
	struct lea_partial_now now = {.memory = &wait->memory};
	int r;

	*ret_wait_ms = -1;
	if (!options->partial)
		return 0;
	if (!wait->is_begun) {
		r = lea_partial_begin(options->partial, options);
		wait->is_begun = r >= 0;
		return r < 0 ? r : LEA_PARTIAL_QUEUED;
	}
	if (!lea_partial_is_waiting(options->partial))
		return 0;
	read_memory(wait, options);
	now.is_idle = !lea_udev_is_busy(options->world);
	return lea_partial_step(options->partial, options, &now, ret_wait_ms);
}

void lea_partial_wait_done(struct lea_partial_wait *wait)
{
	lea_arena_free(wait->arena);
	*wait = (struct lea_partial_wait){0};
}
