/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/duplicate_original.h"

#include <string.h>

#include "base/cleanup.h"
#include "filter/device_id.h"
#include "filter/filter.h"
#include "memory/boot_memory_file.h"
#include "world/sysfs.h"

/* @wwid: the text of ret_device->wwid. 0 or a shortage. */
static int describe(struct lea_world *world, const struct lea_device *device,
		    char wwid[static LEA_ID_BYTES], struct lea_original_device *ret_device)
{
	const struct lea_devno devno = lea_device_devno(device);
	struct lea_original_device found = {.wwid = wwid};
	int r = lea_sysfs_partition(world, devno, &found.partition);

	wwid[0] = '\0';
	r = r ? r : lea_shortage_of(lea_id_wwid(world, devno, found.partition, wwid));
	r = r ? r
	      : lea_shortage_of(lea_sysfs_number(world, devno, "size", &found.size_sectors));
	*ret_device = found;
	return r;
}

LEA_DEFINE_FREEP(struct lea_filter, filter_freep, lea_filter_free);

/* Returns 0 or a fault. */
static int find_listing(struct lea_filter *filter, const struct lea_device *device,
			const char *pvid, enum lea_listing *ret_listing)
{
	LEA_AUTO(lea_device_done) struct lea_device copy = {0};
	int r = lea_device_copy(device, &copy);

	return r ? r : lea_filter_listing(filter, &copy, pvid, ret_listing);
}

int lea_original_listed(struct lea_world *world, const struct lea_conf *conf, const char *pvid,
			const struct lea_device *first, const struct lea_device *second)
{
	const struct lea_filter_options options = {.lock = LEA_FILTER_LOCK_TRY};
	LEA_AUTO(filter_freep) struct lea_filter *filter = NULL;
	enum lea_listing one, two;
	int r;

	if (!conf->use_devicesfile)
		return LEA_ORIGINAL_UNSURE;
	r = lea_filter_new(world, conf, &options, &filter);
	r = r ? r : find_listing(filter, first, pvid, &one);
	r = r ? r : find_listing(filter, second, pvid, &two);
	if (r)
		return lea_shortage_of(r);
	return one < two   ? LEA_ORIGINAL_FIRST
	       : two < one ? LEA_ORIGINAL_SECOND
			   : LEA_ORIGINAL_UNSURE;
}

static int remembered(struct lea_world *world, const char *pvid, const struct lea_vg *vg,
		      const struct lea_device *first, const struct lea_device *second)
{
	LEA_AUTO(lea_arena_freep)
	struct lea_arena *arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	const struct lea_original_vg names = {vg ? vg->id : NULL, vg ? vg->seqno : 0};
	struct lea_boot_memory memory = {0};
	struct lea_original_device one, two;
	char wwid[2][LEA_ID_BYTES];
	int r = arena ? lea_boot_memory_read(world, arena, &memory) : -ENOMEM;

	if (r)
		return lea_shortage_of(r);
	r = describe(world, first, wwid[0], &one);
	r = r ? r : describe(world, second, wwid[1], &two);
	return r ? r : (int)lea_original_by_memory(&memory, pvid, &names, &one, &two);
}

int lea_original_find(struct lea_world *world, const struct lea_conf *conf, const char *pvid,
		      const struct lea_vg *vg, const struct lea_device *first,
		      const struct lea_device *second)
{
	const int listed =
		conf ? lea_original_listed(world, conf, pvid, first, second) : LEA_ORIGINAL_UNSURE;

	return listed != LEA_ORIGINAL_UNSURE ? listed
					     : remembered(world, pvid, vg, first, second);
}

int lea_original_ask_elsewhere(struct lea_world *world, const struct lea_boot_pv *remembered_pv,
			       const struct lea_device *device)
{
	struct lea_original_device now;
	char wwid[LEA_ID_BYTES];
	int r;

	if (!lea_id_is_unique(remembered_pv->wwid))
		return 0;
	r = describe(world, device, wwid, &now);
	return r ? r : lea_original_is_other(remembered_pv, &now);
}

/* If the other device has been used in place of the remembered one since the last good boot, only its metadata have
 * changed, and the memory decides nothing. Where it gives no answer, what it has shown before tells, and the other
 * PVs: @vg is what the newest of them say. */
static bool is_outdone(const struct lea_found *found, const struct lea_vg *vg,
		       const struct lea_duplicate_answer *answer)
{
	if (!found->vg)
		return found->is_outdated;
	return (!strcmp(found->vg->id, answer->vg_id) && answer->seqno > found->vg->seqno) ||
	       (vg && !strcmp(found->vg->id, vg->id) && vg->seqno > found->vg->seqno);
}

int lea_original_decide(struct lea_world *world, const struct lea_conf *conf,
			const struct lea_found *found, const struct lea_vg *vg,
			const struct lea_device *first, const struct lea_device *second,
			const struct lea_duplicate_answer *answer)
{
	const char *pvid = found->label.pvid;

	if (!is_outdone(found, vg, answer))
		return lea_original_find(world, conf, pvid, vg, first, second);
	return conf ? lea_original_listed(world, conf, pvid, first, second) : LEA_ORIGINAL_UNSURE;
}
