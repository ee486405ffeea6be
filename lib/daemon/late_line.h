/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the boot waits for, in words: why it is not there, on the console and in the journal. */
#pragma once

#include "memory/need.h"
#include "world/world.h"

#include <stdbool.h>
#include <stdint.h>

/* Needs without a device of their own (a VG, a tag) are never absent. */
bool lea_late_line_is_absent(int dev_fd, const struct lea_need *need);

/*
 * lea_late_line_say - one line about a need that is absent
 * @what: "waiting for"
 * @count: of the needs that it is about, this one included
 * @pvs: number of PVs so far; 0: not counted
 */
void lea_late_line_say(struct lea_world *world, const char *what, const struct lea_need *need,
		       uint32_t count, uint32_t pvs);
