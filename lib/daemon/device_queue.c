/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries are in an array, at the positions of their ids in the set. */
#include "daemon/device_queue.h"

#include <string.h>

#include "base/cleanup.h"

int lea_device_queue_put(struct lea_device_queue *pending, const struct lea_entry *entry)
{
	const struct lea_devid id = lea_device_id(&entry->device);
	struct lea_entry added = *entry, *place;
	int r = lea_make_room(&pending->entry, &pending->room, pending->count + 1,
			      sizeof(*pending->entry));

	r = r ? r : lea_devset_add(&pending->ids, &id);
	if (r < 0) {
		lea_device_done(&added.device);
		return r;
	}
	place = &pending->entry[lea_devset_find(&pending->ids, &id)];
	if (r == LEA_DEVSET_THERE)
		lea_device_done(&place->device);
	lea_entry_set_key(&added);
	*place = added;
	pending->count = pending->ids.count;
	return 0;
}

int lea_device_queue_note(struct lea_device_queue *pending, const struct lea_entry *entry)
{
	const struct lea_devid id = lea_device_id(&entry->device);
	struct lea_entry noted = {.kind = entry->kind};
	int r = lea_device_make(&id, entry->device.name, &noted.device);

	if (r)
		return r;
	memcpy(noted.pvid, entry->pvid, sizeof(noted.pvid));
	return lea_device_queue_put(pending, &noted);
}

const struct lea_entry *lea_device_queue_find(struct lea_device_queue *pending,
					      const struct lea_device *device)
{
	const struct lea_devid id = lea_device_id(device);
	const size_t at = lea_devset_find(&pending->ids, &id);

	return at == LEA_DEVSET_NONE ? NULL : &pending->entry[at];
}

struct lea_entry *lea_device_queue_take(struct lea_device_queue *pending, size_t *ret_count)
{
	struct lea_entry *entries = LEA_TAKE(pending->entry);

	*ret_count = pending->count;
	pending->count = pending->room = 0;
	lea_devset_clear(&pending->ids);
	return entries;
}

void lea_device_queue_clear(struct lea_device_queue *pending)
{
	for (size_t i = 0; i < pending->count; i++)
		lea_device_done(&pending->entry[i].device);
	lea_devset_clear(&pending->ids);
	pending->count = 0;
}

void lea_device_queue_done(struct lea_device_queue *pending)
{
	lea_device_queue_clear(pending);
	free(pending->entry);
	lea_devset_done(&pending->ids);
	*pending = (struct lea_device_queue){0};
}
