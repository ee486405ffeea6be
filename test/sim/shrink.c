/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/shrink.h"

#include "base/err.h"
#include "sim/words.h"

#include <string.h>

struct shrinking {
	struct sim_history *best;
	sim_shows_fn *shows;
	void *arg;
	unsigned trials; /* left */
};

/* Takes @other in place of the best one, if it shows the same. */
static bool try(struct shrinking *s, const struct sim_history *other)
{
	if (!s->trials)
		return false;
	s->trials--;
	if (!s->shows(s->arg, other))
		return false;
	*s->best = *other;
	return true;
}

static bool drop_steps(struct shrinking *s, uint32_t length)
{
	bool any = false;
	struct sim_history other;

	for (uint32_t end = s->best->count; end >= length && s->trials; end--) {
		if (end > s->best->count)
			continue;
		other = *s->best;
		memmove(&other.step[end - length], &other.step[end],
			(other.count - end) * sizeof(other.step[0]));
		other.count -= length;
		if (try(s, &other))
			any = true;
	}
	return any;
}

static bool drop_settings(struct shrinking *s)
{
	struct sim_history other;
	bool any = false;

	for (uint32_t bit = 1; bit && bit <= s->best->conf; bit <<= 1)
		if (s->best->conf & bit) {
			other = *s->best;
			other.conf &= ~bit;
			any |= try(s, &other);
		}
	if (s->best->boot) {
		other = *s->best;
		other.boot = 0;
		any |= try(s, &other);
	}
	return any;
}

static bool lower_number(struct shrinking *s, uint32_t at)
{
	static const uint32_t rounds[] = {1, 1000, 5000, 30000, 60000, 130000};
	struct sim_history other = *s->best;
	uint32_t n = other.step[at].n;

	for (size_t i = 0; i < ARRAY_SIZE(rounds) && rounds[i] < n; i++) {
		other.step[at].n = rounds[i];
		sim_words_keep(&other.step[at]);
		if (try(s, &other))
			return true;
	}
	return false;
}

/* A disk of a mask, or one of a VG's types, less. */
static bool lower_mask(struct shrinking *s, uint32_t at)
{
	struct sim_history other;
	bool any = false;

	for (unsigned bit = 1; bit < 1U << SIM_DISKS; bit <<= 1) {
		other = *s->best;
		other.step[at].a &= (uint8_t)~bit;
		if (!(s->best->step[at].a & bit) || !other.step[at].a)
			continue;
		any |= try(s, &other);
	}
	other = *s->best;
	other.step[at].b = 0;
	if (s->best->step[at].b)
		any |= try(s, &other);
	return any;
}

static bool lower(struct shrinking *s)
{
	bool any = false;

	for (uint32_t i = 0; i < s->best->count; i++) {
		if (s->best->step[i].n > 1)
			any |= lower_number(s, i);
		if (s->best->step[i].op == SIM_CREATE)
			any |= lower_mask(s, i);
	}
	return any;
}

void sim_shrink(struct sim_history *history, sim_shows_fn *shows, void *arg, unsigned trials)
{
	struct shrinking s = {.best = history, .shows = shows, .arg = arg, .trials = trials};
	bool any;

	do {
		any = false;
		for (uint32_t length = history->count / 2; length; length /= 2)
			any |= drop_steps(&s, length);
		any |= drop_settings(&s);
		any |= lower(&s);
	} while (any && s.trials);
}
