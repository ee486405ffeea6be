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

#include "base/append.h"
#include "base/cleanup.h"
#include "base/devset.h"
#include "base/file.h"
#include "base/id.h"
#include "base/order.h"
#include "record/duplicate_note.h"
#include "record/duplicate_tie.h"
#include "rules/rule_override.h"
#include "state/online.h"
#include "world/device_find.h"
#include "world/sysfs.h"
#include "world/udevdb.h"
#include "world/udevlinks.h"

#define LINKS	    "disk/by-id"
#define LINK_PREFIX "lvm-pv-uuid-"
#define TEXT_BYTES  352U

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
	struct lea_scan_device *device; /* owned */
	size_t count, room;
};

static int add_device(struct sources *sources, struct lea_device *device)
{
	if (lea_make_room(&sources->device, &sources->room, sources->count + 1,
			  sizeof(*sources->device)))
		return -ENOMEM;
	sources->device[sources->count++] =
		(struct lea_scan_device){.device = *device, .again = LEA_ENTRY_MISSED};
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

static const char *fault_text(const struct lea_found *found)
{
	return found->fault == -ETIMEDOUT ? "did not answer in time" : lea_found_fault_text(found);
}

/* ---- PVs without a record */

/* By udev's links. */
struct search {
	struct lea_world *world;
	struct sources *sources;
	struct lea_devset listed; /* the sources' devices */
	int dev_fd;
	bool has_notes; /* events note what else carries a recorded PV */
};

/* One that has gone meanwhile is none. */
static int add_number(struct search *search, struct lea_devno devno)
{
	const struct lea_devid id = {devno.major, devno.minor, 0};
	struct lea_device device = {0};
	int r = lea_devset_add(&search->listed, &id);

	if (r)
		return r == LEA_DEVSET_THERE ? 0 : r;
	r = lea_device_find(search->world, &id, &device);
	r = r ? r : add_device(search->sources, &device);
	lea_device_done(&device);
	return r < 0 ? r : 0;
}

static int add_link(struct search *search, const char *name)
{
	char link[300], target[256];
	struct lea_devno devno;
	ssize_t len;

	snprintf(link, sizeof(link), LINKS "/%s", name);
	len = readlinkat(search->dev_fd, link, target, sizeof(target) - 1);
	if (len <= 0)
		return 0;
	target[len] = '\0';
	if (strncmp(target, "../../", 6) != 0 ||
	    lea_sysfs_find(search->world, target + 6, &devno) <= 0)
		return 0;
	return add_number(search, devno);
}

/* A link leads to one device. A copy of it stands behind the same link. */
static int add_claimants(struct search *search, const char *pvid)
{
	struct lea_devno devno[LEA_DUPLICATES_MOST];
	size_t count = 0;
	int r = lea_udevlinks_pv(search->world, pvid, devno, ARRAY_SIZE(devno), &count);

	for (size_t i = 0; count > 1 && !r && i < count; i++)
		r = add_number(search, devno[i]);
	return r;
}

static int add_by_link(struct search *search, const struct records *records, const char *name)
{
	char pvid[33];
	bool is_recorded;
	int r = 0;

	if (strncmp(name, LINK_PREFIX, strlen(LINK_PREFIX)) != 0 ||
	    lea_id_parse(name + strlen(LINK_PREFIX), pvid))
		return 0;
	is_recorded = has_record(records, pvid);
	if (!is_recorded)
		r = add_link(search, name);
	return r || (is_recorded && search->has_notes) ? r : add_claimants(search, pvid);
}

static int add_numbers(const struct sources *sources, struct lea_devset *numbers)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && i < sources->count; i++) {
		const struct lea_devid number = lea_device_number(&sources->device[i].device);

		r = lea_devset_add(numbers, &number);
	}
	return r < 0 ? r : 0;
}

/* LEA_FILE_ABSENT: there is no folder of links. */
static int find_links(struct lea_world *world, const struct records *records,
		      struct sources *sources)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	struct search search = {.world = world,
				.sources = sources,
				.dev_fd = lea_world_dev(world),
				.has_notes = lea_rule_override_find(world->root) == LEA_RULE_OURS};
	const struct dirent *entry;
	int r = search.dev_fd;

	if (r < 0 || lea_file_list(search.dev_fd, LINKS, &dir))
		return LEA_FILE_ABSENT;
	r = add_numbers(sources, &search.listed);
	while (!r && (entry = lea_file_next(dir, &r)))
		r = add_by_link(&search, records, entry->d_name);
	lea_devset_done(&search.listed);
	return r;
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

	for (size_t i = 0; !r && i < records->count; i++) {
		r = add_device(sources, &records->record[i].device);
		if (!r)
			sources->device[i].was_pv = true;
	}
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
	const int r = add_problem(inventory, pv->device, fault_text(found));

	if (r || !found->expected[0] || !lea_silence_is_open(found->fault) ||
	    is_read_elsewhere(inventory, found->expected))
		return r;
	memcpy(pv->pvid, found->expected, sizeof(pv->pvid));
	pv->problem = keep(inventory, fault_text(found));
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
		.found = found,
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
		r = lea_udevdb_fill(world, &sources->device[i].device);
	r = r ? r : lea_scan_add_expected(inventory->scan, sources->device, sources->count);
	r = r ? r : lea_scan_cover(inventory->scan);
	r = r ? r : lea_scan_recall(inventory->scan);
	r = r ? r : lea_scan_use_mapper_names(inventory->scan);
	return r > 0 ? -EINVAL : r;
}

/* ---- one PV on several devices */

struct joining {
	struct lea_world *world;
	struct lea_inventory *inventory;
};

static bool is_used(const struct joining *joining, const struct lea_inventory_pv *pv)
{
	return lea_duplicate_is_in_use(joining->world, lea_device_devno(&pv->found->device), NULL) >
	       0;
}

/* @other: carries the PV as well. Another path to its disk is as good. */
static int set_duplicate(const struct joining *joining, struct lea_inventory_pv *pv,
			 const struct lea_device *other)
{
	const struct lea_device *device = &pv->found->device;
	char text[TEXT_BYTES] = "";
	int tie;

	if (!strcmp(pv->device, other->name))
		return 0;
	tie = lea_duplicate_tie(joining->world, device, other);
	if (tie != LEA_DUPLICATE_COPY)
		return tie < 0 ? tie : 0;
	pv->is_duplicate = true;
	if (pv->problem[0])
		return 0;
	lea_append(text, sizeof(text), "%.100s has the same PVID", other->name);
	lea_duplicate_tell_use(joining->world, device, text, sizeof(text));
	lea_duplicate_tell_use(joining->world, other, text, sizeof(text));
	pv->problem = keep(joining->inventory, text);
	return pv->problem ? 0 : -ENOMEM;
}

/* Of devices that were read and carry one PV there remains that which LVs use, or else the first. */
static int join_equal(const struct joining *joining)
{
	struct lea_inventory *inventory = joining->inventory;
	size_t kept = 0;
	int r = 0;

	for (size_t i = 0; !r && i < inventory->pv_count; i++) {
		struct lea_inventory_pv *before = &inventory->pv[kept - !!kept];
		struct lea_inventory_pv pv = inventory->pv[i];

		if (!kept || strcmp(pv.pvid, before->pvid) != 0) {
			inventory->pv[kept++] = pv;
			continue;
		}
		if (!is_used(joining, before) && is_used(joining, &pv)) {
			const struct lea_inventory_pv unused = *before;

			*before = pv;
			pv = unused;
		}
		r = set_duplicate(joining, before, &pv.found->device);
	}
	inventory->pv_count = kept;
	return r;
}

/* Devices that an event has found. One that is gone, or another by now, has no name. */
static int mark_noted(void *arg, const char *pvid)
{
	const struct joining *joining = arg;
	const struct lea_inventory *inventory = joining->inventory;
	struct lea_duplicate duplicates[LEA_DUPLICATES_MOST];
	struct lea_inventory_pv key = {.device = ""}, *pv;
	int count = lea_duplicate_list(joining->world, pvid, duplicates), r = 0;

	snprintf(key.pvid, sizeof(key.pvid), "%s", pvid);
	pv = inventory->pv_count ? bsearch(&key, inventory->pv, inventory->pv_count,
					   sizeof(*inventory->pv), lea_compare_text)
				 : NULL;
	for (int i = 0; pv && !r && i < count; i++) {
		struct lea_device device = {0};

		if (!lea_device_find(joining->world, &duplicates[i].id, &device))
			r = set_duplicate(joining, pv, &device);
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
	struct joining joining = {world, inventory};
	struct sources sources = {0};
	int r = find_sources(world, &records, &sources);

	r = r ? r : scan(world, conf, options, &sources, records.count, inventory);
	lea_scan_devices_free(sources.device, sources.count); /* a scan left them empty */
	r = r ? r : take_all(inventory, &records);
	r = r ? r : join_equal(&joining);
	return r ? r : lea_duplicate_each(world, mark_noted, &joining);
}
