/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of device numbers, sorted when the entries are compared with it.
 */
#include "flow/unsettled.h"

#include <stdlib.h>
#include <string.h>

static uint64_t number_of(const struct lea_device *device)
{
	return (uint64_t)device->major << 32 | device->minor;
}

static int compare(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

void lea_unsettled_add(struct lea_unsettled *unsettled, int fault, const struct lea_device *device)
{
	size_t room = unsettled->room ? unsettled->room * 2 : 16;
	uint64_t *bigger;

	if (!lea_is_shortage(fault))
		return;
	unsettled->fault = unsettled->fault ? unsettled->fault : fault;
	if (unsettled->count == unsettled->room) {
		bigger = reallocarray(unsettled->number, room, sizeof(*bigger));
		unsettled->is_full |= !bigger;
		if (!bigger)
			return;
		unsettled->number = bigger;
		unsettled->room = room;
	}
	unsettled->number[unsettled->count++] = number_of(device);
}

void lea_unsettled_add_vg(struct lea_unsettled *unsettled, int fault,
			  const struct lea_scan_vg *known)
{
	for (uint32_t i = 0; i < known->vg->pv_count; i++)
		if (known->pv[i])
			lea_unsettled_add(unsettled, fault, &known->pv[i]->device);
}

int lea_unsettled_mark(struct lea_unsettled *unsettled, struct lea_entry *entries, size_t count)
{
	uint64_t number;

	if (!unsettled->fault || unsettled->is_full)
		return unsettled->fault;
	if (unsettled->count)
		qsort(unsettled->number, unsettled->count, sizeof(number), compare);
	for (size_t i = 0; i < count; i++) {
		number = number_of(&entries[i].device);
		entries[i].is_settled = !bsearch(&number, unsettled->number, unsettled->count,
						 sizeof(number), compare);
	}
	return unsettled->fault;
}

void lea_unsettled_done(struct lea_unsettled *unsettled)
{
	free(unsettled->number);
	memset(unsettled, 0, sizeof(*unsettled));
}
