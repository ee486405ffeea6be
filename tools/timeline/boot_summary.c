/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "timeline/boot_summary.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "memory/timeline_file.h"

#define ARENA_BYTES (LEA_RING_ARENA_BYTES + LEA_TIMELINE_ARENA_BYTES)

static const struct lea_turn *find_slowest(const struct lea_timeline_view *view)
{
	const struct lea_turn *slowest = NULL;

	for (uint32_t i = 0; i < view->turn_count; i++)
		if (view->turn[i].state == LEA_TURN_ACTIVE &&
		    (!slowest || lea_turn_us(&view->turn[i]) > lea_turn_us(slowest)))
			slowest = &view->turn[i];
	return slowest;
}

int lea_boot_summary_read(struct lea_world *world, struct lea_boot_summary *ret_summary)
{
	LEA_AUTO(lea_arena_freep) struct lea_arena *arena = lea_arena_new(ARENA_BYTES);
	const struct lea_turn *last, *slowest;
	struct lea_ring_records records;
	struct lea_timeline_view view;
	int r = arena ? lea_timeline_read_boot(world, arena, &records) : -ENOMEM;

	r = r ? r : lea_timeline_decide(arena, &records, &view);
	if (r)
		return r < 0 ? r : LEA_BOOT_UNKNOWN;
	last = lea_timeline_last(&view);
	slowest = find_slowest(&view);
	if (!last || !slowest)
		return LEA_BOOT_UNKNOWN;
	*ret_summary = (struct lea_boot_summary){.last_us = last->end_us,
						 .slowest_us = lea_turn_us(slowest),
						 .phase = slowest->longest};
	snprintf(ret_summary->slowest, sizeof(ret_summary->slowest), "%s", slowest->name);
	return 0;
}
