/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What sysfs says of the PVs' disks: twelve system calls a PV. Source: the kernel's ABI documents
 * of sysfs.
 */
#include "doctor/gather_private.h"

#include "base/cleanup.h"
#include "base/devset.h"
#include "base/file.h"
#include "base/id.h"
#include "doctor/parse.h"
#include "world/attributes.h"
#include "world/device_find.h"
#include "world/stack.h"
#include "world/sysfs.h"
#include "world/udevdb.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#define LEVELS_MOST 8U

/* The disks, and what only their gathering needs. */
struct gather {
	struct lea_doctor *doctor;
	struct lea_doctor_disk_list *list;
	struct lea_devset leaves; /* disks below PVs that are known already */
};

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

/* Since when udev has known the whole disk, in us since the boot; 0: unknown. */
static uint64_t read_since_us(struct lea_doctor *doctor, const char *kernel)
{
	struct lea_device device = {0};
	uint64_t since_us = 0;
	char usec[32];

	if (!lea_device_find_name(doctor->world, kernel, &device) &&
	    !lea_udevdb_fill(doctor->world, &device) &&
	    lea_udevdb_property(&device, "USEC_INITIALIZED", usec, sizeof(usec)))
		since_us = strtoull(usec, NULL, 10);
	lea_device_done(&device);
	return since_us;
}

static int add_disk(struct gather *gather, const char *name, const struct place *place,
		    struct lea_doctor_disk **ret_disk)
{
	struct lea_doctor_disk_list *list = gather->list;
	struct lea_doctor *doctor = gather->doctor;
	struct lea_doctor_disk *disk;

	if (lea_make_room(&list->disk, &list->room, list->count + 1, sizeof(*list->disk)))
		return -ENOMEM;
	disk = &list->disk[list->count++];
	*disk = (struct lea_doctor_disk){
		.name = lea_doctor_keep(doctor, name),
		.kernel = lea_doctor_keep(doctor, place->kernel),
		.node = lea_doctor_keep(doctor, place->node),
		.vg = LEA_NONE,
		.is_scsi = place->hctl[0] != '\0',
		.is_nvme = lea_after(place->kernel, "nvme"),
		.is_virtio = lea_after(place->kernel, "vd"),
		.model = "",
		.state = "",
		.wwid = "",
		.address = lea_doctor_keep(doctor, place->address),
		.file = {.path = "", .fs = "", .extents = LEA_DOCTOR_UNKNOWN},
		.wear_percent = LEA_DOCTOR_UNKNOWN,
	};
	if (lea_doctor_wants(doctor, 5))
		disk->since_us = read_since_us(doctor, place->kernel);
	read_attributes(doctor, place, disk);
	*ret_disk = disk;
	return 0;
}

/* ---- disks below a PV */

static int add_leaves(struct gather *gather, const char *folder, unsigned int level);

static int add_leaf(struct gather *gather, const char *kernel, unsigned int level)
{
	struct lea_world *world = gather->doctor->world;
	struct lea_doctor_disk *disk;
	struct lea_devno devno;
	struct lea_devid id;
	struct place place;
	char path[96], name[64];

	if (lea_sysfs_find(world, kernel, &devno) <= 0)
		return 0;
	id = (struct lea_devid){devno.major, devno.minor, 0};
	snprintf(path, sizeof(path), "class/block/%.31s/slaves", kernel);
	if (lea_after(kernel, "dm-") || lea_after(kernel, "md"))
		return add_leaves(gather, path, level + 1);
	switch (lea_devset_add(&gather->leaves, &id)) {
	case 0:
		break;
	case LEA_DEVSET_THERE:
		return 0;
	default:
		return -ENOMEM;
	}
	snprintf(name, sizeof(name), "/dev/%.31s", kernel);
	find_place(world, (struct lea_devno){id.major, id.minor}, name, &place);
	return add_disk(gather, name, &place, &disk);
}

static int add_leaves(struct gather *gather, const char *folder, unsigned int level)
{
	LEA_AUTO(lea_closedirp) DIR *dir = NULL;
	const struct dirent *entry;
	int r = 0;

	if (level > LEVELS_MOST ||
	    lea_file_list(lea_world_sys(gather->doctor->world), folder, &dir))
		return 0;
	while ((entry = lea_file_next(dir, &r)))
		if (entry->d_name[0] != '.')
			r = add_leaf(gather, entry->d_name, level);
	return r;
}

/* ---- loop devices */

struct file_answer {
	bool is_good;
	uint64_t size_bytes, held_bytes, extents;
};

static void ask_file(const struct lea_doctor *doctor, const struct lea_doctor_request *request,
		     unsigned int pass)
{
	LEA_AUTO(lea_freep) char *path = lea_world_path(doctor->world, request->object);
	struct fiemap map = {.fm_length = FIEMAP_MAX_OFFSET};
	struct file_answer *answer = request->answer;
	LEA_AUTO(lea_closep) int fd = -1;
	struct stat st;

	(void)pass;
	if (path)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		return;
	answer->size_bytes = (uint64_t)st.st_size;
	answer->held_bytes = (uint64_t)st.st_blocks * 512;
	/* Without room for extents the kernel only counts them. */
	answer->extents =
		ioctl(fd, FS_IOC_FIEMAP, &map) < 0 ? LEA_DOCTOR_UNKNOWN : map.fm_mapped_extents;
	answer->is_good = true;
}

static void take_file(struct lea_doctor *doctor, const struct lea_doctor_request *request)
{
	const struct file_answer *answer = request->answer;
	struct lea_doctor_file *file = request->fact;

	(void)doctor;
	if (!request->is_done)
		return;
	file->has_stat = answer->is_good;
	file->is_asked = answer->is_good; /* a deleted file has nothing to say */
	file->size_bytes = answer->size_bytes;
	file->held_bytes = answer->held_bytes;
	file->extents = answer->extents;
}

static const struct lea_doctor_question file_question = {.prefix = "file-",
							 .answer_bytes = sizeof(struct file_answer),
							 .ask = ask_file,
							 .take = take_file};

static void read_loop(struct lea_doctor *doctor, const struct place *place,
		      struct lea_doctor_file *to)
{
	const struct lea_mounts *mounts;
	const struct lea_mount *mount;
	char file[512], direct[8];
	struct lea_attribute attribute[] = {
		{.text = file, .text_bytes = sizeof(file)},
		{.text = direct, .text_bytes = sizeof(direct)},
	};

	snprintf(attribute[0].path, sizeof(attribute[0].path), "%s/loop/backing_file",
		 place->folder);
	snprintf(attribute[1].path, sizeof(attribute[1].path), "%s/loop/dio", place->folder);
	lea_attributes_read(lea_world_sys(doctor->world), attribute, ARRAY_SIZE(attribute));
	if (!file[0])
		return;
	mount = lea_doctor_mounts(doctor, LEA_MOUNTINFO, &mounts)
			? NULL
			: lea_mounts_find_path(mounts, file);
	to->path = lea_doctor_keep(doctor, file);
	to->fs = lea_doctor_keep(doctor, mount ? mount->type : "");
	to->has_direct_io = answer_of(direct);
}

/* When all disks are there, and keep their places. */
static int ask_files(struct lea_doctor *doctor, struct lea_doctor_disk_list *list)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < list->count; i++) {
		struct lea_doctor_file *file = &list->disk[i].file;
		const struct lea_doctor_request request = {&file_question, .fact = file,
							   .object = file->path};

		if (!file->path[0])
			continue;
		file->is_asked = true;
		r = lea_doctor_add_request(doctor, &request);
	}
	return r;
}

/* ---- PVs */

/* The PVID of a device that was not read, by udev. */
static bool udev_pvid(const struct lea_doctor *doctor, struct lea_found *found,
		      char pvid[static 33])
{
	char id[64];

	return (found->device.properties || !lea_udevdb_fill(doctor->world, &found->device)) &&
	       lea_udevdb_is(&found->device, "ID_FS_TYPE", "LVM2_member") &&
	       lea_udevdb_property(&found->device, "ID_FS_UUID", id, sizeof(id)) &&
	       !lea_id_parse(id, pvid);
}

static int add_pv(struct gather *gather, struct lea_found *found, const char *pvid)
{
	const struct lea_devno devno = lea_device_devno(&found->device);
	struct lea_doctor *doctor = gather->doctor;
	struct lea_doctor_disk *disk;
	struct place place;
	char name[64], folder[80], age[LEA_SCAN_MOVED_BYTES];

	find_place(doctor->world, devno, found->device.name, &place);
	if (add_disk(gather, found->device.name, &place, &disk))
		return -ENOMEM;
	snprintf(disk->pvid, sizeof(disk->pvid), "%s", pvid);
	disk->is_pv = true;
	disk->major = devno.major;
	disk->minor = devno.minor;
	disk->is_orphan = found->kind == LEA_FOUND_ORPHAN;
	disk->is_late = found->kind == LEA_FOUND_UNREADABLE && found->fault == -ETIMEDOUT;
	disk->mda_bytes = found->label.mda_count ? found->label.mda[0].size_bytes : 0;
	disk->text_bytes = found->text_bytes;
	lea_found_age(found, age, sizeof(age));
	disk->is_outdated = age[0];
	disk->outdated = lea_doctor_keep(doctor, age);
	disk->measured_reads = found->measured;
	disk->measured_us = found->measured_us;
	disk->slowest_us = found->slowest_us;
	if (doctor->conf->scan_lvs)
		disk->lies_on_lv = lea_lies_on_lv(doctor->world, devno);
	if (lea_after(place.kernel, "loop"))
		read_loop(doctor, &place, &disk->file);
	snprintf(name, sizeof(name), "%.31s", place.kernel);
	snprintf(folder, sizeof(folder), "%s/slaves", place.folder);
	return lea_after(name, "dm-") || lea_after(name, "md") ? add_leaves(gather, folder, 0) : 0;
}

/* A PV that the devices file does not name. */
static int add_hidden(struct gather *gather, struct lea_found *found)
{
	struct lea_doctor_disk_list *list = gather->list;
	char pvid[33];

	if ((found->excluded != LEA_EXCLUDED_NOT_IN_FILE &&
	     found->excluded != LEA_EXCLUDED_PVID_NOT_IN_FILE) ||
	    !udev_pvid(gather->doctor, found, pvid))
		return 0;
	if (lea_make_room(&list->hidden, &list->hidden_room, list->hidden_count + 1,
			  sizeof(*list->hidden)))
		return -ENOMEM;
	list->hidden[list->hidden_count++] =
		(struct lea_doctor_hidden){found->device.name, lea_exclusion_text(found->excluded),
					   lea_doctor_keep(gather->doctor, pvid)};
	return 0;
}

static int add_found(struct gather *gather, struct lea_found *found)
{
	if (lea_found_is_pv(found) && !found->is_covered)
		return add_pv(gather, found, found->label.pvid);
	if (lea_found_silence(found) && found->expected[0])
		return add_pv(gather, found, found->expected);
	return found->kind == LEA_FOUND_EXCLUDED ? add_hidden(gather, found) : 0;
}

static int compare_pvs(const void *a, const void *b)
{
	const struct lea_doctor_disk *one = *(struct lea_doctor_disk *const *)a;
	const struct lea_doctor_disk *other = *(struct lea_doctor_disk *const *)b;
	const int order = strcmp(one->pvid, other->pvid);

	return order ? order : (int)one->is_late - (int)other->is_late;
}

static int sort_pvs(struct lea_doctor_disk_list *list)
{
	list->pv = calloc((size_t)list->count + 1, sizeof(struct lea_doctor_disk *));
	if (!list->pv)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->count; i++)
		if (list->disk[i].is_pv)
			list->pv[list->pv_count++] = &list->disk[i];
	qsort(list->pv, list->pv_count, sizeof(struct lea_doctor_disk *), compare_pvs);
	return 0;
}

int lea_doctor_read_disks(struct lea_doctor *doctor, struct lea_scan *scan,
			  struct lea_doctor_disk_list *list)
{
	struct gather gather = {.doctor = doctor, .list = list};
	struct lea_found *const *found;
	struct lea_scan_vg *vgs;
	size_t count;
	/* Only then it is known which metadata are older. */
	int r = lea_scan_vgs(scan, &vgs, &count);

	found = lea_scan_found(scan, &count);
	for (size_t i = 0; !r && i < count; i++)
		r = add_found(&gather, found[i]);
	lea_devset_done(&gather.leaves);
	r = r ? r : sort_pvs(list);
	return r ? r : ask_files(doctor, list);
}

void lea_doctor_disks_done(struct lea_doctor_disk_list *list)
{
	free(list->disk);
	free(list->pv);
	free(list->hidden);
}

/* ---- their VGs */

static struct lea_doctor_disk *find_pv(const struct lea_doctor_disk_list *list, const char *pvid)
{
	size_t low = 0, high = list->pv_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (strcmp(list->pv[middle]->pvid, pvid) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->pv_count && !strcmp(list->pv[low]->pvid, pvid) ? list->pv[low] : NULL;
}

bool lea_doctor_has_pv(const struct lea_doctor_disk_list *list, const char *pvid)
{
	return find_pv(list, pvid) != NULL;
}

void lea_doctor_join_vg(struct lea_doctor_disk_list *list, const struct lea_vg *vg, uint32_t index,
			uint32_t *ret_disk)
{
	for (uint32_t i = 0; i < vg->pv_count; i++) {
		struct lea_doctor_disk *disk = find_pv(list, vg->pvs[i].id);

		ret_disk[i] = disk ? (uint32_t)(disk - list->disk) : LEA_NONE;
		if (disk)
			disk->vg = index;
	}
}

void lea_doctor_read_discards(const struct lea_doctor *doctor, struct lea_doctor_disk_list *list,
			      const uint32_t *disk, uint32_t count)
{
	char path[96], text[32];

	for (uint32_t i = 0; i < count; i++) {
		struct lea_doctor_disk *to = disk[i] == LEA_NONE ? NULL : &list->disk[disk[i]];

		if (!to || to->discards != LEA_DOCTOR_NOT_KNOWN)
			continue;
		snprintf(path, sizeof(path), "class/block/%.31s/queue/discard_max_bytes",
			 to->kernel);
		if (!lea_file_read_into(lea_world_sys(doctor->world), path, text, sizeof(text)))
			to->discards = text[0] == '0' ? LEA_DOCTOR_NO : LEA_DOCTOR_YES;
	}
}

/* A disk below a PV belongs to the VG of the PV, which stands before it. */
static void set_leaves(struct lea_doctor_disk_list *list)
{
	uint32_t vg = LEA_NONE;

	for (uint32_t i = 0; i < list->count; i++)
		if (list->disk[i].is_pv)
			vg = list->disk[i].vg;
		else
			list->disk[i].vg = vg;
}

void lea_doctor_finish_disks(const struct lea_doctor *doctor, struct lea_doctor_disk_list *list,
			     const struct lea_doctor_sample *sample,
			     struct lea_doctor_facts *facts)
{
	const bool wants_ring = lea_doctor_wants(doctor, 5) || lea_doctor_wants(doctor, 2) ||
				lea_doctor_wants(doctor, 3);

	set_leaves(list);
	lea_doctor_take_counters(list, sample);
	facts->disks = (struct lea_doctor_disks){
		.disk = list->disk,
		.count = list->count,
		.hidden = list->hidden,
		.hidden_count = list->hidden_count,
		.has_kernel_ring =
			wants_ring && lea_doctor_read_kernel_ring(doctor, list, &facts->machine),
		.sample_ms = sample->ms,
	};
}
