/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the kernel's wwids, and only those that a registry makes unique. A serial number does
 * not count, nor does an id that is made of one: USB bridges of one model, and virtual machines
 * that were made from one template, share theirs. Not udev's ID_WWN either: for vendors that use
 * its extension for the LUN, all disks of an array share it. An id belongs to a disk: two
 * partitions are the same only if they have the same number on two disks with the same id.
 */
#include "record/duplicate_tie.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/cleanup.h"
#include "base/devname.h"
#include "base/order.h"
#include "filter/device_id.h"
#include "scan/reader.h"
#include "world/device_find.h"
#include "world/stack.h"
#include "world/sysfs.h"
#include "world/udevbrief.h"
#include "world/udevdb.h"

#define COPIES_MOST   10U
#define TELL_BYTES    512U
#define LOOPS_MOST    8U /* of loop devices on files in /dev, one on the other */
#define ADDRESS_BYTES 256U

/* *ret_number: 0 if it has no such attribute. 0 or a shortage. */
static int number_of(struct lea_world *world, const struct lea_device *device,
		     const char *attribute, uint64_t *ret_number)
{
	int r = lea_sysfs_number(world, lea_device_devno(device), attribute, ret_number);

	if (r)
		*ret_number = 0;
	return lea_shortage_of(r);
}

/* ---- two paths to one disk: each question is answered by 1, 0 or a shortage */

static int has_same_id(struct lea_world *world, const struct lea_device *a,
		       const struct lea_device *b, bool is_partition)
{
	char id[2][LEA_ID_BYTES];
	int r = lea_id_wwid(world, lea_device_devno(a), is_partition, id[0]);

	r = r ? r : lea_id_wwid(world, lea_device_devno(b), is_partition, id[1]);
	return r ? lea_shortage_of(r) : lea_id_is_unique(id[0]) && !strcmp(id[0], id[1]);
}

/* A bridge of USB makes up the ids of its disk, and there is one path through it. */
static int is_on_usb(struct lea_world *world, const struct lea_device *device, bool is_partition)
{
	char address[ADDRESS_BYTES];
	int r = lea_sysfs_address(world, lea_device_devno(device), is_partition, address,
				  sizeof(address));

	return r ? lea_shortage_of(r) : strstr(address, "/usb") != NULL;
}

/* Writes "MAJ:MIN" of the disk: for a partition that of its disk. 0 or a shortage. */
static int disk_of(struct lea_world *world, const struct lea_device *device,
		   char ret_disk[static 32])
{
	int r = lea_sysfs_text(world, lea_device_devno(device), "../dev", ret_disk, 32);

	if (r)
		snprintf(ret_disk, 32, "%u:%u", device->major, device->minor);
	return lea_shortage_of(r);
}

static int has_same_number(struct lea_world *world, const struct lea_device *a,
			   const struct lea_device *b, const char *attribute, uint64_t *ret_number)
{
	uint64_t other;
	int r = number_of(world, a, attribute, ret_number);

	r = r ? r : number_of(world, b, attribute, &other);
	return r ? r : *ret_number == other;
}

static int is_of_one_disk(struct lea_world *world, const struct lea_device *a,
			  const struct lea_device *b)
{
	char disk[2][32];
	int r = disk_of(world, a, disk[0]);

	r = r ? r : disk_of(world, b, disk[1]);
	return r ? r : !strcmp(disk[0], disk[1]);
}

static int is_one_disk(struct lea_world *world, const struct lea_device *a,
		       const struct lea_device *b)
{
	uint64_t partition, size;
	int r = has_same_number(world, a, b, "partition", &partition);

	r = r <= 0 ? r : has_same_number(world, a, b, "size", &size);
	if (r <= 0)
		return r;
	r = is_of_one_disk(world, a, b);
	if (r)
		return r < 0 ? r : 0;
	r = has_same_id(world, a, b, partition != 0);
	if (r <= 0)
		return r;
	r = is_on_usb(world, a, partition != 0);
	r = r ? r : is_on_usb(world, b, partition != 0);
	return r < 0 ? r : !r;
}

/* ---- one device stacked on the other */

struct search {
	struct lea_world *world;
	struct lea_devno wanted;
	unsigned int left; /* devices that may still be visited, on all ways */
	unsigned int deep; /* loop devices that were followed: they may lie on each other */
};

/* sysfs lists no holder or slave for a loop device over a disk. */
static int search_below(void *arg, const struct lea_stack_device *device)
{
	struct search *search = arg;
	char file[LEA_SYSFS_VALUE_BYTES];
	struct lea_devno devno;
	const char *name;
	int r;

	if (device->devno.major == search->wanted.major &&
	    device->devno.minor == search->wanted.minor)
		return 1;
	if (!search->left--)
		return -E2BIG;
	r = lea_sysfs_text(search->world, device->devno, "loop/backing_file", file, sizeof(file));
	if (r)
		return lea_shortage_of(r);
	name = lea_devname_below(file);
	r = name ? lea_sysfs_find(search->world, name, &devno) : 0;
	if (r <= 0)
		return r;
	r = 0;
	if (search->deep++ < LOOPS_MOST)
		r = lea_stack_walk(search->world, devno, search_below, search);
	search->deep--;
	/* What cannot be followed hides no other way. */
	return r < 0 ? lea_shortage_of(r) : r;
}

static int is_on(struct lea_world *world, const struct lea_device *upper,
		 const struct lea_device *lower)
{
	struct search search = {
		.world = world, .wanted = lea_device_devno(lower), .left = LEA_STACK_MOST};
	int r;

	if (upper->major == lower->major && upper->minor == lower->minor)
		return 0;
	r = lea_stack_walk(world, lea_device_devno(upper), search_below, &search);
	return r < 0 ? lea_shortage_of(r) : r;
}

int lea_duplicate_tie(struct lea_world *world, const struct lea_device *a,
		      const struct lea_device *b)
{
	int r = is_on(world, a, b);

	r = r ? r : is_on(world, b, a);
	if (r)
		return r < 0 ? r : LEA_DUPLICATE_STACKED;
	r = is_one_disk(world, a, b);
	return r < 0 ? r : r ? LEA_DUPLICATE_PATH : LEA_DUPLICATE_COPY;
}

int lea_duplicate_is_in_use(struct lea_world *world, struct lea_devno devno,
			    const struct lea_vg *vg)
{
	char prefix[sizeof("LVM-") + sizeof(vg->id)];
	bool has = false;
	int r;

	snprintf(prefix, sizeof(prefix), "LVM-%s", vg ? vg->id : "");
	r = lea_sysfs_holder(world, devno, "holders", prefix, &has);
	return r ? lea_shortage_of(r) : has;
}

/* ---- for people */

#define USE "; LVs use "

void lea_duplicate_tell_use(struct lea_world *world, const struct lea_device *device, char *text,
			    size_t text_bytes)
{
	if (lea_duplicate_is_in_use(world, lea_device_devno(device), NULL) > 0)
		lea_append(text, text_bytes, "%s%.100s", strstr(text, USE) ? " and " : USE,
			   device->name);
}

struct carrier {
	const char *pvid; /* first: what is compared */
	const struct lea_device *device;
};

/* The devices that are PVs, by their PVIDs; NULL: no memory. */
static struct carrier *list_carriers(const struct lea_scan *scan, size_t *ret_count)
{
	struct lea_found *const *found;
	struct carrier *carrier;
	size_t count, carriers = 0;

	found = lea_scan_found(scan, &count);
	carrier = calloc(count + 1, sizeof(*carrier));
	for (size_t i = 0; carrier && i < count; i++)
		if (lea_found_is_pv(found[i]) && !found[i]->is_covered)
			carrier[carriers++] =
				(struct carrier){found[i]->label.pvid, &found[i]->device};
	if (carriers)
		qsort(carrier, carriers, sizeof(*carrier), lea_compare_text_at);
	*ret_count = carriers;
	return carrier;
}

/* The devices that carry the PV, but other paths to one of them. In doubt it is none. */
static size_t find_copies(struct lea_world *world, const struct carrier *carrier, size_t count,
			  const char *pvid, const struct lea_device *copy[static COPIES_MOST])
{
	const struct carrier key = {pvid, NULL}, *at, *end = carrier + count;
	size_t copies = 0;

	at = count ? bsearch(&key, carrier, count, sizeof(*carrier), lea_compare_text_at) : NULL;
	while (at && at > carrier && !strcmp(at[-1].pvid, pvid))
		at--;
	for (; at && at < end && copies < COPIES_MOST && !strcmp(at->pvid, pvid); at++) {
		bool is_other = true;

		for (size_t c = 0; is_other && c < copies; c++)
			is_other = lea_duplicate_tie(world, copy[c], at->device) <=
				   LEA_DUPLICATE_COPY;
		if (is_other)
			copy[copies++] = at->device;
	}
	return copies;
}

bool lea_duplicate_tell_copies(struct lea_world *world, const struct lea_scan *scan,
			       const struct lea_scan_vg *scanned, char *text, size_t text_bytes)
{
	LEA_AUTO(lea_freep) struct carrier *carrier = NULL;
	size_t count = 0;
	bool is_any = false;

	if (!scanned->has_duplicate)
		return false;
	carrier = list_carriers(scan, &count);
	for (uint32_t p = 0; p < scanned->vg->pv_count && strlen(text) + 1 < text_bytes; p++) {
		const struct lea_device *copy[COPIES_MOST];
		char names[TELL_BYTES] = "";
		const size_t copies = find_copies(world, carrier, carrier ? count : 0,
						  scanned->vg->pvs[p].id, copy);

		if (copies < 2)
			continue;
		for (size_t c = 0; c < copies; c++)
			lea_append(names, sizeof(names), "%s%.100s", c ? " and " : "",
				   copy[c]->name);
		for (size_t c = 0; c < copies; c++)
			lea_duplicate_tell_use(world, copy[c], names, sizeof(names));
		lea_append(text, text_bytes, "%s%s", is_any ? "; " : "", names);
		is_any = true;
	}
	if (!carrier)
		lea_append(text, text_bytes, "no memory to say which");
	return is_any || !carrier;
}

/* ---- the content of a device */

static bool is_suspended(struct lea_world *world, struct lea_devno devno)
{
	uint64_t suspended;

	return !lea_sysfs_number(world, devno, "dm/suspended", &suspended) && suspended;
}

/* The device itself has failed, not its path, our rights, or our means. */
static bool is_dead(int fault)
{
	return fault == -EIO || fault == -ENXIO || fault == -ENODEV || fault == -ENOENT ||
	       fault == -ENOMEDIUM || fault == -EREMOTEIO || fault == -ENODATA;
}

int lea_duplicate_is_silent(struct lea_world *world, const struct lea_found *found)
{
	const int fault = lea_found_silence(found);

	return !fault || !is_dead(fault)
		       ? fault != 0
		       : lea_duplicate_is_in_use(world, lea_device_devno(&found->device), NULL);
}

/* 0 or a shortage. */
static int answer_of(struct lea_world *world, const struct lea_found *found, const char *pvid,
		     struct lea_duplicate_answer *ret_answer)
{
	const int r = lea_duplicate_is_silent(world, found);

	if (r < 0)
		return r;
	ret_answer->presence = r			       ? LEA_SILENT
			       : lea_found_carries(found, pvid) ? LEA_PRESENT
								: LEA_ABSENT;
	return 0;
}

static int read_it(struct lea_world *world, const struct lea_conf *conf,
		   const struct lea_scan_options *options, const struct lea_device *device,
		   const char *pvid, enum lea_entry_kind again,
		   struct lea_duplicate_answer *ret_answer)
{
	struct lea_scan_device copy = {.again = again};
	struct lea_found *const *found;
	struct lea_scan *scan = NULL;
	size_t count;
	int r = lea_scan_new(world, conf, options, &scan);

	r = r > 0 ? -EINVAL : r;
	r = r ? r : lea_device_copy(device, &copy.device);
	snprintf(copy.expected, sizeof(copy.expected), "%s", pvid);
	r = r ? r : lea_scan_add_expected(scan, &copy, 1);
	if (!r) {
		found = lea_scan_found(scan, &count);
		ret_answer->presence = LEA_ABSENT;
		r = count ? answer_of(world, found[0], pvid, ret_answer) : 0;
	}
	if (!r) {
		ret_answer->is_another =
			count && ret_answer->presence == LEA_ABSENT && found[0]->vg;
		if (ret_answer->presence == LEA_PRESENT && found[0]->vg) {
			memcpy(ret_answer->vg_id, found[0]->vg->id, sizeof(ret_answer->vg_id));
			snprintf(ret_answer->vg_name, sizeof(ret_answer->vg_name), "%s",
				 found[0]->vg->name);
			ret_answer->seqno = found[0]->vg->seqno;
		}
	}
	lea_device_done(&copy.device);
	lea_scan_free(scan);
	return r;
}

/* Which PV does udev name on it? "": none. 1, or 0: udev has not seen it; or a shortage.
 * *ret_is_in_work: it reads the device again, and what it has named is of before. */
static int read_named(struct lea_world *world, const struct lea_device *device,
		       bool *ret_is_in_work, char ret_named[static 33])
{
	LEA_AUTO(lea_closep) int data_fd = lea_udevbrief_open(world);
	char lines[LEA_UDEVBRIEF_BYTES];
	struct lea_device now = *device; /* borrowed */
	const int r = lea_udevbrief_read(data_fd, lea_device_devno(device), lines);

	if (r <= 0)
		return r;
	now.properties = lines;
	*ret_is_in_work = lea_udevdb_is(&now, "ID_PROCESSING", "1");
	if (!lea_udevdb_pvid(&now, ret_named))
		ret_named[0] = '\0';
	return 1;
}

int lea_duplicate_is_named_another(struct lea_world *world, const struct lea_device *device,
				    const char *pvid)
{
	char named[33];
	bool is_in_work;

	const int r = read_named(world, device, &is_in_work, named);

	return r <= 0 ? r : !is_in_work && named[0] && strcmp(named, pvid) != 0;
}

int lea_duplicate_is_named(struct lea_world *world, const struct lea_device *device,
			    const char *pvid)
{
	char named[33];
	bool is_in_work;

	const int r = read_named(world, device, &is_in_work, named);

	return r <= 0 ? r : !strcmp(named, pvid);
}

int lea_duplicate_carries(struct lea_world *world, const struct lea_conf *conf,
			  const struct lea_scan_options *options, const struct lea_device *device,
			  const char *pvid, enum lea_entry_kind again,
			  struct lea_duplicate_answer *ret_answer)
{
	const int is_another = lea_duplicate_is_named_another(world, device, pvid);

	*ret_answer = (struct lea_duplicate_answer){
		.presence = is_another > 0 ? LEA_ABSENT : LEA_SILENT, .is_another = is_another > 0};
	if (is_another)
		return is_another < 0 ? is_another : 0;
	/* One that is silent is not waited for once more with each copy and each path of it. */
	if (is_suspended(world, lea_device_devno(device)) ||
	    lea_reader_is_silent(options->reader, device))
		return 0;
	return read_it(world, conf, options, device, pvid, again, ret_answer);
}

int lea_duplicate_ask(struct lea_world *world, const struct lea_conf *conf,
		      const struct lea_scan_options *options, const struct lea_devid *id,
		      const char *pvid, enum lea_entry_kind again, struct lea_device *ret_device,
		      struct lea_duplicate_answer *ret_answer)
{
	int r = lea_device_find(world, id, ret_device);

	*ret_answer = (struct lea_duplicate_answer){.presence = r > 0 ? LEA_ABSENT : LEA_SILENT};
	if (r)
		return r < 0 ? r : 0;
	return lea_duplicate_carries(world, conf, options, ret_device, pvid, again, ret_answer);
}
