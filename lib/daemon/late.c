/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/late.h"

#include "daemon/late_line.h"

static uint64_t late_from(const struct lea_need *need)
{
	return need->limit_ms && need->limit_ms != UINT32_MAX ? need->limit_ms / 2
							      : LEA_LATE_FIRST_MS;
}

struct look {
	const struct lea_need *first; /* that is late; NULL: none */
	uint32_t count;		      /* that are late */
	uint64_t next_ms;	      /* when the next one will be; UINT64_MAX: never */
};

static struct look look_at(const struct lea_needs *needs, int dev_fd, uint64_t now)
{
	struct look look = {.next_ms = UINT64_MAX};

	for (uint32_t i = 0; dev_fd >= 0 && i < needs->count; i++) {
		const struct lea_need *need = &needs->need[i];
		const uint64_t from = late_from(need);

		if (need->kind != LEA_NEED_WORD || !lea_late_line_is_absent(dev_fd, need))
			continue;
		if (from > now)
			look.next_ms = from < look.next_ms ? from : look.next_ms;
		else if (!look.count++)
			look.first = need;
	}
	return look;
}

/* When can the first LV be late? Asks for no device. */
static uint64_t first_ms(const struct lea_needs *needs)
{
	uint64_t first = LEA_LATE_FIRST_MS;

	for (uint32_t i = 0; i < needs->count; i++)
		first = late_from(&needs->need[i]) < first ? late_from(&needs->need[i]) : first;
	return first;
}

static int say_if_due(struct lea_late *late, struct lea_world *world, const struct lea_needs *needs,
		      uint32_t pvs)
{
	const uint64_t now = lea_world_now_ms(world);
	struct look look;

	if (!needs || late->is_over)
		return -1;
	if (!late->next_ms)
		late->next_ms = first_ms(needs);
	if (now < late->next_ms)
		return (int)(late->next_ms - now);
	look = look_at(needs, lea_world_dev(world), now);
	late->is_over = (!look.count && look.next_ms == UINT64_MAX) || now > LEA_LATE_MOST_MS;
	if (late->is_over)
		return -1;
	if (look.count)
		lea_late_line_say(world, "waiting for", look.first, look.count, pvs);
	late->next_ms = look.count ? now + LEA_LATE_PAUSE_MS : look.next_ms;
	return (int)(late->next_ms - now);
}

int lea_late_step(struct lea_late *late, struct lea_world *world, const struct lea_needs *needs,
		  uint32_t pvs)
{
	const int line_ms = say_if_due(late, world, needs, pvs);
	const int end_ms = lea_wait_end_step(&late->end, world, needs);

	return end_ms >= 0 && (line_ms < 0 || end_ms < line_ms) ? end_ms : line_ms;
}
