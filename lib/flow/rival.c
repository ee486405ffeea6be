/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ids: sysfs's wwid where both have one, else udev's ID_SERIAL, which of a SCSI disk is its page 83
 * id. Not ID_WWN: with vendors that number by registered extension it is that of the whole array.
 * An id is the disk's, so partitions are the same only under the same number, on different disks.
 */
#include "flow/rival.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "flow/filter_parts.h"
#include "world/udevdb.h"

#define LOOKS_MOST 64U /* devices below one that are looked at */

static struct lea_devno devno_of(const struct lea_device *device)
{
	return (struct lea_devno){.major = device->major, .minor = device->minor};
}

static uint64_t number_of(struct lea_world *world, const struct lea_device *device,
			  const char *attribute)
{
	uint64_t number = 0;

	return lea_sysfs_number(world, devno_of(device), attribute, &number) ? 0 : number;
}

/* ---- one disk, reached in two ways */

static bool has_same_wwid(struct lea_world *world, const struct lea_device *a,
			  const struct lea_device *b, bool is_partition, bool *ret_same)
{
	char id[2][LEA_ID_BYTES];

	if (lea_id_wwid(world, devno_of(a), is_partition, id[0]) ||
	    lea_id_wwid(world, devno_of(b), is_partition, id[1]))
		return false;
	*ret_same = !strcmp(id[0], id[1]);
	return true;
}

static bool serial_of(struct lea_world *world, const struct lea_device *device,
		      char ret_id[static LEA_ID_BYTES])
{
	LEA_AUTO(lea_device_done) struct lea_device copy = {0};

	return !lea_device_copy(device, &copy) && !lea_udevdb_fill(world, &copy) &&
	       lea_udevdb_property(&copy, "ID_SERIAL", ret_id, LEA_ID_BYTES) && ret_id[0];
}

static bool has_same_serial(struct lea_world *world, const struct lea_device *a,
			    const struct lea_device *b)
{
	char id[2][LEA_ID_BYTES];

	return serial_of(world, a, id[0]) && serial_of(world, b, id[1]) && !strcmp(id[0], id[1]);
}

/* Of partitions that of their disk; of a disk its own. */
static void disk_of(struct lea_world *world, const struct lea_device *device,
		    char ret_disk[static 32])
{
	if (lea_sysfs_text(world, devno_of(device), "../dev", ret_disk, 32))
		snprintf(ret_disk, 32, "%u:%u", device->major, device->minor);
}

static bool is_one_disk(struct lea_world *world, const struct lea_device *a,
			const struct lea_device *b)
{
	const uint64_t partition = number_of(world, a, "partition");
	char disk[2][32];
	bool same = false;

	if (partition != number_of(world, b, "partition") ||
	    number_of(world, a, "size") != number_of(world, b, "size"))
		return false;
	disk_of(world, a, disk[0]);
	disk_of(world, b, disk[1]);
	if (!strcmp(disk[0], disk[1]))
		return false;
	return has_same_wwid(world, a, b, partition != 0, &same) ? same
								 : has_same_serial(world, a, b);
}

/* ---- one on top of the other */

/* A walk over what devices sit on; bounded, for sysfs is not ours. */
struct walk {
	struct lea_world *world;
	struct lea_devno wanted;
	unsigned int left; /* devices that may still be looked at */
};

static bool sits_on(struct walk *walk, struct lea_devno upper);

static bool is_it(struct walk *walk, const char *dev)
{
	struct lea_devno devno;

	if (sscanf(dev, "%" SCNu32 ":%" SCNu32, &devno.major, &devno.minor) != 2)
		return false;
	return (devno.major == walk->wanted.major && devno.minor == walk->wanted.minor) ||
	       sits_on(walk, devno);
}

/* A loop device over a disk is nobody's holder in sysfs. */
static bool is_behind_loop(struct walk *walk, struct lea_devno upper)
{
	char file[LEA_SYSFS_VALUE_BYTES], path[LEA_SYSFS_VALUE_BYTES + 16], dev[32];

	if (lea_sysfs_text(walk->world, upper, "loop/backing_file", file, sizeof(file)) ||
	    strncmp(file, "/dev/", 5) != 0)
		return false;
	for (char *slash = strchr(file + 5, '/'); slash; slash = strchr(slash, '/'))
		*slash = '!';
	snprintf(path, sizeof(path), "class/block/%s/dev", file + 5);
	return !lea_file_read_into(lea_world_sys(walk->world), path, dev, sizeof(dev)) &&
	       is_it(walk, dev);
}

static bool sits_on(struct walk *walk, struct lea_devno upper)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	char path[64], name[300], dev[32];

	if (!walk->left--) {
		walk->left = 0;
		return false;
	}
	if (is_behind_loop(walk, upper))
		return true;
	snprintf(path, sizeof(path), "dev/block/%u:%u/slaves", upper.major, upper.minor);
	if (lea_file_list(lea_world_sys(walk->world), path, &dir))
		return false;
	while ((entry = readdir(dir))) {
		snprintf(name, sizeof(name), "%s/dev", entry->d_name);
		if (entry->d_name[0] != '.' &&
		    !lea_file_read_into(dirfd(dir), name, dev, sizeof(dev)) && is_it(walk, dev))
			return true;
	}
	return false;
}

static bool is_on(struct lea_world *world, const struct lea_device *upper,
		  const struct lea_device *lower)
{
	struct walk walk = {.world = world, .wanted = devno_of(lower), .left = LOOKS_MOST};

	return sits_on(&walk, devno_of(upper));
}

enum lea_rival_tie lea_rival_tie(struct lea_world *world, const struct lea_device *a,
				 const struct lea_device *b)
{
	if (is_on(world, a, b) || is_on(world, b, a))
		return LEA_RIVAL_STACKED;
	return is_one_disk(world, a, b) ? LEA_RIVAL_PATH : LEA_RIVAL_COPY;
}

bool lea_rival_is_in_use(struct lea_world *world, struct lea_devno devno)
{
	bool has = false;

	return !lea_sysfs_holder(world, devno, "holders", "LVM-", &has) && has;
}

/* ---- what is on it */

int lea_rival_fill(struct lea_world *world, struct lea_device *device)
{
	LEA_AUTO(lea_device_done) struct lea_device now = {0};
	const uint64_t diskseq = lea_sysfs_diskseq(world, devno_of(device));
	char number[24];
	int r;

	if (!lea_sysfs_has_device(world, devno_of(device)) ||
	    (device->diskseq && diskseq != device->diskseq))
		return LEA_RIVAL_GONE;
	snprintf(number, sizeof(number), "%u:%u", device->major, device->minor);
	r = lea_device_from_arg(world, number, &now);
	if (r || now.is_gone)
		return r < 0 ? r : LEA_RIVAL_GONE;
	device->diskseq = diskseq;
	free(device->name);
	device->name = LEA_TAKE(now.name);
	return 0;
}

static int answer_of(const struct lea_found *found, const char *pvid)
{
	switch (found->kind) {
	case LEA_FOUND_PV:
	case LEA_FOUND_ORPHAN:
		return strcmp(found->label.pvid, pvid) ? LEA_RIVAL_OTHER : 0;
	case LEA_FOUND_UNREADABLE:
		return LEA_RIVAL_UNKNOWN;
	case LEA_FOUND_GONE:
		return LEA_RIVAL_GONE;
	case LEA_FOUND_NOT_PV:
	case LEA_FOUND_EXCLUDED:
	default:
		return LEA_RIVAL_OTHER;
	}
}

int lea_rival_read(struct lea_world *world, const struct lea_conf *conf,
		   const struct lea_scan_options *options, const struct lea_device *device,
		   const char *pvid)
{
	struct lea_device copy = {0};
	struct lea_found *const *found;
	struct lea_scan *scan = NULL;
	size_t count;
	int r = lea_scan_new(world, conf, options, &scan);

	r = r > 0 ? -EINVAL : r;
	r = r ? r : lea_device_copy(device, &copy);
	r = r ? r : lea_scan_add(scan, &copy, 1);
	if (!r) {
		found = lea_scan_found(scan, &count);
		r = count ? answer_of(found[0], pvid) : LEA_RIVAL_OTHER;
	}
	lea_device_done(&copy);
	lea_scan_free(scan);
	return r;
}
