/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of device numbers, sorted when the entries are compared with it.
 */
#include "flow/unsettled.h"

#include <errno.h>
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

static void add_number(struct lea_unsettled *unsettled, const struct lea_device *device)
{
	size_t room = unsettled->room ? unsettled->room * 2 : 16;
	uint64_t *bigger;

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

static bool has(const struct lea_unsettled *unsettled, const struct lea_device *device)
{
	const uint64_t number = number_of(device);

	return unsettled->count && bsearch(&number, unsettled->number, unsettled->count,
					   sizeof(number), compare);
}

void lea_unsettled_add(struct lea_unsettled *unsettled, int fault, const struct lea_device *device)
{
	if (!lea_is_shortage(fault))
		return;
	unsettled->fault = unsettled->fault ? unsettled->fault : fault;
	add_number(unsettled, device);
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
	const bool settles = unsettled->fault && !unsettled->is_full;

	if (unsettled->count)
		qsort(unsettled->number, unsettled->count, sizeof(*unsettled->number), compare);
	for (size_t i = 0; settles && i < count; i++)
		entries[i].is_settled = !has(unsettled, &entries[i].device);
	return unsettled->fault;
}

void lea_unsettled_done(struct lea_unsettled *unsettled)
{
	free(unsettled->number);
	memset(unsettled, 0, sizeof(*unsettled));
}
