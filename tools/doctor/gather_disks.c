/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sysfs says of the PVs' disks: twelve system calls a PV. Its counters come from
 * /proc/diskstats, which has those of all devices. Source: the kernel's ABI documents of sysfs.
 */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/id.h"
#include "base/order.h"
#include "doctor/parse.h"
#include "world/attributes.h"
#include "world/stack.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>

#define MAX_DISKSTATS_BYTES (64U * 1024U * 1024U)
#define MAX_RING_BYTES	    (8U * 1024U * 1024U)
#define RING_READ_ALL	    3 /* syslog(2): the whole ring, without consuming it */
#define RING_SIZE	    10
#define LEVELS_MOST	    8U

/* ---- counters */

int lea_doctor_read_counters(struct lea_doctor *doctor, struct lea_doctor_counters *ret_counters)
{
	LEA_AUTO(lea_freep)
	char *text = lea_doctor_read_text(doctor, lea_world_proc(doctor->world), "diskstats",
					  MAX_DISKSTATS_BYTES);
	struct lea_doctor_counters counters = {0};
	char *state = NULL;
	size_t room = 0;

	for (char *line = text ? strtok_r(text, "\n", &state) : NULL; line;
	     line = strtok_r(NULL, "\n", &state)) {
		struct lea_doctor_counter *counter;
		int at = 0;

		if (lea_make_room(&counters.counter, &room, counters.count + 1,
				  sizeof(*counters.counter))) {
			free(counters.counter);
			return -ENOMEM;
		}
		counter = &counters.counter[counters.count];
		if (sscanf(line, "%*u %*u %31s%n", counter->name, &at) == 1 && at &&
		    lea_doctor_parse_io(line + at, &counter->io))
			counters.count++;
	}
	if (counters.count)
		qsort(counters.counter, counters.count, sizeof(*counters.counter),
		      lea_compare_text);
	*ret_counters = counters;
	return 0;
}

const struct lea_doctor_io *lea_doctor_find_counter(const struct lea_doctor_counters *counters,
						    const char *name)
{
	struct lea_doctor_counter wanted;
	const struct lea_doctor_counter *found;

	snprintf(wanted.name, sizeof(wanted.name), "%s", name);
	found = counters->count ? bsearch(&wanted, counters->counter, counters->count,
					  sizeof(wanted), lea_compare_text)
				: NULL;
	return found ? &found->io : NULL;
}

/* ---- one disk */

/* Where a disk is in sysfs. */
struct place {
	char folder[64];   /* of the whole disk, below /sys: "dev/block/8:1/.." */
	char kernel[32];   /* of the whole disk: "sda" */
	char node[32];	   /* of the device itself: "sda1" */
	char hctl[32];	   /* "2:0:0:0"; "": no SCSI disk */
	char address[256]; /* "" unknown */
};

static bool is_hctl(const char *text)
{
	unsigned int colons = 0;

	for (; *text; text++)
		if (*text == ':')
			colons++;
		else if (!isdigit((unsigned char)*text))
			return false;
	return colons == 3;
}

/* ".../host2/target2:0:0/2:0:0:0/block/sda/sda1" */
static void find_place(struct lea_world *world, struct lea_devno devno, const char *name,
		       struct place *ret_place)
{
	char path[48], target[512];
	const int sys_fd = lea_world_sys(world);
	const char *slash = strrchr(name, '/');
	char *block, *end, *last;
	ssize_t bytes;

	*ret_place = (struct place){0};
	snprintf(path, sizeof(path), "dev/block/%u:%u", devno.major, devno.minor);
	snprintf(ret_place->folder, sizeof(ret_place->folder), "%s", path);
	snprintf(ret_place->kernel, sizeof(ret_place->kernel), "%.31s", slash ? slash + 1 : name);
	memcpy(ret_place->node, ret_place->kernel, sizeof(ret_place->node));
	bytes = sys_fd < 0 ? -1 : readlinkat(sys_fd, path, target, sizeof(target) - 1);
	if (bytes <= 0)
		return;
	target[bytes] = '\0';
	block = strstr(target, "/block/");
	if (!block)
		return;
	*block = '\0';
	block += strlen("/block/");
	end = strchr(block, '/');
	snprintf(ret_place->node, sizeof(ret_place->node), "%.31s", end ? end + 1 : block);
	if (end) {
		*end = '\0';
		snprintf(ret_place->folder, sizeof(ret_place->folder), "%s/..", path);
	}
	snprintf(ret_place->kernel, sizeof(ret_place->kernel), "%.31s", block);
	last = strrchr(target, '/');
	if (last && is_hctl(last + 1))
		snprintf(ret_place->hctl, sizeof(ret_place->hctl), "%.31s", last + 1);
	last = strstr(target, "/devices/");
	snprintf(ret_place->address, sizeof(ret_place->address), "%s",
		 last ? last + strlen("/devices/") : "");
}

static enum lea_doctor_answer answer_of(const char *text)
{
	return !strcmp(text, "1")   ? LEA_DOCTOR_YES
	       : !strcmp(text, "0") ? LEA_DOCTOR_NO
				    : LEA_DOCTOR_NOT_KNOWN;
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static void read_model(struct lea_doctor *doctor, const struct place *place,
		       struct lea_doctor_disk *disk)
{
	char path[96], model[64], plain[64];

	snprintf(path, sizeof(path), "%s/device/model", place->folder);
	if (lea_file_read_into(lea_world_sys(doctor->world), path, model, sizeof(model)))
		return;
	model[strcspn(model, "\n")] = '\0';
	for (size_t i = strlen(model); i > 0 && model[i - 1] == ' '; i--)
		model[i - 1] = '\0';
	for (size_t i = 0; i <= strlen(model); i++)
		plain[i] = isprint((unsigned char)model[i]) && model[i] != '"' ? model[i] : '?';
	plain[strlen(model)] = '\0';
	disk->model = lea_doctor_keep(doctor, plain);
}

static void read_attributes(struct lea_doctor *doctor, const struct place *place,
			    struct lea_doctor_disk *disk)
{
	char rotational[8], write_cache[32], cache_type[32], timeouts[32], state[32];
	struct lea_attribute attribute[] = {
		{.text = rotational, .text_bytes = sizeof(rotational)},
		{.text = write_cache, .text_bytes = sizeof(write_cache)},
		{.text = state, .text_bytes = sizeof(state)},
		{.text = cache_type, .text_bytes = sizeof(cache_type)},
		{.text = timeouts, .text_bytes = sizeof(timeouts)},
	};
	static const char *const paths[] = {"queue/rotational", "queue/write_cache", "device/state",
					    NULL, "device/iotmo_cnt"};
	const size_t count = place->hctl[0] ? ARRAY_SIZE(attribute) : 3;

	cache_type[0] = timeouts[0] = '\0';
	for (size_t i = 0; i < count; i++)
		if (paths[i])
			snprintf(attribute[i].path, sizeof(attribute[i].path), "%s/%s",
				 place->folder, paths[i]);
		else
			snprintf(attribute[i].path, sizeof(attribute[i].path),
				 "class/scsi_disk/%s/cache_type", place->hctl);
	lea_attributes_read(lea_world_sys(doctor->world), attribute, count);
	disk->is_rotational = answer_of(rotational);
	disk->kernel_cache = lea_doctor_parse_cache(write_cache);
	disk->disk_cache = lea_doctor_parse_cache(cache_type);
	disk->timeouts = strtoull(timeouts, NULL, 0);
	disk->state = lea_doctor_keep(doctor, state);
	if (disk->is_scsi && disk->disk_cache == LEA_DOCTOR_CACHE_OFF &&
	    disk->is_rotational == LEA_DOCTOR_NO)
		read_model(doctor, place, disk);
}

static int add_disk(struct lea_doctor *doctor, const char *name, const struct place *place,
		    struct lea_doctor_disk **ret_disk)
{
	struct lea_doctor_facts *facts = &doctor->facts;
	struct lea_doctor_disk *disk;

	if (lea_make_room(&facts->disks.disk, &doctor->disk_room, facts->disks.count + 1,
			  sizeof(*facts->disks.disk)))
		return -ENOMEM;
	disk = &facts->disks.disk[facts->disks.count++];
	*disk = (struct lea_doctor_disk){
		.name = lea_doctor_keep(doctor, name),
		.kernel = lea_doctor_keep(doctor, place->kernel),
		.node = lea_doctor_keep(doctor, place->node),
		.vg = LEA_NONE,
		.is_scsi = place->hctl[0] != '\0',
		.is_nvme = begins(place->kernel, "nvme"),
		.is_virtio = begins(place->kernel, "vd"),
		.model = "",
		.state = "",
		.wwid = "",
		.address = lea_doctor_keep(doctor, place->address),
		.file = {.path = "", .fs = "", .extents = LEA_DOCTOR_UNKNOWN},
		.wear_percent = LEA_DOCTOR_UNKNOWN,
	};
	read_attributes(doctor, place, disk);
	*ret_disk = disk;
	return 0;
}

/* ---- disks below a PV */

static int add_leaves(struct lea_doctor *doctor, const char *folder, uint32_t vg,
		      unsigned int level);

static int add_leaf(struct lea_doctor *doctor, const char *kernel, uint32_t vg, unsigned int level)
{
	struct lea_doctor_disk *disk;
	struct lea_devno devno;
	struct lea_devid id;
	struct place place;
	char path[96], name[64], dev[32];

	snprintf(path, sizeof(path), "class/block/%.31s/dev", kernel);
	if (lea_file_read_into(lea_world_sys(doctor->world), path, dev, sizeof(dev)) ||
	    !lea_devno_parse(dev, &devno))
		return 0;
	id = (struct lea_devid){devno.major, devno.minor, 0};
	snprintf(path, sizeof(path), "class/block/%.31s/slaves", kernel);
	if (begins(kernel, "dm-") || begins(kernel, "md"))
		return add_leaves(doctor, path, vg, level + 1);
	switch (lea_devset_add(&doctor->leaves, &id)) {
	case 0:
		break;
	case LEA_DEVSET_THERE:
		return 0;
	default:
		return -ENOMEM;
	}
	snprintf(name, sizeof(name), "/dev/%.31s", kernel);
	find_place(doctor->world, (struct lea_devno){id.major, id.minor}, name, &place);
	if (add_disk(doctor, name, &place, &disk))
		return -ENOMEM;
	disk->vg = vg;
	return 0;
}

static int add_leaves(struct lea_doctor *doctor, const char *folder, uint32_t vg,
		      unsigned int level)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = 0;

	if (level > LEVELS_MOST || lea_file_list(lea_world_sys(doctor->world), folder, &dir))
		return 0;
	while (!r && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			r = add_leaf(doctor, entry->d_name, vg, level);
	return r;
}

/* ---- loop devices */

static void read_loop(struct lea_doctor *doctor, const struct place *place, uint32_t index)
{
	struct lea_doctor_disk *disk = &doctor->facts.disks.disk[index];
	const struct lea_mount *mount;
	char file[512], direct[8];
	struct lea_attribute attribute[] = {
		{.text = file, .text_bytes = sizeof(file)},
		{.text = direct, .text_bytes = sizeof(direct)},
	};
	struct lea_doctor_job job = {.kind = LEA_DOCTOR_JOB_FILE, .disk = index};

	snprintf(attribute[0].path, sizeof(attribute[0].path), "%s/loop/backing_file",
		 place->folder);
	snprintf(attribute[1].path, sizeof(attribute[1].path), "%s/loop/dio", place->folder);
	lea_attributes_read(lea_world_sys(doctor->world), attribute, ARRAY_SIZE(attribute));
	if (!file[0])
		return;
	mount = lea_mounts_find_path(lea_doctor_mounts(doctor, LEA_MOUNTINFO), file);
	disk->file.path = lea_doctor_keep(doctor, file);
	disk->file.fs = lea_doctor_keep(doctor, mount ? mount->type : "");
	disk->file.has_direct_io = answer_of(direct);
	snprintf(job.path, sizeof(job.path), "%s", file);
	disk->file.is_asked = !lea_doctor_add_job(doctor, &job);
}

/* ---- PVs */

/* The PVID of a device that was not read, by udev. */
static bool udev_pvid(struct lea_doctor *doctor, struct lea_found *found, char pvid[static 33])
{
	char id[64];

	return (found->device.properties || !lea_udevdb_fill(doctor->world, &found->device)) &&
	       lea_udevdb_is(&found->device, "ID_FS_TYPE", "LVM2_member") &&
	       lea_udevdb_property(&found->device, "ID_FS_UUID", id, sizeof(id)) &&
	       !lea_id_parse(id, pvid);
}

static int add_pv(struct lea_doctor *doctor, struct lea_found *found, const char *pvid)
{
	const struct lea_devno devno = lea_device_devno(&found->device);
	struct lea_doctor_disk *disk;
	const uint32_t index = doctor->facts.disks.count;
	struct place place;
	char name[64], folder[80];

	find_place(doctor->world, devno, found->device.name, &place);
	if (add_disk(doctor, found->device.name, &place, &disk))
		return -ENOMEM;
	snprintf(disk->pvid, sizeof(disk->pvid), "%s", pvid);
	disk->is_pv = true;
	disk->major = devno.major;
	disk->minor = devno.minor;
	disk->is_orphan = found->kind == LEA_FOUND_ORPHAN;
	disk->is_late = found->kind == LEA_FOUND_UNREADABLE && found->fault == -ETIMEDOUT;
	disk->mda_bytes = found->label.mda_count ? found->label.mda[0].size_bytes : 0;
	disk->text_bytes = found->text_bytes;
	disk->measured_reads = found->measured;
	disk->measured_us = found->measured_us;
	disk->slowest_us = found->slowest_us;
	if (doctor->conf->scan_lvs)
		disk->lies_on_lv = lea_lies_on_lv(doctor->world, devno);
	if (begins(place.kernel, "loop"))
		read_loop(doctor, &place, index);
	snprintf(name, sizeof(name), "%.31s", place.kernel);
	snprintf(folder, sizeof(folder), "%s/slaves", place.folder);
	/* The VG is filled in with that of the PV, later. */
	return begins(name, "dm-") || begins(name, "md") ? add_leaves(doctor, folder, LEA_NONE, 0)
							 : 0;
}

/* A PV that the devices file does not name. */
static int add_hidden(struct lea_doctor *doctor, struct lea_found *found, size_t *room)
{
	struct lea_doctor_hidden *hidden = doctor->hidden;
	char pvid[33];

	if (!strstr(found->excluded_why, "devices file") || !udev_pvid(doctor, found, pvid))
		return 0;
	if (lea_make_room(&hidden, room, doctor->facts.disks.hidden_count + 1, sizeof(*hidden)))
		return -ENOMEM;
	doctor->facts.disks.hidden = doctor->hidden = hidden;
	hidden[doctor->facts.disks.hidden_count++] = (struct lea_doctor_hidden){
		found->device.name, found->excluded_why, lea_doctor_keep(doctor, pvid)};
	return 0;
}

static void note_drbd(struct lea_doctor *doctor, const struct lea_found *found)
{
	struct lea_doctor_drbd *drbd = &doctor->facts.drbd;

	if (!begins(found->device.name, "/dev/drbd"))
		return;
	drbd->is_there = true;
	if (found->kind != LEA_FOUND_EXCLUDED && found->kind != LEA_FOUND_GONE)
		drbd->scanned = found->device.name;
}

int lea_doctor_read_disks(struct lea_doctor *doctor)
{
	struct lea_found *const *found;
	size_t count, room = 0;
	char pvid[33];
	int r = 0;

	doctor->facts.drbd = (struct lea_doctor_drbd){.scanned = "", .settings = ""};
	found = lea_scan_found(doctor->scan, &count);
	for (size_t i = 0; !r && i < count; i++) {
		note_drbd(doctor, found[i]);
		if (lea_found_is_pv(found[i]) && !found[i]->is_covered)
			r = add_pv(doctor, found[i], found[i]->label.pvid);
		else if (found[i]->kind == LEA_FOUND_UNREADABLE &&
			 udev_pvid(doctor, found[i], pvid))
			r = add_pv(doctor, found[i], pvid);
		else if (found[i]->kind == LEA_FOUND_EXCLUDED)
			r = add_hidden(doctor, found[i], &room);
	}
	return r;
}

/* ---- errors */

/* On a real machine the ring of the running kernel; a tree has it as a file. */
static char *read_ring(struct lea_doctor *doctor)
{
	char *text = NULL;
	int size, bytes;

	if (doctor->world->root[0])
		return lea_doctor_read_text(doctor, -1, "/dev/kmsg", MAX_RING_BYTES);
	size = klogctl(RING_SIZE, NULL, 0);
	if (size > 0 && (unsigned int)size < MAX_RING_BYTES)
		text = malloc((size_t)size + 1);
	bytes = text ? klogctl(RING_READ_ALL, text, size) : -1;
	if (bytes < 0) {
		free(text);
		return NULL;
	}
	text[bytes] = '\0';
	return text;
}

/* By the kernel's name, or by that of the whole disk. */
static int compare_kernels(const void *a, const void *b)
{
	return strcmp((*(struct lea_doctor_disk *const *)a)->kernel,
		      (*(struct lea_doctor_disk *const *)b)->kernel);
}

static void count_error(struct lea_doctor_disk **disks, size_t count, const char *name)
{
	struct lea_doctor_disk wanted = {.kernel = name};
	struct lea_doctor_disk *key = &wanted;
	struct lea_doctor_disk **at = bsearch(&key, disks, count, sizeof(*disks), compare_kernels);

	while (at && at > disks && !strcmp(at[-1]->kernel, name))
		at--;
	for (; at && at < disks + count && !strcmp((*at)->kernel, name); at++)
		(*at)->kernel_errors++;
}

void lea_doctor_read_kernel_ring(struct lea_doctor *doctor)
{
	struct lea_doctor_facts *facts = &doctor->facts;
	LEA_AUTO(lea_freep) char *text = read_ring(doctor);
	LEA_AUTO(lea_freep)
	struct lea_doctor_disk **disks = calloc((size_t)facts->disks.count + 1, sizeof(*disks));
	char *state = NULL, name[32];

	facts->disks.has_kernel_ring = text != NULL;
	for (uint32_t i = 0; disks && i < facts->disks.count; i++)
		disks[i] = &facts->disks.disk[i];
	if (disks && facts->disks.count)
		qsort(disks, facts->disks.count, sizeof(*disks), compare_kernels);
	for (const char *line = text && disks ? strtok_r(text, "\n", &state) : NULL; line;
	     line = strtok_r(NULL, "\n", &state))
		if (facts->disks.count && lea_doctor_parse_error(line, name))
			count_error(disks, facts->disks.count, name);
}
