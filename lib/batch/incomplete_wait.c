/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "batch/incomplete_wait.h"

void lea_incomplete_wait_came(struct lea_incomplete_wait *wait, uint64_t now_ms)
{
	*wait = (struct lea_incomplete_wait){.came_ms = now_ms};
}

bool lea_incomplete_wait_look(struct lea_incomplete_wait *wait, uint64_t now_ms, bool is_idle,
			      uint32_t busy_most_ms)
{
	if (!is_idle && now_ms - wait->came_ms < busy_most_ms)
		return false;
	if (!wait->is_begun) {
		wait->is_begun = true;
		wait->since_ms = now_ms;
	}
	return true;
}

uint32_t lea_incomplete_wait_left(const struct lea_incomplete_wait *wait, uint64_t now_ms,
				  uint32_t wait_ms)
{
	const uint64_t waited = now_ms - wait->since_ms;

	if (!wait->is_begun)
		return wait_ms ? wait_ms : LEA_INCOMPLETE_LOOK_MS;
	return waited >= wait_ms ? 0 : (uint32_t)(wait_ms - waited);
}
