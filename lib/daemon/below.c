/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/below.h"

#include <errno.h>
#include <string.h>

#include "world/stack.h"
#include "world/sysfs.h"

#define DM_UUID_BYTES 160U

void lea_below_ids_read(struct lea_world *world, struct lea_devno devno, uint32_t partition,
			struct lea_below_ids *ret_ids)
{
	ret_ids->partition = partition;
	ret_ids->address[0] = '\0';
	if (!lea_id_wwid(world, devno, partition, ret_ids->wwid) && ret_ids->wwid[0])
		return;
	ret_ids->wwid[0] = '\0';
	if (lea_sysfs_address(world, devno, partition, ret_ids->address, sizeof(ret_ids->address)))
		ret_ids->address[0] = '\0';
}

bool lea_below_is(const struct lea_boot_below *below, const struct lea_below_ids *ids)
{
	return (ids->wwid[0] || ids->address[0]) && below->partition == ids->partition &&
	       !strcmp(below->wwid, ids->wwid) &&
	       (ids->wwid[0] || !strcmp(below->address, ids->address));
}

static bool has(struct lea_world *world, struct lea_devno devno, const char *attribute)
{
	char text[8];

	return !lea_sysfs_text(world, devno, attribute, text, sizeof(text));
}

static enum lea_boot_kind kind_of_dm(const char *uuid)
{
	return !strncmp(uuid, "mpath-", 6)   ? LEA_BOOT_MULTIPATH
	       : !strncmp(uuid, "CRYPT-", 6) ? LEA_BOOT_LUKS
	       : !strncmp(uuid, "LVM-", 4)   ? LEA_BOOT_LV
					     : LEA_BOOT_OTHER;
}

enum lea_boot_kind lea_below_kind(struct lea_world *world, struct lea_devno devno)
{
	char uuid[DM_UUID_BYTES];

	if (!lea_sysfs_text(world, devno, "dm/uuid", uuid, sizeof(uuid)))
		return kind_of_dm(uuid);
	if (has(world, devno, "md/level"))
		return LEA_BOOT_MD;
	if (has(world, devno, "loop/backing_file"))
		return LEA_BOOT_LOOP;
	if (!has(world, devno, "partition"))
		return LEA_BOOT_DISK;
	return has(world, devno, "../md/level") || has(world, devno, "../loop/backing_file")
		       ? LEA_BOOT_OTHER
		       : LEA_BOOT_PARTITION;
}

struct each {
	struct lea_world *world;
	int (*tell)(void *arg, const struct lea_below_ids *ids);
	void *arg;
};

static int visit(void *arg, const struct lea_stack_device *device)
{
	const struct each *each = arg;
	struct lea_below_ids ids;

	if (!device->is_bottom)
		return lea_stack_is_lv(device) ? -ELOOP : 0;
	lea_below_ids_read(each->world, device->devno,
			   lea_sysfs_partition(each->world, device->devno), &ids);
	return each->tell(each->arg, &ids);
}

int lea_below_each(struct lea_world *world, struct lea_devno devno,
		   int (*tell)(void *arg, const struct lea_below_ids *ids), void *arg)
{
	struct each each = {world, tell, arg};

	return lea_stack_walk(world, devno, visit, &each);
}
