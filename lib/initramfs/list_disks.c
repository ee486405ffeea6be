/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "initramfs/list_disks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "filter/device_id.h"
#include "world/sysfs.h"
#include "world/udevlinks.h"

#define LINKS_MOST 2U /* a PV that several devices claim is not known by any */

bool lea_list_disk_of(struct lea_world *world, const struct lea_found *found,
		      struct lea_need_disk *ret_disk)
{
	const struct lea_devno devno = lea_device_devno(&found->device);
	struct lea_need_disk disk = {.sectors = found->size_sectors};

	_Static_assert(sizeof(disk.id) == LEA_ID_BYTES, "an id fits");
	memcpy(disk.pvid, found->label.pvid, sizeof(disk.pvid));
	if (lea_sysfs_partition(world, devno, &disk.partition) ||
	    lea_id_mark(world, devno, disk.partition, disk.id))
		return false;
	*ret_disk = disk;
	return true;
}

static int scan(struct lea_scan *scan, const struct lea_devset *disks)
{
	struct lea_device *devices = calloc(disks->count + 1, sizeof(*devices));
	int r = devices ? 0 : -ENOMEM;

	for (size_t i = 0; i < disks->count && !r; i++)
		r = lea_device_make(&disks->id[i], NULL, &devices[i]);
	r = r ? r : lea_scan_add(scan, devices, disks->count);
	if (devices)
		lea_devices_free(devices, disks->count);
	return r;
}

static bool is_found(struct lea_found *const *found, size_t count, const char *pvid)
{
	size_t i = 0;

	while (i < count && !lea_found_carries(found[i], pvid))
		i++;
	return i < count;
}

/* The PVs of these VGs on which no LV that is needed lies. */
static int add_others(struct lea_world *world, struct lea_scan *pvs)
{
	LEA_AUTO(lea_devset_done) struct lea_devset others = {0};
	struct lea_devno devno[LINKS_MOST];
	struct lea_found *const *found;
	size_t count, links = 0;
	int r = 0;

	found = lea_scan_found(pvs, &count);
	for (size_t i = 0; i < count; i++)
		for (uint32_t k = 0; found[i]->vg && k < found[i]->vg->pv_count && r >= 0; k++) {
			const char *pvid = found[i]->vg->pvs[k].id;

			if (is_found(found, count, pvid))
				continue;
			r = lea_udevlinks_pv(world, pvid, devno, LINKS_MOST, &links);
			if (!r && links == 1)
				r = lea_devset_add(&others, &(struct lea_devid){devno[0].major,
										devno[0].minor, 0});
		}
	return r < 0 ? r : scan(pvs, &others);
}

static void print_found(struct lea_world *world, struct lea_scan *pvs, FILE *out)
{
	struct lea_found *const *found;
	struct lea_need_disk disk;
	size_t count;

	found = lea_scan_found(pvs, &count);
	for (size_t i = 0; i < count; i++)
		if (found[i]->kind == LEA_FOUND_PV && !is_found(found, i, found[i]->label.pvid) &&
		    lea_list_disk_of(world, found[i], &disk))
			fprintf(out, "pv %s %" PRIu64 " %" PRIu32 " %s\n", disk.pvid, disk.sectors,
				disk.partition, disk.id);
}

LEA_DEFINE_FREEP(struct lea_scan, scan_freep, lea_scan_free);

void lea_list_disks_print(struct lea_world *world, const struct lea_conf *conf,
			  const struct lea_devset *disks, FILE *out)
{
	const struct lea_scan_options options = {.out_of_process = true, .no_probe = true};
	LEA_AUTO(scan_freep) struct lea_scan *pvs = NULL;
	int r;

	if (!disks->count)
		return;
	r = lea_scan_new(world, conf, &options, &pvs);
	r = r ? r : scan(pvs, disks);
	r = r ? r : add_others(world, pvs);
	if (r < 0)
		lea_log_fault(world->log, r, "reading the PVs of what boots");
	if (!r)
		print_found(world, pvs, out);
}
