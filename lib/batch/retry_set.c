/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "batch/retry_set.h"

#include <string.h>

void lea_retry_set_add(struct lea_retry_set *retries, int fault, const struct lea_device *device)
{
	const struct lea_devid number = lea_device_number(device);

	if (!lea_is_shortage(fault))
		return;
	retries->fault = retries->fault ? retries->fault : fault;
	retries->is_full |= lea_devset_add(&retries->numbers, &number) < 0;
}

void lea_retry_set_add_vg(struct lea_retry_set *retries, int fault,
			  const struct lea_scan_vg *scanned)
{
	for (uint32_t i = 0; i < scanned->vg->pv_count; i++)
		if (scanned->pv[i])
			lea_retry_set_add(retries, fault, &scanned->pv[i]->device);
}

/* Without a whole list of what has to come back, all entries do. */
bool lea_retry_set_has(struct lea_retry_set *retries, const struct lea_device *device)
{
	const struct lea_devid number = lea_device_number(device);

	return retries->fault &&
	       (retries->is_full || lea_devset_has(&retries->numbers, &number));
}

int lea_retry_set_mark(struct lea_retry_set *retries, struct lea_entry *entries, size_t count)
{
	for (size_t i = 0; retries->fault && i < count; i++)
		entries[i].is_settled = !lea_retry_set_has(retries, &entries[i].device);
	return retries->fault;
}

void lea_retry_set_done(struct lea_retry_set *retries)
{
	lea_devset_done(&retries->numbers);
	memset(retries, 0, sizeof(*retries));
}
