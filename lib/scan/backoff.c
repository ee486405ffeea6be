/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A linear search: there are few slow devices, and mostly none. */
#include "scan/backoff.h"

#include <stdio.h>
#include <string.h>

#define MOST_TIMES 16U /* by then even a tenth of a second has grown to LEA_BACKOFF_MOST_MS */

/* Returns the slot, or LEA_BACKOFF_DEVICES if the device is not there. */
static uint32_t find(const struct lea_backoff *late, struct lea_devid id)
{
	uint32_t i = 0;

	while (i < late->filled &&
	       !(late->device[i].is_used && lea_devid_is_same(&late->device[i].id, &id)))
		i++;
	return i < late->filled ? i : LEA_BACKOFF_DEVICES;
}

uint32_t lea_backoff_deadline_ms(const struct lea_backoff *late, const struct lea_device *device,
				 uint32_t deadline_ms)
{
	const uint32_t i = find(late, lea_device_id(device));
	uint64_t longer = deadline_ms;

	for (uint32_t n = 0; i < LEA_BACKOFF_DEVICES && n < late->device[i].times; n++)
		longer = longer * 2 < LEA_BACKOFF_MOST_MS ? longer * 2 : LEA_BACKOFF_MOST_MS;
	return longer > deadline_ms ? (uint32_t)longer : deadline_ms;
}

static void owe(struct lea_backoff_device *slot, const char *owed)
{
	if (slot->owes_add && strcmp(slot->owed, owed) != 0)
		owed = "";
	slot->owes_add = true;
	snprintf(slot->owed, sizeof(slot->owed), "%s", owed);
}

void lea_backoff_note_timeout(struct lea_backoff *late, const struct lea_device *device,
			      bool had_all, const char *owed)
{
	uint32_t i = find(late, lea_device_id(device));

	if (i == LEA_BACKOFF_DEVICES) {
		i = late->next;
		late->next = (late->next + 1) % LEA_BACKOFF_DEVICES;
		if (i == late->filled)
			late->filled++;
		late->device[i] =
			(struct lea_backoff_device){.is_used = true, .id = lea_device_id(device)};
	}
	late->device[i].owes_add = late->device[i].is_silent && late->device[i].owes_add;
	if (owed)
		owe(&late->device[i], owed);
	late->device[i].is_silent = true;
	if (had_all && late->device[i].times < MOST_TIMES)
		late->device[i].times++;
}

void lea_backoff_clear(struct lea_backoff *late, const struct lea_device *device)
{
	const uint32_t i = find(late, lea_device_id(device));

	if (i < LEA_BACKOFF_DEVICES)
		late->device[i].is_used = false;
}

void lea_backoff_note_answer(struct lea_backoff *late, const struct lea_device *device)
{
	const uint32_t i = find(late, lea_device_id(device));

	if (i < LEA_BACKOFF_DEVICES)
		late->device[i].is_silent = false;
}

bool lea_backoff_is_silent(const struct lea_backoff *late, const struct lea_device *device)
{
	const uint32_t i = find(late, lea_device_id(device));

	return i < LEA_BACKOFF_DEVICES && late->device[i].is_silent;
}

bool lea_backoff_owes_add(const struct lea_backoff *late, const struct lea_device *device,
			  const char *pvid)
{
	const uint32_t i = find(late, lea_device_id(device));
	const struct lea_backoff_device *slot = &late->device[i];

	return i < LEA_BACKOFF_DEVICES && slot->is_silent && slot->owes_add &&
	       (!slot->owed[0] || !pvid[0] || !strcmp(slot->owed, pvid));
}

bool lea_backoff_has_key(const struct lea_backoff *late, const char *key)
{
	struct lea_devid id;

	return lea_devid_parse(key, &id) && find(late, id) < LEA_BACKOFF_DEVICES;
}
