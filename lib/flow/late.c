/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looked through from end to end: there are few, and mostly none. */
#include "flow/late.h"

#define MOST_TIMES 16U /* a tenth of a second comes to LEA_LATE_MOST_MS by then */

/* LEA_LATE_DEVICES: it is not there. */
static uint32_t find(const struct lea_late *late, const struct lea_device *device)
{
	uint32_t i = 0;

	while (i < LEA_LATE_DEVICES &&
	       !(late->device[i].times && late->device[i].major == device->major &&
		 late->device[i].minor == device->minor &&
		 late->device[i].diskseq == device->diskseq))
		i++;
	return i;
}

uint32_t lea_late_deadline_ms(const struct lea_late *late, const struct lea_device *device,
			      uint32_t deadline_ms)
{
	const uint32_t i = find(late, device);
	uint64_t longer = deadline_ms;

	for (uint32_t n = 0; i < LEA_LATE_DEVICES && n < late->device[i].times; n++)
		longer = longer * 2 < LEA_LATE_MOST_MS ? longer * 2 : LEA_LATE_MOST_MS;
	return longer > deadline_ms ? (uint32_t)longer : deadline_ms;
}

void lea_late_note(struct lea_late *late, const struct lea_device *device)
{
	uint32_t i = find(late, device);

	if (i == LEA_LATE_DEVICES) {
		i = late->next;
		late->next = (late->next + 1) % LEA_LATE_DEVICES;
		late->device[i].major = device->major;
		late->device[i].minor = device->minor;
		late->device[i].diskseq = device->diskseq;
		late->device[i].times = 0;
	}
	if (late->device[i].times < MOST_TIMES)
		late->device[i].times++;
}

void lea_late_forget(struct lea_late *late, const struct lea_device *device)
{
	const uint32_t i = find(late, device);

	if (i < LEA_LATE_DEVICES)
		late->device[i].times = 0;
}
