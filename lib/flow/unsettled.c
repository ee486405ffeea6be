/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of device numbers, sorted when the entries are compared with it.
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

static void add_number(struct lea_numbers *numbers, const struct lea_device *device)
{
	size_t room = numbers->room ? numbers->room * 2 : 16;
	uint64_t *bigger;

	if (numbers->count == numbers->room) {
		bigger = reallocarray(numbers->number, room, sizeof(*bigger));
		numbers->is_full |= !bigger;
		if (!bigger)
			return;
		numbers->number = bigger;
		numbers->room = room;
	}
	numbers->number[numbers->count++] = number_of(device);
}

static void sort(struct lea_numbers *numbers)
{
	if (numbers->count)
		qsort(numbers->number, numbers->count, sizeof(*numbers->number), compare);
}

static bool has(const struct lea_numbers *numbers, const struct lea_device *device)
{
	const uint64_t number = number_of(device);

	return numbers->count &&
	       bsearch(&number, numbers->number, numbers->count, sizeof(number), compare);
}

void lea_unsettled_add(struct lea_unsettled *unsettled, int fault, const struct lea_device *device)
{
	if (!lea_is_shortage(fault))
		return;
	unsettled->fault = unsettled->fault ? unsettled->fault : fault;
	add_number(&unsettled->number, device);
}

void lea_unsettled_add_found(struct lea_unsettled *unsettled, const struct lea_found *found)
{
	lea_unsettled_add(unsettled, found->fault, &found->device);
	/* One that hangs is queued by the child that hangs on it. */
	if (found->fault && found->fault != -ETIMEDOUT && !lea_is_shortage(found->fault))
		add_number(&unsettled->unread, &found->device);
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
	const bool settles = unsettled->fault && !unsettled->number.is_full;

	sort(&unsettled->number);
	sort(&unsettled->unread);
	for (size_t i = 0; i < count; i++) {
		entries[i].is_unread = has(&unsettled->unread, &entries[i].device);
		if (settles)
			entries[i].is_settled = !has(&unsettled->number, &entries[i].device);
	}
	return unsettled->fault;
}

void lea_unsettled_done(struct lea_unsettled *unsettled)
{
	free(unsettled->number.number);
	free(unsettled->unread.number);
	memset(unsettled, 0, sizeof(*unsettled));
}
