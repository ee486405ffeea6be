/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/needed_disks.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "filter/device_id.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

#define NAME_BYTES 64U
#define PATH_BYTES 256U

struct disk {
	char name[NAME_BYTES];
	struct lea_devno devno;
	const char *wwid;    /* "": none */
	const char *address; /* of a disk without wwid; "": unknown */
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
	return name[0] != '.' && strlen(name) < NAME_BYTES;
}

static bool read_number(int sys_fd, const char *path, struct lea_devno *ret_devno)
{
	char text[32];

	return !lea_file_read_into(sys_fd, path, text, sizeof(text)) &&
	       sscanf(text, "%u:%u", &ret_devno->major, &ret_devno->minor) == 2;
}

/* Returns 1 for a disk that is gone meanwhile. */
static int read_disk(struct lea_needed_disks *disks, struct lea_arena *arena, int sys_fd,
		     struct disk *disk)
{
	char path[PATH_BYTES], wwid[LEA_ID_BYTES] = "",
			       address[LEA_BOOT_MEMORY_VALUE_BYTES + 1] = "";

	snprintf(path, sizeof(path), "block/%s/dev", disk->name);
	if (!read_number(sys_fd, path, &disk->devno))
		return 1;
	if (lea_id_wwid(disks->world, disk->devno, false, wwid)) {
		wwid[0] = '\0';
		if (lea_sysfs_address(disks->world, disk->devno, false, address, sizeof(address)))
			address[0] = '\0';
	}
	disk->wwid = lea_arena_strdup(arena, wwid);
	disk->address = lea_arena_strdup(arena, address);
	return disk->wwid && disk->address ? 0 : -ENOMEM;
}

static int by_id(const void *a, const void *b)
{
	const struct disk *left = a, *right = b;
	const int order = strcmp(left->wwid, right->wwid);

	return order ? order : strcmp(left->address, right->address);
}

static int list(struct lea_needed_disks *disks, struct lea_arena *arena)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const int sys_fd = lea_world_sys(disks->world);
	const struct dirent *entry;
	size_t room = 0;
	int r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, "block", &dir);

	while (!r && (entry = readdir(dir))) {
		if (!is_disk(entry->d_name))
			continue;
		if (disks->count == room) {
			struct disk *bigger;

			room = 2 * room + 64;
			bigger = lea_arena_alloc(arena, room, sizeof(*bigger));
			if (!bigger)
				return -ENOMEM;
			if (disks->count)
				memcpy(bigger, disks->disk, disks->count * sizeof(*bigger));
			disks->disk = bigger;
		}
		snprintf(disks->disk[disks->count].name, NAME_BYTES, "%s", entry->d_name);
		r = read_disk(disks, arena, sys_fd, &disks->disk[disks->count]);
		disks->count += r == 0;
		r = r > 0 ? 0 : r;
	}
	if (!r && disks->count)
		qsort(disks->disk, disks->count, sizeof(*disks->disk), by_id);
	return r == -ENOENT ? 0 : r;
}

/* Is multipathd enabled, by itself or by its socket? */
static bool has_multipathd(const struct lea_world *world)
{
	static const char *const links[] = {
		"/etc/systemd/system/sysinit.target.wants/multipathd.service",
		"/etc/systemd/system/multi-user.target.wants/multipathd.service",
		"/etc/systemd/system/sockets.target.wants/multipathd.socket",
	};

	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		LEA_AUTO(lea_freep) char *path = lea_world_path(world, links[i]);

		if (!path || !faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW))
			return true;
	}
	return false;
}

int lea_needed_disks_list(struct lea_world *world, const struct lea_conf *conf,
			  struct lea_arena *arena, struct lea_needed_disks **ret_disks)
{
	struct lea_needed_disks *disks = lea_arena_alloc(arena, 1, sizeof(*disks));
	int r;

	if (!disks)
		return -ENOMEM;
	disks->world = world;
	disks->has_multipathd = has_multipathd(world);
	disks->has_filters = conf->filter.defined || conf->global_filter.defined;
	r = list(disks, arena);
	if (!r)
		*ret_disks = disks;
	return r;
}

/* Finds the disk by its wwid, or, if the PV's disk had none, the disk without wwid at its address.
 * *ret_count: disks with this id. */
static const struct disk *find(const struct lea_needed_disks *disks, const struct lea_boot_pv *pv,
			       uint32_t *ret_count)
{
	const struct disk key = {.wwid = pv->wwid, .address = pv->wwid[0] ? "" : pv->address};
	const struct disk *end = disks->disk + disks->count, *first, *last;

	*ret_count = 0;
	first = disks->count && (pv->wwid[0] || pv->address[0])
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

static bool has_partitions(int sys_fd, const char *disk)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	char path[PATH_BYTES];

	/* The entries of /sys/block are links, which the "." follows. */
	snprintf(path, sizeof(path), "block/%s/.", disk);
	if (lea_file_list(sys_fd, path, &dir))
		return true;
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, disk, strlen(disk)))
			return true;
	return false;
}

/* The kernel's name of a partition: a "p" separates numbers. */
static void name_partition(const struct disk *disk, uint32_t number, char name[static PATH_BYTES])
{
	const bool ends_in_digit = isdigit((unsigned char)disk->name[strlen(disk->name) - 1]);

	snprintf(name, PATH_BYTES, "%s%s%u", disk->name, ends_in_digit ? "p" : "", number);
}

/* Names the device as in /dev, and finds its number. False: there is no such partition. */
static bool locate(const struct disk *disk, const struct lea_boot_pv *pv, int sys_fd,
		   char name[static PATH_BYTES], struct lea_devno *ret_devno)
{
	char path[2 * PATH_BYTES + 16];

	*ret_devno = disk->devno;
	snprintf(name, PATH_BYTES, "%s", disk->name);
	if (pv->kind == LEA_BOOT_PARTITION) {
		name_partition(disk, pv->partition, name);
		snprintf(path, sizeof(path), "block/%s/%s/dev", disk->name, name);
		if (!read_number(sys_fd, path, ret_devno))
			return false;
	}
	for (char *c = name; (c = strchr(c, '!'));)
		*c = '/';
	return true;
}

static bool is_held(struct lea_world *world, struct lea_devno devno, bool is_partition)
{
	bool has_other = false;
	int r = lea_sysfs_holder_but(world, devno, "holders", "LVM-", &has_other);

	if (r >= 0 && !has_other && is_partition)
		r = lea_sysfs_holder_but(world, devno, "../holders", "LVM-", &has_other);
	return r < 0 || has_other;
}

int lea_needed_disks_find(struct lea_needed_disks *disks, const struct lea_boot_pv *pv,
			  struct lea_keep_off_device *ret_seen, struct lea_device *ret_device)
{
	struct lea_keep_off_device seen = {.wwid = "",
					   .has_multipathd = disks->has_multipathd,
					   .has_filters = disks->has_filters};
	const struct disk *disk = find(disks, pv, &seen.with_wwid);
	const bool is_partition = pv->kind == LEA_BOOT_PARTITION;
	const int sys_fd = lea_world_sys(disks->world);
	struct lea_device device = {0};
	struct lea_devno devno;
	char name[PATH_BYTES];
	int r = 0;

	if (sys_fd >= 0 && disk && locate(disk, pv, sys_fd, name, &devno)) {
		seen.is_there = true;
		seen.wwid = disk->wwid;
		seen.is_partitioned = !is_partition && has_partitions(sys_fd, disk->name);
		seen.is_held = is_held(disks->world, devno, is_partition);
		if (lea_sysfs_number(disks->world, devno, "size", &seen.size_sectors))
			seen.size_sectors = 0;
		device.major = devno.major;
		device.minor = devno.minor;
		device.diskseq = lea_sysfs_diskseq(disks->world, devno);
		if (asprintf(&device.name, "/dev/%s", name) < 0)
			device.name = NULL;
		r = device.name ? lea_udevdb_fill(disks->world, &device) : -ENOMEM;
		seen.has_links = !r && device.devlinks[0];
	}
	if (r) {
		lea_device_done(&device);
		return r;
	}
	*ret_seen = seen;
	*ret_device = device;
	return 0;
}
