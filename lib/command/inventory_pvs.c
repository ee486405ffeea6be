/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which PVs are there. A record names a device that filters have accepted: it is read at once.
 * Other PVs (of no VG, of exported or foreign VGs, made on a device in use) have a link of udev's;
 * their devices go through the filters. Without udev's links all devices do.
 */
#include "command/inventory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/devset.h"
#include "base/file.h"
#include "base/id.h"
#include "filter/filter.h"
#include "state/online.h"
#include "state/queue.h"
#include "world/udevdb.h"

#define LINKS	    "disk/by-id"
#define LINK_PREFIX "lvm-pv-uuid-"

/* ---- records */

struct records {
	struct lea_quick_pv *pv; /* owned */
	size_t count, room;
};

static int add_record(void *arg, const char *pvid, const struct lea_online *online)
{
	struct records *records = arg;
	struct lea_quick_pv pv = {.kind = LEA_QUICK_UNREADABLE};

	if (lea_make_room(&records->pv, &records->room, records->count + 1, sizeof(*records->pv)))
		return -ENOMEM;
	snprintf(pv.pvid, sizeof(pv.pvid), "%s", pvid);
	snprintf(pv.device, sizeof(pv.device), "%s", online->device);
	pv.major = online->major;
	pv.minor = online->minor;
	records->pv[records->count++] = pv;
	return 0;
}

static int by_pvid(const void *a, const void *b)
{
	const struct lea_quick_pv *x = a, *y = b;

	return strcmp(x->pvid, y->pvid);
}

static int list_records(int run_fd, struct records *records)
{
	const int r = lea_online_each(run_fd, add_record, records);

	if (records->count)
		qsort(records->pv, records->count, sizeof(*records->pv), by_pvid);
	return r;
}

/* ---- the inventory's PVs */

static const char *keep(struct lea_inventory *inventory, const char *text)
{
	return text && text[0] ? lea_arena_strdup(inventory->arena, text) : "";
}

static int add_pv(struct lea_inventory *inventory, struct lea_inventory_pv *pv)
{
	if (!pv->device || !pv->problem || !pv->vg_name ||
	    lea_make_room(&inventory->pv, &inventory->pv_room, inventory->pv_count + 1,
			  sizeof(*inventory->pv)))
		return -ENOMEM;
	inventory->pv[inventory->pv_count++] = *pv;
	return 0;
}

static int add_problem(struct lea_inventory *inventory, const char *device, const char *what)
{
	const char *text = lea_arena_printf(inventory->arena, "%s: %s", device, what);

	if (!text || lea_make_room(&inventory->problem, &inventory->problem_room,
				   inventory->problem_count + 1, sizeof(*inventory->problem)))
		return -ENOMEM;
	inventory->problem[inventory->problem_count++] = text;
	return 0;
}

static const char *fault_text(int fault)
{
	return fault == -ETIMEDOUT ? "did not answer in time" : strerror(-fault);
}

/* A device that is gone, or holds something else by now, is no PV; its record is outdated. */
static int take_quick(struct lea_inventory *inventory, const struct lea_quick_pv *from)
{
	struct lea_inventory_pv pv = {
		.device = keep(inventory, from->device),
		.major = from->major,
		.minor = from->minor,
		.size_bytes = from->size_bytes,
		.label_bytes = from->label_bytes,
		.mda_count = from->mda_count,
		.is_orphan = from->kind == LEA_QUICK_ORPHAN,
		.vg = from->text ? from->text->vg : NULL,
		.vg_name = keep(inventory, from->vg_name),
		.problem = keep(inventory, from->problem),
	};
	int r;

	memcpy(pv.pvid, from->pvid, sizeof(pv.pvid));
	if (from->kind == LEA_QUICK_UNREADABLE && from->fault == -ETIMEDOUT) {
		/* Its record says that it is there. */
		pv.problem = fault_text(from->fault);
		r = add_problem(inventory, from->device, pv.problem);
		return r ? r : add_pv(inventory, &pv);
	}
	if (from->kind == LEA_QUICK_UNREADABLE)
		return from->fault == -ENODEV || from->fault == -ENXIO || from->fault == -ENOENT
			       ? 0
			       : add_problem(inventory, from->device, fault_text(from->fault));
	if (from->kind == LEA_QUICK_NOT_PV)
		return from->problem[0] ? add_problem(inventory, from->device, from->problem) : 0;
	return add_pv(inventory, &pv);
}

/* ---- PVs without a record */

struct others {
	struct lea_device *device; /* owned */
	size_t count, room;
};

static bool has_record(const struct records *records, const char *pvid)
{
	struct lea_quick_pv key = {.kind = LEA_QUICK_UNREADABLE};

	snprintf(key.pvid, sizeof(key.pvid), "%s", pvid);
	return records->count && bsearch(&key, records->pv, records->count, sizeof(*records->pv),
					 by_pvid);
}

/* The device's number, by the kernel's name of it: no device node is touched. */
static bool find_number(struct lea_world *world, char *name, char number[static 32])
{
	char path[300];
	const int sys_fd = lea_world_sys(world);

	for (char *at = strchr(name, '/'); at; at = strchr(at, '/'))
		*at = '!';
	snprintf(path, sizeof(path), "class/block/%s/dev", name);
	if (sys_fd < 0 || lea_file_read_into(sys_fd, path, number, 32))
		return false;
	number[strcspn(number, "\n")] = '\0';
	return true;
}

/* A link that leads nowhere is of a device that has gone meanwhile. */
static int add_link(struct lea_world *world, int dev_fd, const char *name, struct others *others)
{
	char link[300], target[256], number[32];
	struct lea_device device = {0};
	ssize_t len;
	int r;

	snprintf(link, sizeof(link), LINKS "/%s", name);
	len = readlinkat(dev_fd, link, target, sizeof(target) - 1);
	if (len <= 0)
		return 0;
	target[len] = '\0';
	if (strncmp(target, "../../", 6) != 0 || !find_number(world, target + 6, number))
		return 0;
	r = lea_device_from_arg(world, number, &device);
	if (!r && lea_make_room(&others->device, &others->room, others->count + 1,
				sizeof(*others->device)))
		r = -ENOMEM;
	if (r) {
		lea_device_done(&device);
		return r < 0 ? r : 0;
	}
	others->device[others->count++] = device;
	return 0;
}

/* LEA_FILE_ABSENT: there is no folder of links. */
static int find_links(struct lea_world *world, const struct records *records,
		      struct others *others)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const int dev_fd = lea_world_dev(world);
	int r = dev_fd < 0 ? dev_fd : lea_file_list(dev_fd, LINKS, &dir);
	const struct dirent *entry;
	char pvid[33];

	if (r)
		return LEA_FILE_ABSENT;
	while (!r && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, LINK_PREFIX, strlen(LINK_PREFIX)) &&
		    !lea_id_parse(entry->d_name + strlen(LINK_PREFIX), pvid) &&
		    !has_record(records, pvid))
			r = add_link(world, dev_fd, entry->d_name, others);
	return r;
}

static int add_numbers(const struct records *records, struct lea_devset *numbers)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < records->count; i++)
		r = lea_devset_add(numbers, &(struct lea_devid){records->pv[i].major,
								records->pv[i].minor, 0});
	return r < 0 ? r : 0;
}

/* All devices but the recorded ones. */
static int find_all(struct lea_world *world, const struct records *records,
		    struct others *others)
{
	LEA_AUTO(lea_devset_done) struct lea_devset numbers = {.id = NULL};
	struct lea_device *devices;
	size_t count;
	int r = add_numbers(records, &numbers);

	r = r ? r : lea_devices_enumerate(world, &devices, &count);
	if (r)
		return r;
	for (size_t i = 0; i < count; i++) {
		const struct lea_devid number = lea_device_number(&devices[i]);

		if (lea_devset_has(&numbers, &number))
			lea_device_done(&devices[i]);
		else
			devices[others->count++] = devices[i];
	}
	others->device = devices;
	return 0;
}

static int take_found(struct lea_inventory *inventory, const struct lea_found *found)
{
	struct lea_inventory_pv pv = {
		.device = keep(inventory, found->device.name),
		.major = found->device.major,
		.minor = found->device.minor,
		.size_bytes = found->size_sectors << 9,
		.label_bytes = found->label.device_bytes,
		.mda_count = found->label.mda_count,
		.is_orphan = found->kind == LEA_FOUND_ORPHAN,
		.vg = found->vg,
		.vg_name = keep(inventory, found->vg ? "" : found->vg_name),
		.problem = keep(inventory, found->problem),
	};

	if (found->is_covered)
		return 0;
	if (found->kind == LEA_FOUND_UNREADABLE)
		return add_problem(inventory, found->device.name, fault_text(found->fault));
	if (!lea_found_is_pv(found))
		return 0;
	memcpy(pv.pvid, found->label.pvid, sizeof(pv.pvid));
	return add_pv(inventory, &pv);
}

static int scan_others(struct lea_world *world, const struct lea_conf *conf,
		       const struct lea_inventory_options *options, struct others *others,
		       struct lea_inventory *inventory)
{
	struct lea_scan_options scan_options = options->scan;
	struct lea_found *const *found;
	size_t count;
	int r = 0;

	scan_options.filter = &inventory->filter;
	r = lea_scan_new(world, conf, &scan_options, &inventory->scan);
	/* Filters go by udev's properties, as they do for an event. */
	for (size_t i = 0; !r && i < others->count; i++)
		r = lea_udevdb_fill(world, &others->device[i]);
	r = r ? r : lea_scan_add(inventory->scan, others->device, others->count);
	r = r ? r : lea_scan_cover(inventory->scan);
	r = r ? r : lea_scan_use_mapper_names(inventory->scan);
	if (r)
		return r < 0 ? r : -EINVAL;
	found = lea_scan_found(inventory->scan, &count);
	for (size_t i = 0; !r && i < count; i++)
		r = take_found(inventory, found[i]);
	return r;
}

static int find_others(struct lea_world *world, const struct lea_conf *conf,
		       const struct lea_inventory_options *options,
		       const struct records *records, struct lea_inventory *inventory)
{
	struct others others = {0};
	int r = find_links(world, records, &others);

	if (r == LEA_FILE_ABSENT)
		r = find_all(world, records, &others);
	if (!r && others.count)
		r = scan_others(world, conf, options, &others, inventory);
	lea_devices_free(others.device, others.count); /* a scan left them empty */
	return r;
}

/* ---- all */

static int compare_pvids(const void *a, const void *b)
{
	const struct lea_inventory_pv *x = a, *y = b;

	return strcmp(x->pvid, y->pvid);
}

/* What /run cannot keep is read from the disks the next time. */
static void save_texts(struct lea_world *world, const struct lea_inventory *inventory,
		       int event_fd)
{
	const int r = lea_text_store_save(&inventory->store, event_fd);

	if (r < 0)
		lea_log(world->log, LEA_LOG_DEBUG, "texts are not kept in /run: %s", strerror(-r));
}

static int read_recorded(struct lea_world *world, const struct lea_conf *conf, int run_fd,
			 struct records *records, struct lea_inventory *inventory)
{
	LEA_AUTO(lea_closep) int event_fd = lea_queue_open(run_fd);
	int r = event_fd < 0 ? 0 : lea_text_store_load(&inventory->store, event_fd);

	if (r == -ENOMEM)
		return r;
	r = lea_quick_read(world, conf, &inventory->store, records->pv, records->count);
	for (size_t i = 0; !r && i < records->count; i++)
		r = take_quick(inventory, &records->pv[i]);
	if (!r && event_fd >= 0)
		save_texts(world, inventory, event_fd);
	return r;
}

int lea_inventory_find_pvs(struct lea_world *world, const struct lea_conf *conf,
			   const struct lea_inventory_options *options,
			   struct lea_inventory *inventory)
{
	struct records records = {0};
	const int run_fd = lea_world_run(world);
	int r = run_fd < 0 ? run_fd : list_records(run_fd, &records);

	r = r ? r : read_recorded(world, conf, run_fd, &records, inventory);
	r = r ? r : find_others(world, conf, options, &records, inventory);
	if (inventory->pv_count)
		qsort(inventory->pv, inventory->pv_count, sizeof(*inventory->pv), compare_pvids);
	free(records.pv);
	return r;
}
