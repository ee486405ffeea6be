/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looked through from end to end: there are few, and mostly none. */
#include "flow/late.h"

#include <inttypes.h>
#include <stdio.h>

#define MOST_TIMES 16U /* a tenth of a second comes to LEA_LATE_MOST_MS by then */

/* LEA_LATE_DEVICES: it is not there. */
static uint32_t find(const struct lea_late *late, uint32_t major, uint32_t minor, uint64_t diskseq)
{
	uint32_t i = 0;

	while (i < LEA_LATE_DEVICES &&
	       !(late->device[i].is_used && late->device[i].major == major &&
		 late->device[i].minor == minor && late->device[i].diskseq == diskseq))
		i++;
	return i;
}

static uint32_t find_device(const struct lea_late *late, const struct lea_device *device)
{
	return find(late, device->major, device->minor, device->diskseq);
}

uint32_t lea_late_deadline_ms(const struct lea_late *late, const struct lea_device *device,
			      uint32_t deadline_ms)
{
	const uint32_t i = find_device(late, device);
	uint64_t longer = deadline_ms;

	for (uint32_t n = 0; i < LEA_LATE_DEVICES && n < late->device[i].times; n++)
		longer = longer * 2 < LEA_LATE_MOST_MS ? longer * 2 : LEA_LATE_MOST_MS;
	return longer > deadline_ms ? (uint32_t)longer : deadline_ms;
}

void lea_late_note(struct lea_late *late, const struct lea_device *device, bool had_all)
{
	uint32_t i = find_device(late, device);

	if (i == LEA_LATE_DEVICES) {
		i = late->next;
		late->next = (late->next + 1) % LEA_LATE_DEVICES;
		late->device[i] = (struct lea_late_device){.is_used = true,
							   .major = device->major,
							   .minor = device->minor,
							   .diskseq = device->diskseq};
	}
	if (had_all && late->device[i].times < MOST_TIMES)
		late->device[i].times++;
}

void lea_late_forget(struct lea_late *late, const struct lea_device *device)
{
	const uint32_t i = find_device(late, device);

	if (i < LEA_LATE_DEVICES)
		late->device[i].is_used = false;
}

bool lea_late_has_key(const struct lea_late *late, const char *key)
{
	uint32_t major, minor;
	uint64_t diskseq;

	return sscanf(key, "%" SCNu32 ":%" SCNu32 "-%" SCNu64, &major, &minor, &diskseq) == 3 &&
	       find(late, major, minor, diskseq) < LEA_LATE_DEVICES;
}
