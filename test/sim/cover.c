/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim/cover.h"

#include <stdlib.h>
#include <string.h>

void sim_cover_done(struct sim_cover *cover)
{
	free(cover->place);
	free(cover->pair);
	memset(cover, 0, sizeof(*cover));
}

/* Where the place is, or belongs. */
static size_t find(const struct sim_cover *cover, const char *place)
{
	size_t low = 0, high = cover->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(cover->place[middle], place) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool sim_cover_place(struct sim_cover *cover, const char *place)
{
	char name[SIM_PLACE_BYTES] = "";
	size_t at;

	memcpy(name, place, strnlen(place, sizeof(name) - 1));
	at = find(cover, name);
	if (at < cover->count && !strcmp(cover->place[at], name))
		return false;
	if (cover->count == cover->room) {
		cover->room = cover->room ? 2 * cover->room : 64;
		cover->place = realloc(cover->place, cover->room * sizeof(*cover->place));
		if (!cover->place)
			abort();
	}
	memmove(&cover->place[at + 1], &cover->place[at],
		(cover->count++ - at) * sizeof(*cover->place));
	memcpy(cover->place[at], name, sizeof(name));
	return true;
}

static uint64_t hash(const char *place, enum sim_op op)
{
	uint64_t h = 0xcbf29ce484222325U ^ (uint64_t)op;

	for (; *place; place++)
		h = (h ^ (unsigned char)*place) * 0x100000001b3U;
	h ^= h >> 29;
	return h ? h : 1;
}

static bool put_pair(struct sim_cover *cover, uint64_t h)
{
	size_t at = h & (cover->pair_room - 1);

	while (cover->pair[at] && cover->pair[at] != h)
		at = (at + 1) & (cover->pair_room - 1);
	if (cover->pair[at])
		return false;
	cover->pair[at] = h;
	cover->pair_count++;
	return true;
}

static void grow_pairs(struct sim_cover *cover)
{
	uint64_t *old = cover->pair;
	size_t room = cover->pair_room;

	cover->pair_room = room ? 2 * room : 1024;
	cover->pair = calloc(cover->pair_room, sizeof(*cover->pair));
	if (!cover->pair)
		abort();
	cover->pair_count = 0;
	for (size_t i = 0; i < room; i++)
		if (old[i])
			put_pair(cover, old[i]);
	free(old);
}

bool sim_cover_pair(struct sim_cover *cover, const char *place, enum sim_op op)
{
	if (2 * cover->pair_count >= cover->pair_room)
		grow_pairs(cover);
	return put_pair(cover, hash(place, op));
}

void sim_cover_print(const struct sim_cover *cover, FILE *out)
{
	for (size_t i = 0; i < cover->count; i++)
		fprintf(out, "reached %s\n", cover->place[i]);
}
