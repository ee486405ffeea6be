/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which PVs are there: the ordinary scan of the devices that records and udev's links name. Links
 * lead to PVs without a record (of no VG, of exported or foreign VGs, made on a device in use).
 * Without udev's links all devices are scanned.
 */
#include "inventory/collect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/devset.h"
#include "base/file.h"
#include "base/id.h"
#include "base/order.h"
#include "record/duplicate_note.h"
#include "state/online.h"
#include "world/device_find.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

#define LINKS	    "disk/by-id"
#define LINK_PREFIX "lvm-pv-uuid-"

/* ---- records */

struct record {
	char pvid[33];
	struct lea_device device; /* owned, until it goes to the sources */
};

struct records {
	struct record *record; /* owned */
	size_t count, room;
};

/* What is scanned: the devices of records, in their order, and then others. */
struct sources {
	struct lea_device *device; /* owned */
	size_t count, room;
};

static int add_device(struct sources *sources, struct lea_device *device)
{
	if (lea_make_room(&sources->device, &sources->room, sources->count + 1,
			  sizeof(*sources->device)))
		return -ENOMEM;
	sources->device[sources->count++] = *device;
	*device = (struct lea_device){0};
	return 0;
}

static int add_record(void *arg, const char *pvid, const struct lea_online *online)
{
	struct records *records = arg;
	struct record *record;
	int r;

	if (lea_make_room(&records->record, &records->room, records->count + 1,
			  sizeof(*records->record)))
		return -ENOMEM;
	record = &records->record[records->count];
	r = lea_device_make(&(struct lea_devid){online->major, online->minor, 0}, online->device,
			    &record->device);
	if (r)
		return r;
	snprintf(record->pvid, sizeof(record->pvid), "%s", pvid);
	records->count++;
	return 0;
}

static int by_pvid(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return strcmp(x->pvid, y->pvid);
}

static void records_done(struct records *records)
{
	for (size_t i = 0; i < records->count; i++)
		lea_device_done(&records->record[i].device);
	free(records->record);
}

static int list_records(struct lea_world *world, struct records *records)
{
	const int run_fd = lea_world_run(world);
	const int r = run_fd < 0 ? run_fd : lea_online_each(run_fd, add_record, records);

	if (records->count)
		qsort(records->record, records->count, sizeof(*records->record), by_pvid);
	return r;
}

static bool has_record(const struct records *records, const char *pvid)
{
	struct record key = {.device = {0}};

	snprintf(key.pvid, sizeof(key.pvid), "%s", pvid);
	return records->count &&
	       bsearch(&key, records->record, records->count, sizeof(*records->record), by_pvid);
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

/* ---- PVs without a record */

/* A link that leads nowhere is of a device that has gone meanwhile. */
static int add_link(struct lea_world *world, int dev_fd, const char *name, struct sources *sources)
{
	char link[300], target[256];
	struct lea_device device = {0};
	struct lea_devno devno;
	ssize_t len;
	int r;

	snprintf(link, sizeof(link), LINKS "/%s", name);
	len = readlinkat(dev_fd, link, target, sizeof(target) - 1);
	if (len <= 0)
		return 0;
	target[len] = '\0';
	if (strncmp(target, "../../", 6) != 0 || !lea_sysfs_find(world, target + 6, &devno))
		return 0;
	r = lea_device_find(world, &(struct lea_devid){devno.major, devno.minor, 0}, &device);
	r = r ? r : add_device(sources, &device);
	lea_device_done(&device);
	return r < 0 ? r : 0;
}

/* LEA_FILE_ABSENT: there is no folder of links. */
static int find_links(struct lea_world *world, const struct records *records,
		      struct sources *sources)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const int dev_fd = lea_world_dev(world);
	int r = dev_fd < 0 ? dev_fd : lea_file_list(dev_fd, LINKS, &dir);
	const struct dirent *entry;
	char pvid[33];

	if (r)
		return LEA_FILE_ABSENT;
	while ((entry = lea_file_next(dir, &r)))
		if (!strncmp(entry->d_name, LINK_PREFIX, strlen(LINK_PREFIX)) &&
		    !lea_id_parse(entry->d_name + strlen(LINK_PREFIX), pvid) &&
		    !has_record(records, pvid))
			r = add_link(world, dev_fd, entry->d_name, sources);
	return r;
}

static int add_numbers(const struct sources *sources, struct lea_devset *numbers)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sources->count; i++) {
		const struct lea_devid number = lea_device_number(&sources->device[i]);

		r = lea_devset_add(numbers, &number);
	}
	return r < 0 ? r : 0;
}

/* All devices but the recorded ones. */
static int find_all(struct lea_world *world, struct sources *sources)
{
	LEA_AUTO(lea_devset_done) struct lea_devset recorded = {.id = NULL};
	struct lea_device *devices;
	size_t count;
	int r = add_numbers(sources, &recorded);

	r = r ? r : lea_devices_enumerate(world, &devices, &count);
	if (r)
		return r;
	for (size_t i = 0; !r && i < count; i++) {
		const struct lea_devid number = lea_device_number(&devices[i]);

		if (!lea_devset_has(&recorded, &number))
			r = add_device(sources, &devices[i]);
	}
	lea_devices_free(devices, count);
	return r;
}

static int find_sources(struct lea_world *world, struct records *records, struct sources *sources)
{
	int r = list_records(world, records);

	for (size_t i = 0; !r && i < records->count; i++)
		r = add_device(sources, &records->record[i].device);
	r = r ? r : find_links(world, records, sources);
	return r == LEA_FILE_ABSENT ? find_all(world, sources) : r;
}

/* ---- the scan */

static bool is_read_elsewhere(const struct lea_inventory *inventory, const char *pvid)
{
	struct lea_found *const *found;
	size_t count;

	found = lea_scan_found(inventory->scan, &count);
	for (size_t i = 0; i < count; i++)
		if (lea_found_is_pv(found[i]) && !strcmp(found[i]->label.pvid, pvid))
			return true;
	return false;
}

/* Udev or a record says that the PV is there. What cannot be read is missing, as for lvm2. */
static int take_unread(struct lea_inventory *inventory, const struct lea_found *found,
		       struct lea_inventory_pv *pv)
{
	const int r = add_problem(inventory, pv->device, fault_text(found->fault));

	if (r || !found->expected[0] || !lea_silence_is_open(found->fault) ||
	    is_read_elsewhere(inventory, found->expected))
		return r;
	memcpy(pv->pvid, found->expected, sizeof(pv->pvid));
	pv->problem = keep(inventory, fault_text(found->fault));
	return add_pv(inventory, pv);
}

/* @record: of the device; NULL: it has none. A record of another PV is outdated. */
static int take_found(struct lea_inventory *inventory, const struct lea_found *found,
		      const struct record *record)
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

	if (found->kind == LEA_FOUND_UNREADABLE)
		return take_unread(inventory, found, &pv);
	if (found->kind == LEA_FOUND_NOT_PV && found->problem[0])
		return add_problem(inventory, found->device.name, found->problem);
	if (found->is_covered || !lea_found_is_pv(found) ||
	    (record && strcmp(record->pvid, found->label.pvid) != 0))
		return 0;
	memcpy(pv.pvid, found->label.pvid, sizeof(pv.pvid));
	return add_pv(inventory, &pv);
}

/* @recorded: number of devices, from the first on, that have a record. The records say that filters
 * have accepted these, so neither udev nor libblkid is asked again. Other devices are judged by
 * udev's properties, as they are for an event. */
static int scan(struct lea_world *world, const struct lea_conf *conf,
		const struct lea_inventory_options *options, struct sources *sources,
		size_t recorded, struct lea_inventory *inventory)
{
	struct lea_scan_options scan_options = options->scan;
	int r;

	scan_options.filter = &inventory->filter;
	r = lea_scan_new(world, conf, &scan_options, &inventory->scan);
	for (size_t i = recorded; !r && i < sources->count; i++)
		r = lea_udevdb_fill(world, &sources->device[i]);
	r = r ? r : lea_scan_add(inventory->scan, sources->device, sources->count);
	r = r ? r : lea_scan_cover(inventory->scan);
	r = r ? r : lea_scan_recall(inventory->scan);
	r = r ? r : lea_scan_use_mapper_names(inventory->scan);
	return r > 0 ? -EINVAL : r;
}

/* ---- one PV on several devices */

static int set_duplicate(struct lea_inventory *inventory, struct lea_inventory_pv *pv,
			 const char *other)
{
	if (pv->problem[0] || !strcmp(pv->device, other))
		return 0;
	pv->problem = lea_arena_printf(inventory->arena, "%s has the same PVID", other);
	return pv->problem ? 0 : -ENOMEM;
}

/* Devices that were read. */
static int mark_equal(struct lea_inventory *inventory)
{
	int r = 0;

	for (size_t i = 1; !r && i < inventory->pv_count; i++) {
		struct lea_inventory_pv *pv = &inventory->pv[i], *before = pv - 1;

		if (strcmp(pv->pvid, before->pvid) != 0)
			continue;
		r = set_duplicate(inventory, before, pv->device);
		r = r ? r : set_duplicate(inventory, pv, before->device);
	}
	return r;
}

struct marking {
	struct lea_world *world;
	struct lea_inventory *inventory;
};

/* Devices that an event has found. One that is gone, or another by now, has no name. */
static int mark_noted(void *arg, const char *pvid)
{
	const struct marking *marking = arg;
	struct lea_inventory *inventory = marking->inventory;
	struct lea_duplicate duplicates[LEA_DUPLICATES_MOST];
	struct lea_inventory_pv key = {.device = ""}, *pv;
	int count = lea_duplicate_list(marking->world, pvid, duplicates), r = 0;

	snprintf(key.pvid, sizeof(key.pvid), "%s", pvid);
	pv = inventory->pv_count ? bsearch(&key, inventory->pv, inventory->pv_count,
					   sizeof(*inventory->pv), lea_compare_text)
				 : NULL;
	for (int i = 0; pv && !r && i < count; i++) {
		struct lea_device device = {0};

		if (!lea_device_find(marking->world, &duplicates[i].id, &device))
			r = set_duplicate(inventory, pv, device.name);
		lea_device_done(&device);
	}
	return count < 0 ? count : r;
}

/* A scan's results are in the order of its devices. */
static int take_all(struct lea_inventory *inventory, const struct records *records)
{
	struct lea_found *const *found;
	size_t count;
	int r = 0;

	found = lea_scan_found(inventory->scan, &count);
	for (size_t i = 0; !r && i < count; i++)
		r = take_found(inventory, found[i],
			       i < records->count ? &records->record[i] : NULL);
	if (inventory->pv_count)
		qsort(inventory->pv, inventory->pv_count, sizeof(*inventory->pv), lea_compare_text);
	return r;
}

int lea_inventory_find_pvs(struct lea_world *world, const struct lea_conf *conf,
			   const struct lea_inventory_options *options,
			   struct lea_inventory *inventory)
{
	LEA_AUTO(records_done) struct records records = {0};
	struct sources sources = {0};
	int r = find_sources(world, &records, &sources);

	r = r ? r : scan(world, conf, options, &sources, records.count, inventory);
	lea_devices_free(sources.device, sources.count); /* a scan left them empty */
	r = r ? r : take_all(inventory, &records);
	r = r ? r : mark_equal(inventory);
	return r ? r
		 : lea_duplicate_each(world, mark_noted,
				      &(struct marking){.world = world, .inventory = inventory});
}
