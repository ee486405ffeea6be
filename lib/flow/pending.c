/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array, and a table of slots that finds an entry by its device's number and instance. At most
 * half of the slots are in use, so that the way to a free one is short.
 */
#include "flow/pending.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64U

static size_t slot_count(const struct lea_pending *pending)
{
	return pending->room * 2;
}

/* Numbers come in rows (8:0, 8:16, ...): each step mixes high bits into the low ones. */
static uint64_t mix(uint64_t hash, uint64_t number)
{
	hash = (hash ^ number) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static bool is_same(struct lea_pending *pending, const struct lea_device *a,
		    const struct lea_device *b)
{
	pending->compared++;
	return a->major == b->major && a->minor == b->minor && a->diskseq == b->diskseq;
}

/* The slot of this device, or the free one where it belongs. */
static uint32_t *find_slot(struct lea_pending *pending, const struct lea_device *device)
{
	const size_t mask = slot_count(pending) - 1;
	uint64_t hash = mix(mix(mix(0, device->major), device->minor), device->diskseq);
	size_t at = (size_t)hash & mask;

	while (pending->slot[at] &&
	       !is_same(pending, &pending->entry[pending->slot[at] - 1].device, device))
		at = (at + 1) & mask;
	return &pending->slot[at];
}

static int grow(struct lea_pending *pending)
{
	const size_t room = pending->room ? pending->room * 2 : FIRST_ROOM;
	struct lea_entry *entry;
	uint32_t *slot;

	if (room > UINT32_MAX / 2)
		return -ENOMEM;
	entry = reallocarray(pending->entry, room, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	pending->entry = entry;
	slot = calloc(room * 2, sizeof(*slot));
	if (!slot)
		return -ENOMEM;
	free(pending->slot);
	pending->slot = slot;
	pending->room = room;
	for (size_t i = 0; i < pending->count; i++)
		*find_slot(pending, &pending->entry[i].device) = (uint32_t)i + 1;
	return 0;
}

int lea_pending_put(struct lea_pending *pending, const struct lea_entry *entry)
{
	struct lea_entry added = *entry;
	uint32_t *slot;

	lea_entry_set_key(&added);
	if (pending->count == pending->room && grow(pending)) {
		lea_device_done(&added.device);
		return -ENOMEM;
	}
	slot = find_slot(pending, &added.device);
	if (*slot) {
		lea_device_done(&pending->entry[*slot - 1].device);
	} else {
		pending->count++;
		*slot = (uint32_t)pending->count;
	}
	pending->entry[*slot - 1] = added;
	return 0;
}

const struct lea_entry *lea_pending_find(struct lea_pending *pending,
					 const struct lea_device *device)
{
	uint32_t slot = pending->room ? *find_slot(pending, device) : 0;

	return slot ? &pending->entry[slot - 1] : NULL;
}

void lea_pending_clear(struct lea_pending *pending)
{
	for (size_t i = 0; i < pending->count; i++)
		lea_device_done(&pending->entry[i].device);
	if (pending->count)
		memset(pending->slot, 0, slot_count(pending) * sizeof(*pending->slot));
	pending->count = 0;
}

void lea_pending_done(struct lea_pending *pending)
{
	lea_pending_clear(pending);
	free(pending->entry);
	free(pending->slot);
	*pending = (struct lea_pending){0};
}
