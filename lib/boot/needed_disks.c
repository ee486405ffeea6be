/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/needed_disks.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "daemon/below.h"
#include "world/multipathd.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

#define NAME_BYTES     64U
#define PATH_BYTES     256U
#define PARTITIONS_MAX (16U * 1024U * 1024U)

struct disk {
	char name[NAME_BYTES];
	struct lea_devno devno;
	const char *wwid;    /* "": none */
	const char *address; /* of a disk without wwid; "": unknown */
	bool is_partitioned;
};

struct lea_needed_disks {
	struct lea_world *world;
	struct disk *disk; /* [count], sorted by wwid, then by address */
	size_t count;
	bool has_multipathd, has_filters;
};

/* Devices without a disk of their own, and those on which no PV is remembered. */
static bool is_disk(const char *name)
{
	static const char *const others[] = {"dm-", "fd", "loop", "md", "ram", "sr", "zram"};

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strncmp(name, others[i], strlen(others[i])))
			return false;
	return true;
}

/* 0 or a shortage. */
static int read_ids(struct lea_needed_disks *disks, struct lea_arena *arena, struct disk *disk)
{
	struct lea_below_ids ids;
	int r = lea_below_ids_read(disks->world, disk->devno, 0, &ids);

	if (r)
		return r;
	disk->wwid = lea_arena_strdup(arena, ids.wwid);
	disk->address = lea_arena_strdup(arena, ids.address);
	return disk->wwid && disk->address ? 0 : -ENOMEM;
}

static int by_id(const void *a, const void *b)
{
	const struct disk *left = a, *right = b;
	const int order = strcmp(left->wwid, right->wwid);

	return order ? order : strcmp(left->address, right->address);
}

/* The kernel's name of a partition is the disk's and a number; a "p" is between two numbers. */
static const char *separator(const struct disk *disk)
{
	return isdigit((unsigned char)disk->name[strlen(disk->name) - 1]) ? "p" : "";
}

static bool is_partition_of(const struct disk *disk, const char *name)
{
	const char *between = separator(disk);
	const size_t name_bytes = strlen(disk->name), between_bytes = strlen(between);

	return !strncmp(name, disk->name, name_bytes) &&
	       !strncmp(name + name_bytes, between, between_bytes) &&
	       isdigit((unsigned char)name[name_bytes + between_bytes]);
}

/* One file has the numbers of all disks, each followed by its partitions. */
static int list(struct lea_needed_disks *disks, struct lea_arena *arena)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	const int proc_fd = lea_world_proc(disks->world);
	size_t room = 0;
	int r = proc_fd < 0 ? proc_fd
			    : lea_file_read(proc_fd, "partitions", PARTITIONS_MAX, &text, NULL);

	if (r)
		return r == LEA_FILE_ABSENT ? 0 : r;
	for (char *line, *rest = text; (line = strsep(&rest, "\n"));) {
		struct disk disk = {.wwid = ""}, *last;

		if (sscanf(line, "%u %u %*u %63s", &disk.devno.major, &disk.devno.minor,
			   disk.name) != 3 ||
		    !is_disk(disk.name))
			continue;
		last = disks->count ? &disks->disk[disks->count - 1] : NULL;
		if (last && is_partition_of(last, disk.name)) {
			last->is_partitioned = true;
			continue;
		}
		r = read_ids(disks, arena, &disk);
		r = r ? r
		      : lea_arena_make_room(arena, &disks->disk, &room, disks->count + 1,
					    sizeof(disk));
		if (r)
			return r;
		disks->disk[disks->count++] = disk;
	}
	if (disks->count)
		qsort(disks->disk, disks->count, sizeof(*disks->disk), by_id);
	return 0;
}

int lea_needed_disks_list(struct lea_world *world, const struct lea_conf *conf,
			  struct lea_arena *arena, struct lea_needed_disks **ret_disks)
{
	struct lea_needed_disks *disks = lea_arena_alloc(arena, 1, sizeof(*disks));
	int r;

	if (!disks)
		return -ENOMEM;
	disks->world = world;
	disks->has_multipathd = lea_has_multipathd(world);
	disks->has_filters = conf->filter.defined || conf->global_filter.defined;
	r = list(disks, arena);
	if (!r)
		*ret_disks = disks;
	return r;
}

/* Finds the disk by its wwid, or, if the PV's disk had none, the disk without wwid at its address.
 * *ret_count: disks with this id. */
static const struct disk *find(const struct lea_needed_disks *disks, const char *wwid,
			       const char *address, uint32_t *ret_count)
{
	const struct disk key = {.wwid = wwid, .address = wwid[0] ? "" : address};
	const struct disk *end = disks->disk + disks->count, *first, *last;

	*ret_count = 0;
	first = disks->count && (wwid[0] || address[0])
			? bsearch(&key, disks->disk, disks->count, sizeof(key), by_id)
			: NULL;
	if (!first)
		return NULL;
	for (last = first; last + 1 < end && !by_id(last + 1, &key);)
		last++;
	while (first > disks->disk && !by_id(first - 1, &key))
		first--;
	*ret_count = (uint32_t)(last - first) + 1;
	return first;
}

/* Names the device as in /dev, and finds its number. @partition: 0: the disk itself. False: there
 * is no such partition. */
static bool locate(struct lea_world *world, const struct disk *disk, uint32_t partition,
		   char name[static PATH_BYTES], struct lea_devno *ret_devno)
{
	char folder[PATH_BYTES], attribute[PATH_BYTES + 8], number[32];

	*ret_devno = disk->devno;
	snprintf(name, PATH_BYTES, "%s", disk->name);
	if (!partition)
		return true;
	snprintf(name, PATH_BYTES, "%s%s%u", disk->name, separator(disk), partition);
	/* sysfs has "!" for each "/" of a name. */
	snprintf(folder, sizeof(folder), "%s", name);
	for (char *c = folder; (c = strchr(c, '/'));)
		*c = '!';
	snprintf(attribute, sizeof(attribute), "%s/dev", folder);
	return !lea_sysfs_text(world, disk->devno, attribute, number, sizeof(number)) &&
	       lea_devno_parse(number, ret_devno);
}

static bool is_held(struct lea_world *world, struct lea_devno devno, bool is_partition)
{
	bool has_other = false;
	int r = lea_sysfs_holder_but(world, devno, "holders", "LVM-", &has_other);

	if (r >= 0 && !has_other && is_partition)
		r = lea_sysfs_holder_but(world, devno, "../holders", "LVM-", &has_other);
	return r < 0 || has_other;
}

int lea_needed_disks_find(struct lea_needed_disks *disks, struct lea_needed_pv *needed,
			  struct lea_keep_off_device *ret_seen)
{
	const struct lea_boot_pv *pv = needed->pv;
	struct lea_keep_off_device seen = {.wwid = "",
					   .has_multipathd = disks->has_multipathd,
					   .had_multipathd = needed->vg->has_multipathd,
					   .has_filters = disks->has_filters};
	const struct disk *disk = find(disks, pv->wwid, pv->address, &seen.with_wwid);
	const bool is_partition = pv->kind == LEA_BOOT_PARTITION;
	struct lea_devno devno;
	struct lea_devid id;
	char name[PATH_BYTES], path[PATH_BYTES + 8];
	int r = 0;

	if (disk && locate(disks->world, disk, is_partition ? pv->partition : 0, name, &devno)) {
		seen.is_there = true;
		seen.wwid = disk->wwid;
		seen.is_partitioned = !is_partition && disk->is_partitioned;
		seen.is_held = is_held(disks->world, devno, is_partition);
		if (lea_sysfs_number(disks->world, devno, "size", &seen.size_sectors))
			seen.size_sectors = 0;
		snprintf(path, sizeof(path), "/dev/%s", name);
		id = (struct lea_devid){devno.major, devno.minor, 0};
		r = lea_sysfs_diskseq(disks->world, devno, &id.diskseq);
		r = r ? r : lea_device_make(&id, path, &needed->device);
		r = r ? r : lea_udevdb_fill(disks->world, &needed->device);
		seen.has_links = !r && needed->device.devlinks[0];
	}
	*ret_seen = seen;
	return r;
}

/* What the PV lies on; of one on a disk the disk itself, in *room. */
static const struct lea_boot_below *below_of(const struct lea_boot_pv *pv,
					     struct lea_boot_below *room, uint32_t *ret_count)
{
	const bool is_partition = pv->kind == LEA_BOOT_PARTITION;

	*ret_count = pv->below_count;
	if (pv->kind != LEA_BOOT_DISK && !is_partition)
		return pv->below;
	*ret_count = 1;
	*room = (struct lea_boot_below){is_partition ? pv->partition : 0, pv->wwid, pv->address};
	return room;
}

/* A disk of which no add can be sent, as one that has gone, keeps no other from its turn. */
static bool announce(struct lea_needed_disks *disks, const struct disk *disk, uint32_t partition)
{
	struct lea_devno devno = disk->devno;
	char name[PATH_BYTES];
	int r = lea_sysfs_announce(disks->world, devno);

	if (!r && partition)
		r = locate(disks->world, disk, partition, name, &devno)
			    ? lea_sysfs_announce(disks->world, devno)
			    : LEA_SYSFS_ABSENT;
	if (r < 0)
		lea_log(disks->world->log, LEA_LOG_VERBOSE, "sending an add of %u:%u: %s",
			devno.major, devno.minor, strerror(-r));
	return !r;
}

bool lea_needed_disks_announce(struct lea_needed_disks *disks, const struct lea_boot_pv *pv)
{
	struct lea_boot_below room;
	uint32_t below_count, count;
	const struct lea_boot_below *below = below_of(pv, &room, &below_count);
	bool is_any = false;

	for (uint32_t i = 0; i < below_count; i++) {
		const struct disk *disk = find(disks, below[i].wwid, below[i].address, &count);

		for (uint32_t k = 0; k < count; k++)
			is_any |= announce(disks, &disk[k], below[i].partition);
	}
	return is_any;
}

static int is_other(void *arg, const struct lea_below_ids *ids)
{
	const struct lea_boot_pv *pv = arg;
	struct lea_boot_below room;
	uint32_t count;
	const struct lea_boot_below *below = below_of(pv, &room, &count);

	for (uint32_t i = 0; i < count; i++)
		if (lea_below_is(&below[i], ids))
			return 0;
	return 1;
}

bool lea_needed_disks_carry(struct lea_world *world, const struct lea_boot_pv *pv,
			    struct lea_devno devno)
{
	struct lea_boot_pv looked_for = *pv;

	return !lea_below_each(world, devno, is_other, &looked_for);
}
