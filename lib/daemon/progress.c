/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "daemon/progress.h"

static bool has_moved(const struct lea_progress *progress, const struct lea_progress_facts *facts)
{
	return !progress->has_begun || facts->devices > progress->devices ||
	       facts->pvs > progress->pvs || facts->is_asked || facts->is_activating;
}

static uint32_t most(uint32_t one, uint32_t other)
{
	return one > other ? one : other;
}

static uint64_t pause_of(const struct lea_progress_facts *facts)
{
	const uint64_t third = facts->limit_ms / 3;

	if (!facts->is_idle)
		return facts->limit_ms;
	return third < LEA_PROGRESS_PAUSE_MS ? third : LEA_PROGRESS_PAUSE_MS;
}

void lea_progress_note(struct lea_progress *progress, const struct lea_progress_facts *facts)
{
	if (has_moved(progress, facts))
		progress->moved_ms = facts->now_ms;
	progress->has_begun = true;
	progress->devices = most(progress->devices, facts->devices);
	progress->pvs = most(progress->pvs, facts->pvs);
}

void lea_progress_excuse(struct lea_progress *progress, uint64_t lost_ms, uint64_t now_ms)
{
	const uint64_t moved_ms = progress->moved_ms + lost_ms;

	progress->moved_ms = moved_ms < now_ms ? moved_ms : now_ms;
}

int lea_progress_judge(const struct lea_progress *progress, const struct lea_progress_facts *facts,
		       uint64_t *ret_next_ms)
{
	*ret_next_ms = UINT64_MAX;
	if (facts->limit_ms == UINT64_MAX)
		return LEA_PROGRESS_LIMIT;
	*ret_next_ms = facts->begin_ms + facts->limit_ms;
	if (facts->now_ms < *ret_next_ms)
		return LEA_PROGRESS_LIMIT;
	*ret_next_ms = progress->moved_ms + pause_of(facts);
	if (facts->is_asked)
		return LEA_PROGRESS_ASKED;
	if (facts->is_activating)
		return LEA_PROGRESS_ACTIVATING;
	return facts->now_ms < *ret_next_ms ? LEA_PROGRESS_RECENT : 0;
}
