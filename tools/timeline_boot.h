/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One of the boots whose timeline is kept, as options name it. In timeline.c. */
#pragma once

#include "base/arena.h"
#include "base/ring.h"
#include "policy/timeline.h"
#include "world/world.h"

#include <stdbool.h>

/* For the arena of each view */
#define LEA_TIMELINE_VIEW_BYTES (3 * LEA_RING_ARENA_BYTES + LEA_TIMELINE_ARENA_BYTES)

/* "0" or "-1" ...: how many boots ago. False: it is neither. */
bool lea_tool_parse_boot(const char *text, uint32_t *ret_back);
/* Reads the timeline of that boot. Returns 0 or an exit code (logged). */
LEA_MUST_CHECK int lea_tool_view_boot(struct lea_world *world, struct lea_arena *arena,
				      uint32_t back, struct lea_timeline_view *ret_view);
