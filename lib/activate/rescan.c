/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lock is on the VG's name, the request is for the VG's id: both must be unchanged. */
#include "activate/rescan.h"

#include "base/cleanup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int lea_vg_scan_pvs(struct lea_scan *scan, const struct lea_scan_vg *vg, const bool *is_wanted)
{
	const uint32_t most = vg->vg->pv_count;
	struct lea_scan_device *device = calloc(most ? most : 1, sizeof(*device));
	size_t count = 0;
	int r = 0;

	if (!device)
		return -ENOMEM;
	for (uint32_t i = 0; !r && i < most; i++) {
		if (!vg->pv[i] || (is_wanted && !is_wanted[i]))
			continue;
		device[count].again = LEA_ENTRY_MISSED;
		memcpy(device[count].expected, vg->pv[i]->label.pvid, sizeof(device->expected));
		r = lea_device_copy(&vg->pv[i]->device, &device[count++].device);
	}
	r = r ? r : lea_scan_add_expected(scan, device, count);
	lea_scan_devices_free(device, count); /* the scan left them empty */
	return r;
}

static struct lea_scan_vg *find_vg(struct lea_scan_vg *vgs, size_t count,
				   const struct lea_scan_vg *before_lock)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(vgs[i].vg->id, before_lock->vg->id) &&
		    !strcmp(vgs[i].vg->name, before_lock->vg->name))
			return &vgs[i];
	return NULL;
}

/* The fault of a device that gave no answer, 0: all did. @is_wanted: for which faults. */
static int find_fault(const struct lea_scan *scan, bool (*is_wanted)(int fault))
{
	struct lea_found *const *found;
	size_t count;

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; i < count; i++)
		if (is_wanted(lea_found_silence(found[i])))
			return lea_found_silence(found[i]);
	return 0;
}

static bool is_any(int fault)
{
	return fault < 0;
}

int lea_vg_rescan(struct lea_scan *scan, const struct lea_scan_vg *before_lock,
		  const struct lea_scan_vg **ret_vg)
{
	struct lea_scan_vg *vgs, *vg = NULL;
	size_t count;
	int r = lea_vg_scan_pvs(scan, before_lock, NULL);

	r = r ? r : lea_scan_vgs(scan, &vgs, &count);
	if (!r)
		vg = find_vg(vgs, count, before_lock);
	/* The wait for the lock may have been long: is it still to be done without them? */
	if (vg && before_lock->in_part) {
		r = lea_scan_add_missing(scan, vg);
		r = r ? r : lea_scan_vgs(scan, &vgs, &count);
		vg = r ? NULL : find_vg(vgs, count, before_lock);
	}
	/* A VG of which nothing was read has not gone because of that. */
	r = r ? r : find_fault(scan, vg ? lea_silence_is_open : is_any);
	/* Who gave no answer before the lock is not asked while others wait for it. */
	r = r || !vg ? r : lea_scan_vg_keep_silent(vg, before_lock);
	if (!r)
		*ret_vg = vg;
	return r;
}
