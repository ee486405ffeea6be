/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch/event_order.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/devset.h"

/* Of two instances with one number at most one is there. */
static int find_shared(const struct lea_entry *entries, size_t count, bool *ret_is_shared)
{
	LEA_AUTO(lea_devset_done) struct lea_devset numbers = {0};
	LEA_AUTO(lea_freep) size_t *first = calloc(count + 1, sizeof(*first));
	int r = first ? 0 : -ENOMEM;

	for (size_t i = 0; r >= 0 && i < count; i++) {
		const struct lea_devid number = lea_device_number(&entries[i].device);

		if (entries[i].device.is_gone)
			continue;
		r = lea_devset_add(&numbers, &number);
		if (r == 0)
			first[numbers.count - 1] = i;
		else if (r == LEA_DEVSET_THERE)
			ret_is_shared[i] = ret_is_shared[first[lea_devset_find(&numbers, &number)]] =
				true;
	}
	return r < 0 ? r : 0;
}

int lea_event_order_judge(const struct lea_event_order *order, const struct lea_entry *entries,
			  size_t count, bool *ret_is_doubtful)
{
	for (size_t i = 0; i < count; i++)
		ret_is_doubtful[i] = entries[i].is_leftover || !entries[i].device.seqnum ||
				     order->is_unknown || entries[i].device.seqnum < order->newest;
	return count > 1 ? find_shared(entries, count, ret_is_doubtful) : 0;
}

/* What a dead runner had taken is handled before older entries that are pending, and some of it that runner had
 * finished. All that is pending then may be older. */
void lea_event_order_note(struct lea_event_order *order, const struct lea_entry *entries,
			  size_t count)
{
	order->is_unknown = false;
	for (size_t i = 0; i < count; i++) {
		order->is_unknown |= entries[i].is_leftover;
		if (entries[i].device.seqnum > order->newest)
			order->newest = entries[i].device.seqnum;
	}
}
