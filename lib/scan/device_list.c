/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sources of devices: an argument, the kernel's list, lvm2's run files. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/devset.h"
#include "base/file.h"
#include "base/id.h"
#include "base/log.h"
#include "scan/scan.h"
#include "state/mark.h"
#include "state/online.h"
#include "world/device_find.h"
#include "world/hung.h"
#include "world/udevdb.h"
#include "world/udevlinks.h"

#define MAX_LOOKUP_BYTES (4U * 1024U * 1024U)
#define CLAIMANTS_MOST	 8U

struct devices {
	struct lea_device *item;
	size_t count, room;
	struct lea_devset numbers; /* [count] */
};

struct recorded {
	struct lea_scan_device *item;
	size_t count, room;
};

/* A number that is there twice is the later one's: its device has gone since then. */
static int devices_add(struct devices *devices, struct lea_device *device)
{
	const struct lea_devid number = lea_device_number(device);
	struct lea_device *place;
	int r = lea_make_room(&devices->item, &devices->room, devices->count + 1,
			      sizeof(*devices->item));

	r = r ? r : lea_devset_add(&devices->numbers, &number);
	if (r < 0)
		return r;
	place = &devices->item[lea_devset_find(&devices->numbers, &number)];
	if (r == LEA_DEVSET_THERE)
		lea_device_done(place);
	*place = *device;
	memset(device, 0, sizeof(*device));
	devices->count = devices->numbers.count;
	return 0;
}

static int recorded_add(struct recorded *recorded, struct lea_scan_device *device)
{
	if (lea_make_room(&recorded->item, &recorded->room, recorded->count + 1,
			  sizeof(*recorded->item)))
		return -ENOMEM;
	recorded->item[recorded->count++] = *device;
	memset(device, 0, sizeof(*device));
	return 0;
}

void lea_devices_free(struct lea_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		lea_device_done(&devices[i]);
	free(devices);
}

void lea_scan_devices_free(struct lea_scan_device *devices, size_t count)
{
	for (size_t i = 0; i < count; i++)
		lea_device_done(&devices[i].device);
	free(devices);
}

static void devices_done(struct devices *devices)
{
	lea_devices_free(devices->item, devices->count);
	lea_devset_done(&devices->numbers);
}

static void recorded_done(struct recorded *recorded)
{
	lea_scan_devices_free(recorded->item, recorded->count);
}

/* Returns LEA_ONLINE_ABSENT if there are none. */
static int give(struct recorded *recorded, struct lea_scan_device **ret_devices, size_t *ret_count)
{
	*ret_count = recorded->count;
	*ret_devices = LEA_TAKE(recorded->item);
	recorded->count = 0;
	return *ret_count ? 0 : LEA_ONLINE_ABSENT;
}

static int from_number(struct lea_world *world, const char *arg, struct lea_device *ret_device)
{
	struct lea_devid id = {0};
	struct lea_devno devno;
	int r;

	if (!lea_devno_parse(arg, &devno))
		return LEA_DEVICE_UNPARSABLE;
	id.major = devno.major;
	id.minor = devno.minor;
	r = lea_device_find(world, &id, ret_device);
	if (r != LEA_DEVICE_GONE)
		return r;
	r = lea_device_make(&id, NULL, ret_device);
	ret_device->is_gone = !r;
	return r;
}

int lea_device_from_arg(struct lea_world *world, const char *arg, struct lea_device *ret_device)
{
	LEA_AUTO(lea_freep) char *full = NULL;
	struct lea_devid id = {0};
	struct stat st;

	if (*arg != '/')
		return from_number(world, arg, ret_device);
	full = lea_world_path(world, arg);
	if (!full)
		return -ENOMEM;
	if (stat(full, &st) < 0)
		return LEA_DEVICE_NO_ACCESS;
	/* In a test tree regular files stand for block devices. */
	if (!S_ISBLK(st.st_mode) && !(S_ISREG(st.st_mode) && world->root[0]))
		return LEA_DEVICE_NOT_BLOCK;
	if (S_ISBLK(st.st_mode)) {
		id.major = major(st.st_rdev);
		id.minor = minor(st.st_rdev);
	}
	return lea_device_make(&id, arg, ret_device);
}

/* Adds one entry of class/block; a device that vanished meanwhile is skipped. */
static int add_kernel_device(struct devices *devices, struct lea_world *world, const char *name)
{
	struct lea_device device = {0};
	int r = lea_device_find_name(world, name, &device);

	r = r ? r : devices_add(devices, &device);
	lea_device_done(&device);
	return r < 0 ? r : 0;
}

int lea_devices_enumerate(struct lea_world *world, struct lea_device **ret_devices,
			  size_t *ret_count)
{
	LEA_AUTO(devices_done) struct devices devices = {0};
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	int sys_fd = lea_world_sys(world);
	int r = sys_fd < 0 ? sys_fd : lea_file_list(sys_fd, "class/block", &dir);
	const struct dirent *entry;

	if (r)
		return lea_log_fault(world->log, r, "/sys/class/block");
	while ((entry = lea_file_next(dir, &r)))
		if (entry->d_name[0] != '.')
			r = add_kernel_device(&devices, world, entry->d_name);
	if (r)
		return r;
	*ret_count = devices.count;
	*ret_devices = LEA_TAKE(devices.item);
	devices.count = 0;
	return 0;
}

/* Adds the device of one record, unless it is of another VG. @vg NULL: of any VG. */
static int add_recorded(struct recorded *recorded, int run_fd, const char *pvid, const char *vg)
{
	struct lea_online online;
	struct lea_scan_device device = {.again = LEA_ENTRY_MISSED};
	int r = lea_online_read(run_fd, pvid, &online);

	if (r)
		return r < 0 ? r : 0;
	if (vg && strcmp(online.vg, vg) != 0)
		return 0;
	snprintf(device.expected, sizeof(device.expected), "%s", pvid);
	r = lea_device_make(&(struct lea_devid){online.major, online.minor, 0}, online.device,
			    &device.device);
	r = r ? r : recorded_add(recorded, &device);
	lea_device_done(&device.device);
	return r;
}

/* Adds the PVIDs of pvs_lookup/VG, PVs without metadata among them. Returns 0 also if there is no
 * such file. */
static int add_looked_up(struct recorded *recorded, int run_fd, const char *vg)
{
	LEA_AUTO(lea_freep) char *text = NULL;
	char path[160], *state = NULL;
	int r;

	snprintf(path, sizeof(path), "pvs_lookup/%s", vg);
	r = lea_file_read(run_fd, path, MAX_LOOKUP_BYTES, &text, NULL);
	if (r)
		return r < 0 ? r : 0;
	for (char *pvid = strtok_r(text, "\n", &state); pvid && !r;
	     pvid = strtok_r(NULL, "\n", &state))
		if (lea_id_ok(pvid))
			r = add_recorded(recorded, run_fd, pvid, NULL);
	return r;
}

/* @vg NULL: all records. */
static int add_by_vg(struct recorded *recorded, int run_fd, const char *vg)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = lea_file_list(run_fd, "pvs_online", &dir);

	if (r)
		return r == -ENOENT ? 0 : r;
	while ((entry = lea_file_next(dir, &r)))
		if (lea_id_ok(entry->d_name))
			r = add_recorded(recorded, run_fd, entry->d_name, vg);
	return r;
}

int lea_devices_of_vg(struct lea_world *world, const char *vg, struct lea_scan_device **ret_devices,
		      size_t *ret_count)
{
	LEA_AUTO(recorded_done) struct recorded recorded = {0};
	int run_fd = lea_world_run(world);
	int r;

	if (run_fd < 0)
		return run_fd;
	if (!lea_name_ok(vg))
		return LEA_ONLINE_ABSENT;
	r = add_looked_up(&recorded, run_fd, vg);
	if (!r && !recorded.count)
		r = add_by_vg(&recorded, run_fd, vg);
	return r ? r : give(&recorded, ret_devices, ret_count);
}

int lea_devices_of_members(struct lea_world *world, const struct lea_vg *vg,
			   struct lea_scan_device **ret_devices, size_t *ret_count)
{
	LEA_AUTO(recorded_done) struct recorded recorded = {0};
	int r = 0, run_fd = lea_world_run(world);

	if (run_fd < 0)
		return run_fd;
	for (uint32_t i = 0; r == 0 && i < vg->pv_count; i++)
		r = add_recorded(&recorded, run_fd, vg->pvs[i].id, NULL);
	return r ? r : give(&recorded, ret_devices, ret_count);
}

static int add_claimant(struct recorded *recorded, struct lea_world *world, const char *pvid,
			struct lea_devno devno)
{
	const struct lea_devid id = {devno.major, devno.minor, 0};
	struct lea_scan_device device = {.again = LEA_ENTRY_MISSED};
	int r = lea_device_find(world, &id, &device.device);

	if (r)
		return r < 0 ? r : 0;
	snprintf(device.expected, sizeof(device.expected), "%s", pvid);
	r = recorded_add(recorded, &device);
	lea_device_done(&device.device);
	return r;
}

struct claiming {
	struct lea_world *world;
	const struct lea_vg *vg;
	struct recorded *recorded;
};

/* Adds the device if udev knows that it is a PV of the VG, of which nothing is recorded. */
static int add_if_claiming(const struct claiming *claiming, struct lea_devno devno)
{
	const struct lea_devid id = {devno.major, devno.minor, 0};
	LEA_AUTO(lea_device_done) struct lea_device device = {0};
	char pvid[33];
	int r = lea_device_find(claiming->world, &id, &device);

	r = r ? r : lea_udevdb_fill(claiming->world, &device);
	if (r || !lea_udevdb_pvid(&device, pvid) ||
	    lea_vg_find_pv(claiming->vg, pvid) == LEA_NONE)
		return r < 0 ? r : 0;
	r = lea_online_look(lea_world_run(claiming->world), pvid);
	return r == LEA_ONLINE_ABSENT
		       ? add_claimant(claiming->recorded, claiming->world, pvid, devno)
		       : r;
}

/* @name: of whatever hangs, as lea_reader_name_hung makes it of a device. */
static int add_hung(void *arg, const char *name)
{
	const char *number = strchr(name, '-');
	struct lea_devno devno;

	return lea_devno_parse(number ? number + 1 : name, &devno) ? add_if_claiming(arg, devno)
								   : 0;
}

/* @folder: of files that have the keys of devices as names. */
static int add_from(const struct claiming *claiming, int run_fd, const char *folder)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	struct lea_devid id;
	char path[32];
	int r;

	snprintf(path, sizeof(path), "event/%s", folder);
	r = lea_file_list(run_fd, path, &dir);
	while (dir && (entry = lea_file_next(dir, &r)))
		if (lea_devid_parse(entry->d_name, &id))
			r = add_if_claiming(claiming, (struct lea_devno){id.major, id.minor});
	return r == -ENOENT ? 0 : r;
}

/*
 * Not every udev keeps links, but each knows the PV of a device. A PV without a record is on one
 * that hangs; or that hung, and was queued when it gave its answer; or that this host may not use.
 */
static int add_without_links(struct claiming *claiming, int run_fd)
{
	int r = lea_hung_each(claiming->world, add_hung, claiming);

	if (r || lea_udevlinks_are_kept(claiming->world))
		return r;
	r = add_from(claiming, run_fd, "queue");
	return r ? r : add_from(claiming, run_fd, lea_mark_folder(LEA_MARK_REFUSED));
}

int lea_devices_claimed(struct lea_world *world, const struct lea_vg *vg,
			struct lea_scan_device **ret_devices, size_t *ret_count)
{
	LEA_AUTO(recorded_done) struct recorded recorded = {0};
	struct claiming claiming = {world, vg, &recorded};
	struct lea_devno devnos[CLAIMANTS_MOST];
	int r = 0, run_fd = lea_world_run(world);
	bool is_any_lost = false;

	if (run_fd < 0)
		return run_fd;
	for (uint32_t i = 0; !r && i < vg->pv_count; i++) {
		const char *pvid = vg->pvs[i].id;
		size_t count = 0;

		r = lea_online_look(run_fd, pvid);
		if (r != LEA_ONLINE_ABSENT)
			continue;
		r = lea_udevlinks_pv(world, pvid, devnos, CLAIMANTS_MOST, &count);
		is_any_lost |= !count;
		for (size_t k = 0; !r && k < count; k++)
			r = add_claimant(&recorded, world, pvid, devnos[k]);
	}
	if (!r && is_any_lost)
		r = add_without_links(&claiming, run_fd);
	return r ? r : give(&recorded, ret_devices, ret_count);
}

int lea_devices_recorded(struct lea_world *world, struct lea_scan_device **ret_devices,
			 size_t *ret_count)
{
	LEA_AUTO(recorded_done) struct recorded recorded = {0};
	int run_fd = lea_world_run(world);
	int r = run_fd < 0 ? run_fd : add_by_vg(&recorded, run_fd, NULL);

	r = r ? r : give(&recorded, ret_devices, ret_count);
	return r < 0 ? r : 0;
}
