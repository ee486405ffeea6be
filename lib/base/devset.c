/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array, and a table of slots that finds an id in it. At most half of the slots are in use, so
 * that the way to a free one is short.
 */
#include "base/devset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64U

static size_t slot_count(const struct lea_devset *set)
{
	return set->room * 2;
}

/* Numbers come in rows (8:0, 8:16, ...): each step mixes high bits into the low ones. */
static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static bool is_at(struct lea_devset *set, uint32_t slot, const struct lea_devid *id)
{
	set->compared++;
	return lea_devid_is_same(&set->id[slot - 1], id);
}

/* The slot of this id, or the free one where it belongs. */
static uint32_t *find_slot(struct lea_devset *set, const struct lea_devid *id)
{
	const size_t mask = slot_count(set) - 1;
	size_t at = (size_t)mix(mix(mix(0, id->major), id->minor), id->diskseq) & mask;

	while (set->slot[at] && !is_at(set, set->slot[at], id))
		at = (at + 1) & mask;
	return &set->slot[at];
}

static int grow(struct lea_devset *set)
{
	const size_t room = set->room ? set->room * 2 : FIRST_ROOM;
	struct lea_devid *bigger;
	uint32_t *slot;

	if (room > UINT32_MAX / 2)
		return -ENOMEM;
	bigger = reallocarray(set->id, room, sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	set->id = bigger;
	slot = calloc(room * 2, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(set->slot);
	set->slot = slot;
	set->room = room;
	for (size_t i = 0; i < set->count; i++)
		*find_slot(set, &set->id[i]) = (uint32_t)i + 1;
	return 0;
}

int lea_devset_add(struct lea_devset *set, const struct lea_devid *id)
{
	uint32_t *slot;

	if (lea_devset_has(set, id))
		return LEA_DEVSET_THERE;
	if (set->count == set->room && grow(set))
		return -ENOMEM;
	slot = find_slot(set, id);
	set->id[set->count++] = *id;
	*slot = (uint32_t)set->count;
	return 0;
}

size_t lea_devset_find(struct lea_devset *set, const struct lea_devid *id)
{
	const uint32_t slot = set->room ? *find_slot(set, id) : 0;

	return slot ? slot - 1 : LEA_DEVSET_NONE;
}

bool lea_devset_has(struct lea_devset *set, const struct lea_devid *id)
{
	return lea_devset_find(set, id) != LEA_DEVSET_NONE;
}

void lea_devset_clear(struct lea_devset *set)
{
	if (set->count)
		memset(set->slot, 0, slot_count(set) * sizeof(*set->slot));
	set->count = 0;
}

void lea_devset_done(struct lea_devset *set)
{
	free(set->id);
	free(set->slot);
	*set = (struct lea_devset){0};
}
