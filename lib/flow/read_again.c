/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The name is what is locked, the id is what is meant: both must be as they were. */
#include "flow/read_again.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_devices(struct lea_scan *scan, const struct lea_scan_vg *known)
{
	const uint32_t most = known->vg->pv_count;
	struct lea_device *device = calloc(most ? most : 1, sizeof(*device));
	size_t count = 0;
	int r = 0;

	if (!device)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < most; i++)
		if (known->pv[i])
			r = lea_device_copy(&known->pv[i]->device, &device[count++]);
	if (!r)
		r = lea_scan_add(scan, device, count);
	lea_devices_free(device, count); /* the scan left them empty */
	return r;
}

static const struct lea_scan_vg *find_vg(struct lea_scan_vg *vgs, size_t count,
					 const struct lea_scan_vg *known)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(vgs[i].vg->id, known->vg->id) &&
		    !strcmp(vgs[i].vg->name, known->vg->name))
			return &vgs[i];
	return NULL;
}

/* A device that hangs is no missing one: nobody knows what it would have said. */
static bool is_undecided(int fault)
{
	return lea_is_shortage(fault) || fault == -ETIMEDOUT;
}

static int find_fault(const struct lea_scan *scan)
{
	struct lea_found *const *found;
	size_t count;

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; i < count; i++)
		if (found[i]->kind == LEA_FOUND_UNREADABLE && is_undecided(found[i]->fault))
			return found[i]->fault;
	return 0;
}

int lea_read_again(struct lea_scan *scan, const struct lea_scan_vg *known,
		   const struct lea_scan_vg **ret_vg)
{
	struct lea_scan_vg *vgs;
	size_t count;
	int r = add_devices(scan, known);

	r = r ? r : find_fault(scan);
	r = r ? r : lea_scan_vgs(scan, &vgs, &count);
	if (!r)
		*ret_vg = find_vg(vgs, count, known);
	return r;
}
