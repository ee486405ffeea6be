/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/below.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "world/stack.h"
#include "world/sysfs.h"

#define DM_UUID_BYTES 160U

int lea_below_ids_read(struct lea_world *world, struct lea_devno devno, uint32_t partition,
		       struct lea_below_ids *ret_ids)
{
	int r = lea_id_wwid(world, devno, partition, ret_ids->wwid);

	ret_ids->partition = partition;
	ret_ids->address[0] = '\0';
	if (!r && ret_ids->wwid[0])
		return 0;
	ret_ids->wwid[0] = '\0';
	if (lea_is_shortage(r))
		return r;
	r = lea_sysfs_address(world, devno, partition, ret_ids->address, sizeof(ret_ids->address));
	if (r)
		ret_ids->address[0] = '\0';
	return lea_shortage_of(r);
}

bool lea_below_is(const struct lea_boot_below *below, const struct lea_below_ids *ids)
{
	return (ids->wwid[0] || ids->address[0]) && below->partition == ids->partition &&
	       !strcmp(below->wwid, ids->wwid) &&
	       (ids->wwid[0] || !strcmp(below->address, ids->address));
}

static enum lea_boot_kind kind_of_dm(const char *uuid)
{
	return !strncmp(uuid, "mpath-", 6)   ? LEA_BOOT_MULTIPATH
	       : !strncmp(uuid, "CRYPT-", 6) ? LEA_BOOT_LUKS
	       : !strncmp(uuid, "LVM-", 4)   ? LEA_BOOT_LV
					     : LEA_BOOT_OTHER;
}

struct row {
	const char *attribute;
	enum lea_boot_kind kind;
};

/* The first attribute that the device has tells. 0, LEA_SYSFS_ABSENT: it has none, or a shortage. */
static int find_kind(struct lea_world *world, struct lea_devno devno, const struct row rows[],
		     size_t count, enum lea_boot_kind *ret_kind)
{
	char text[LEA_SYSFS_VALUE_BYTES];
	int r = LEA_SYSFS_ABSENT;

	for (size_t i = 0; r && !lea_is_shortage(r) && i < count; i++) {
		r = lea_sysfs_text(world, devno, rows[i].attribute, text, sizeof(text));
		if (!r)
			*ret_kind = rows[i].kind;
	}
	return r && !lea_is_shortage(r) ? LEA_SYSFS_ABSENT : r;
}

int lea_below_kind(struct lea_world *world, struct lea_devno devno, enum lea_boot_kind *ret_kind)
{
	static const struct row own[] = {{"md/level", LEA_BOOT_MD},
					 {"loop/backing_file", LEA_BOOT_LOOP},
					 {"partition", LEA_BOOT_PARTITION}},
				of_disk[] = {{"../md/level", LEA_BOOT_OTHER},
					     {"../loop/backing_file", LEA_BOOT_OTHER}};
	char uuid[DM_UUID_BYTES];
	int r = lea_sysfs_text(world, devno, "dm/uuid", uuid, sizeof(uuid));

	*ret_kind = r ? LEA_BOOT_DISK : kind_of_dm(uuid);
	if (r && !lea_is_shortage(r))
		r = find_kind(world, devno, own, ARRAY_SIZE(own), ret_kind);
	if (!r && *ret_kind == LEA_BOOT_PARTITION)
		r = find_kind(world, devno, of_disk, ARRAY_SIZE(of_disk), ret_kind);
	return lea_shortage_of(r);
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
	uint32_t partition;
	int r;

	if (!device->is_bottom)
		return lea_stack_is_lv(device) ? -ELOOP : 0;
	r = lea_sysfs_partition(each->world, device->devno, &partition);
	r = r ? r : lea_below_ids_read(each->world, device->devno, partition, &ids);
	return r ? r : each->tell(each->arg, &ids);
}

int lea_below_each(struct lea_world *world, struct lea_devno devno,
		   int (*tell)(void *arg, const struct lea_below_ids *ids), void *arg)
{
	struct each each = {world, tell, arg};

	return lea_stack_walk(world, devno, visit, &each);
}
