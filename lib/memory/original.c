/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pure: no I/O, no clock. */
#include "memory/original.h"

#include <string.h>

static bool has_disk(const struct lea_boot_pv *pv)
{
	return (pv->kind == LEA_BOOT_DISK || pv->kind == LEA_BOOT_PARTITION) && pv->wwid[0];
}

bool lea_original_is_other(const struct lea_boot_pv *remembered,
			   const struct lea_original_device *device)
{
	return has_disk(remembered) && (strcmp(remembered->wwid, device->wwid) != 0 ||
					remembered->partition != device->partition);
}

static bool is_it(const struct lea_boot_pv *pv, const struct lea_original_device *device)
{
	return has_disk(pv) && !lea_original_is_other(pv, device) && pv->size_sectors &&
	       pv->size_sectors == device->size_sectors;
}

static bool is_vg(const struct lea_boot_vg *remembered, const struct lea_original_vg *vg)
{
	return !vg->id || (!strcmp(remembered->id, vg->id) && vg->seqno >= remembered->seqno);
}

/* NULL: no VG, or more than one had this PV. */
static const struct lea_boot_pv *find(const struct lea_boot_memory *memory, const char *pvid,
				      const struct lea_original_vg *vg)
{
	const struct lea_boot_pv *found = NULL;

	for (uint32_t i = 0; i < memory->vg_count; i++)
		for (uint32_t j = 0; j < memory->vg[i].pv_count; j++) {
			if (strcmp(memory->vg[i].pv[j].pvid, pvid) != 0)
				continue;
			if (found || !is_vg(&memory->vg[i], vg))
				return NULL;
			found = &memory->vg[i].pv[j];
		}
	return found;
}

enum lea_original lea_original_by_memory(const struct lea_boot_memory *memory, const char *pvid,
					 const struct lea_original_vg *vg,
					 const struct lea_original_device *first,
					 const struct lea_original_device *second)
{
	const struct lea_boot_pv *pv = find(memory, pvid, vg);

	if (!pv || !first->wwid[0] || !second->wwid[0] || !strcmp(first->wwid, second->wwid))
		return LEA_ORIGINAL_UNSURE;
	return is_it(pv, first)	   ? LEA_ORIGINAL_FIRST
	       : is_it(pv, second) ? LEA_ORIGINAL_SECOND
				   : LEA_ORIGINAL_UNSURE;
}
