/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/duplicate_original.h"

#include "base/cleanup.h"
#include "filter/device_id.h"
#include "memory/boot_memory_file.h"
#include "world/sysfs.h"

/* @wwid: the text of ret_device->wwid. */
static void describe(struct lea_world *world, const struct lea_device *device,
		     char wwid[static LEA_ID_BYTES], struct lea_original_device *ret_device)
{
	const struct lea_devno devno = lea_device_devno(device);
	uint64_t number = 0, size = 0;
	const bool is_partition = !lea_sysfs_number(world, devno, "partition", &number);

	if (lea_id_wwid(world, devno, is_partition, wwid))
		wwid[0] = '\0';
	if (lea_sysfs_number(world, devno, "size", &size))
		size = 0;
	*ret_device = (struct lea_original_device){
		.wwid = wwid,
		.partition = is_partition && number <= UINT32_MAX ? (uint32_t)number : 0,
		.size_sectors = size,
	};
}

enum lea_original lea_original_find(struct lea_world *world, const char *pvid,
				    const struct lea_vg *vg, const struct lea_device *first,
				    const struct lea_device *second)
{
	LEA_AUTO(lea_arena_freep)
	struct lea_arena *arena = lea_arena_new(LEA_BOOT_MEMORY_ARENA_BYTES);
	const struct lea_original_vg names = {vg ? vg->id : NULL, vg ? vg->seqno : 0};
	struct lea_boot_memory memory = {0};
	struct lea_original_device one, two;
	char wwid[2][LEA_ID_BYTES];

	if (!arena || lea_boot_memory_read(world, arena, &memory))
		return LEA_ORIGINAL_UNSURE;
	describe(world, first, wwid[0], &one);
	describe(world, second, wwid[1], &two);
	return lea_original_by_memory(&memory, pvid, &names, &one, &two);
}
