/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chain: each link is asked in lvm2's order, the first refusal ends it. What costs nothing for
 * this device (another driver, no list configured) is not asked at all.
 */
#include "flow/filter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "flow/filter_parts.h"
#include "world/udevdb.h"

#define SECTORS_PER_KIB	    2U
#define SECTOR_BYTES	    512U
#define MAX_MOUNTINFO_BYTES (16U * 1024U * 1024U)

/* One name of a --devices list. */
struct listed {
	const char *name; /* borrowed from the options */
	dev_t number;	  /* 0: there is no such device now */
};

struct lea_filter {
	struct lea_world *world;	  /* borrowed */
	const struct lea_conf *conf;	  /* borrowed */
	struct lea_regex *global, *local; /* owned; NULL: every name passes */
	struct lea_types types;
	bool types_known;
	struct lea_devicesfile *file; /* owned; NULL: not in use */
	struct listed *listed;	      /* owned; NULL: no --devices */
	uint32_t listed_count;
	char *mounts; /* owned: /proc/self/mountinfo; NULL: not yet read */
};

static void filter_freep(struct lea_filter **filter)
{
	lea_filter_free(*filter);
}

void lea_filter_free(struct lea_filter *filter)
{
	if (!filter)
		return;
	lea_regex_free(filter->global);
	lea_regex_free(filter->local);
	lea_types_done(&filter->types);
	lea_devicesfile_free(filter->file);
	free(filter->listed);
	free(filter->mounts);
	free(filter);
}

static int resolve_listed(struct lea_filter *filter, const struct lea_filter_options *options)
{
	LEA_AUTO(lea_freep) char *path = NULL;
	struct stat st;

	filter->listed = calloc(options->device_count + 1, sizeof(*filter->listed));
	if (!filter->listed)
		return -ENOMEM;
	for (uint32_t i = 0; i < options->device_count; i++) {
		free(path);
		path = lea_world_path(filter->world, options->devices[i]);
		if (!path)
			return -ENOMEM;
		filter->listed[i].name = options->devices[i];
		if (stat(path, &st) == 0 && S_ISBLK(st.st_mode))
			filter->listed[i].number = st.st_rdev;
		filter->listed_count++;
	}
	return 0;
}

static int read_devicesfile(struct lea_filter *filter, bool must_exist)
{
	const struct lea_conf *conf = filter->conf;
	struct lea_log *log = filter->world->log;
	int r;

	if (!conf->use_devicesfile || !conf->system_dir[0])
		return 0;
	r = lea_devicesfile_read(filter->world, conf, &filter->file);
	if (r == LEA_DEVICESFILE_ABSENT) {
		if (!must_exist)
			return 0;
		lea_log(log, LEA_LOG_ERROR, "Devices file not found: %s/devices/%s",
			conf->system_dir, conf->devicesfile);
		return LEA_FILTER_BAD_DEVICESFILE;
	}
	if (r == -ENOMEM || !r)
		return r;
	lea_log(log, LEA_LOG_ERROR, "Devices file %s/devices/%s: %s", conf->system_dir,
		conf->devicesfile, strerror(-r));
	return LEA_FILTER_BAD_DEVICESFILE;
}

static int compile_patterns(struct lea_filter *filter)
{
	const struct lea_conf *conf = filter->conf;
	struct lea_log *log = filter->world->log;
	int r = 0;

	if (filter->file) {
		if (conf->filter.defined)
			lea_log(log, LEA_LOG_ERROR,
				"Please remove the lvm.conf filter, it is "
				"ignored with the devices file.");
		if (conf->global_filter.defined)
			lea_log(log, LEA_LOG_ERROR,
				"Please remove the lvm.conf global_filter, it "
				"is ignored with the devices file.");
		return 0;
	}
	if (conf->global_filter.defined)
		r = lea_regex_new(log, "devices/global_filter", &conf->global_filter,
				  &filter->global);
	if (!r && conf->filter.defined)
		r = lea_regex_new(log, "devices/filter", &conf->filter, &filter->local);
	return r;
}

int lea_filter_new(struct lea_world *world, const struct lea_conf *conf,
		   const struct lea_filter_options *options, struct lea_filter **ret_filter)
{
	LEA_AUTO(filter_freep) struct lea_filter *filter = calloc(1, sizeof(*filter));
	int r = 0;

	if (!filter)
		return -ENOMEM;
	filter->world = world;
	filter->conf = conf;
	if (options->devices)
		r = resolve_listed(filter, options);
	else
		r = read_devicesfile(filter, options->devicesfile_must_exist);
	if (!r && options->use_names && !options->devices)
		r = compile_patterns(filter);
	if (r)
		return r;
	*ret_filter = LEA_TAKE(filter);
	return 0;
}

static int check_names(struct lea_filter *filter, struct lea_device *device,
		       struct lea_filter_verdict *verdict)
{
	bool accepted = true;
	int r = 0;

	if (filter->global)
		r = lea_regex_accepts(filter->global, filter->world, device, &accepted);
	if (!r && accepted && filter->local)
		r = lea_regex_accepts(filter->local, filter->world, device, &accepted);
	if (!r && !accepted)
		verdict->excluded_why = "device is rejected by filter config";
	return r;
}

static int check_type(struct lea_filter *filter, const struct lea_device *device,
		      struct lea_filter_verdict *verdict)
{
	int r;

	if (!filter->types_known) {
		r = lea_types_read(filter->world, &filter->conf->types, &filter->types);
		if (r)
			return r;
		filter->types_known = true;
	}
	if (!lea_types_find(&filter->types, device->major))
		verdict->excluded_why = "device type is unknown";
	return 0;
}

static int check_listed(struct lea_filter *filter, const struct lea_device *device,
			struct lea_filter_verdict *verdict)
{
	if (filter->listed) {
		for (uint32_t i = 0; i < filter->listed_count; i++)
			if (!strcmp(filter->listed[i].name, device->name) ||
			    filter->listed[i].number == makedev(device->major, device->minor))
				return 0;
		verdict->excluded_why = "device is not in devices list";
		return 0;
	}
	if (!filter->file)
		return 0;
	return lea_devicesfile_check(filter->file, filter->world,
				     lea_types_find(&filter->types, device->major), device,
				     verdict);
}

/* One read answers two links: is it in sysfs, and how large is it? */
static int check_size(struct lea_filter *filter, const struct lea_device *device,
		      struct lea_filter_verdict *verdict)
{
	struct lea_devno devno = {device->major, device->minor};
	int r = lea_sysfs_number(filter->world, devno, "size", &verdict->size_sectors);

	if (r < 0)
		return r;
	if (r == LEA_SYSFS_ABSENT) {
		if (filter->conf->sysfs_scan)
			verdict->excluded_why = "device is missing sysfs info";
		return 0;
	}
	if (verdict->size_sectors < filter->conf->pv_min_kib * SECTORS_PER_KIB)
		verdict->excluded_why = "device is too small (pv_min_size)";
	return 0;
}

static int check_usable(struct lea_filter *filter, const struct lea_device *device,
			struct lea_filter_verdict *verdict)
{
	return lea_usable_check(
		filter->world, filter->conf, lea_types_find(&filter->types, device->major),
		(struct lea_devno){device->major, device->minor}, &verdict->excluded_why);
}

static int check_multipath(struct lea_filter *filter, const struct lea_device *device,
			   struct lea_filter_verdict *verdict)
{
	bool is_path = false;
	int r;

	if (!filter->conf->multipath_component_detection)
		return 0;
	r = lea_multipath_check(filter->world, filter->conf,
				lea_types_find(&filter->types, device->major), device, &is_path);
	if (!r && is_path)
		verdict->excluded_why = "device is a multipath component";
	return r;
}

/* Third word of each line of mountinfo is the file system's device. */
static bool is_mounted(const char *mounts, const struct lea_device *device)
{
	char number[32];
	const char *word;

	snprintf(number, sizeof(number), "%u:%u ", device->major, device->minor);
	for (const char *line = mounts; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		word = strchr(line, ' ');
		word = word ? strchr(word + 1, ' ') : NULL;
		if (word && !strncmp(word + 1, number, strlen(number)))
			return true;
	}
	return false;
}

/*
 * A file system that is mounted from the device itself: a label in front of it is a leftover of
 * what the device once was. udev's word that it is a PV spares us the look.
 */
static int check_mounted(struct lea_filter *filter, const struct lea_device *device,
			 struct lea_filter_verdict *verdict)
{
	int proc_fd, r;

	if (lea_udevdb_is(device, "ID_FS_TYPE", "LVM2_member"))
		return 0;
	if (!filter->mounts) {
		proc_fd = lea_world_proc(filter->world);
		r = proc_fd < 0 ? proc_fd
				: lea_file_read(proc_fd, "self/mountinfo", MAX_MOUNTINFO_BYTES,
						&filter->mounts, NULL);
		if (r < 0)
			return r;
		if (r)
			filter->mounts = strdup("");
		if (!filter->mounts)
			return -ENOMEM;
	}
	if (is_mounted(filter->mounts, device))
		verdict->excluded_why = "device is mounted";
	return 0;
}

/* fwraid is answered by udev alone, so udev must have been asked by then. */
static int know_udev(struct lea_filter *filter, struct lea_device *device,
		     struct lea_filter_verdict *verdict)
{
	int r = 0;

	if (filter->conf->fw_raid_component_detection)
		r = lea_udevdb_fill(filter->world, device);
	verdict->ask_probe = device->properties && !device->properties[0];
	return r;
}

int lea_filter_device(struct lea_filter *filter, struct lea_device *device,
		      struct lea_filter_verdict *ret_verdict)
{
	struct lea_filter_verdict verdict = {0};
	int r;

	r = check_names(filter, device, &verdict);
	if (!r && !verdict.excluded_why)
		r = check_type(filter, device, &verdict);
	if (!r && !verdict.excluded_why)
		r = check_listed(filter, device, &verdict);
	if (!r && !verdict.excluded_why)
		r = check_size(filter, device, &verdict);
	if (!r && !verdict.excluded_why)
		r = check_usable(filter, device, &verdict);
	if (!r && !verdict.excluded_why)
		r = check_multipath(filter, device, &verdict);
	if (!r && !verdict.excluded_why)
		r = check_mounted(filter, device, &verdict);
	if (!r && !verdict.excluded_why)
		r = know_udev(filter, device, &verdict);
	if (!r)
		*ret_verdict = verdict;
	return r;
}

/* Asked only of devices that carry a partition table: can this one have partitions at all? */
static bool is_partitionable(struct lea_filter *filter, const struct lea_device *device)
{
	const struct lea_type *type = lea_types_find(&filter->types, device->major);
	struct lea_devno devno = {device->major, device->minor};
	uint64_t number = 0;

	if (lea_type_is(type, "device-mapper") || lea_type_is(type, "md") ||
	    lea_type_is(type, "mdp"))
		return true;
	if (lea_type_is(type, "loop"))
		return !lea_sysfs_number(filter->world, devno, "loop/partscan", &number) && number;
	if (!strncmp(device->name, "/dev/nvme", strlen("/dev/nvme")))
		return lea_sysfs_number(filter->world, devno, "partition", &number) ==
		       LEA_SYSFS_ABSENT;
	return type && type->minors > 1 && device->minor % type->minors == 0;
}

static bool is_partitioned(struct lea_filter *filter, const struct lea_device *device,
			   const uint8_t *head, size_t len_bytes)
{
	char table[16];

	switch (lea_head_partitions(head, len_bytes)) {
	case LEA_PARTITIONS_USED:
		return is_partitionable(filter, device);
	case LEA_PARTITIONS_UNKNOWN:
		/* The table lies beyond these bytes: udev has read it, or we take it for used. */
		return (!device->properties ||
			lea_udevdb_property(device, "ID_PART_TABLE_TYPE", table, sizeof(table))) &&
		       is_partitionable(filter, device);
	case LEA_PARTITIONS_NONE:
	default:
		return false;
	}
}

static bool is_fwraid(const char *type)
{
	static const char member[] = "_raid_member";
	size_t bytes = strlen(type);

	return strcmp(type, "linux_raid_member") != 0 && bytes >= strlen(member) &&
	       !strcmp(type + bytes - strlen(member), member);
}

/* Reason by the name that libblkid, and through it udev, gives to the content. */
static const char *why_by_type(const struct lea_conf *conf, const char *type)
{
	if (conf->md_component_detection && !strcmp(type, "linux_raid_member"))
		return "device is an md component";
	if (conf->fw_raid_component_detection && is_fwraid(type))
		return "device is filtered";
	return NULL;
}

int lea_filter_head(struct lea_filter *filter, const struct lea_device *device, const uint8_t *head,
		    size_t len_bytes, struct lea_filter_verdict *verdict)
{
	const struct lea_conf *conf = filter->conf;
	char type[64];

	if (is_partitioned(filter, device, head, len_bytes))
		verdict->excluded_why = "device is partitioned";
	else if (lea_head_has_foreign_label(head, len_bytes))
		verdict->excluded_why = "device has a signature";
	else if (conf->md_component_detection && lea_head_has_md(head, len_bytes))
		verdict->excluded_why = "device is an md component";
	else if (lea_udevdb_property(device, "ID_FS_TYPE", type, sizeof(type)))
		verdict->excluded_why = why_by_type(conf, type);
	return 0;
}

void lea_filter_probed(const struct lea_filter *filter, const struct lea_probe *probe,
		       struct lea_filter_verdict *verdict)
{
	if (filter->conf->multipath_component_detection && !strcmp(probe->type, "mpath_member"))
		verdict->excluded_why = "device is a multipath component";
	else if (!strcmp(probe->type, "LVM1_member"))
		verdict->excluded_why = "device has a signature";
	else
		verdict->excluded_why = why_by_type(filter->conf, probe->type);
}

bool lea_filter_wants_tail(const struct lea_filter *filter)
{
	return filter->conf->md_component_detection &&
	       !strcmp(filter->conf->md_component_checks, "full");
}

int lea_filter_md_tail(struct lea_filter *filter, const struct lea_device *device,
		       const uint8_t *tail, size_t len_bytes, struct lea_filter_verdict *verdict)
{
	const struct lea_type *type = lea_types_find(&filter->types, device->major);

	/* An array shows its members' metadata at its own end, if that is of the old kind. */
	if (!filter->conf->md_component_detection || lea_type_is(type, "md") ||
	    !strcmp(filter->conf->md_component_checks, "start"))
		return 0;
	if (lea_tail_has_md(tail, len_bytes, verdict->size_sectors * SECTOR_BYTES))
		verdict->excluded_why = "device is an md component";
	return 0;
}

bool lea_filter_pvid(const struct lea_filter *filter, const char *pvid)
{
	return filter->file && lea_devicesfile_lists_pvid(filter->file, pvid);
}
